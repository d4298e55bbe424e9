import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import { AudioFormat } from "@effect-speech/audio-codec/AudioFormat"
import * as Wav from "@effect-speech/audio-codec/Wav"
import * as SttContract from "@effect-speech/stt/SttContract"
import * as TtsContract from "@effect-speech/tts/TtsContract"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type { OperationName } from "../../OperationName.js"
import { bodyOfText, type KeptResponse, longestInlineBody } from "./exchangeFile.js"
import type { Spooled } from "./spool.js"

/** The headers that a recording keeps: those of the contract, and those that say how to read the body and when to retry. */
const keptHeaders = [
  "content-type",
  "retry-after",
  TtsContract.header.sampleRate,
  TtsContract.header.encoding,
  TtsContract.header.audioDuration,
  TtsContract.header.requestId,
  SttContract.noticeHeader,
  SttContract.hotwordsHeader
].map((name) => name.toLowerCase())

export const requestIdHeader = TtsContract.header.requestId.toLowerCase()

/** The headers of a response. `sentId`: the request id of the client, which a replay returns in its place. */
export const headersOf = (
  headers: Readonly<Record<string, string>>,
  sentId: string | undefined
): Pick<KeptResponse, "headers" | "echoesRequestId"> => {
  const retryAfter = headers["retry-after"] ?? ""
  // A time to retry is after the date of the response.
  const names = /^\d*$/.test(retryAfter) ? keptHeaders : [...keptHeaders, "date"]
  const echoes = sentId !== undefined && headers[requestIdHeader] === sentId
  const kept = names.flatMap((name) => {
    const value = headers[name]
    return value === undefined || (echoes && name === requestIdHeader) ? [] : [[name, value] as const]
  })
  return { headers: Object.fromEntries(kept), ...(echoes && { echoesRequestId: true }) }
}

/** A file of speech that players can play. */
export interface WavOutput {
  /** In bytes. */
  readonly headerLength: number
  /** The header before so many bytes. */
  readonly header: (bytes: number) => Uint8Array
}

const decodeHeaders = Schema.decodeUnknownEither(TtsContract.AudioHeaders)

/** More do not fit into the sizes of a WAV file. */
const largestWav = 0xffffffff - 1024

/** How speech becomes a WAV file. `undefined`: the response is none, or states no format. */
export const wavOf = (
  operation: OperationName,
  { headers, status }: HttpClientResponse.HttpClientResponse
): WavOutput | undefined => {
  const stated = decodeHeaders(headers)
  if (operation !== "synthesize" || status !== 200 || Either.isLeft(stated)) return undefined
  const encoding = stated.right["x-encoding"]
  const format = new AudioFormat({ sampleRate: stated.right["x-sample-rate"], channels: 1, encoding })
  const frame = encoding === "pcm16" ? 2 : 4
  const unknown = Wav.header(format)
  return {
    headerLength: unknown.length,
    // Half a frame has no size in a header. All headers have one length.
    header: (bytes) => (bytes > largestWav || bytes % frame !== 0 ? unknown : Wav.header(format, bytes))
  }
}

/** The body of a response: in the exchange, or the name of its file in `audio/`. */
export const bodyOf = ({ bytes, sha256, whole }: Spooled, wav: WavOutput | undefined): KeptResponse["body"] => {
  const isAudio = wav !== undefined && bytes > 0
  const inline = isAudio || whole === undefined || bytes > longestInlineBody ? undefined : bodyOfText(whole)
  return inline ?? { file: `audio/${sha256}.${isAudio ? "wav" : "bin"}`, bytes, sha256 }
}
