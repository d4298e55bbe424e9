import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { bytesPerFrame } from "@effect-speech/audio-codec/AudioFormat"
import * as Container from "@effect-speech/audio-codec/Container"
import * as Wav from "@effect-speech/audio-codec/Wav"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { Problem } from "../http/problems.js"
import type { KeptBody } from "../journal/details.js"
import type { FoundRequest } from "../journal/entry.js"
import type { JournalService } from "../journal/journal.js"
import type { KeptFile } from "../journal/keptFiles.js"
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

export const detailsOf = (found: FoundRequest): Effect.Effect<RequestDetails> =>
  Effect.map(audioFile(found), (audio) => {
    const { details, entry } = found
    return {
      entry,
      request: { ...details.head, body: textOf(details.body) },
      response: details.response === undefined ? null : { ...details.response, body: details.response.body ?? null },
      fault: details.fault ?? null,
      audio: audio === undefined ? null : { ...audio.facts, byteLength: audio.byteLength },
      replayProblem: replayProblem(found) ?? null
    }
  })

const textOf = (body: KeptBody | undefined): string | null =>
  body?._tag === "Json" ? new TextDecoder().decode(body.bytes) : null

/** Why a request can't be sent again as it was received. */
export const replayProblem = ({ audio, details }: FoundRequest): string | undefined => {
  const { body, hadKey, isForgotten } = details
  if (isForgotten) return "the journal has no room for the body of this request any more"
  if (hadKey) return "this request had the API key in its body, and the key is not kept"
  if (body === undefined) return "the service did not read the whole body of this request"
  const isFileMissing = body._tag === "Form" && body.file !== undefined && audio === undefined
  return isFileMissing ? "the file of this request is not kept any more" : undefined
}

/** What a file of audio is named and typed. */
interface AudioFile {
  readonly facts: Pick<NonNullable<RequestDetails["audio"]>, "mediaType" | "fileName">
  readonly byteLength: number
  readonly stream: Stream.Stream<Uint8Array, unknown>
}

const audioFile = ({ audio, entry }: FoundRequest): Effect.Effect<AudioFile | undefined> => {
  if (audio === undefined) return Effect.succeed(undefined)
  const { byteLength, kind, stream } = audio
  if (kind._tag === "Uploaded") {
    const fileName = entry.fileName ?? `request-${entry.number}`
    return Effect.map(mediaTypeOf(kind.mediaType, stream), (mediaType) => ({
      facts: { mediaType, fileName },
      byteLength,
      stream
    }))
  }
  const frame = bytesPerFrame(kind.format)
  // Of a response that was cut: a WAV file has whole frames.
  const length = byteLength - (byteLength % frame)
  const header = Wav.header(kind.format, length)
  return Effect.succeed({
    facts: { mediaType: "audio/wav", fileName: `request-${entry.number}.wav` },
    byteLength: header.length + length,
    stream: Stream.concat(Stream.make(header), firstBytes(stream, length))
  })
}

const firstBytes = <E>(stream: Stream.Stream<Uint8Array, E>, length: number): Stream.Stream<Uint8Array, E> => {
  let left = length
  return Stream.map(stream, (chunk) => {
    const part = chunk.subarray(0, left)
    left -= part.length
    return part
  })
}

const typesOf: Readonly<Record<Container.Container, string>> = {
  wav: "audio/wav",
  mp3: "audio/mpeg",
  m4a: "audio/mp4",
  flac: "audio/flac",
  ogg: "audio/ogg",
  webm: "audio/webm"
}

/**
 * The media type of an upload: as it was stated, else by its first bytes. A program may state any, so another one than of audio or video
 * must not reach a browser, and no XML, which may be a page with scripts.
 */
const mediaTypeOf = (stated: string, stream: KeptFile["stream"]): Effect.Effect<string> =>
  /^(audio|video)\/(?![\w.+-]*\+xml$)[\w.+-]+$/i.test(stated)
    ? Effect.succeed(stated)
    : Stream.runHead(stream).pipe(
        Effect.map(Option.flatMap(Container.sniff)),
        Effect.map(Option.map((container) => typesOf[container])),
        Effect.orElseSucceed(Option.none),
        Effect.map(Option.getOrElse(() => "application/octet-stream"))
      )

export const audioResponse = (found: FoundRequest): Effect.Effect<HttpServerResponse.HttpServerResponse, Problem> =>
  Effect.flatMap(audioFile(found), (audio) =>
    audio === undefined
      ? Effect.fail<Problem>({ status: 404, message: "the audio of this request is not kept" })
      : Effect.succeed(
          HttpServerResponse.stream(audio.stream, {
            contentType: audio.facts.mediaType,
            contentLength: audio.byteLength,
            headers: {
              "Cache-Control": "no-store",
              "Content-Disposition": `attachment; filename*=UTF-8''${encodeName(audio.facts.fileName)}`,
              // For a file that is opened as a page.
              "Content-Security-Policy": "sandbox",
              "X-Content-Type-Options": "nosniff"
            }
          })
        )
  )

/** As RFC 8187 wants it. */
const encodeName = (name: string): string =>
  encodeURIComponent(name).replace(/['()*]/g, (character) => `%${character.charCodeAt(0).toString(16)}`)
