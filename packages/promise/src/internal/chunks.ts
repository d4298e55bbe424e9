/**
 * The bytes of a session, one chunk at a time, as its reader wants them.
 */
import type * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { AudioStream } from "../Speech.js"
import type { Session } from "./session.js"

export interface Chunks {
  /** The next chunk, or `undefined` at the end. */
  readonly next: () => Promise<Uint8Array | undefined>
  /** Ends the call, also while a chunk is awaited. */
  readonly cancel: () => Promise<void>
}

/** Where the chunks come from: a session that may be open, or is opened at the first chunk. */
export interface ChunksSource<Opened> {
  readonly current: () => Session<Opened> | undefined
  readonly open: () => Session<Opened>
  /** Cancels a speech that was not opened, so that nothing opens it later. */
  readonly cancelUnopened: () => void
}

export const makeChunks = <Opened>(
  { current, cancelUnopened, open }: ChunksSource<Opened>,
  streamOf: (speech: Opened) => Stream.Stream<Uint8Array, unknown>
): Chunks => {
  const waiting: Array<Uint8Array> = []
  let pull: Effect.Effect<Chunk.Chunk<Uint8Array>, Option.Option<unknown>> | undefined
  let isCancelled = false

  const fill: Effect.Effect<Uint8Array | undefined, unknown> = Effect.suspend(() =>
    Effect.matchEffect(pull ?? Effect.fail(Option.none()), {
      onFailure: Option.match({ onNone: () => Effect.succeed(undefined), onSome: Effect.fail }),
      onSuccess: (chunks) => {
        for (const bytes of chunks) if (bytes.byteLength > 0) waiting.push(bytes)
        return take
      }
    })
  )
  const take: Effect.Effect<Uint8Array | undefined, unknown> = Effect.suspend(() => {
    const bytes = waiting.shift()
    return bytes === undefined ? fill : Effect.succeed(bytes)
  })
  const read = (speech: Opened): Effect.Effect<Uint8Array | undefined, unknown, Scope.Scope> =>
    pull === undefined
      ? Effect.flatMap(Stream.toPull(streamOf(speech)), (made) => {
          pull = made
          return take
        })
      : take
  const cancel = async (): Promise<void> => {
    isCancelled = true
    const session = current()
    if (session === undefined) cancelUnopened()
    else await session.close()
  }
  return {
    next: async () => {
      if (isCancelled) return undefined
      try {
        const session = open()
        // A handler of its events may have cancelled it while it was opened.
        if (isCancelled) await session.close()
        const bytes = await session.use(read)
        if (bytes === undefined) await cancel()
        return bytes
      } catch (error) {
        if (isCancelled) return undefined
        throw error
      }
    },
    cancel
  }
}

/** Nothing is read ahead of the reader. */
export const toReadable = ({ cancel, next }: Chunks): AudioStream =>
  new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const bytes = await next()
        if (bytes === undefined) controller.close()
        else controller.enqueue(bytes)
      },
      cancel
    },
    { highWaterMark: 0 }
  )

export const toIterator = ({ cancel, next }: Chunks): AsyncIterableIterator<Uint8Array> => ({
  next: async () => {
    const value = await next()
    return value === undefined ? { done: true, value } : { done: false, value }
  },
  return: async () => {
    await cancel()
    return { done: true, value: undefined }
  },
  [Symbol.asyncIterator]() {
    return this
  }
})
