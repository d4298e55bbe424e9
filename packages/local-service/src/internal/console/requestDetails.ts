import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { bytesPerFrame } from "@effect-speech/audio-codec/AudioFormat"
import * as Wav from "@effect-speech/audio-codec/Wav"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Problem } from "../http/problems.js"
import type { KeptBody } from "../journal/details.js"
import type { FoundRequest, JournalService } from "../journal/journal.js"
import type { RequestDetails } from "./messages.js"

/** A request of the journal. */
export const findRequest = (
  { find }: Pick<JournalService, "find">,
  number: number
): Effect.Effect<FoundRequest, Problem> =>
  Effect.suspend(() => {
    const found = find(number)
    return found === undefined
      ? Effect.fail<Problem>({ status: 404, message: `the journal has no request ${number}` })
      : Effect.succeed(found)
  })

export const detailsOf = (found: FoundRequest): RequestDetails => {
  const { details, entry } = found
  const audio = audioFile(found)
  return {
    entry,
    request: { ...details.head, body: textOf(details.body) },
    response: details.response === undefined ? null : { ...details.response, body: details.response.body ?? null },
    fault: details.fault ?? null,
    audio: audio === undefined ? null : { ...audio.facts, byteLength: audio.byteLength },
    replayProblem: replayProblem(found) ?? null
  }
}

const textOf = (body: KeptBody | undefined): string | null =>
  body?._tag === "Json" ? new TextDecoder().decode(body.bytes) : null

/** Why a request can't be sent again as it was received. */
export const replayProblem = ({ audio, details }: FoundRequest): string | undefined => {
  const { body, hadKey, isForgotten } = details
  if (isForgotten) return "the journal has no room for its body any more"
  if (hadKey) return "it has the API key in its fields, which is not kept"
  if (body === undefined) return "its body was not read whole"
  const isFileMissing = body._tag === "Form" && body.file !== undefined && audio === undefined
  return isFileMissing ? "its file is not kept any more" : undefined
}

/** What a file of audio is named and typed. */
interface AudioFile {
  readonly facts: Pick<NonNullable<RequestDetails["audio"]>, "mediaType" | "fileName">
  readonly byteLength: number
  readonly stream: Stream.Stream<Uint8Array, unknown>
}

const audioFile = ({ audio, entry }: FoundRequest): AudioFile | undefined => {
  if (audio === undefined) return undefined
  const { byteLength, kind, stream } = audio
  if (kind._tag === "Uploaded") {
    const fileName = entry.fileName ?? `request-${entry.number}`
    return { facts: { mediaType: mediaTypeOf(kind.mediaType, fileName), fileName }, byteLength, stream }
  }
  const frame = bytesPerFrame(kind.format)
  // Of a response that was cut: a WAV file has whole frames.
  const length = byteLength - (byteLength % frame)
  const header = Wav.header(kind.format, length)
  return {
    facts: { mediaType: "audio/wav", fileName: `request-${entry.number}.wav` },
    byteLength: header.length + length,
    stream: Stream.concat(Stream.make(header), firstBytes(stream, length))
  }
}

const firstBytes = <E>(stream: Stream.Stream<Uint8Array, E>, length: number): Stream.Stream<Uint8Array, E> => {
  let left = length
  return Stream.map(stream, (chunk) => {
    const part = chunk.subarray(0, left)
    left -= part.length
    return part
  })
}

const typesByExtension: Readonly<Record<string, string>> = {
  wav: "audio/wav",
  mp3: "audio/mpeg",
  m4a: "audio/mp4",
  flac: "audio/flac",
  ogg: "audio/ogg",
  webm: "audio/webm"
}

/** The media type of an upload. A program may state any, so another one than of audio or video must not reach a browser. */
const mediaTypeOf = (stated: string, fileName: string): string => {
  if (/^(audio|video)\/[\w.+-]+$/i.test(stated)) return stated
  const extension = /\.(\w+)$/.exec(fileName)?.[1]?.toLowerCase() ?? ""
  return typesByExtension[extension] ?? "application/octet-stream"
}

export const audioResponse = (found: FoundRequest): Effect.Effect<HttpServerResponse.HttpServerResponse, Problem> => {
  const audio = audioFile(found)
  if (audio === undefined) return Effect.fail({ status: 404, message: "the audio of this request is not kept" })
  const { byteLength, facts, stream } = audio
  return Effect.succeed(
    HttpServerResponse.stream(stream, {
      contentType: facts.mediaType,
      contentLength: byteLength,
      headers: {
        "Cache-Control": "no-store",
        "Content-Disposition": `attachment; filename*=UTF-8''${encodeName(facts.fileName)}`,
        "X-Content-Type-Options": "nosniff"
      }
    })
  )
}

/** As RFC 8187 wants it. */
const encodeName = (name: string): string =>
  encodeURIComponent(name).replace(/['()*]/g, (character) => `%${character.charCodeAt(0).toString(16)}`)
