import type * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { AudioFormat } from "@effect-speech/audio-codec/AudioFormat"
import { unsafeInstance } from "@effect-speech/common/Structural"
import * as Contract from "@effect-speech/tts/TtsContract"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type { OperationName } from "../../OperationName.js"
import type { OpenEntry } from "../journal/entry.js"
import type { JournalService } from "../journal/journal.js"

type Response = HttpServerResponse.HttpServerResponse

/** Sees what is sent of a response. */
export interface ResponseObserver {
  /** Takes bytes of a stream. Wait for the result, if there is one. */
  readonly write: (chunk: Uint8Array) => Promise<void> | undefined
  readonly debited: (credits: number) => void
  /** Runs once: at the end, or when the client has left. */
  readonly ended: (sentBytes: number) => void
}

/** In bytes, of a text that a detail shows. */
const longestText = 256 * 1024

export interface ObservedResponse {
  readonly operation: OperationName
  readonly response: Response
  /** The response of the work, before a fault changed it. `undefined`: there was none. */
  readonly worked: Response | undefined
}

/** Writes to the journal what is sent of a response: its text or its speech, and why it failed. */
export const observeResponse = (
  entry: OpenEntry,
  journal: JournalService,
  { operation, response, worked }: ObservedResponse
): ResponseObserver => {
  const { body, headers, status } = response
  const text = isText(headers) ? collectText() : undefined
  const speech = operation === "synthesize" && worked !== undefined ? speechOf(worked) : undefined
  if (speech !== undefined) entry.audioMillis = speech.millis
  const audio = speech && journal.audioOf(entry, { _tag: "Spoken", format: speech.format })
  const keepResponse = (isWhole: boolean) => {
    const read = isWhole ? text?.end() : undefined
    journal.keepDetails(entry, { response: { status, headers: Object.entries(headers), body: read?.text } })
    if (read !== undefined) keepFacts(entry, journal, { operation, status, ...read })
  }
  if (body._tag === "Uint8Array") text?.write(body.body)
  keepResponse(body._tag === "Uint8Array")
  const writer = body._tag === "Stream" ? audio?.writer() : undefined
  return {
    write: (chunk) => {
      text?.write(chunk)
      return writer?.write(chunk)
    },
    debited: (credits) => {
      if (credits > 0) entry.credits = credits
    },
    ended: (sentBytes) => {
      entry.sentBytes = sentBytes
      const announced = Number(headers["content-length"] ?? Number.NaN)
      if (Number.isSafeInteger(announced)) entry.totalBytes = announced
      if (body._tag === "Stream" && text !== undefined) keepResponse(true)
      if (sentBytes === 0) writer?.discard()
      else if (body._tag === "Uint8Array") audio?.keep(body.body.subarray(0, sentBytes))
      else writer?.end(sentBytes)
    }
  }
}

const isText = (headers: Response["headers"]): boolean =>
  /^(text\/|application\/([\w.-]+\+)?json\b)/i.test(headers["content-type"] ?? "")

/** The beginning of a text in UTF-8. */
const collectText = () => {
  const chunks: Array<Uint8Array> = []
  let length = 0
  let isWhole = true
  return {
    write: (chunk: Uint8Array) => {
      // Copied: Node may use the memory of a chunk again, and a part would keep all of it.
      const part = new Uint8Array(chunk.subarray(0, longestText - length))
      length += part.length
      isWhole &&= part.length === chunk.length
      if (part.length > 0) chunks.push(part)
    },
    /** `stream`: half a character at the end is left out. */
    end: () => ({ text: new TextDecoder().decode(Buffer.concat(chunks), { stream: true }), isWhole })
  }
}

const decodeHeaders = Schema.decodeUnknownEither(Contract.AudioHeaders)

/** The format of speech. `undefined`: the response is none. */
const speechOf = ({ headers, status }: Response) => {
  const stated = decodeHeaders(headers)
  if (status !== 200 || Either.isLeft(stated)) return undefined
  const { "x-encoding": encoding, "x-sample-rate": sampleRate } = stated.right
  const millis = Number(headers[Contract.header.audioDuration.toLowerCase()] ?? Number.NaN)
  return {
    // The headers are checked.
    format: unsafeInstance(AudioFormat, { sampleRate, channels: 1, encoding }),
    millis: Number.isFinite(millis) ? millis : undefined
  }
}

interface ReadText {
  readonly operation: OperationName
  readonly status: number
  readonly text: string
  readonly isWhole: boolean
}

/** Keeps what a response says: why it failed, or the transcript. */
const keepFacts = (
  entry: OpenEntry,
  { keepText }: JournalService,
  { isWhole, operation, status, text }: ReadText
): void => {
  const isTranscript = status < 400 && operation === "transcribe" && entry.transcript === undefined
  if (!isWhole || (status < 400 && !isTranscript)) return
  const json = parse(text)
  if (status >= 400) {
    const problem = stringIn(json, "message") ?? stringIn(json, "error") ?? (json === undefined ? text.trim() : "")
    if (problem !== "") keepText(entry, "problem", problem)
  } else {
    const transcript = stringIn(json, "text")
    if (transcript !== undefined) keepText(entry, "transcript", transcript)
  }
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const stringIn = (json: unknown, name: string): string | undefined => {
  const value = typeof json === "object" && json !== null ? (json as Record<string, unknown>)[name] : undefined
  return typeof value === "string" && value !== "" ? value : undefined
}
