/** A recording between a client and a service whose responses the test writes. */

import { createHash } from "node:crypto"
import { existsSync } from "node:fs"
import { rename, utimes, writeFile } from "node:fs/promises"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { createServer as createTcpServer } from "node:net"
import { join } from "node:path"
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import { loopback } from "effect-speech-test-support/loopback"
import { respondJson, scriptedServer } from "effect-speech-test-support/scriptedServer"
import {
  field,
  file,
  form,
  model,
  synthesisRequest,
  transactionId,
  transcriptionRequest,
  wav
} from "../blackbox/support/messages.js"
import { eventually } from "../blackbox/support/service.js"
import { exchange, exchangeRaw, leave } from "../blackbox/support/wire.js"
import {
  filesIn,
  namesIn,
  recording,
  replaying,
  type Service,
  start,
  synthesize,
  temporaryFolder,
  transcribe
} from "./support.js"

const apiKey = Redacted.make("real.secret-of-the-account")
const realAt = (url: string) => ({ apiKey, sttBaseUrl: url, ttsBaseUrl: url })

/** Collects what is logged. */
const withLog = <A, E, R>(use: (lines: ReadonlyArray<string>) => Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const lines: Array<string> = []
    const logger = Logger.make(({ message }) => lines.push(String(message)))
    return use(lines).pipe(Effect.provide(Logger.replace(Logger.defaultLogger, logger)))
  })

const audioHeaders = { "content-type": "application/octet-stream", "x-sample-rate": "8000", "x-encoding": "pcm16" }
const upload = (bytes: Uint8Array = wav({ samples: 100 })) =>
  form(field("model", model), field("transaction_id", transactionId), file(bytes))

it.scopedLive("the other service gets the body by the byte, the headers of the client and its own key", () =>
  Effect.gen(function* () {
    const real = yield* scriptedServer((response) =>
      respondJson(response, 200, { status: "success", text: "a", call_id: "1" })
    )
    const folder = yield* temporaryFolder
    const body = upload()
    const own = { Authorization: "Bearer local", Cookie: "session=local" }
    const answer = yield* recording(folder, realAt(`${real.url}/v1/`), (service) =>
      transcribe(
        service,
        body,
        { "X-Client": "mine", "Accept-Encoding": "gzip", "X-Request-Id": "id-1", ...own },
        "?model=other"
      )
    )
    expect(answer.json()).toEqual({ status: "success", text: "a", call_id: "1" })
    const [received] = real.received
    expect(received?.url).toBe("/v1/api/transcribe")
    expect(received?.body.equals(body)).toBe(true)
    expect(received?.headers).toMatchObject({
      "x-api-key": Redacted.value(apiKey),
      "x-client": "mine",
      "x-request-id": "id-1",
      "accept-encoding": "identity",
      "content-length": String(body.length),
      host: real.url.slice("http://".length)
    })
    for (const name of ["traceparent", "authorization", "cookie"]) expect(received?.headers).not.toHaveProperty(name)
    for (const bytes of (yield* filesIn(folder)).values()) expect(bytes.includes("secret-of-the-account")).toBe(false)
  })
)

it.scopedLive("only the service's own key is sent on, and an operation without an address is 400", () =>
  Effect.gen(function* () {
    const real = yield* scriptedServer((response) => respondJson(response, 200, {}))
    const folder = yield* temporaryFolder
    yield* recording(folder, { apiKey, ttsBaseUrl: real.url, sttBaseUrl: undefined }, (service) =>
      Effect.gen(function* () {
        expect((yield* synthesize(service, { text: "a" }, { "X-API-Key": Redacted.value(apiKey) })).status).toBe(401)
        expect((yield* transcribe(service, upload(), { "X-Api-Key": "no.key" })).status).toBe(401)
        const answer = yield* transcribe(service, upload())
        expect([answer.status, answer.json().message]).toEqual([400, expect.stringContaining("SPEECH_STT_BASE_URL")])
      })
    )
    expect(real.received).toEqual([])
    expect(yield* namesIn(folder)).toEqual([])
  })
)

const answers: ReadonlyArray<readonly [what: string, answer: (response: ServerResponse) => void, ending?: string]> = [
  ["a redirect", (response) => response.writeHead(302, { location: "/elsewhere" }).end("moved")],
  ["no content", (response) => response.writeHead(204).end()],
  ["JSON that is not compact", (response) => response.end('{ "error": "a" }')],
  ["text that is no UTF-8", (response) => response.end(Buffer.from([0xff, 0x00])), "bin"],
  ["a long text", (response) => response.end("x".repeat(300_000)), "bin"],
  ["audio without a format", (response) => response.end(Buffer.alloc(1000, 0xfe)), "bin"],
  ["audio of half a frame", (response) => response.writeHead(200, audioHeaders).end(Buffer.alloc(999, 7)), "wav"],
  [
    "audio in chunks",
    (response) => {
      response.writeHead(200, audioHeaders).write(Buffer.alloc(500_000, 1))
      response.end(Buffer.alloc(500_000, 2))
    },
    "wav"
  ],
  ["no audio", (response) => response.writeHead(200, audioHeaders).end()],
  ["a failure with a time", (response) => respondJson(response, 503, { error: "busy" }, { "retry-after": "7" })]
]
/** The text of a request is the number of a row. */
const rowOf = <Row>(rows: ReadonlyArray<Row>, body: Buffer): Row => {
  const row = rows[Number.parseInt(JSON.parse(body.toString()).text, 10)]
  if (row === undefined) throw new Error("no such row")
  return row
}

it.scopedLive("a recording and its replay give each kind of response as the service does", () =>
  Effect.gen(function* () {
    const real = yield* scriptedServer((response, { body }) => rowOf(answers, body)[1](response))
    const folder = yield* temporaryFolder
    const ask = (service: Pick<Service, "ttsBaseUrl" | "apiKey">) =>
      Effect.forEach(answers, (_, row) => synthesize(service, { text: String(row) }))
    const expected = yield* ask({ ttsBaseUrl: real.url, apiKey })
    const recorded = yield* recording(folder, realAt(real.url), ask)
    const replayed = yield* replaying(folder, ask)
    for (const [row, [what]] of answers.entries()) {
      for (const answer of [recorded[row], replayed[row]]) {
        expect(answer?.status, what).toBe(expected[row]?.status)
        expect(answer?.bytes.equals(expected[row]?.bytes ?? Buffer.of(1)), what).toBe(true)
        for (const name of ["content-type", "retry-after", "x-sample-rate", "x-encoding"]) {
          expect(answer?.headers[name], `${name} of ${what}`).toBe(expected[row]?.headers[name])
        }
      }
      expect(recorded[row]?.headers.location, what).toBe(expected[row]?.headers.location)
    }
    expect(real.received.length).toBe(2 * answers.length)
    const endings = (yield* namesIn(folder)).map((name) => name.replace(/^.*\./, "")).toSorted()
    const expectedEndings = answers.flatMap(([, , ending]) => [...(ending === undefined ? [] : [ending]), "json"])
    expect(endings).toEqual(expectedEndings.toSorted())
  })
)

it.scopedLive("the response arrives as the service sends it", () =>
  Effect.gen(function* () {
    let proceed: () => unknown = () => undefined
    const server = createServer((request, response) => {
      request.resume()
      response.writeHead(200, { ...audioHeaders, "content-length": 4 }).flushHeaders()
      const steps = [() => response.write(Buffer.of(1, 2)), () => response.end(Buffer.of(3, 4))]
      proceed = () => steps.shift()?.()
    })
    const { url } = yield* loopback(server)
    const folder = yield* temporaryFolder
    yield* recording(folder, realAt(url), (service) =>
      Effect.promise(async () => {
        const response = await fetch(`${service.ttsBaseUrl}/tts/bytes`, {
          method: "POST",
          headers: { "X-API-Key": Redacted.value(service.apiKey), "Content-Type": "application/json" },
          body: '{"text":"a"}'
        })
        expect(response.headers.get("x-sample-rate")).toBe("8000")
        const reader = response.body?.getReader()
        proceed()
        expect((await reader?.read())?.value).toEqual(Uint8Array.of(1, 2))
        proceed()
        expect((await reader?.read())?.value).toEqual(Uint8Array.of(3, 4))
      })
    )
    expect((yield* namesIn(folder)).length).toBe(2)
  })
)

const key = (service: Service) => Redacted.value(service.apiKey)
const cuts: ReadonlyArray<readonly [string, (request: IncomingMessage, response: ServerResponse) => void, number]> = [
  ["before the response", (request) => request.socket.resetAndDestroy(), 0],
  [
    "after the head",
    (request, response) => {
      response.writeHead(200, { ...audioHeaders, "content-length": 100 }).flushHeaders()
      setTimeout(() => request.socket.destroy(), 20)
    },
    200
  ],
  [
    "within the body",
    (request, response) => {
      response.writeHead(200, { ...audioHeaders, "content-length": 100 }).write(Buffer.alloc(10))
      setTimeout(() => request.socket.destroy(), 20)
    },
    200
  ],
  [
    "within chunks",
    (request, response) => {
      response.writeHead(200, audioHeaders).write(Buffer.alloc(10))
      setTimeout(() => request.socket.destroy(), 20)
    },
    200
  ]
]
it.scopedLive("a connection that the service cuts is cut to the client too, at any time, and nothing is kept", () =>
  withLog((lines) =>
    Effect.gen(function* () {
      const { url } = yield* loopback(
        createServer((request, response) => {
          const chunks: Array<Buffer> = []
          request.on("data", (chunk) => chunks.push(chunk))
          request.once("end", () => rowOf(cuts, Buffer.concat(chunks))[1](request, response))
        })
      )
      const folder = yield* temporaryFolder
      yield* recording(folder, realAt(url), (service) =>
        Effect.promise(async () => {
          for (const [row, [when, , status]] of cuts.entries()) {
            const sent = fetch(`${service.ttsBaseUrl}/tts/bytes`, {
              method: "POST",
              headers: { "X-API-Key": key(service), "Content-Type": "application/json" },
              body: JSON.stringify({ text: String(row) })
            })
            if (status === 0) {
              await expect(sent, when).rejects.toThrow()
              continue
            }
            const response = await sent
            expect(response.status, when).toBe(status)
            await expect(response.arrayBuffer(), when).rejects.toThrow()
          }
        })
      )
      expect(yield* namesIn(folder)).toEqual([])
      expect(lines.filter((line) => line.includes(`The connection to ${url} failed`)).length).toBe(cuts.length)
    })
  )
)

it.scopedLive("a service that can't be reached resets the connection of the client", () =>
  withLog((lines) =>
    Effect.gen(function* () {
      const { close, url } = yield* loopback(createTcpServer())
      yield* Effect.promise(close)
      const folder = yield* temporaryFolder
      yield* recording(folder, realAt(url), (service) =>
        Effect.promise(async () => {
          const sent = exchangeRaw(service.ttsBaseUrl, [synthesisRequest(key(service), '{"text":"a"}')])
          expect(await sent).toMatchObject({ answers: [], ended: "reset" })
        })
      )
      expect(lines.join("\n")).toContain("ECONNREFUSED")
    })
  )
)

it.scopedLive("a client that leaves ends the request to the service, and leaves no file", () =>
  Effect.gen(function* () {
    const { sockets, url } = yield* loopback(
      createServer((request, response) => {
        request.resume()
        response.writeHead(200, { ...audioHeaders, "content-length": 2_000_000 }).write(Buffer.alloc(500_000))
      })
    )
    const folder = yield* temporaryFolder
    const audio = wav({ samples: 300_000 })
    yield* recording(folder, realAt(url), (service) =>
      Effect.gen(function* () {
        const requests = [
          [service.ttsBaseUrl, [synthesisRequest(key(service), '{"text":"a"}'), 100]],
          [service.sttBaseUrl, [transcriptionRequest(key(service), upload(audio)).subarray(0, 400_000), 100]]
        ] as const
        for (const [base, pieces] of requests) {
          yield* Effect.promise(() => leave(base, pieces))
          yield* eventually(
            Effect.sync(() => sockets.size),
            (open) => open === 0
          )
          yield* eventually(namesIn(folder), ({ length }) => length === 0)
        }
        const outcomes = Effect.map(service.requests, (entries) => entries.map(({ outcome }) => outcome))
        yield* eventually(outcomes, (all) => all.every((each) => each === "abandoned"))
      })
    )
  })
)

it.scopedLive("a response that comes before the whole request is kept, with the request", () =>
  Effect.gen(function* () {
    const { url } = yield* loopback(
      createServer((_, response) => respondJson(response, 413, { error: "too large", message: "m" }))
    )
    const folder = yield* temporaryFolder
    const body = upload(wav({ samples: 1_000_000 }))
    const answer = yield* recording(folder, realAt(url), (service) => transcribe(service, body))
    expect(answer.status).toBe(413)
    expect((yield* replaying(folder, (service) => transcribe(service, body))).status).toBe(413)
  })
)

const encodings: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = {
  gzip: gzipSync,
  deflate: deflateSync,
  br: brotliCompressSync
}
const echoes: ReadonlyArray<readonly [where: string, answer: (response: ServerResponse) => void, text?: string]> = [
  ["the body", (response) => respondJson(response, 400, { error: `${Redacted.value(apiKey)} is unknown` })],
  [
    "base64",
    (response) => respondJson(response, 400, { error: Buffer.from(Redacted.value(apiKey)).toString("base64") })
  ],
  ["a header", (response) => respondJson(response, 400, {}, { "x-request-id": Redacted.value(apiKey) })],
  [
    "audio",
    (response) => {
      response.writeHead(200, audioHeaders).write(Buffer.concat([Buffer.alloc(300_000), Buffer.from("secret-of-")]))
      setTimeout(() => response.end("the-account"), 20)
    }
  ],
  ["the text of a request", (response) => respondJson(response, 400, {}), ` ${Redacted.value(apiKey)}`],
  ...Object.entries(encodings).map(([name, encode]): (typeof echoes)[number] => [
    name,
    (response) => response.writeHead(401, { "content-encoding": name }).end(encode(Buffer.from(Redacted.value(apiKey))))
  ])
]
it.scopedLive("an exchange with the key in it is not kept, and the log says so", () =>
  withLog((lines) =>
    Effect.gen(function* () {
      const real = yield* scriptedServer((response, { body }) => rowOf(echoes, body)[1](response))
      const folder = yield* temporaryFolder
      yield* recording(folder, realAt(real.url), (service) =>
        Effect.forEach(echoes, ([where, , more = ""], row) =>
          Effect.gen(function* () {
            yield* synthesize(service, { text: `${row}${more}` })
            const reason = where in encodings ? `its body has the content encoding ${where}` : "it holds the API key"
            expect(lines.at(-1), where).toContain(`was not kept: ${reason}`)
          })
        )
      )
      expect(yield* namesIn(folder)).toEqual([])
      expect(lines.join("\n")).not.toContain("secret-of-the-account")
    })
  )
)

it.scopedLive("equal audio is in the folder once, and a second recording with the same answers changes no file", () =>
  Effect.gen(function* () {
    let calls = 0
    const real = yield* scriptedServer((response, { url }) => {
      if (url === "/tts/bytes")
        response.writeHead(200, { ...audioHeaders, "x-request-id": `r${++calls}` }).end(Buffer.alloc(400_000, 5))
      else respondJson(response, 200, { status: "success", text: "t", call_id: `c${++calls}` })
    })
    const folder = yield* temporaryFolder
    const all = (service: Service) =>
      Effect.all([
        synthesize(service, { text: "a" }),
        synthesize(service, { text: "b" }),
        transcribe(service, upload(wav({ samples: 200_000 }))),
        transcribe(
          service,
          form(field("model", "m"), field("transaction_id", transactionId), file(wav({ samples: 200_000 })))
        )
      ])
    yield* recording(folder, realAt(real.url), all)
    const digests = Effect.map(filesIn(folder), (files) =>
      Array.from(files, ([name, bytes]) => `${name} ${createHash("sha256").update(bytes).digest("hex")}`)
    )
    const first = yield* digests
    expect(first.filter((name) => name.startsWith("audio")).length).toBe(2)
    yield* recording(folder, realAt(real.url), all)
    expect(yield* digests).toEqual(first)
  })
)

it.scopedLive("a recording removes what a killed process left, and nothing of one that runs", () =>
  Effect.gen(function* () {
    const real = yield* start()
    const folder = yield* temporaryFolder
    yield* recording(folder, real, (service) => synthesize(service, { text: "a", lang: "en" }))
    const { partName } = yield* Effect.promise(() => import("../../src/internal/exchanges/parts.js"))
    const own = partName(crypto.randomUUID())
    // No process has this number.
    const killed = own.replace(`.${process.pid}.`, ".4194305.")
    yield* Effect.promise(() =>
      Promise.all([own, killed, "mine.part"].map((name) => writeFile(join(folder, "audio", name), "x")))
    )
    yield* recording(folder, real, () => Effect.void)
    const names = yield* namesIn(folder)
    expect(names.filter((name) => name.endsWith(".part")).toSorted()).toEqual(
      [`audio/${own}`, "audio/mine.part"].toSorted()
    )
  })
)

it.scopedLive("audio of earlier responses is removed, unless another recording may be writing it", () =>
  Effect.gen(function* () {
    let speech = Buffer.alloc(100, 1)
    const real = yield* scriptedServer((response) => response.writeHead(200, audioHeaders).end(speech))
    const folder = yield* temporaryFolder
    const record = recording(folder, realAt(real.url), (service) => synthesize(service, { text: "a" }))
    yield* record
    const [old = ""] = yield* namesIn(folder)
    speech = Buffer.alloc(100, 2)
    yield* record
    const both = yield* namesIn(folder)
    expect(both.filter((name) => name.endsWith(".wav")).length).toBe(2)
    const longAgo = new Date(Date.now() - 3_600_000)
    yield* Effect.promise(() => Promise.all(both.map((name) => utimes(join(folder, name), longAgo, longAgo))))
    yield* record
    expect(yield* namesIn(folder)).toEqual(both.filter((name) => name !== old))
  })
)

it.scopedLive("a recording into a folder that can't be made ends, and one whose folder is moved says so", () =>
  withLog((lines) =>
    Effect.gen(function* () {
      const real = yield* scriptedServer((response) => response.writeHead(200, audioHeaders).end(Buffer.alloc(100)))
      const folder = join(yield* temporaryFolder, "new", "exchanges")
      // /proc makes no folder, and says that the one above does not exist.
      if (existsSync("/proc/self")) {
        const failed = yield* Effect.flip(recording("/proc/exchanges", realAt(real.url), Effect.succeed))
        expect(failed.message).toBe(
          "/proc/exchanges can't be made or written (ENOENT); give a folder that you can write to."
        )
      }
      yield* recording(folder, realAt(real.url), (service) =>
        Effect.gen(function* () {
          yield* synthesize(service, { text: "a" })
          yield* Effect.promise(() => rename(folder, `${folder}-moved`))
          expect((yield* synthesize(service, { text: "b" })).status).toBe(200)
          expect(yield* service.exchanges).toMatchObject({ kept: 1, notKept: 1 })
        })
      )
      expect(existsSync(folder)).toBe(false)
      expect(lines.at(-2)).toMatch(/was not kept: the folder was moved or removed; end this recording/)
      expect(lines.at(-1)).toMatch(/earlier recordings: it was moved or removed\.$/)
      const [exchange = ""] = (yield* namesIn(`${folder}-moved`)).filter((name) => name.endsWith(".json"))
      yield* Effect.promise(() => writeFile(join(`${folder}-moved`, exchange), "<<<<<<< HEAD"))
      yield* recording(`${folder}-moved`, realAt(real.url), Effect.succeed)
      expect(lines.at(-1)).toMatch(/synthesize-\w+\.json is not JSON; is there a merge conflict in it\? Mend it/)
    })
  )
)

/** The requests of the journal have what was sent and received, as without a recording. */
const hasDetails = (service: Service, billing: "notKnown" | undefined) =>
  Effect.gen(function* () {
    const recording = wav({ samples: 100 })
    const headers = { "X-Admin-Token": Redacted.value(service.adminToken) }
    const get = (path: string) =>
      Effect.promise(() =>
        exchange(service.platformUrl, { method: "GET", path: `/platform/api/requests${path}`, headers })
      )
    yield* eventually(service.requests, (all) => all.every(({ sentBytes }) => sentBytes !== undefined))
    const [spoken, heard] = (yield* get("")).json()
    expect([spoken.sentBytes, spoken.billing]).toEqual([2, billing])
    expect(heard).toMatchObject({ transcript: "t", fileName: "call.wav", fileBytes: recording.length })
    expect((yield* get("/1")).json()).toMatchObject({
      request: { body: '{"text":"a","lang":"en"}' },
      audio: { mediaType: "audio/wav" },
      replayProblem: null
    })
    expect((yield* get("/2")).json()).toMatchObject({
      response: { body: expect.stringContaining('"text":"t"') },
      replayProblem: null
    })
    expect((yield* get("/1/audio")).bytes.subarray(-2).toString()).toBe("12")
    expect((yield* get("/2/audio")).bytes.equals(recording)).toBe(true)
  })

it.scopedLive("the journal of a recording has the fields, the key and the ids of the service", () =>
  Effect.gen(function* () {
    const real = yield* scriptedServer((response, { url }) =>
      url === "/tts/bytes"
        ? response.writeHead(200, { ...audioHeaders, "x-request-id": "made-there" }).end("12")
        : respondJson(response, 200, { status: "success", text: "t", call_id: "call-1" })
    )
    const folder = yield* temporaryFolder
    yield* recording(folder, realAt(real.url), (service) =>
      Effect.gen(function* () {
        yield* synthesize(service, { text: "a", lang: "en" })
        yield* transcribe(service, upload())
        const { active } = yield* service.accounts.keys
        const entries = Effect.map(service.requests, (all) =>
          all.map(({ id, keyId, outcome, request, status }) => ({ id, keyId, outcome, request, status }))
        )
        const common = { keyId: active?.id, outcome: "answered", status: 200 }
        expect(yield* entries).toEqual([
          { ...common, id: "made-there", request: { text: "a", lang: "en" } },
          { ...common, id: "call-1", request: { model, transaction_id: transactionId } }
        ])
        expect(yield* service.accounts.usage).toEqual([])
        yield* hasDetails(service, "notKnown")
      })
    )
    yield* replaying(folder, (service) =>
      Effect.gen(function* () {
        expect((yield* synthesize(service, { text: "a", lang: "en" })).headers["x-request-id"]).toBe("made-there")
        expect((yield* service.requests).map(({ id }) => id)).toEqual(["made-there"])
        yield* transcribe(service, upload())
        yield* hasDetails(service, undefined)
      })
    )
  })
)

it.scopedLive("a call of the console is recorded and replayed like that of a program", () =>
  Effect.gen(function* () {
    const real = yield* start()
    const folder = yield* temporaryFolder
    const speak = (service: Service) =>
      Effect.promise(() =>
        exchange(service.platformUrl, {
          path: "/platform/api/speech",
          headers: { "X-Admin-Token": Redacted.value(service.adminToken), "Content-Type": "application/json" },
          body: '{"text":"a","lang":"en"}'
        })
      )
    const recorded = yield* recording(folder, real, speak)
    expect(recorded.status).toBe(200)
    const [console, program] = yield* replaying(folder, (service) =>
      Effect.all([speak(service), synthesize(service, { text: "a", lang: "en" })])
    )
    expect(console.bytes.equals(recorded.bytes)).toBe(true)
    expect(program.status).toBe(200)
  })
)
