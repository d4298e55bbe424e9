import { Readable } from "node:stream"
import { types } from "node:util"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Channel from "effect/Channel"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { ReadFailed } from "../../unstable/Failure.js"
import type { ResponseQueue, ResponseSource } from "./responseQueue.js"

type Response = HttpClientResponse.HttpClientResponse

/** The failure of a body, by its cause. */
type Failed = (cause: unknown) => ReadFailed

/** Takes the chunks of a body. `isFull`: the source shall wait until `whenRoom`, which it sets, is called. */
interface Sink {
  readonly add: (chunk: Uint8Array) => void
  isFull: boolean
  whenRoom: () => void
}

/**
 * Reads the body of a response into the queue, in the fiber of its request: a fiber for each chunk would cost more than the chunk. It
 * waits while the queue is full.
 *
 * The clients of Node and fetch keep what they got from Node in `source`, beside a `Stream` that costs more than the whole
 * exchange of a short response. So it is read from there. Any other response, also a changed one, is read by its `Stream`.
 */
export const readBody = (
  response: Response,
  headers: Response["headers"],
  queue: ResponseQueue,
  failed: Failed
): Effect.Effect<void, ReadFailed> => {
  // A lost connection can look like the regular end of the body, so the length is compared.
  const announced = headers["content-encoding"] === undefined ? Number(headers["content-length"]) : Number.NaN
  let received = 0
  const source: ResponseSource = {
    pause: () => {
      sink.isFull = true
    },
    resume: () => {
      sink.isFull = false
      sink.whenRoom()
    }
  }
  const sink: Sink = {
    add: (chunk) => {
      received += chunk.byteLength
      queue.add(chunk, source)
    },
    isFull: false,
    whenRoom: () => undefined
  }
  const toItsEnd = (reading: Effect.Effect<void, ReadFailed>) =>
    Effect.zipRight(
      reading,
      Effect.suspend(() => (received < announced ? Effect.fail(failed(undefined)) : Effect.void))
    )
  const body = sourceOf(response)
  if (body instanceof Readable) return toItsEnd(readReadable(body, sink, failed))
  if (body instanceof ReadableStream) return toItsEnd(readWeb(body, sink, failed))
  return Effect.acquireUseRelease(
    Scope.make(),
    (scope) =>
      // The finalizers of the stream are the caller's: the body does not wait for them.
      Effect.onExit(toItsEnd(readStream(response.stream, sink, scope, failed)), (exit) =>
        Effect.sync(() => queue.end(Exit.isSuccess(exit) ? undefined : Effect.failCause(exit.cause)))
      ),
    Scope.close
  )
}

/** The body as Node or fetch gave it. `undefined`: it is none of these, it is read already, or the response may hide another one. */
const sourceOf = (response: Response): unknown => {
  if (types.isProxy(response) || Object.hasOwn(response, "stream") || !Object.hasOwn(response, "source"))
    return undefined
  const { source } = response as Response & { readonly source: unknown }
  const body = source instanceof Readable ? source : (source as { readonly body?: unknown } | null)?.body
  if (body instanceof Readable) return body.readable ? body : undefined
  return body instanceof ReadableStream && !body.locked ? body : undefined
}

const readReadable = (body: Readable, sink: Sink, failed: Failed): Effect.Effect<void, ReadFailed> =>
  Effect.async((resume) => {
    sink.whenRoom = () => body.resume()
    body.on("error", (error) => resume(Effect.fail(failed(error))))
    body.once("end", () => resume(Effect.void))
    // After the end it changes nothing.
    body.once("close", () => resume(Effect.fail(failed(undefined))))
    body.on("data", (chunk: Uint8Array) => {
      sink.add(chunk)
      if (sink.isFull) body.pause()
    })
    return Effect.sync(() => body.destroy())
  })

const readWeb = (body: ReadableStream<Uint8Array>, sink: Sink, failed: Failed): Effect.Effect<void, ReadFailed> =>
  Effect.async((resume) => {
    const reader = body.getReader()
    const readNext = (): void => {
      reader.read().then(
        ({ done, value }) => {
          if (done) return resume(Effect.void)
          sink.add(value)
          if (!sink.isFull) readNext()
        },
        (error) => resume(Effect.fail(failed(error)))
      )
    }
    sink.whenRoom = readNext
    readNext()
    return Effect.promise(() => reader.cancel().catch(() => undefined))
  })

const readStream = (
  stream: Response["stream"],
  sink: Sink,
  scope: Scope.Scope,
  failed: Failed
): Effect.Effect<void, ReadFailed> =>
  Effect.flatMap(Channel.toPullIn(Stream.toChannel(stream), scope), (pull) => {
    const untilRoom = Effect.async<void>((resume) => {
      sink.whenRoom = () => resume(Effect.void)
      // The fiber may have yielded since it saw that there is no room.
      if (!sink.isFull) sink.whenRoom()
    })
    const readNext: Effect.Effect<void, ReadFailed> = Effect.matchEffect(pull, {
      onFailure: (error) => Effect.fail(failed(error.cause)),
      onSuccess: (next) => {
        if (Either.isLeft(next)) return Effect.void
        for (const chunk of next.right) sink.add(chunk)
        return sink.isFull ? Effect.zipRight(untilRoom, readNext) : readNext
      }
    })
    return readNext
  })
