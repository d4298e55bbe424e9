import { describe, expect, it } from "@effect/vitest"
import { fromBytes } from "@effect-speech/audio-codec/Container"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import { type NotOnnx, readMetadata } from "../src/internal/folder/onnx.js"
import { onnx } from "./modelFiles.js"

const read = (bytes: Uint8Array) => Effect.runSync(Effect.either(readMetadata(fromBytes(bytes, bytes.length))))

const texts = FastCheck.dictionary(FastCheck.string({ maxLength: 300 }), FastCheck.string({ maxLength: 40_000 }))

describe("the metadata of an ONNX file", () => {
  it("is read as it was written, behind a graph of any size", () => {
    FastCheck.assert(
      FastCheck.property(texts, FastCheck.nat(100_000), (metadata, graphBytes) => {
        const found = Either.getOrThrow(read(onnx(metadata, graphBytes)))
        expect(Object.fromEntries(found)).toEqual(
          Object.fromEntries(Object.entries(metadata).map((pair) => pair.map((text) => Buffer.from(text).toString())))
        )
      }),
      { seed: 36, numRuns: 50 }
    )
  })

  it("of a file that is cut, changed or no ONNX file is read, or a problem: it never throws", () => {
    const whole = onnx({ model_type: "vits", language: "Hindi", comment: "c".repeat(20_000) }, 200)
    const changes = FastCheck.array(FastCheck.tuple(FastCheck.nat(whole.length - 1), FastCheck.nat(255)), {
      maxLength: 8
    })
    const damaged = FastCheck.tuple(changes, FastCheck.nat(whole.length)).map(([changed, length]) => {
      const bytes = Uint8Array.from(whole)
      for (const [at, value] of changed) bytes[at] = value
      return bytes.subarray(0, length)
    })
    const any = FastCheck.oneof(damaged, FastCheck.uint8Array({ maxLength: 500 }))
    FastCheck.assert(
      FastCheck.property(any, (bytes) => {
        const found = read(bytes)
        if (Either.isLeft(found)) expect((found.left as NotOnnx).problem).toMatch(/^is .+; (download|run)/)
      }),
      { seed: 36, numRuns: 500 }
    )
  })

  it("takes neither endless fields nor endless metadata", () => {
    const reads: Array<number> = []
    const endless = (block: Uint8Array) => ({
      byteLength: 2 ** 40,
      read: (offset: number, length: number) =>
        Effect.sync(() => {
          reads.push(length)
          return Uint8Array.from({ length }, (_, at) => block[(offset + at) % block.length] as number)
        })
    })
    for (const block of [
      [8, 1],
      [0x72, 0],
      [0x72, 2, 0x0a, 0],
      [8, 1, 0x72, 0xff, 0xff, 0x7f]
    ]) {
      const outcome = Effect.runSync(Effect.either(readMetadata(endless(Uint8Array.from(block)))))
      expect(outcome).toMatchObject({ left: { _tag: "NotOnnx" } })
    }
    expect(reads.reduce((sum, length) => sum + length)).toBeLessThan(10_000_000)
  })
})
