import { describe, expect, it } from "@effect/vitest"
import { type Failure, Upload } from "@effect-speech/transport"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Runtime from "effect/Runtime"
import * as Stream from "effect/Stream"
import { CallTimer } from "../src/internal/call/callTimer.js"
import type { UploadObserver } from "../src/internal/http/httpDriver.js"
import { makeUploadIterable, type UploadIterable } from "../src/internal/http/uploadIterable.js"
import { deadlines } from "./scriptedTransport.js"

/** Size of a socket's buffer, in bytes. A piece that fills it has left before undici asks for more. */
const buffer = 64 * 1024

/** A timer that records its phases. */
class RecordingTimer extends CallTimer {
  readonly phases: Array<string> = []
  override reach(...phase: Parameters<CallTimer["reach"]>) {
    this.phases.push(...phase)
    super.reach(...phase)
  }
}

const newTimer = () => new RecordingTimer(Clock.make(), { ...deadlines, total: 60_000 })

const iterableOf = (upload: Upload.Upload, observer?: UploadObserver, timer: CallTimer = newTimer()) =>
  makeUploadIterable(upload, timer, observer, Runtime.defaultRuntime)

const iteratorOf = ({ chunks }: UploadIterable) => chunks[Symbol.asyncIterator]()

const lengthsOf = async (iterable: UploadIterable): Promise<ReadonlyArray<number>> => {
  const lengths: Array<number> = []
  for await (const chunk of iterable.chunks) lengths.push(chunk.byteLength)
  return lengths
}

/** A source of chunks of these lengths, each filled with its own number, counted from 1. */
const inOneBlock = (...lengths: ReadonlyArray<number>) => {
  const blocks = new Set<Uint8Array>()
  const read: Upload.Source["read"] = (nextBlock) =>
    Stream.fromIterable(lengths).pipe(
      Stream.rechunk(1),
      Stream.zipWithIndex,
      Stream.map(([length, index]) => {
        const block = nextBlock()
        blocks.add(block)
        return block.fill(index + 1).subarray(0, length)
      })
    )
  const byteLength = lengths.reduce((sum, length) => sum + length, 0)
  const upload: Upload.Upload = { _tag: "Source", read, byteLength }
  return { blocks, upload, stream: read(() => new Uint8Array(Math.max(...lengths))) }
}

describe("an upload of chunks", () => {
  it("is sent in pieces that fill the buffer of a socket", async () => {
    expect(await lengthsOf(iterableOf(inOneBlock(10, 2 * buffer + 1, buffer).upload))).toEqual([
      10,
      buffer,
      buffer,
      1,
      buffer
    ])
  })

  it("copies only pieces that may still wait in that buffer when their block is reused", async () => {
    const { blocks, upload } = inOneBlock(buffer - 1, buffer, buffer)
    const iterator = iteratorOf(iterableOf(upload))
    const { value: copied } = await iterator.next()
    const { value: borrowed } = await iterator.next()
    const [block] = blocks
    expect(copied?.every((byte: number) => byte === 1)).toBe(true)
    expect(blocks.size).toBe(1)
    expect(borrowed?.buffer).toBe(block?.buffer)
    expect(copied?.buffer).not.toBe(block?.buffer)
    await iterator.next()
    expect(borrowed?.every((byte: number) => byte === 3)).toBe(true)
    expect(copied?.every((byte: number) => byte === 1)).toBe(true)
  })

  it("is read on demand, and counts as sent when undici asks for more than all of it", async () => {
    const read: Array<number> = []
    const stream = Stream.fromIterable([1, 2]).pipe(
      Stream.rechunk(1),
      Stream.map((length) => {
        read.push(length)
        return new Uint8Array(length)
      })
    )
    const timer = newTimer()
    const iterator = iteratorOf(iterableOf(Upload.fromStream(stream, undefined), undefined, timer))
    expect([read.length, timer.sent]).toEqual([0, "nothing"])
    await iterator.next()
    expect([read.length, timer.sent]).toEqual([1, "part"])
    await iterator.next()
    expect([read.length, timer.sent]).toEqual([2, "part"])
    expect(new Set(timer.phases)).toEqual(new Set(["upload"]))
    expect(await iterator.next()).toEqual({ done: true, value: undefined })
    expect([timer.sent, timer.phases.at(-1)]).toEqual(["all", "answer"])
  })

  it("reports each piece after it left, and the end", async () => {
    const reported: Array<number | "all"> = []
    const observer = {
      onChunk: (length: number) => Effect.sync(() => void reported.push(length)),
      onComplete: Effect.sync(() => void reported.push("all"))
    }
    const iterator = iteratorOf(iterableOf(inOneBlock(buffer + 1, 5).upload, observer))
    await iterator.next()
    expect(reported).toEqual([])
    await iterator.next()
    expect(reported).toEqual([buffer])
    await iterator.next()
    expect(reported).toEqual([buffer, 1])
    await iterator.next()
    expect(reported).toEqual([buffer, 1, 5, "all"])
  })

  it("that fails rejects the next piece, and keeps the reason", async () => {
    const failure: Failure.UploadFailed = { _tag: "UploadFailed", problem: "it is gone" }
    const iterable = iterableOf(Upload.fromStream(Stream.concat(inOneBlock(3).stream, Stream.fail(failure)), undefined))
    const iterator = iteratorOf(iterable)
    expect(await iterator.next()).toMatchObject({ done: false })
    expect(iterable.failure()).toBeUndefined()
    await expect(iterator.next()).rejects.toThrow("The upload failed.")
    expect(iterable.failure()).toEqual(failure)
  })

  it("is released when it is closed, and sends no more", async () => {
    let released = 0
    const stream = Stream.ensuring(
      inOneBlock(1, 2, 3).stream,
      Effect.sync(() => released++)
    )
    const iterable = iterableOf(Upload.fromStream(stream, undefined))
    const iterator = iteratorOf(iterable)
    await iterator.next()
    expect(released).toBe(0)
    await Effect.runPromise(iterable.close)
    expect(released).toBe(1)
    expect(await iterator.next()).toEqual({ done: true, value: undefined })
    await Effect.runPromise(iterableOf(Upload.fromStream(Stream.never, undefined)).close)
  })
})

describe("an upload from memory", () => {
  it("is sent without copies, and counts as sent when undici asks for more than all of it", async () => {
    const [head, file] = [new Uint8Array(10), new Uint8Array(buffer + 1)]
    const timer = newTimer()
    const iterable = iterableOf(Upload.fromMemory([head, file]), undefined, timer)
    const iterator = iteratorOf(iterable)
    expect(timer.sent).toBe("nothing")
    expect(await iterator.next()).toEqual({ done: false, value: head })
    expect(timer.sent).toBe("part")
    const { value } = await iterator.next()
    expect([value?.byteLength, value?.buffer === file.buffer]).toEqual([buffer, true])
    expect((await iterator.next()).value?.byteLength).toBe(1)
    expect([timer.sent, ...timer.phases]).toEqual(["part", "upload", "upload", "upload"])
    expect(await iterator.next()).toEqual({ done: true, value: undefined })
    expect([timer.sent, timer.phases.at(-1)]).toEqual(["all", "answer"])
    expect(iterable.failure()).toBeUndefined()
  })

  it("sends no more once it is closed", async () => {
    const timer = newTimer()
    const iterable = iterableOf(Upload.fromMemory([new Uint8Array(1)]), undefined, timer)
    Effect.runSync(iterable.close)
    expect(await iteratorOf(iterable).next()).toEqual({ done: true, value: undefined })
    expect(timer.sent).toBe("nothing")
  })
})
