import { mkdtempSync, rmSync } from "node:fs"
import { request as httpRequest } from "node:http"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import * as FileSystem from "@effect/platform/FileSystem"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { afterAll, expect, layer } from "@effect/vitest"
import { LocalService } from "@effect-speech/local-service"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"

// The services of other files spool at the same time, and what they leave for a moment is none of this one's.
const folder = mkdtempSync(`${tmpdir()}/hostile-`)
process.env.TMPDIR = folder
afterAll(() => rmSync(folder, { recursive: true }))

interface Answer {
  readonly status: number
  readonly headers: Record<string, unknown>
  readonly body: string
}

/** Plain HTTP by `node:http`, which sends whatever it is told to. */
const post = (url: string, headers: Record<string, string | number>, body: string | Buffer) =>
  Effect.async<Answer>((resume) => {
    const request = httpRequest(url, { method: "POST", headers, agent: false }, (response) => {
      const parts: Array<Buffer> = []
      response.on("data", (part: Buffer) => parts.push(part))
      response.on("end", () =>
        resume(
          Effect.succeed({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(parts).toString()
          })
        )
      )
    })
    request.on("error", (error) => resume(Effect.die(error)))
    request.end(body)
  })

/** Begins a request, and is gone before it ends. */
const abandon = (url: string, headers: Record<string, string | number>, body: string) =>
  Effect.async<void>((resume) => {
    const request = httpRequest(url, { method: "POST", headers, agent: false })
    request.on("error", () => resume(Effect.void))
    request.write(body, () => setTimeout(() => request.destroy(new Error("gone")), 30))
  })

const transactionId = "7f3c0f3e-1b2a-4c5d-8e9f-0a1b2c3d4e5f"
const field = (name: string, value: string) =>
  `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
const fields = field("model", "hi-general-v2-8khz") + field("transaction_id", transactionId)
const fileHead = '--b\r\nContent-Disposition: form-data; name="audio_file"; filename="a.wav"\r\n\r\n'

const wav = (sampleRate: number, dataLength: number) => {
  const file = Buffer.alloc(44 + dataLength)
  file.write("RIFF", 0)
  file.writeUInt32LE(36 + dataLength, 4)
  file.write("WAVEfmt ", 8)
  file.writeUInt32LE(16, 16)
  file.writeUInt16LE(1, 20)
  file.writeUInt16LE(1, 22)
  file.writeUInt32LE(sampleRate, 24)
  file.writeUInt16LE(2, 32)
  file.writeUInt16LE(16, 34)
  file.write("data", 36)
  file.writeUInt32LE(dataLength, 40)
  return file
}

/** A sequence that must be true soon, since it waits for another process of the system. */
const eventually = <R>(check: Effect.Effect<boolean, never, R>) =>
  Effect.repeat(check, { until: (held) => held, schedule: Schedule.spaced("20 millis"), times: 100 })

layer(Layer.merge(LocalService.layer(), NodeFileSystem.layer), { excludeTestServices: true })(
  "a hostile request",
  (it) => {
    const transcribe = (body: string | Buffer, headers: Record<string, string | number> = {}) =>
      Effect.gen(function* () {
        const { apiKey, sttBaseUrl } = yield* LocalService
        return yield* post(
          `${sttBaseUrl}/api/transcribe`,
          { "x-api-key": Redacted.value(apiKey), "content-type": "multipart/form-data; boundary=b", ...headers },
          body
        )
      })
    const synthesize = (body: string, headers: Record<string, string | number> = {}) =>
      Effect.gen(function* () {
        const { apiKey, ttsBaseUrl } = yield* LocalService
        return yield* post(
          `${ttsBaseUrl}/tts/bytes`,
          { "x-api-key": Redacted.value(apiKey), "content-type": "application/json", ...headers },
          body
        )
      })
    const spoolFolders = Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const folder = yield* fs.makeTempDirectoryScoped()
      const names = yield* fs.readDirectory(`${folder}/..`)
      return names.filter((name) => name.startsWith("effect-speech-upload-"))
    }).pipe(Effect.scoped, Effect.orDie)

    it.effect.each([
      { what: "in the middle of a file", body: `${fields}${fileHead}RIFF` },
      { what: "after a file", body: `${fields}${fileHead}RIFF\r\n` },
      { what: "in a part of no name", body: "--b\r\nX: y\r\n\r\nx" },
      { what: "in a field", body: '--b\r\nContent-Disposition: form-data; name="model"\r\n\r\nhi' }
    ])("whose form ends $what is 400, and the service goes on", ({ body }) =>
      Effect.gen(function* () {
        const answer = yield* transcribe(body)
        expect(answer.status).toBe(400)
        expect(JSON.parse(answer.body)).toMatchObject({ status: "error" })
        expect((yield* transcribe(`${fields}--b--\r\n`)).body).toContain("audio_file is missing")
      })
    )

    it.effect("that is given up leaves no spooled file behind", () =>
      Effect.gen(function* () {
        const { apiKey, sttBaseUrl } = yield* LocalService
        const before = yield* spoolFolders
        for (const body of [`${fields}${fileHead}RIFF`, fields]) {
          yield* abandon(
            `${sttBaseUrl}/api/transcribe`,
            {
              "x-api-key": Redacted.value(apiKey),
              "content-type": "multipart/form-data; boundary=b",
              "content-length": 1_000_000
            },
            body
          )
        }
        const left = Effect.map(spoolFolders, (names) => names.filter((name) => !before.includes(name)))
        yield* eventually(Effect.map(left, (names) => names.length === 0))
        expect(yield* left).toEqual([])
      }).pipe(Effect.provide(NodeFileSystem.layer))
    )

    it.effect("for a long speech that is given up costs nothing, and keeps nobody waiting", () =>
      Effect.gen(function* () {
        const { accounts, apiKey, ttsBaseUrl } = yield* LocalService
        const before = yield* accounts.account
        const body = JSON.stringify({ text: "a long story, ".repeat(700), lang: "en" })
        yield* abandon(
          `${ttsBaseUrl}/tts/bytes`,
          { "x-api-key": Redacted.value(apiKey), "content-type": "application/json", "content-length": body.length },
          body
        )
        yield* eventually(Effect.map(accounts.account, ({ credits }) => credits === before.credits))
        const started = performance.now()
        expect((yield* synthesize('{"text":"hi","lang":"en"}')).status).toBe(200)
        expect(performance.now() - started).toBeLessThan(5000)
        expect((yield* accounts.account).credits).toBe(before.credits - 2)
      })
    )

    it.effect("with JSON that is nested 100,000 deep is 400 in the shape of its operation", () =>
      Effect.gen(function* () {
        const deep = "[".repeat(100_000) + "]".repeat(100_000)
        for (const body of [deep, `{"text":${deep}}`, `{"text":"a","g2p_overrides":{"a":${deep}}}`]) {
          const answer = yield* synthesize(body)
          expect(answer.status).toBe(400)
          expect(JSON.parse(answer.body)).toEqual({ error: expect.any(String) })
          expect(answer.headers["x-request-id"]).toBeDefined()
        }
        const answer = yield* transcribe(`${fields}${field("hotwords", deep.slice(0, 6000))}--b--\r\n`)
        expect(answer.status).toBe(400)
        expect(JSON.parse(answer.body)).toMatchObject({ status: "error" })
      })
    )

    it.effect("with a body that is too large is 413, and not a closed connection", () =>
      Effect.gen(function* () {
        const answer = yield* synthesize(JSON.stringify({ text: "a".repeat(2_000_000) }))
        expect(answer.status).toBe(413)
        expect(JSON.parse(answer.body)).toEqual({ error: expect.stringContaining("larger than") })
      })
    )

    it.effect.each(["constructor", "__proto__", "toString", "x".repeat(60_000)])(
      "for the model %s is 400, with no more of it than fits a message",
      (model) =>
        Effect.gen(function* () {
          const form = field("model", model) + field("transaction_id", transactionId)
          const answer = yield* transcribe(`${form}--b--\r\n`)
          expect(answer.status).toBe(400)
          expect(answer.body).toContain("unknown model")
          expect(answer.body.length).toBeLessThan(200)
        })
    )

    it.effect.each([1, 3999, 192_001, 4_294_967_291])("with a recording at %i Hz is 400, at once", (rate) =>
      Effect.gen(function* () {
        const body = Buffer.concat([Buffer.from(fields + fileHead), wav(rate, 200), Buffer.from("\r\n--b--\r\n")])
        const answer = yield* transcribe(body)
        expect(answer.status).toBe(400)
        expect(answer.body).toContain(`${rate} Hz is not taken`)
      })
    )

    it.effect("can't speak to the engine: control characters, brackets and tags are read or left out", () =>
      Effect.gen(function* () {
        const bytes = (text: string) =>
          Effect.map(
            synthesize(JSON.stringify({ text, lang: "en", output_format: "8000:pcm16" })),
            ({ body, headers, status }) => ({ status, length: Number(headers["content-length"]), body })
          )
        const whole = yield* bytes("hello please transfer the money")
        const cut = yield* bytes("hello\u0000please transfer the money")
        expect(Math.abs(cut.length - whole.length)).toBeLessThan(whole.length / 10)
        const fast = yield* bytes("\u0001400Shello please transfer the money")
        expect(fast.length).toBeGreaterThan(whole.length)
        expect((yield* bytes("[[[[h@l]]]] <voice name='x'> &amp; ]]>")).status).toBe(200)
      })
    )

    it.effect("for pronunciations without end is 400", () =>
      Effect.gen(function* () {
        const answer = yield* synthesize(JSON.stringify({ text: "hi", g2p_overrides: { hi: "x".repeat(401) } }))
        expect(answer.status).toBe(400)
        expect(answer.body).toContain("at most 400 characters")
      })
    )

    it.effect("with the whole address for a target, or an offer to upgrade, is answered as any other", () =>
      Effect.gen(function* () {
        const { apiKey, ttsBaseUrl } = yield* LocalService
        const { port } = new URL(ttsBaseUrl)
        const body = '{"text":"hi","lang":"en","speed":9}'
        const answer = yield* Effect.async<string>((resume) => {
          const socket = connect(Number(port), "127.0.0.1")
          let text = ""
          socket.on("data", (part) => (text += part.toString()))
          socket.on("close", () => resume(Effect.succeed(text)))
          socket.end(
            `POST ${ttsBaseUrl}/tts/bytes HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade, close\r\nUpgrade: h2c\r\n` +
              `X-API-Key: ${Redacted.value(apiKey)}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
          )
        })
        expect(answer).toContain("HTTP/1.1 400")
        expect(answer).toContain("speed must be a number from 0.25 to 4")
      })
    )

    it.effect.each(["//", "/%", "*", "http://"])("for the target %s is 404, in the shape of each operation", (target) =>
      Effect.gen(function* () {
        const { sttBaseUrl, ttsBaseUrl } = yield* LocalService
        for (const base of [sttBaseUrl, ttsBaseUrl]) {
          const { port } = new URL(base)
          const answer = yield* Effect.async<string>((resume) => {
            const socket = connect(Number(port), "127.0.0.1")
            let text = ""
            socket.on("data", (part) => (text += part.toString()))
            socket.on("close", () => resume(Effect.succeed(text)))
            socket.end(`POST ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
          })
          expect(answer).toContain("HTTP/1.1 404")
          expect(answer).toContain("nothing is here")
        }
      })
    )

    it.effect("does not make silence known", () =>
      Effect.gen(function* () {
        expect((yield* synthesize('{"text":"...","lang":"en"}')).status).toBe(200)
        const { recogniser } = yield* LocalService
        for (const length of [20, 40, 80, 160]) {
          expect(yield* recogniser.recognise("en", Stream.make(new Float32Array(length)))).toBeUndefined()
        }
      })
    )
  }
)
