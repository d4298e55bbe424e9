import { request as httpRequest } from "node:http"
import { expect, layer } from "@effect/vitest"
import { LocalService } from "@effect-speech/local-service"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"

/** Plain HTTP, without the clients: what the service says on the wire. */
const send = (url: string, init: RequestInit = {}) =>
  Effect.promise(async () => {
    const response = await fetch(url, { redirect: "manual", ...init })
    const bytes = Buffer.from(await response.arrayBuffer())
    return { status: response.status, headers: response.headers, bytes, json: () => JSON.parse(bytes.toString()) }
  })

const transactionId = "7f3c0f3e-1b2a-4c5d-8e9f-0a1b2c3d4e5f"

/** One second of silence at 8 kHz. */
const silence = Buffer.concat([
  Buffer.from("52494646a43e000057415645666d74201000000001000100401f0000803e0000020010006461746180" + "3e0000", "hex"),
  Buffer.alloc(16_000)
])

const form = (fields: Record<string, string | Blob | undefined>) => {
  const data = new FormData()
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === "string") data.append(name, value)
    else if (value !== undefined) data.append(name, value, "call.wav")
  }
  return data
}

const valid = { model: "hi-general-v2-8khz", transaction_id: transactionId, audio_file: new Blob([silence]) }

layer(LocalService.layer())("transcription", (it) => {
  const transcribe = (body: RequestInit["body"], headers: Record<string, string> = {}) =>
    Effect.gen(function* () {
      const { apiKey, sttBaseUrl } = yield* LocalService
      return yield* send(`${sttBaseUrl}/api/transcribe`, {
        method: "POST",
        headers: { "X-Api-Key": Redacted.value(apiKey), ...headers },
        body: body ?? null
      })
    })

  it.effect("of what it does not know is an empty text, with a notice and never an invented transcript", () =>
    Effect.gen(function* () {
      const answer = yield* transcribe(form(valid))
      expect(answer.status).toBe(200)
      expect(answer.json()).toEqual({ status: "success", text: "", call_id: expect.stringMatching(/^[0-9a-f-]{36}$/) })
      expect(answer.headers.get("x-local-service-notice")).toContain("knows only recordings")
    })
  )

  it.effect("with aux tells times and confidences", () =>
    Effect.gen(function* () {
      const answer = yield* transcribe(form({ ...valid, aux: "true" }))
      expect(answer.json().aux_info).toEqual({
        request_time: expect.any(Number),
        received_request_time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
        confidence: 0,
        segments_meta: []
      })
    })
  )

  it.effect.each([
    { what: "no model", fields: { ...valid, model: undefined }, message: "model is missing" },
    { what: "an empty model", fields: { ...valid, model: "" }, message: "model must not be empty" },
    { what: "an unknown model", fields: { ...valid, model: "xx" }, message: 'unknown model "xx"' },
    {
      what: "no transaction id",
      fields: { ...valid, transaction_id: undefined },
      message: "transaction_id is missing"
    },
    {
      what: "an id that is no UUID",
      fields: { ...valid, transaction_id: "7" },
      message: "transaction_id must be a UUID"
    },
    { what: "no file", fields: { ...valid, audio_file: undefined }, message: "audio_file is missing" },
    { what: "aux that is neither", fields: { ...valid, aux: "yes" }, message: "aux must be true or false" },
    { what: "hotwords that are no JSON", fields: { ...valid, hotwords: "UPI" }, message: "hotwords" },
    {
      what: "a file that is no audio",
      fields: { ...valid, audio_file: new Blob(["hello"]) },
      message: "not a WAV file"
    },
    {
      what: "a file in a field that is not for one",
      fields: { ...valid, audio_file: undefined, aux: new Blob(["x"]) },
      message: "aux must not be a file"
    }
  ])("with $what is 400 and says so", ({ fields, message }) =>
    Effect.gen(function* () {
      const answer = yield* transcribe(form(fields))
      expect(answer.status).toBe(400)
      expect(answer.json()).toEqual({
        status: "error",
        error: "bad request",
        message: expect.stringContaining(message)
      })
    })
  )

  it.effect.each([
    { what: "without a boundary", type: "multipart/form-data", body: "x", status: 400 },
    {
      what: "that ends early",
      type: "multipart/form-data; boundary=b",
      body: "--b\r\nContent-Disposition: form-data",
      status: 400
    },
    {
      what: "with a field given twice",
      type: "multipart/form-data; boundary=b",
      body: `${'--b\r\nContent-Disposition: form-data; name="model"\r\n\r\nm\r\n'.repeat(2)}--b--`,
      status: 400
    },
    { what: "in JSON", type: "application/json", body: "{}", status: 415 }
  ])("of a form $what is $status, and the service goes on", ({ body, status, type }) =>
    Effect.gen(function* () {
      const answer = yield* transcribe(body, { "content-type": type })
      expect(answer.status).toBe(status)
      expect(answer.json()).toMatchObject({ status: "error", error: expect.any(String), message: expect.any(String) })
      expect((yield* transcribe(form(valid))).status).toBe(200)
    })
  )

  it.effect("leaves nothing to a request that goes away in the middle", () =>
    Effect.gen(function* () {
      const { apiKey, sttBaseUrl } = yield* LocalService
      yield* Effect.async<void>((resume) => {
        const request = httpRequest(`${sttBaseUrl}/api/transcribe`, {
          method: "POST",
          headers: {
            "x-api-key": Redacted.value(apiKey),
            "content-type": "multipart/form-data; boundary=b",
            "content-length": 1_000_000
          }
        })
        request.on("error", () => resume(Effect.void))
        request.write('--b\r\nContent-Disposition: form-data; name="audio_file"; filename="a.wav"\r\n\r\nRIFF', () => {
          request.destroy(new Error("gone"))
        })
      })
      expect((yield* transcribe(form(valid))).status).toBe(200)
    })
  )

  it.effect("checks the key before the form: missing, wrong, and in a header of any case", () =>
    Effect.gen(function* () {
      const { apiKey, sttBaseUrl } = yield* LocalService
      const url = `${sttBaseUrl}/api/transcribe`
      for (const headers of [{}, { "x-api-key": "" }, { "x-api-key": "a.b" }]) {
        const answer = yield* send(url, { method: "POST", headers, body: "not a form" })
        expect(answer.status).toBe(401)
        expect(answer.json()).toMatchObject({ status: "error", error: "unauthorized" })
      }
      const headers = { "X-API-KEY": Redacted.value(apiKey) }
      expect((yield* send(url, { method: "POST", headers, body: form(valid) })).status).toBe(200)
    })
  )

  it.effect("tells 403 and 402 apart, in that order", () =>
    Effect.gen(function* () {
      const { accounts } = yield* LocalService
      yield* accounts.setAccount({ state: "suspended", credits: 0 })
      expect((yield* transcribe(form(valid))).status).toBe(403)
      yield* accounts.setAccount({ state: "active" })
      expect((yield* transcribe(form(valid))).status).toBe(402)
      yield* accounts.setAccount({ credits: 100 })
      expect((yield* transcribe(form(valid))).status).toBe(200)
      expect((yield* accounts.account).credits).toBe(99)
    })
  )

  it.effect("is at one path with one method", () =>
    Effect.gen(function* () {
      const { sttBaseUrl } = yield* LocalService
      const other = yield* send(`${sttBaseUrl}/tts/bytes`, { method: "POST" })
      expect(other.status).toBe(404)
      expect(other.json()).toMatchObject({ status: "error" })
      const method = yield* send(`${sttBaseUrl}/api/transcribe`)
      expect(method.status).toBe(405)
      expect(method.headers.get("allow")).toBe("POST")
    })
  )
})

layer(LocalService.layer())("synthesis", (it) => {
  const synthesize = (body: unknown, headers: Record<string, string> = {}) =>
    Effect.gen(function* () {
      const { apiKey, ttsBaseUrl } = yield* LocalService
      return yield* send(`${ttsBaseUrl}/tts/bytes`, {
        method: "POST",
        headers: { "X-API-Key": Redacted.value(apiKey), "content-type": "application/json", ...headers },
        body: typeof body === "string" ? body : JSON.stringify(body)
      })
    })

  it.effect("gives raw audio whose headers agree with its length, in Hindi at 24 kHz float by default", () =>
    Effect.gen(function* () {
      const answer = yield* synthesize({ text: "नमस्ते" })
      expect(answer.status).toBe(200)
      expect(answer.headers.get("x-sample-rate")).toBe("24000")
      expect(answer.headers.get("x-encoding")).toBe("float32")
      expect(Number(answer.headers.get("content-length"))).toBe(answer.bytes.byteLength)
      const milliseconds = answer.bytes.byteLength / 4 / 24
      expect(Math.abs(Number(answer.headers.get("x-audio-duration-ms")) - milliseconds)).toBeLessThan(1)
      expect(milliseconds).toBeGreaterThan(200)
    })
  )

  it.effect("of default_male is another voice than default_female, and lower", () =>
    Effect.gen(function* () {
      const zeroCrossings = (bytes: Buffer) => {
        const samples = new Int16Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 2)
        return samples.reduce((sum, sample, index) => sum + (sample * (samples[index - 1] ?? 0) < 0 ? 1 : 0), 0)
      }
      const speak = (voice: string) =>
        synthesize({ text: "aaaa oooo eeee", lang: "en", voice, output_format: "8000:pcm16" })
      const male = (yield* speak("default_male")).bytes
      const female = (yield* speak("default_female")).bytes
      expect(zeroCrossings(male) / male.length).toBeLessThan(zeroCrossings(female) / female.length)
    })
  )

  it.effect("lasts as long as its speed says, over the whole range", () =>
    Effect.gen(function* () {
      const text = "The quick brown fox jumps over the lazy dog."
      const seconds = (speed: number) =>
        Effect.map(
          synthesize({ text, lang: "en", speed, output_format: "8000:pcm16" }),
          ({ bytes }) => bytes.byteLength / 16000
        )
      const normal = yield* seconds(1)
      for (const speed of [0.25, 0.5, 2, 4]) {
        const ratio = normal / (yield* seconds(speed)) / speed
        expect(ratio).toBeGreaterThan(0.75)
        expect(ratio).toBeLessThan(1.35)
      }
    })
  )

  it.effect("follows pronunciations, and takes brackets in a text for brackets", () =>
    Effect.gen(function* () {
      const length = (body: object) =>
        Effect.map(synthesize({ lang: "en", output_format: "8000:pcm16", ...body }), ({ bytes }) => bytes.byteLength)
      const plain = yield* length({ text: "hello" })
      expect(yield* length({ text: "hello", g2p_overrides: { hello: "h@l'oUh@l'oUh@l'oU" } })).toBeGreaterThan(plain)
      expect(yield* length({ text: "hello", g2p_overrides: { other: "h@l'oUh@l'oUh@l'oU" } })).toBe(plain)
      expect((yield* synthesize({ text: "a [[b]] <c> & d", lang: "en" })).status).toBe(200)
    })
  )

  it.effect.each([
    { body: {}, names: "text" },
    { body: { text: 7 }, names: "text" },
    { body: { text: "" }, names: "text" },
    { body: { text: "अ".repeat(10_001) }, names: "text" },
    { body: { text: "a", lang: "tlh" }, names: "lang" },
    { body: { text: "a", voice: "nobody" }, names: "voice" },
    { body: { text: "a", output_format: "24000" }, names: "output_format" },
    { body: { text: "a", output_format: "44100:pcm16" }, names: "sample rate 44100" },
    { body: { text: "a", output_format: "8000:opus" }, names: "output_format" },
    { body: { text: "a", speed: 0.249 }, names: "speed" },
    { body: { text: "a", speed: "1" }, names: "speed" },
    { body: { text: "a", num_step: 101 }, names: "num_step" },
    { body: { text: "a", g2p_overrides: [] }, names: "g2p_overrides" },
    { body: "{", names: "JSON" },
    { body: "", names: "JSON" },
    { body: '"\xff"', names: "" },
    { body: "null", names: "" }
  ])("of $body is 400 and names $names", ({ body, names }) =>
    Effect.gen(function* () {
      const answer = yield* synthesize(body)
      expect(answer.status).toBe(400)
      expect(answer.json()).toEqual({ error: expect.stringContaining(names) })
      expect(answer.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/)
    })
  )

  it.effect("returns a valid request id unchanged and replaces any other, errors included", () =>
    Effect.gen(function* () {
      for (const id of ["a", "A.b_c:d-9", "x".repeat(64)]) {
        expect((yield* synthesize({}, { "x-request-id": id })).headers.get("x-request-id")).toBe(id)
      }
      for (const id of ["x".repeat(65), "with space", "a,b"]) {
        expect((yield* synthesize({}, { "x-request-id": id })).headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/)
      }
    })
  )

  it.effect("refuses every key that is not accepted with the same 401", () =>
    Effect.gen(function* () {
      const { accounts } = yield* LocalService
      const refusal = { error: "the API key was not accepted" }
      expect((yield* synthesize({ text: "a" }, { "X-API-Key": "a.b" })).json()).toEqual(refusal)
      for (const account of [{ state: "closed" as const }, { state: "active" as const, credits: 0 }]) {
        yield* accounts.setAccount(account)
        const answer = yield* synthesize({ text: "a" })
        expect(answer.status).toBe(401)
        expect(answer.json()).toEqual(refusal)
      }
      yield* accounts.setAccount({ credits: 1_000_000 })
    })
  )

  it.effect("costs one credit a code point, and nothing where it fails", () =>
    Effect.gen(function* () {
      const { accounts } = yield* LocalService
      yield* accounts.setAccount({ credits: 100 })
      yield* synthesize({ text: "😀न" })
      expect((yield* accounts.account).credits).toBe(98)
      yield* synthesize({ text: "a", lang: "tlh" })
      expect((yield* accounts.account).credits).toBe(98)
      yield* accounts.setAccount({ credits: 1_000_000 })
    })
  )

  it.effect("is at one path with one method", () =>
    Effect.gen(function* () {
      const { ttsBaseUrl } = yield* LocalService
      const other = yield* send(`${ttsBaseUrl}/api/transcribe`, { method: "POST" })
      expect(other.status).toBe(404)
      expect(other.headers.get("x-request-id")).not.toBeNull()
      expect((yield* send(`${ttsBaseUrl}/tts/bytes`)).status).toBe(405)
    })
  )
})

layer(LocalService.layer())("the platform", (it) => {
  const ask = (method: string, path: string, body?: unknown, token?: string) =>
    Effect.gen(function* () {
      const { adminToken, platformUrl } = yield* LocalService
      return yield* send(`${platformUrl}/platform/api${path}`, {
        method,
        headers: { "x-admin-token": token ?? Redacted.value(adminToken), "content-type": "application/json" },
        body: body === undefined ? null : JSON.stringify(body)
      })
    })

  it.effect("is closed without its token", () =>
    Effect.gen(function* () {
      expect((yield* ask("GET", "/account", undefined, "wrong")).status).toBe(401)
      expect((yield* ask("GET", "/nowhere")).status).toBe(404)
    })
  )

  it.effect("shows and changes the account", () =>
    Effect.gen(function* () {
      expect((yield* ask("GET", "/account")).json()).toEqual({ state: "active", credits: 1_000_000 })
      expect((yield* ask("PATCH", "/account", { credits: 7 })).json()).toEqual({ state: "active", credits: 7 })
      expect((yield* ask("PATCH", "/account", { credits: -1 })).status).toBe(400)
      expect((yield* ask("PATCH", "/account", { state: "odd" })).status).toBe(400)
    })
  )

  it.effect("shows a new key once, revokes the old one at once, and asks before it does", () =>
    Effect.gen(function* () {
      const { apiKey, sttBaseUrl } = yield* LocalService
      const status = (key: string) =>
        Effect.map(
          send(`${sttBaseUrl}/api/transcribe`, { method: "POST", headers: { "x-api-key": key } }),
          (answer) => answer.status
        )
      expect(yield* status(Redacted.value(apiKey))).toBe(415)
      expect((yield* ask("POST", "/keys", { name: "next" })).status).toBe(409)

      const created = yield* ask("POST", "/keys", { name: "next", confirm: true })
      expect(created.status).toBe(201)
      const { id, key } = created.json()
      expect(key).toMatch(/^local_[0-9a-f]{12}\.[\w-]{43}$/)
      expect(yield* status(Redacted.value(apiKey))).toBe(401)
      expect(yield* status(key)).toBe(415)

      const listed = (yield* ask("GET", "/keys")).json()
      expect(listed).toMatchObject({ active: { id, name: "next", revokedAt: null }, archived: [{ name: "local" }] })
      expect(JSON.stringify(listed)).not.toContain(key)

      expect((yield* ask("POST", `/keys/${id}/revoke`)).json()).toMatchObject({ active: null })
      expect(yield* status(key)).toBe(401)
      expect((yield* ask("POST", "/keys/unknown/revoke")).status).toBe(404)
    })
  )
})
