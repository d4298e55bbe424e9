import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FastCheck from "effect/FastCheck"
import * as Stream from "effect/Stream"
import { openKeptFiles } from "../src/internal/journal/keptFiles.js"

const limits = { memory: 1000, disk: 3000, longestInMemory: 300 }

const folder = () => mkdtempSync(join(tmpdir(), "kept-files-"))

const bytesOf = (length: number, seed: number) => Buffer.from(Array.from({ length }, (_, at) => (at * 31 + seed) % 256))

const read = ({ stream }: { readonly stream: Stream.Stream<Uint8Array, unknown> }) =>
  Effect.runPromise(Effect.map(Stream.runCollect(stream), (chunks) => Buffer.concat([...chunks])))

const length = FastCheck.integer({ min: 0, max: 1500 })
const owner = FastCheck.integer({ min: 0, max: 9 })
const Step = FastCheck.oneof(
  FastCheck.record({ what: FastCheck.constant("keep" as const), owner, length }),
  FastCheck.record({ what: FastCheck.constant("move" as const), owner, length }),
  FastCheck.record({
    what: FastCheck.constant("write" as const),
    owner,
    chunks: FastCheck.array(FastCheck.integer({ min: 1, max: 500 }), { maxLength: 6 }),
    /** How much of it was sent. */
    part: FastCheck.double({ min: 0, max: 1, noNaN: true }),
    isDiscarded: FastCheck.boolean()
  }),
  FastCheck.record({ what: FastCheck.constant("forget" as const), owner })
)
type Step = typeof Step extends FastCheck.Arbitrary<infer A> ? A : never

it("kept files never have more bytes than the limits, are those that were given, and leave no file behind", async () => {
  const run = async (steps: ReadonlyArray<Step>) => {
    const directory = folder()
    const { bytes, close, files } = openKeptFiles<object>(directory, limits)
    const owners = Array.from({ length: 10 }, (_, at) => ({ at }))
    const expected = new Map<number, Buffer>()
    const apply = async (step: Step, seed: number) => {
      const of = owners[step.owner] ?? {}
      expected.delete(step.owner)
      if (step.what === "forget") return files.forget(of)
      if (step.what === "write") {
        const writer = files.writer(of)
        const chunks = step.chunks.map((size, at) => bytesOf(size, seed + at))
        for (const chunk of chunks) await writer.write(chunk)
        const all = Buffer.concat(chunks)
        const sent = Math.floor(all.length * step.part)
        if (step.isDiscarded) return writer.discard()
        writer.end(sent)
        expected.set(step.owner, all.subarray(0, sent))
        return
      }
      const content = bytesOf(step.length, seed)
      expected.set(step.owner, content)
      if (step.what === "keep") return files.keep(of, content)
      const path = join(directory, `upload-${seed}`)
      writeFileSync(path, content)
      await files.move(of, path, content.length)
      return rmSync(path, { force: true })
    }
    const readKept = async (at: number) => {
      const kept = files.get(owners[at] ?? {})
      const content = expected.get(at)
      if (kept === undefined) return
      expect(kept.byteLength).toBe(content?.length)
      expect((await read(kept)).equals(content ?? Buffer.from("nothing"))).toBe(true)
    }
    for (const [seed, step] of steps.entries()) {
      await apply(step, seed)
      const { disk, memory } = bytes()
      expect(memory).toBeLessThanOrEqual(limits.memory)
      expect(disk).toBeLessThanOrEqual(limits.disk)
      // Not each time: what is still being written must be right too.
      if (seed % 2 === 0) await readKept(step.owner)
      // The latest is kept unless it alone is too large.
      const latest = expected.get(step.owner)
      if (latest !== undefined && latest.length <= limits.memory && step.what !== "write")
        expect(files.get(owners[step.owner] ?? {})).toBeDefined()
    }
    for (const at of owners.keys()) await readKept(at)
    await close()
    expect(bytes()).toEqual({ memory: 0, disk: 0 })
    expect(readdirSync(directory)).toEqual([])
    rmSync(directory, { recursive: true })
  }
  await FastCheck.assert(FastCheck.asyncProperty(FastCheck.array(Step, { minLength: 5, maxLength: 30 }), run), {
    seed: 38,
    numRuns: 25
  })
})

it("a file that was forgotten while it was written, or that can't be written, leaves nothing and fails no write", async () => {
  const directory = folder()
  const { close, files } = openKeptFiles<object>(directory, limits)
  const [first, second] = [{}, {}]
  const writer = files.writer(first)
  const writing = writer.write(bytesOf(400, 1))
  files.forget(first)
  await writing
  await writer.write(bytesOf(400, 2))
  writer.end()
  expect(files.get(first)).toBeUndefined()
  await files.move(second, join(directory, "missing"), 10)
  expect(files.get(second)).toBeUndefined()
  await close()
  files.keep(first, bytesOf(1, 1))
  await files.writer(second).write(bytesOf(400, 1))
  expect([files.get(first), files.get(second), readdirSync(directory)]).toEqual([undefined, undefined, []])
  rmSync(directory, { recursive: true })
})

it("a part of a file goes when its request ends, and a whole file stays", async () => {
  const directory = folder()
  const { bytes, close, files } = openKeptFiles<object>(directory, limits)
  const [part, whole] = [{}, {}]
  await files.writer(part).write(bytesOf(400, 1))
  files.keep(whole, bytesOf(10, 2))
  for (const each of [part, whole]) files.forgetPart(each)
  expect(bytes()).toEqual({ memory: 10, disk: 0 })
  await close()
  rmSync(directory, { recursive: true })
})

it("a file that is forgotten before it is read fails its reader", async () => {
  const directory = folder()
  const { close, files } = openKeptFiles<object>(directory, limits)
  const of = {}
  await files.writer(of).write(bytesOf(400, 1))
  const writer = files.writer(of)
  await writer.write(bytesOf(400, 1))
  writer.end()
  const kept = files.get(of)
  await close()
  expect(kept && Exit.isFailure(await Effect.runPromiseExit(Stream.runDrain(kept.stream)))).toBe(true)
  rmSync(directory, { recursive: true })
})
