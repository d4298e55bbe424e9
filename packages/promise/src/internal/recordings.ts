/**
 * The recordings of a caller as sources of the Effect client.
 */
import { AsyncLocalStorage } from "node:async_hooks"
import * as AudioSource from "@effect-speech/stt/AudioSource"
import { SttInvalidRequest } from "@effect-speech/stt/SttError"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Stream from "effect/Stream"
import type { Recording } from "../Transcription.js"
import { pathOf } from "./paths.js"

/** A recording to send. */
export interface OpenRecording {
  readonly audio: AudioSource.AudioSource
  /** Ends a stream after the call, also one that was not read. Absent if there is nothing to end. */
  readonly release: (() => void) | undefined
}

const refuse = (problem: string): Either.Either<never, SttInvalidRequest> =>
  Either.left(new SttInvalidRequest({ field: "recording", problem }))

const ignore = (): void => undefined

const inPlace = (audio: AudioSource.AudioSource): Either.Either<OpenRecording> =>
  Either.right({ audio, release: undefined })

/** The source of a recording, or the error of a value that is none. */
export const openRecording = (
  recording: Recording,
  filename: string | undefined
): Either.Either<OpenRecording, SttInvalidRequest> => {
  const given: unknown = recording
  if (given === "") return refuse("must not be empty")
  if (typeof given === "string") return inPlace(withFilename(AudioSource.fromPath(given), filename))
  if (given instanceof URL) return openUrl(given, filename)
  if (isBytes(given)) return inPlace(AudioSource.fromBytes(ownBytes(given), { filename }))
  if (isArrayBuffer(given)) return inPlace(AudioSource.fromBytes(new Uint8Array(given), { filename }))
  if (isResponse(given)) return openResponse(given, filename)
  if (isBlob(given)) return inPlace(AudioSource.fromBlob(given, { filename }))
  if (isReadableStream(given)) return Either.right(openReadable(given, { filename }))
  if (isAsyncIterable(given)) return Either.right(openIterable(given, { filename }))
  return refuse("must be a path, a file: URL, bytes, a Blob, a stream of bytes, or a Response")
}

const withFilename = (source: AudioSource.AudioSource, filename: string | undefined): AudioSource.AudioSource =>
  filename === undefined ? source : { ...source, filename }

const openUrl = (url: URL, filename: string | undefined): Either.Either<OpenRecording, SttInvalidRequest> => {
  if (url.protocol !== "file:") {
    return refuse("must be a file: URL; of another address, pass the response: transcribe(await fetch(url), …)")
  }
  return Either.match(pathOf(url), {
    onLeft: refuse,
    onRight: (path) => inPlace(withFilename(AudioSource.fromPath(path), filename))
  })
}

// By their form: a test runner, a polyfill or another realm (node:vm) has classes of its own.
const isTagged = (value: unknown, name: string): boolean => Object.prototype.toString.call(value) === `[object ${name}]`
const isBytes = (value: unknown): value is Uint8Array =>
  value instanceof Uint8Array || (ArrayBuffer.isView(value) && isTagged(value, "Uint8Array"))
const isArrayBuffer = (value: unknown): value is ArrayBuffer => isTagged(value, "ArrayBuffer")
const isResponse = (value: unknown): value is Response =>
  Predicate.hasProperty(value, "bodyUsed") && Predicate.hasProperty(value, "status")
const isBlob = (value: unknown): value is Blob =>
  Predicate.hasProperty(value, "arrayBuffer") && Predicate.hasProperty(value, "size")
const isReadableStream = (value: unknown): value is ReadableStream<Uint8Array> =>
  Predicate.hasProperty(value, "getReader")
const isAsyncIterable = (value: unknown): value is AsyncIterable<Uint8Array> =>
  Predicate.hasProperty(value, Symbol.asyncIterator)

/** The bytes of another realm as those of this one. They are not copied. */
const ownBytes = (bytes: ArrayBufferView): Uint8Array =>
  bytes instanceof Uint8Array ? bytes : new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)

const openResponse = (
  { body, bodyUsed, headers, ok, status }: Response,
  filename: string | undefined
): Either.Either<OpenRecording, SttInvalidRequest> => {
  if (!ok) {
    // An unread body would hold its connection.
    body?.cancel().catch(ignore)
    return refuse(`is a response with status ${status}, so it has no recording`)
  }
  if (bodyUsed) return refuse("is a response whose body was read; pass the bytes that you read")
  if (body === null) return refuse("is a response without a body")
  // The length of a compressed body is not that of the recording.
  const length = headers.get("content-encoding") === null ? headers.get("content-length") : null
  return Either.right(
    openReadable(body, { filename, byteLength: length !== null && /^\d+$/.test(length) ? Number(length) : undefined })
  )
}

/** It is read in the async context of the caller, as `onEvent` runs. */
const pulled = (next: () => Promise<IteratorResult<Uint8Array>>): Stream.Stream<Uint8Array, unknown> =>
  Stream.repeatEffectOption(
    Effect.flatMap(Effect.tryPromise({ try: AsyncLocalStorage.bind(next), catch: Option.some }), (result) =>
      result.done === true ? Effect.fail(Option.none()) : Effect.succeed(result.value)
    )
  )

const openReadable = (stream: ReadableStream<Uint8Array>, options: AudioSource.StreamOptions): OpenRecording => {
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  const next = async (): Promise<IteratorResult<Uint8Array>> => {
    reader ??= stream.getReader()
    const result = await reader.read()
    return result.done ? { done: true, value: undefined } : result
  }
  return {
    audio: AudioSource.fromOneShotStream(pulled(next), options),
    release: () => {
      if (reader !== undefined) reader.cancel().catch(ignore)
      else if (!stream.locked) stream.cancel().catch(ignore)
    }
  }
}

const openIterable = (iterable: AsyncIterable<Uint8Array>, options: AudioSource.StreamOptions): OpenRecording => {
  // A stream of Node that fails before it is read would end the process.
  if (Predicate.hasProperty(iterable, "once") && Predicate.isFunction(iterable.once)) iterable.once("error", ignore)
  let iterator: AsyncIterator<Uint8Array> | undefined
  const next = async () => {
    iterator ??= iterable[Symbol.asyncIterator]()
    return iterator.next()
  }
  return {
    audio: AudioSource.fromOneShotStream(pulled(next), options),
    release: () => {
      // It does not wait: `return` of a generator would wait for what the generator waits for.
      if (Predicate.hasProperty(iterable, "destroy") && Predicate.isFunction(iterable.destroy)) iterable.destroy()
      else void Promise.resolve(iterator?.return?.()).catch(ignore)
    }
  }
}
