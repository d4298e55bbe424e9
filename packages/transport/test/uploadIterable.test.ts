import { setImmediate as nextTurn } from "node:timers/promises"
import { describe, expect, it } from "@effect/vitest"
import * as Upload from "@effect-speech/transport/unstable/Upload"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Queue from "effect/Queue"
import * as Runtime from "effect/Runtime"
import * as Stream from "effect/Stream"
import type { UploadObserver } from "../src/internal/http/httpDriver.js"
import { makeUploadIterable } from "../src/internal/http/uploadIterable.js"
import { CallTimer } from "../src/internal/timer/callTimer.js"
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

/** Opens an upload as undici reads it. */
const open = (upload: Upload.Upload, observer?: UploadObserver) => {
  const timer = new RecordingTimer(Clock.make(), { ...deadlines, total: 60_000 })
  const { chunks, close, failure } = makeUploadIterable(upload, timer, observer, Runtime.defaultRuntime)
  const iterator = chunks[Symbol.asyncIterator]()
  return { close, failure, next: () => iterator.next(), timer }
}

/** A source of chunks of these lengths, each filled with its own number, counted from 1. */
const sourceOf = (...lengths: ReadonlyArray<number>) => {
  const blocks = new Set<Uint8Array>()
  let reads = 0
  const fill: Upload.Source["fill"] = (block) =>
    Effect.sync(() => {
      const length = lengths[reads] ?? 0
      if (length === 0) return 0
      blocks.add(block)
      block.fill(++reads)
      return length
    })
  const byteLength = lengths.reduce((sum, length) => sum + length, 0)
  const upload: Upload.Source = { _tag: "Source", fill, byteLength }
  return { blocks, reads: () => reads, upload }
}

/** All pieces of an upload. */
const piecesOf = async (upload: Upload.Upload) => {
  const { next } = open(upload)
  const pieces: Array<Uint8Array> = []
  for (let { value } = await next(); value !== undefined; { value } = await next()) pieces.push(value)
  return pieces
}

const isFilledWith = (piece: Uint8Array | undefined, value: number) => piece?.every((byte) => byte === value)

describe("an upload of chunks", () => {
  it("is read into one block, and copies only pieces that may still wait in the socket's buffer", async () => {
    const { blocks, upload } = sourceOf(buffer - 1, buffer, buffer)
    const { next } = open(upload)
    const { value: copied } = await next()
    const { value: borrowed } = await next()
    const [block] = blocks
    expect([blocks.size, borrowed?.buffer === block?.buffer, copied?.buffer === block?.buffer]).toEqual([
      1,
      true,
      false
    ])
    await next()
    expect([isFilledWith(borrowed, 3), isFilledWith(copied, 1)]).toEqual([true, true])
  })

  const zeros = (length: number) => new Uint8Array(length)
  // How much counts as sent after each piece, and the length of the piece.
  it.each<readonly [what: string, upload: Upload.Upload, states: string]>([
    ["with its last byte", sourceOf(buffer, buffer + 1).upload, `part ${buffer}, part ${buffer}, all 1, all`],
    [
      "with its last byte in memory",
      Upload.fromMemory([10, buffer + 5, 20].map(zeros)),
      `part 10, part ${buffer}, all 25, all`
    ],
    ["at its end if its length is unknown", Upload.fromStream(Stream.make(zeros(5)), undefined), "part 5, all"],
    ["never if it is shorter than its length", { ...sourceOf(5).upload, byteLength: 6 }, "part 5, part"]
  ])("counts as sent %s", async (_, upload, states) => {
    const { next, timer } = open(upload)
    expect(timer.sent).toBe("nothing")
    for (const state of states.split(", ")) {
      const { value } = await next()
      expect(`${timer.sent} ${value?.byteLength ?? ""}`.trim()).toBe(state)
      expect(timer.phases.at(-1)).toBe(timer.sent === "all" ? "answer" : "upload")
    }
  })

  it("sends short chunks together, and reads at most one piece of them ahead", async () => {
    let reads = 0
    const stream = Stream.repeatEffect(Effect.sync(() => new Uint8Array(1000).fill(++reads)))
    const { close, next } = open(Upload.fromStream(stream, undefined))
    const lengths: Array<number | undefined> = []
    for (let piece = 0; piece < 4; piece++) lengths.push((await next()).value?.byteLength)
    expect(lengths).toEqual([1000, 65_000, 65_000, 65_000])
    await nextTurn()
    expect(reads).toBe(1 + 4 * 65 + 1)
    await Effect.runPromise(close())
  })

  it("does not wait for more if its stream is slow", async () => {
    const queue = Effect.runSync(Queue.unbounded<Uint8Array>())
    const { close, next } = open(Upload.fromStream(Stream.fromQueue(queue), undefined))
    for (let drop = 0; drop < 3; drop++) {
      const piece = next()
      await Effect.runPromise(Queue.offer(queue, Uint8Array.of(drop)))
      expect([...((await piece).value ?? [])]).toEqual([drop])
    }
    await Effect.runPromise(close())
  })

  it("fails when its stream fails, even while undici is still busy with a piece", async () => {
    const problem = "the disk failed"
    const failing = Stream.concat(
      Stream.make(new Uint8Array(5), new Uint8Array(5)),
      Stream.fail({ _tag: "UploadFailed", problem } as const)
    )
    const { failure, next, timer } = open(Upload.fromStream(failing, undefined))
    expect((await next()).value?.byteLength).toBe(10)
    await nextTurn()
    await expect(next()).rejects.toThrow("The upload failed.")
    expect([failure(), timer.sent]).toEqual([{ _tag: "UploadFailed", problem }, "part"])
  })

  it.each([
    ["undici waits for it", Stream.never],
    ["it waits for undici", Stream.repeatValue(new Uint8Array(buffer))]
  ])("that never ends is closed while %s", async (_, endless) => {
    let isClosed = false
    const stream = Stream.ensuring(
      endless,
      Effect.sync(() => (isClosed = true))
    )
    const { close, next } = open(Upload.fromStream(stream, undefined))
    next().catch(() => undefined)
    await nextTurn()
    expect(isClosed).toBe(false)
    await Effect.runPromise(close())
    expect(isClosed).toBe(true)
    expect(await next()).toEqual({ done: true, value: undefined })
  })

  it("arrives byte for byte, however its bytes are cut, though its source overwrites what it emitted", async () => {
    const length = FastCheck.oneof(
      FastCheck.integer({ min: 0, max: 3 }),
      FastCheck.integer({ min: 0, max: 3 * buffer }),
      FastCheck.constantFrom(buffer - 1, buffer, buffer + 1)
    )
    const cuts = FastCheck.array(FastCheck.array(length, { maxLength: 5 }), { maxLength: 8 })
    await FastCheck.assert(
      FastCheck.asyncProperty(cuts, async (groups) => {
        const expected: Array<Uint8Array> = []
        let emitted: ReadonlyArray<Uint8Array> = []
        let number = 0
        const stream = Stream.fromIterable(groups).pipe(
          Stream.rechunk(1),
          Stream.flatMap((lengths) => {
            for (const chunk of emitted) chunk.fill(0)
            // Node's buffers share memory with their slices.
            emitted = lengths.map((length) => Buffer.alloc(length, (++number % 255) + 1))
            expected.push(...emitted.map((chunk) => new Uint8Array(chunk)))
            return Stream.fromIterable(emitted)
          })
        )
        const { next } = open(Upload.fromStream(stream, undefined))
        const received: Array<Uint8Array> = []
        let previous: Uint8Array | undefined
        for (let piece = await next(); ; piece = await next()) {
          // Only a piece that fills the socket's buffer has left when undici asks for more.
          if (previous !== undefined && previous.byteLength < buffer) received.push(previous)
          if (piece.value === undefined) break
          if (piece.value.byteLength >= buffer) received.push(new Uint8Array(piece.value))
          previous = piece.value
        }
        expect(Buffer.concat(received).equals(Buffer.concat(expected))).toBe(true)
        expect(received.every(({ byteLength }) => byteLength > 0 && byteLength <= buffer)).toBe(true)
      }),
      { numRuns: 100 }
    )
  })

  it.each(["memory", "chunks"])(
    "reports each piece that it passes on, and the end with the last one: %s",
    async (from) => {
      const reported: Array<number | "all"> = []
      const upload =
        from === "memory" ? Upload.fromMemory([new Uint8Array(buffer + 6)]) : sourceOf(buffer + 1, 5).upload
      const { next } = open(upload, {
        onPiece: (length) => reported.push(length),
        onComplete: () => reported.push("all")
      })
      const expected = from === "memory" ? [buffer, 6, "all"] : [buffer, 1, 5, "all"]
      for (let piece = 0; piece < 4; piece++) await next()
      expect(reported).toEqual(expected)
    }
  )
})

describe("an upload between a head and a tail", () => {
  /** All bytes of an upload, read into a block of this size again and again. */
  const readAll = async ({ fill }: Upload.Source, size: number) => {
    const block = new Uint8Array(size)
    const read: Array<number> = []
    for (let length = await Effect.runPromise(fill(block)); length > 0; length = await Effect.runPromise(fill(block))) {
      read.push(...block.subarray(0, length))
    }
    return read
  }

  it("has all of their bytes, into whatever block it is read", async () => {
    const bytes = FastCheck.uint8Array({ maxLength: 20 })
    await FastCheck.assert(
      FastCheck.asyncProperty(bytes, bytes, bytes, FastCheck.integer({ min: 1, max: 30 }), async (...given) => {
        const [head, file, tail, size] = given
        let at = 0
        const fill = (block: Uint8Array) =>
          Effect.sync(() => {
            const part = file.subarray(at, at + block.byteLength)
            block.set(part)
            at += part.byteLength
            return part.byteLength
          })
        const whole = Upload.enclose(head, { _tag: "Source", fill, byteLength: file.byteLength }, tail)
        if (whole._tag !== "Source") throw new Error("It is no source.")
        const expected = [...head, ...file, ...tail]
        expect([whole.byteLength, await readAll(whole, size)]).toEqual([expected.length, expected])
      })
    )
  })

  it("is read in one step if it fits", async () => {
    const { reads, upload } = sourceOf(10)
    const { next } = open(Upload.enclose(new Uint8Array(5), upload, new Uint8Array(3)))
    expect([(await next()).value?.byteLength, (await next()).done, reads()]).toEqual([18, true, 1])
  })
})

describe("an upload from memory", () => {
  it("copies no piece that is full", async () => {
    const file = new Uint8Array(2 * buffer + 1)
    const pieces = await piecesOf(Upload.fromMemory([new Uint8Array(10), file, new Uint8Array(10)]))
    const full = pieces.filter(({ byteLength }) => byteLength === buffer)
    expect(full.map((piece) => piece.buffer === file.buffer)).toEqual([true, true])
  })

  it("arrives as it is, whatever its parts", async () => {
    const lengths = FastCheck.array(
      FastCheck.oneof(FastCheck.nat(100), FastCheck.integer({ min: buffer - 1, max: 2 * buffer + 1 })),
      { maxLength: 6 }
    )
    await FastCheck.assert(
      FastCheck.asyncProperty(lengths, async (lengths) => {
        const parts = lengths.map((length, index) => new Uint8Array(length).fill(index + 1))
        const pieces = await piecesOf(Upload.fromMemory(parts))
        expect(Buffer.concat(pieces).equals(Buffer.concat(parts))).toBe(true)
        expect(pieces.every(({ byteLength }) => byteLength <= buffer)).toBe(true)
      }),
      { numRuns: 50 }
    )
  })
})
