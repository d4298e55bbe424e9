import { describe, expect, it } from "@effect/vitest"
import type { Failure } from "@effect-speech/transport"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Runtime from "effect/Runtime"
import * as Stream from "effect/Stream"
import { Watch } from "../src/internal/call/callTimer.js"
import { type LentChunks, lendChunks, lendParts } from "../src/internal/http/borrowedChunks.js"
import type { UploadObserver } from "../src/internal/http/httpDriver.js"
import { deadlines } from "./scriptedTransport.js"

/** Of a socket, in bytes: what fills it is gone before more is asked for. */
const buffer = 64 * 1024

/** A watch that keeps what it was told to wait for. */
class KeepingWatch extends Watch {
  readonly phases: Array<string> = []
  override reach(...phase: Parameters<Watch["reach"]>) {
    this.phases.push(...phase)
    super.reach(...phase)
  }
}

const newWatch = () => new KeepingWatch(Clock.make(), { ...deadlines, total: 60_000 })

const lend = (
  stream: Stream.Stream<Uint8Array, Failure.UploadFailed>,
  observer?: UploadObserver,
  watch: Watch = newWatch()
) => lendChunks(stream, watch, observer, Runtime.defaultRuntime)

const iteratorOf = ({ chunks }: LentChunks) => chunks[Symbol.asyncIterator]()

const lengthsOf = async (lent: LentChunks): Promise<ReadonlyArray<number>> => {
  const lengths: Array<number> = []
  for await (const chunk of lent.chunks) lengths.push(chunk.byteLength)
  return lengths
}

/** Chunks of the lengths given, all in the same block of memory, each filled with its own number. */
const inOneBlock = (...lengths: ReadonlyArray<number>) => {
  const block = new Uint8Array(Math.max(...lengths))
  const stream = Stream.fromIterable(lengths).pipe(
    Stream.rechunk(1),
    Stream.zipWithIndex,
    Stream.map(([length, index]) => block.fill(index + 1).subarray(0, length))
  )
  return { block, stream }
}

describe("a stream that is lent", () => {
  it("is given chunk by chunk, in pieces that fill the buffer of a socket", async () => {
    expect(await lengthsOf(lend(inOneBlock(10, 2 * buffer + 1, buffer).stream))).toEqual([
      10,
      buffer,
      buffer,
      1,
      buffer
    ])
  })

  it("is copied where a piece may lie in that buffer while the next is read, and else is not", async () => {
    const { block, stream } = inOneBlock(buffer - 1, buffer, buffer)
    const iterator = iteratorOf(lend(stream))
    const { value: copied } = await iterator.next()
    const { value: lent } = await iterator.next()
    expect(copied?.every((byte: number) => byte === 1)).toBe(true)
    expect(lent?.buffer).toBe(block.buffer)
    expect(copied?.buffer).not.toBe(block.buffer)
    await iterator.next()
    expect(lent?.every((byte: number) => byte === 3)).toBe(true)
    expect(copied?.every((byte: number) => byte === 1)).toBe(true)
  })

  it("is read only when more is asked for, and has been sent once more than all of it is", async () => {
    const read: Array<number> = []
    const stream = Stream.fromIterable([1, 2]).pipe(
      Stream.rechunk(1),
      Stream.map((length) => {
        read.push(length)
        return new Uint8Array(length)
      })
    )
    const watch = newWatch()
    const iterator = iteratorOf(lend(stream, undefined, watch))
    expect([read.length, watch.sent]).toEqual([0, "nothing"])
    await iterator.next()
    expect([read.length, watch.sent]).toEqual([1, "part"])
    await iterator.next()
    expect([read.length, watch.sent]).toEqual([2, "part"])
    expect(new Set(watch.phases)).toEqual(new Set(["upload"]))
    expect(await iterator.next()).toEqual({ done: true, value: undefined })
    expect([watch.sent, watch.phases.at(-1)]).toEqual(["all", "answer"])
  })

  it("tells of each piece once it has left, and of the end", async () => {
    const told: Array<number | "all"> = []
    const observer = {
      onChunk: (length: number) => Effect.sync(() => void told.push(length)),
      onComplete: Effect.sync(() => void told.push("all"))
    }
    const iterator = iteratorOf(lend(inOneBlock(buffer + 1, 5).stream, observer))
    await iterator.next()
    expect(told).toEqual([])
    await iterator.next()
    expect(told).toEqual([buffer])
    await iterator.next()
    expect(told).toEqual([buffer, 1])
    await iterator.next()
    expect(told).toEqual([buffer, 1, 5, "all"])
  })

  it("that fails ends what asks for it, and tells why", async () => {
    const failure: Failure.UploadFailed = { _tag: "UploadFailed", problem: "it is gone" }
    const lent = lend(Stream.concat(inOneBlock(3).stream, Stream.fail(failure)))
    const iterator = iteratorOf(lent)
    expect(await iterator.next()).toMatchObject({ done: false })
    expect(lent.failure()).toBeUndefined()
    await expect(iterator.next()).rejects.toThrow("The upload has ended.")
    expect(lent.failure()).toEqual(failure)
  })

  it("is let go of when it is closed, and gives no more", async () => {
    let released = 0
    const stream = Stream.ensuring(
      inOneBlock(1, 2, 3).stream,
      Effect.sync(() => released++)
    )
    const lent = lend(stream)
    const iterator = iteratorOf(lent)
    await iterator.next()
    expect(released).toBe(0)
    await Effect.runPromise(lent.close)
    expect(released).toBe(1)
    expect(await iterator.next()).toEqual({ done: true, value: undefined })
    await Effect.runPromise(lend(Stream.never).close)
  })
})

describe("parts that are lent", () => {
  it("are given in pieces as they are, and have been sent once more than all of them is asked for", async () => {
    const [head, file] = [new Uint8Array(10), new Uint8Array(buffer + 1)]
    const watch = newWatch()
    const lent = lendParts([head, file], watch)
    const iterator = iteratorOf(lent)
    expect(watch.sent).toBe("nothing")
    expect(await iterator.next()).toEqual({ done: false, value: head })
    expect(watch.sent).toBe("part")
    const { value } = await iterator.next()
    expect([value?.byteLength, value?.buffer === file.buffer]).toEqual([buffer, true])
    expect((await iterator.next()).value?.byteLength).toBe(1)
    expect([watch.sent, ...watch.phases]).toEqual(["part", "upload", "upload", "upload"])
    expect(await iterator.next()).toEqual({ done: true, value: undefined })
    expect([watch.sent, watch.phases.at(-1)]).toEqual(["all", "answer"])
    expect(lent.failure()).toBeUndefined()
  })

  it("are no longer given once they are closed", async () => {
    const watch = newWatch()
    const lent = lendParts([new Uint8Array(1)], watch)
    Effect.runSync(lent.close)
    expect(await iteratorOf(lent).next()).toEqual({ done: true, value: undefined })
    expect(watch.sent).toBe("nothing")
  })
})
