/** Laws of the parts: what makes two requests the same, what a file keeps, and the folder that two recordings write. */
import { createHash } from "node:crypto"
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import {
  bodyOfText,
  type ExchangeFile,
  formatExchange,
  inlineBody,
  isSameResponse,
  type KeptResponse,
  parseExchange
} from "../../src/internal/exchanges/exchangeFile.js"
import { makeExchangeReader } from "../../src/internal/exchanges/exchangeReader.js"
import { makeExchangeStore, NotKept } from "../../src/internal/exchanges/exchangeStore.js"
import { fieldsOfForm, identityOf } from "../../src/internal/exchanges/identity.js"
import { describeMissing } from "../../src/internal/exchanges/nearest.js"
import { makeSpool } from "../../src/internal/exchanges/spool.js"

const seeded = { seed: 37, numRuns: 100 }

/** The same value, with the keys of all objects in another order. */
const shuffled = (value: unknown, turn: number): unknown => {
  if (Array.isArray(value)) return value.map((each) => shuffled(each, turn))
  if (typeof value !== "object" || value === null) return value
  const entries = Object.entries(value).map(([key, each]) => [key, shuffled(each, turn)] as const)
  const at = turn % Math.max(1, entries.length)
  return Object.fromEntries([...entries.slice(at), ...entries.slice(0, at)].toReversed())
}

const json = FastCheck.jsonValue({ maxDepth: 3, noUnicodeString: false })
const fields = FastCheck.dictionary(FastCheck.string({ minLength: 1 }), json, { maxKeys: 6 })
const synthesis = (given: Readonly<Record<string, unknown>>) => identityOf({ operation: "synthesize", fields: given })

describe("the identity of a request", () => {
  it("is the same in any order of the keys", () =>
    FastCheck.assert(
      FastCheck.property(fields, FastCheck.nat(), (given, turn) => {
        expect(synthesis(shuffled(given, turn) as typeof given)).toBe(synthesis(given))
      }),
      seeded
    ))

  it("is another one if any value differs", () =>
    FastCheck.assert(
      FastCheck.property(fields, FastCheck.string({ minLength: 1 }), json, (given, name, value) => {
        const changed = { ...given, [name]: value }
        const isSame =
          Object.hasOwn(given, name) && JSON.stringify(shuffled(given[name], 0)) === JSON.stringify(shuffled(value, 0))
        expect(synthesis(changed) === synthesis(given)).toBe(isSame)
      }),
      seeded
    ))

  it("is the same after its file was written and read", () =>
    FastCheck.assert(
      FastCheck.asyncProperty(fields, async (given) => {
        const request = { fields: given }
        const file: ExchangeFile = { operation: "synthesize", request, responses: [transcript("a")] }
        const read = await Effect.runPromise(parseExchange(formatExchange(file)))
        expect(synthesis(read.request.fields)).toBe(synthesis(given))
      }),
      { ...seeded, examples: [[JSON.parse('{"text":"a","__proto__":{"x":{"__proto__":1}}}')]] }
    ))

  it("counts the recording and the order of repeated fields, and neither its name nor the id", () => {
    const audio = { bytes: 3, sha256: "a".repeat(64) }
    const identity = (list: ReadonlyArray<readonly [string, string]>, recording = audio) =>
      identityOf({ operation: "transcribe", fields: fieldsOfForm(list), audio: recording })
    const base = identity([
      ["model", "a"],
      ["hotwords", "x"],
      ["hotwords", "y"]
    ])
    expect(
      identity([
        ["transaction_id", "1"],
        ["hotwords", "x"],
        ["model", "a"],
        ["hotwords", "y"]
      ])
    ).toBe(base)
    expect(
      identity([
        ["hotwords", "y"],
        ["hotwords", "x"],
        ["model", "a"]
      ])
    ).not.toBe(base)
    expect(
      identity([
        ["model", "a"],
        ["hotwords", '["x","y"]']
      ])
    ).not.toBe(base)
    expect(
      identity(
        [
          ["model", "a"],
          ["hotwords", "x"],
          ["hotwords", "y"]
        ],
        { ...audio, sha256: "b".repeat(64) }
      )
    ).not.toBe(base)
    expect(identityOf({ operation: "synthesize", fields: {} })).not.toBe(
      identityOf({ operation: "transcribe", fields: {} })
    )
  })
})

it("a message shows how two texts differ that look the same", () => {
  const differences: ReadonlyArray<readonly [here: string, there: string, shown: string]> = [
    ["caf\u00e9", "cafe\u0301", '"caf\\u00e9", recorded "cafe\\u0301"'],
    ["\u0958\u093e", "\u0915\u093c\u093e", '"\\u0958\\u093e", recorded "\\u0915\\u093c\\u093e"'],
    ["ab\u200d", "ab", '"ab\\u200d", recorded "ab"'],
    ["\u0928\u092e", "\u0928\u092e \u091c", '"\u0928\u092e", recorded "\u0928\u092e \u091c"'],
    ["caf\u00e9", "cafe", '"caf\u00e9", recorded "cafe"']
  ]
  for (const [here, there, shown] of differences) {
    const recorded = { name: "x.json", fields: { text: there } }
    const message = describeMissing("synthesize", "folder", { fields: { text: here } }, recorded)
    expect(message).toContain(`differs in text (${shown});`)
  }
})

describe("a kept body", () => {
  const texts = FastCheck.oneof(
    json.map((value) => JSON.stringify(value)),
    json.map((value) => JSON.stringify(value, null, 1)),
    FastCheck.string(),
    FastCheck.constantFrom(
      '{"a":1,"a":2}',
      '{"2":1,"1":2}',
      "1.0",
      "\ufeff{}",
      '{"__proto__":1}',
      "",
      '"\\ud800"',
      "[".repeat(50_000)
    )
  )

  it("is the same by the byte after it was written and read", () =>
    FastCheck.assert(
      FastCheck.asyncProperty(texts, async (text) => {
        const body = bodyOfText(new TextEncoder().encode(text))
        if (body === undefined) throw new Error("this is text")
        const response = { status: 200, headers: {}, millis: 1, body }
        const file: ExchangeFile = { operation: "transcribe", request: { fields: {} }, responses: [response] }
        const read = await Effect.runPromise(parseExchange(formatExchange(file)))
        expect(inlineBody(read.responses[0].body)).toBe(
          new TextDecoder("utf-8", { ignoreBOM: true }).decode(new TextEncoder().encode(text))
        )
      }),
      seeded
    ))

  it("is readable JSON where this keeps the bytes, and no text where the bytes are none", () => {
    const encode = (text: string) => bodyOfText(new TextEncoder().encode(text))
    expect(encode('{"text":"नमस्ते"}')).toEqual({ json: { text: "नमस्ते" } })
    expect(encode('{"text": "a"}')).toEqual({ text: '{"text": "a"}' })
    expect(bodyOfText(Uint8Array.of(0xff, 0xfe))).toBeUndefined()
  })
})

const transcript = (text: string, change: Partial<KeptResponse> = {}): KeptResponse => ({
  status: 200,
  headers: { "content-type": "application/json" },
  millis: 1,
  body: {
    json: { text, call_id: `call-${Math.random()}`, aux_info: { request_time: Math.random(), confidence: 0.5 } }
  },
  ...change
})

it("two responses are the same if only the duration, the ids and the times of the service differ", () => {
  expect(isSameResponse(transcript("a"), transcript("a", { millis: 2 }))).toBe(true)
  const dated = (date: string, at: string) =>
    transcript("a", { status: 503, headers: { date, "retry-after": at, "x-request-id": date } })
  expect(isSameResponse(dated("monday", "tuesday"), dated("tuesday", "wednesday"))).toBe(true)
  expect(isSameResponse(transcript("a"), transcript("b"))).toBe(false)
  expect(isSameResponse(transcript("a"), transcript("a", { status: 500 }))).toBe(false)
  expect(isSameResponse(transcript("a"), transcript("a", { headers: { "retry-after": "1" } }))).toBe(false)
})

describe("a folder that is recorded", () => {
  const inFolder = async <A>(use: (folder: string) => Promise<A>): Promise<A> => {
    const folder = await mkdtemp(join(tmpdir(), "exchanges-"))
    try {
      return await use(folder)
    } finally {
      await rm(folder, { recursive: true })
    }
  }
  const exchange = (request: string, response: KeptResponse) =>
    ({ operation: "transcribe", request: { fields: { model: request } }, response }) as const
  const listsIn = async (folder: string) => {
    const lists = new Map<string, ReadonlyArray<KeptResponse>>()
    for (const name of await readdir(folder)) {
      const { request, responses } = await Effect.runPromise(parseExchange(await readFile(join(folder, name), "utf8")))
      lists.set(String(request.fields.model), responses)
    }
    return lists
  }
  const isSameList = (one: ReadonlyArray<KeptResponse>, other: ReadonlyArray<KeptResponse>) =>
    one.length === other.length && one.every((each, at) => isSameResponse(each, other[at] ?? each))

  const expectReplaced = (error: unknown) => expect(error).toBeInstanceOf(NotKept)

  const step = FastCheck.record({
    writer: FastCheck.constantFrom(0, 1),
    request: FastCheck.constantFrom("a", "b"),
    text: FastCheck.constantFrom("x", "y"),
    waits: FastCheck.boolean()
  })
  const history = FastCheck.array(step, { maxLength: 14 })

  it("by two at once has for each request the whole list of one of them", () =>
    FastCheck.assert(
      FastCheck.asyncProperty(history, history, (earlier, steps) =>
        inFolder(async (folder) => {
          const first = makeExchangeStore(folder)
          for (const { request, text } of earlier) await first.keep(exchange(request, transcript(text)))
          await first.end()
          const before = await listsIn(folder)

          const writers = [makeExchangeStore(folder), makeExchangeStore(folder)]
          const made = [new Map<string, Array<KeptResponse>>(), new Map<string, Array<KeptResponse>>()]
          let running: Array<Promise<unknown>> = []
          for (const { request, text, waits, writer } of steps) {
            const response = transcript(text)
            const list = made[writer]?.get(request) ?? []
            made[writer]?.set(request, [...list, response])
            const keeping = writers[writer]?.keep(exchange(request, response)) ?? Promise.resolve()
            running.push(keeping.catch(expectReplaced))
            if (waits) {
              await Promise.all(running)
              running = []
            }
          }
          await Promise.all(running)
          await Promise.all(writers.map(({ end }) => end()))
          const after = await listsIn(folder)
          for (const request of ["a", "b"]) {
            const kept = after.get(request) ?? []
            const expected = made.map((each) => each.get(request)).filter((list) => list !== undefined)
            if (expected.length === 0) expect(kept).toEqual(before.get(request) ?? [])
            else expect(expected.some((list) => isSameList(list, kept))).toBe(true)
          }
          expect((await readdir(folder)).filter((name) => !name.endsWith(".json"))).toEqual([])
        })
      ),
      { seed: 37, numRuns: 40 }
    ))

  it("again with the same answers stays as it is, and a shorter list ends earlier", () =>
    inFolder(async (folder) => {
      const record = async (...texts: ReadonlyArray<string>) => {
        const store = makeExchangeStore(folder)
        for (const text of texts) await store.keep(exchange("a", transcript(text)))
        await store.end()
        const [name = ""] = await readdir(folder)
        return await readFile(join(folder, name), "utf8")
      }
      const first = await record("x", "y", "z")
      expect(await record("x", "y", "z")).toBe(first)
      const shorter = await record("x", "y")
      const responsesOf = async (text: string) => (await Effect.runPromise(parseExchange(text))).responses
      expect(await responsesOf(shorter)).toEqual((await responsesOf(first)).slice(0, 2))
      const other = await responsesOf(await record("x", "new"))
      expect(other[0]).toEqual((await responsesOf(first))[0])
      expect(other.length).toBe(2)
    }))

  it("gives no audio that was changed or linked to another file, until a recording restores it", () =>
    inFolder(async (folder) => {
      const bytes = Buffer.alloc(1001, 1)
      const header = Buffer.alloc(44, 2)
      const sha256 = createHash("sha256").update(bytes).digest("hex")
      const file = `audio/${sha256}.wav`
      const path = join(folder, file)
      const keep = async () => {
        const spool = makeSpool({ folder, secrets: [], headerLength: header.length })
        await spool.write(bytes)
        await spool.keep(`${sha256}.wav`, header)
      }
      const reader = makeExchangeReader(folder)
      const read = () => Effect.runPromise(Effect.either(reader.body("a.json", { bytes: bytes.length, file, sha256 })))
      const whole = Either.right({ path, start: 44, end: 1045 })
      await keep()
      expect([await read(), await read()]).toEqual([whole, whole])
      const kept = await readFile(path)
      const changes = [
        () => writeFile(path, Buffer.concat([kept.subarray(0, 500), Buffer.of(9), kept.subarray(501)])),
        () => writeFile(path, Buffer.concat([kept, Buffer.from("LIST")])),
        async () => {
          await writeFile(join(folder, "private"), Buffer.alloc(kept.length))
          await rm(path)
          await symlink(join(folder, "private"), path)
        }
      ]
      for (const change of changes) {
        await change()
        const failed = Either.flip(await read()).pipe(Either.getOrThrow)
        expect(failed.message).toBe(
          `${path} has other bytes than the recorded response; restore it, or delete a.json and record its request again.`
        )
        await keep()
        expect(await readFile(path)).toEqual(kept)
        expect(await read()).toEqual(whole)
      }
      expect(await readFile(join(folder, "private"))).toEqual(Buffer.alloc(kept.length))
    }))

  it("by two in turn keeps the responses of one, and the other one knows that its own are not kept", () =>
    inFolder(async (folder) => {
      const [one, other] = [makeExchangeStore(folder), makeExchangeStore(folder)]
      const keep = (store: typeof one, text: string) => store.keep(exchange("a", transcript(text)))
      await keep(one, "1")
      await keep(other, "2")
      for (const text of ["3", "4"]) {
        await expect(keep(one, text)).rejects.toThrow("another recording has replaced the responses to this request")
      }
      await keep(other, "5")
      const kept = (await listsIn(folder)).get("a")?.map(({ body }) => inlineBody(body))
      expect(kept).toEqual([expect.stringContaining('"text":"2"'), expect.stringContaining('"text":"5"')])
    }))

  it("has each request once, also in a file that a person has renamed, and so many responses as it may have", () =>
    inFolder(async (folder) => {
      const name = "transcribe-by-hand.json"
      const { operation, request } = exchange("a", transcript("0"))
      await writeFile(join(folder, name), formatExchange({ operation, request, responses: [transcript("0")] }))
      const store = makeExchangeStore(folder, 3)
      await store.keep(exchange("a", transcript("0")))
      await store.keep(exchange("a", transcript("new")))
      await store.keep(exchange("a", transcript('"in\nlines"', { headers: { b: "1", a: "2" } })))
      await expect(store.keep(exchange("a", transcript("3")))).rejects.toThrow("its file has 3 responses")
      expect(await readdir(folder)).toEqual([name])
      const text = await readFile(join(folder, name), "utf8")
      const file = await Effect.runPromise(parseExchange(text))
      expect(file.responses.length).toBe(3)
      expect(formatExchange(file)).toBe(text)
    }))

  it("has no temporary file of an exchange that was discarded, even while the file was opened", () =>
    inFolder(async (folder) => {
      const spool = makeSpool({ folder, secrets: [] })
      const writing = spool.write(new Uint8Array(1_000_000))
      await spool.discard()
      await writing
      await spool.write(new Uint8Array(1_000_000))
      expect(await readdir(join(folder, "audio"))).toEqual([])
    }))
})
