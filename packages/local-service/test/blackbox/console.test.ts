import { randomBytes } from "node:crypto"
import { expect, it as plainIt } from "@effect/vitest"
import { LocalService } from "@effect-speech/local-service"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import { send } from "effect-speech-test-support/plainHttp"
import { wav } from "./support/messages.js"
import { listenTo } from "./support/serverSentEvents.js"
import { type Box, cannedService, eventually, serviceTests } from "./support/service.js"

const sameOrigin = { "Sec-Fetch-Site": "same-origin" }
const json = { "Content-Type": "application/json" }

const newCode = ({ service }: Box) =>
  Effect.map(service.consoleLink, (link) => new URL(Redacted.value(link)).hash.slice(1))

const signInWith = ({ send }: Box, body: unknown, headers: Readonly<Record<string, string>> = sameOrigin) =>
  send("platform", { path: "/console/session", headers: { ...json, ...headers }, body: JSON.stringify(body) })

/** Signs in, and gives the cookie. */
const cookieOf = (box: Box) =>
  Effect.gen(function* () {
    const answer = yield* signInWith(box, { code: yield* newCode(box) })
    return answer.headers["set-cookie"]?.split(";")[0] ?? ""
  })

/** The console of a browser that is signed in. */
const consoleOf = (box: Box) =>
  Effect.map(cookieOf(box), (cookie) => {
    const headers = { Cookie: cookie, ...sameOrigin }
    const send = (method: string, path: string, body?: string | Uint8Array, type = "application/json") =>
      box.send("platform", {
        method,
        path,
        headers: { ...headers, ...(body === undefined ? {} : { "Content-Type": type }) },
        body
      })
    return {
      headers,
      send,
      speak: (fields: unknown) => send("POST", "/platform/api/speech", JSON.stringify(fields)),
      transcribe: (recording: Uint8Array, query = "model=en-general-v2-8khz") =>
        send("POST", `/platform/api/transcripts?${query}`, recording, "application/octet-stream"),
      teach: (recording: Uint8Array, text: string, more = "") =>
        send("POST", `/platform/api/recordings?text=${encodeURIComponent(text)}${more}`, recording, "audio/wav"),
      read: (path: string) => Effect.map(send("GET", `/platform/api/${path}`), (answer) => answer.json())
    }
  })

/** A WAV file of noise, which is another one each time. */
const noise = (): Buffer => {
  const file = wav()
  randomBytes(file.length - 44).copy(file, 44)
  return file
}

/** Silence in frames of 72 ms: MPEG 2.5 Layer III, mono, 8 kHz, 8 kbit/s. */
const silentMp3 = (seconds: number): Buffer => {
  const frame = Buffer.alloc(72)
  frame.writeUInt32BE(0xffe318c0)
  return Buffer.alloc(frame.length * Math.ceil(seconds / 0.072), frame)
}

serviceTests("the session of the console", cannedService(), (it) => {
  it("begins once with the code of the link, in a cookie that no script and no other site can use", function* (box) {
    const link = new URL(Redacted.value(yield* box.service.consoleLink))
    expect(link.origin).toBe(box.service.platformUrl)
    const code = link.hash.slice(1)
    const answer = yield* signInWith(box, { code })
    expect(answer.status).toBe(204)
    expect(answer.headers["set-cookie"]).toMatch(
      new RegExp(`^effect-speech-console-${link.port}=[\\w-]{32}; HttpOnly; SameSite=Strict; Path=/$`)
    )
    const second = yield* signInWith(box, { code })
    expect([second.status, second.headers["set-cookie"]]).toEqual([401, undefined])
    expect(second.json().error).toContain("this link was used before")
  })

  it("begins with the admin token too, and with nothing else", function* (box) {
    expect((yield* signInWith(box, { token: box.token })).status).toBe(204)
    const wrong = yield* signInWith(box, { token: `${box.token}x` })
    expect([wrong.status, wrong.json().error]).toEqual([401, "the admin token is wrong"])
    for (const body of [{ code: "" }, { code: "x".repeat(32) }, { token: "" }]) {
      expect((yield* signInWith(box, body)).status).toBe(401)
    }
    for (const body of [{}, { code: "a", token: "b" }, { odd: 1 }, { code: 7 }, "code"]) {
      expect((yield* signInWith(box, body)).status).toBe(400)
    }
  })

  it("neither begins nor ends for another page, which does not use up the code", function* (box) {
    const { headers, send } = yield* consoleOf(box)
    const code = yield* newCode(box)
    const path = "/console/session"
    const { port } = new URL(box.service.platformUrl)
    for (const other of [
      {},
      { "Sec-Fetch-Site": "same-site" },
      { "Sec-Fetch-Site": "cross-site" },
      { "Sec-Fetch-Site": "none" },
      { Origin: "http://127.0.0.1:1" },
      { Origin: `http://localhost:${port}` },
      { Origin: "null" },
      { Origin: "http://127.0.0.1:1", "Sec-Fetch-Site": "same-origin" }
    ]) {
      const answer = yield* signInWith(box, { code }, other)
      expect([answer.status, answer.headers["set-cookie"]]).toEqual([401, undefined])
      const signOut = { method: "DELETE", path, headers: { Cookie: headers.Cookie, ...other } }
      expect((yield* box.send("platform", signOut)).status).toBe(401)
    }
    expect((yield* send("GET", "/platform/api/account")).status).toBe(200)
    expect((yield* signInWith(box, { code }, { Origin: box.service.platformUrl })).status).toBe(204)
  })

  it("is found beside cookies of other ports, and of pages that set its name", function* (box) {
    const cookie = yield* cookieOf(box)
    const [name] = cookie.split("=")
    for (const [headers, status] of [
      [{ Cookie: `a=b; effect-speech-console-1=x; ${name}=x; ${cookie}` }, 200],
      [{ Cookie: `${name}=x; a${cookie}` }, 401],
      // It does not help a request with a wrong admin token.
      [{ Cookie: cookie, "X-Admin-Token": "wrong" }, 401]
    ] as const) {
      const request = { method: "GET", path: "/platform/api/keys", headers: { ...sameOrigin, ...headers } }
      expect((yield* box.send("platform", request)).status).toBe(status)
    }
  })

  it("ends in all tabs with its event streams, and with no others, when its page signs out", function* (box) {
    const url = `${box.service.platformUrl}/platform/api/events`
    const { headers, send } = yield* consoleOf(box)
    const again = yield* signInWith(box, { token: box.token }, headers)
    expect(again.headers["set-cookie"]?.split(";")[0]).toBe(headers.Cookie)
    const another = yield* consoleOf(box)
    const own = [yield* listenTo(url, headers), yield* listenTo(url, headers)]
    const others = [yield* listenTo(url, another.headers), yield* listenTo(url, { "X-Admin-Token": box.token })]
    const answer = yield* send("DELETE", "/console/session")
    expect([answer.status, answer.headers["set-cookie"]]).toEqual([204, expect.stringContaining("Max-Age=0")])
    yield* Effect.forEach(own, ({ ended }) => ended)
    yield* box.ask("PATCH", "/account", { credits: 7 })
    for (const { until } of others) yield* until(({ data }) => data.what === "account")
    for (const { events } of own) expect(events()).toEqual([])
    expect((yield* listenTo(url, headers)).status).toBe(401)
    expect((yield* send("GET", "/platform/api/account")).json().error).toContain("the session has ended")
  })

  it("is one of the latest hundred", function* (box) {
    const first = yield* consoleOf(box)
    const listener = yield* listenTo(`${box.service.platformUrl}/platform/api/events`, first.headers)
    yield* Effect.forEach(Array.from({ length: 100 }), () => cookieOf(box))
    expect((yield* first.send("GET", "/platform/api/account")).status).toBe(401)
    yield* listener.ended
  })
})

serviceTests("the cookie of a session", cannedService(), (it) => {
  const calls = [
    ...["account", "keys", "usage", "faults", "requests", "events", "about", "models"].map((path) => ({
      method: "GET",
      path
    })),
    { method: "PATCH", path: "account", body: '{"credits":1}' },
    { method: "POST", path: "keys", body: '{"name":"stolen","confirm":true}' },
    { method: "PUT", path: "faults", body: '[{"status":500}]' },
    { method: "POST", path: "reset" },
    { method: "POST", path: "speech", body: '{"text":"stolen"}' },
    { method: "POST", path: "transcripts?model=en-general-v2-8khz", body: wav() },
    { method: "POST", path: "recordings?text=stolen", body: wav() },
    { method: "POST", path: "waveforms", body: wav() }
  ]
  const others = [
    ["of another port", { "Sec-Fetch-Site": "same-site", Origin: "http://127.0.0.1:1" }],
    ["of another port, without Origin", { "Sec-Fetch-Site": "same-site" }],
    ["of another site", { "Sec-Fetch-Site": "cross-site", Origin: "https://example.com" }],
    ["of a frame without an origin", { "Sec-Fetch-Site": "cross-site", Origin: "null" }],
    ["of a link or the address bar", { "Sec-Fetch-Site": "none" }],
    ["of an old browser on another port", { Origin: "http://127.0.0.1:1" }],
    ["that proves nothing", {}]
  ] as const
  it.each(others)("gives a page %s no data, and lets it change nothing", function* (box, [, proof]) {
    const { headers, read } = yield* consoleOf(box)
    const state = Effect.all(["account", "keys", "usage", "faults", "requests"].map(read))
    const before = yield* state
    for (const { method, path, ...rest } of calls) {
      const body = "body" in rest ? rest.body : undefined
      const type = typeof body === "string" ? "application/json" : "application/octet-stream"
      const answer = yield* box.send("platform", {
        method,
        path: `/platform/api/${path}`,
        headers: { Cookie: headers.Cookie, "Content-Type": type, ...proof },
        body
      })
      expect(answer.status).toBe(401)
      expect(Object.keys(answer.json())).toEqual(["error"])
    }
    expect(yield* state).toEqual(before)
  })

  it("is enough for the page of its own origin, also in a browser without Sec-Fetch-Site", function* (box) {
    const headers = { Cookie: yield* cookieOf(box), Origin: box.service.platformUrl }
    expect((yield* box.send("platform", { method: "GET", path: "/platform/api/account", headers })).status).toBe(200)
  })
})

serviceTests("the console", cannedService({ credits: 100, creditsPerSecond: 3 }), (it) => {
  it("says what the service offers", function* (box) {
    const { read } = yield* consoleOf(box)
    expect(yield* read("about")).toMatchObject({
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      sttBaseUrl: box.service.sttBaseUrl,
      ttsBaseUrl: box.service.ttsBaseUrl,
      formats: expect.arrayContaining(["8000:pcm16", "24000:float32"]),
      canBeTaught: true,
      containers: ["wav", "mp3", "m4a", "flac", "ogg", "webm"],
      maximumCodePoints: 10_000,
      speed: { minimum: 0.25, maximum: 4, default: 1 },
      price: { perCodePoint: 1, perSecond: 3 }
    })
  })

  it("speaks a text as a WAV file, billed and in the journal like any other call", function* (box) {
    const { read, speak } = yield* consoleOf(box)
    const answer = yield* speak({ text: "नमस्ते", lang: "hi", output_format: "8000:pcm16", speed: 2 })
    expect(answer.status).toBe(200)
    expect(answer.bytes.subarray(0, 4).toString()).toBe("RIFF")
    expect(answer.bytes.length).toBeGreaterThan(44)
    expect(Number(answer.headers["x-took-millis"])).toBeGreaterThanOrEqual(0)
    expect(yield* read("account")).toEqual({ state: "active", credits: 94 })
    expect(yield* read("usage")).toMatchObject([{ operation: "synthesize", calls: 1, units: 6, credits: 6 }])
    expect(yield* read("requests")).toMatchObject([
      {
        operation: "synthesize",
        keyId: "console",
        id: answer.headers["x-request-id"],
        request: { text: "नमस्ते", lang: "hi", output_format: "8000:pcm16", speed: 2 },
        status: 200,
        outcome: "answered"
      }
    ])
  })

  it("teaches a recording, which it knows then", function* (box) {
    const { read, teach, transcribe } = yield* consoleOf(box)
    const recording = noise()
    const before = yield* transcribe(recording, "model=en-general-v2-8khz&fileName=call.wav")
    expect(before.json()).toMatchObject({
      text: "",
      segments: [],
      warnings: [],
      notice: expect.stringContaining("teach it")
    })
    expect((yield* teach(recording, " <b>hello</b> ")).status).toBe(204)
    const after = (yield* transcribe(recording)).json()
    expect(after).toMatchObject({ text: "<b>hello</b>", notice: null, warnings: [] })
    expect(after.confidence).toBeGreaterThan(0.9)
    expect(after.segments).toMatchObject([{ text: "<b>hello</b>", start: expect.any(Number), end: expect.any(Number) }])
    expect(Math.abs(after.segments[0].end - 1000)).toBeLessThan(100)
    expect(yield* read("usage")).toMatchObject([{ operation: "transcribe", calls: 2, units: 2, credits: 6 }])
    expect(yield* read("requests")).toMatchObject([{ keyId: "console" }, { keyId: "console", id: after.callId }])
  })

  it("sends the fields of a transcription as they are given", function* (box) {
    const { read, transcribe } = yield* consoleOf(box)
    const hotwords = [{ phrase: "UPI", score: 2 }, { phrase: "दो शब्द" }]
    const fields = { model: "hi-general-v2-8khz", aux: "false", hotwords }
    const query = { ...fields, parseNumber: "false", hotwords: JSON.stringify(hotwords) }
    const answer = yield* transcribe(wav(), String(new URLSearchParams(query)))
    expect(answer.json()).toMatchObject({ confidence: null, segments: [] })
    expect((yield* read("requests"))[0].request).toEqual({
      ...fields,
      parse_number: "false",
      transaction_id: expect.any(String)
    })
  })

  it("sends a recording as telephony if it is asked to, so that its rate is warned of no more", function* (box) {
    const { transcribe } = yield* consoleOf(box)
    const recording = wav()
    recording.writeUInt32LE(48_000, 24)
    recording.writeUInt32LE(96_000, 28)
    const query = "model=en-general-v2-8khz"
    expect((yield* transcribe(recording, query)).json().warnings).toMatchObject([
      { message: expect.stringContaining("telephony") }
    ])
    expect((yield* transcribe(recording, `${query}&telephony=true`)).json().warnings).toEqual([])
    const answer = yield* transcribe(silentMp3(1), `${query}&telephony=true`)
    expect(answer.status).toBe(422)
    expect(answer.json().message).toMatch(/only WAV can be converted/)
  })

  it("teaches a recording for one language, and says what is wrong with one", function* (box) {
    const { send, teach, transcribe } = yield* consoleOf(box)
    const recording = noise()
    expect((yield* teach(recording, "hello", "&lang=hi")).status).toBe(204)
    expect((yield* transcribe(recording)).json().text).toBe("")
    expect((yield* transcribe(recording, "model=hi-general-v2-8khz")).json().text).toBe("hello")
    expect((yield* teach(recording, "hello", "&lang=xx")).status).toBe(400)
    expect((yield* teach(noise(), " ")).status).toBe(400)
    const answer = yield* teach(Buffer.from("not audio"), "hello")
    expect(answer.json().error).toMatch(/^the recording can't be taught: not/)
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=b"]) {
      expect((yield* send("POST", "/platform/api/recordings?text=a", wav(), type)).status).toBe(415)
    }
  })

  it("draws a recording, which costs nothing and is no request", function* (box) {
    const { read, send } = yield* consoleOf(box)
    const before = yield* Effect.all(["account", "requests"].map(read))
    const draw = (recording: Uint8Array) => send("POST", "/platform/api/waveforms", recording, "audio/wav")
    const answer = yield* draw(noise())
    expect(answer.status).toBe(200)
    const { durationMillis, peaks } = answer.json()
    expect(durationMillis).toBe(1000)
    expect(peaks.length).toBeGreaterThan(1900)
    expect(Math.max(...peaks.map(Math.abs))).toBeGreaterThan(0.9)
    expect((yield* draw(Buffer.from("not audio"))).json().error).toMatch(/^the recording can't be drawn: not/)
    expect(yield* Effect.all(["account", "requests"].map(read))).toEqual(before)
  })

  it("does not hold up a transcription while it draws long recordings", function* (box) {
    const { send, transcribe } = yield* consoleOf(box)
    const long = silentMp3(1200)
    const ended: Array<string> = []
    const draw = Effect.map(send("POST", "/platform/api/waveforms", long, "audio/mpeg"), ({ status }) =>
      ended.push(`drawing ${status}`)
    )
    const listen = Effect.map(transcribe(silentMp3(2)), ({ status }) => ended.push(`transcription ${status}`))
    const later = Effect.promise(() => new Promise((next) => setTimeout(next, 100)))
    yield* Effect.all([draw, draw, Effect.zipRight(later, listen)], { concurrency: "unbounded" })
    expect(ended.toSorted()).toEqual(["drawing 200", "drawing 200", "transcription 200"])
    expect(ended[0]).toBe("transcription 200")
  })

  it.each([
    [{ status: 502 }, "TtsBackendFailed"],
    [{ status: 500 }, "TtsServerError"],
    [{ status: 418 }, "TtsUnexpectedStatus"],
    [{ reset: "request" }, "TtsConnectionFailed"],
    [{ reset: "answer" }, "TtsConnectionFailed"],
    [{ truncateAtByte: 100 }, "TtsConnectionFailed"],
    [{ malformedHeader: true }, "TtsConnectionFailed"],
    [{ headers: { "X-Sample-Rate": null } }, "TtsInvalidResponse"],
    [{ headers: { "X-Audio-Duration-Ms": "1" } }, "TtsCorruptAudio"],
    [{ operation: "transcribe", status: 503 }, "SttUnavailable"],
    [{ operation: "transcribe", reset: "answer" }, "SttConnectionFailed"],
    [{ operation: "transcribe", body: "<html>" }, "SttInvalidResponse"]
  ] as const)("answers the fault %j with the tag %s", function* (box, [fault, tag]) {
    const { read, speak, transcribe } = yield* consoleOf(box)
    yield* box.ask("PUT", "/faults", [fault])
    const answer = yield* tag.startsWith("Tts") ? speak({ text: "hi" }) : transcribe(wav())
    expect([answer.status, answer.json()]).toEqual([
      422,
      { tag, message: expect.stringMatching(/\.$/), requestId: expect.any(String) }
    ])
    expect(yield* read("faults")).toMatchObject([{ happened: 1 }])
    expect(yield* read("requests")).toMatchObject([{ outcome: "faulted" }])
    // The client closes the connection before the last byte, so nothing is billed.
    expect(yield* read("account")).toMatchObject({ credits: 100 })
    yield* box.ask("PUT", "/faults", [])
    expect((yield* speak({ text: "hi" })).status).toBe(200)
  })

  it("gives the error of the client for fields that break a rule, and sends nothing", function* (box) {
    const { read, speak, transcribe } = yield* consoleOf(box)
    expect((yield* speak({ text: "" })).json()).toMatchObject({ tag: "TtsInvalidRequest", requestId: null })
    expect((yield* speak({ text: "a", speed: 9 })).json().tag).toBe("TtsInvalidRequest")
    expect((yield* transcribe(wav(), "model=")).json().tag).toBe("SttInvalidRequest")
    expect((yield* transcribe(new Uint8Array(0))).json().tag).toBe("SttAudioUnreadable")
    expect(yield* read("requests")).toEqual([])
  })

  it("needs an account that is active and has credit, and no key", function* (box) {
    const { read, speak, transcribe } = yield* consoleOf(box)
    const { active } = yield* read("keys")
    yield* box.ask("POST", `/keys/${active.id}/revoke`)
    expect((yield* speak({ text: "hi" })).status).toBe(200)
    yield* box.ask("PATCH", "/account", { state: "suspended" })
    expect((yield* speak({ text: "hi" })).json().tag).toBe("TtsUnauthorized")
    // It is refused while it is still being sent.
    const long = wav({ samples: 8_000_000 })
    expect((yield* transcribe(long)).json().tag).toBe("SttForbidden")
    yield* box.ask("PATCH", "/account", { state: "active", credits: 10_000 })
    expect((yield* transcribe(long)).status).toBe(200)
    yield* box.ask("PATCH", "/account", { credits: 0 })
    expect((yield* transcribe(long)).json().tag).toBe("SttCreditExhausted")
    expect((yield* speak({ text: "hi" })).json().tag).toBe("TtsUnauthorized")
  })

  it("shows no key, but where one is created", function* (box) {
    const { send, speak, transcribe } = yield* consoleOf(box)
    yield* box.synthesize({ text: "hi" })
    const answers = [
      yield* speak({ text: "hi" }),
      yield* speak({ text: "" }),
      yield* transcribe(wav()),
      ...(yield* Effect.forEach(["account", "keys", "usage", "faults", "requests", "about", "models"], (path) =>
        send("GET", `/platform/api/${path}`)
      )),
      yield* send("GET", "/"),
      yield* send("GET", "/openapi.json")
    ]
    const created = yield* send("POST", "/platform/api/keys", '{"name":"<script>","confirm":true}')
    const next = created.json().key
    for (const answer of [...answers, yield* send("GET", "/platform/api/keys")]) {
      for (const secret of [box.key, box.key.split(".")[1], box.token, next]) {
        expect(answer.bytes.includes(secret ?? "")).toBe(false)
        expect(JSON.stringify(answer.headers)).not.toContain(secret)
      }
      expect(answer.text).not.toMatch(/console\.[\w-]{32}/)
    }
  })

  it("bills nothing for speech that the page leaves, before or during its audio", function* (box) {
    yield* box.ask("PATCH", "/account", { credits: 10_000 })
    const { headers, read } = yield* consoleOf(box)
    const body = '{"text":"(never)"}'
    const lines = Object.entries({ Host: "127.0.0.1", ...headers, ...json, "Content-Length": body.length })
    const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")
    yield* box.abandon("platform", [`POST /platform/api/speech HTTP/1.1\r\n${head}\r\n${body}`, 100])
    yield* eventually(read("requests"), ([entry]) => entry?.outcome === "abandoned")

    // Ten megabytes of audio: no connection buffers all of them.
    const url = `${box.service.platformUrl}/platform/api/speech`
    const options = { headers: { ...headers, ...json }, body: [JSON.stringify({ text: "a".repeat(10_000) })] }
    yield* Effect.promise(() => expect(send(url, { ...options, leave: true })).rejects.toThrow("given up"))
    const [, second] = yield* eventually(read("requests"), (entries) => entries[1]?.outcome === "abandoned")
    expect(second.status).toBe(200)

    // It is cut off if it fails after its audio began.
    yield* box.ask("PUT", "/faults", [{ truncateAtByte: 1_000_000 }])
    yield* Effect.promise(() => expect(send(url, options)).rejects.toThrow("aborted"))
    expect((yield* read("requests"))[2]).toMatchObject({ status: 200, outcome: "faulted" })
    expect(yield* read("account")).toMatchObject({ credits: 10_000 })
    expect(yield* read("usage")).toEqual([])
  })
})

serviceTests("the events", cannedService(), (it) => {
  const open = (box: Box) =>
    Effect.flatMap(consoleOf(box), ({ headers }) => listenTo(`${box.service.platformUrl}/platform/api/events`, headers))

  it("show the request of another client when it begins, is read, is answered and ends", function* (box) {
    const listener = yield* open(box)
    expect(listener.status).toBe(200)
    expect(listener.headers["content-type"]).toBe("text/event-stream")
    yield* box.synthesize({ text: "hi </script>\nthere" })
    const own = () => listener.events().filter(({ name }) => name === "request")
    yield* eventually(Effect.sync(own), (all) => all.length === 4)
    const [begun, read, answered, ended] = own().map(({ data }) => data)
    expect(begun).toMatchObject({ number: 1, operation: "synthesize", outcome: "underWay", request: null })
    expect(read).toMatchObject({ number: 1, outcome: "underWay", request: { text: "hi </script>\nthere" } })
    expect(answered).toMatchObject({ number: 1, outcome: "answered", request: read.request })
    expect(ended).toEqual({ ...answered, credits: 18, sentBytes: 17_280, totalBytes: 17_280 })
    expect((yield* box.ask("GET", "/requests")).json()).toEqual([ended])
    yield* listener.until(({ data }) => data.what === "account")
  })

  it("say what changed", function* (box) {
    const { events, until } = yield* open(box)
    const changed = (what: string) => until(({ data, name }) => name === "changed" && data.what === what)
    yield* box.ask("PUT", "/faults", [{ status: 502 }])
    yield* changed("faults")
    yield* box.synthesize({ text: "hi" }, {}, { failing: true })
    yield* eventually(Effect.sync(events), (all) => all.filter(({ data }) => data.what === "faults").length === 2)
    yield* box.ask("POST", "/keys", { name: "a", confirm: true })
    yield* changed("keys")
    yield* box.ask("PATCH", "/account", { credits: 5 })
    yield* changed("account")
    yield* box.ask("POST", "/reset")
    yield* changed("journal")
  })

  it("disconnect a client that does not read, and no other", function* (box) {
    const slow = yield* open(box)
    const other = yield* open(box)
    slow.pause()
    const text = "a".repeat(10_000)
    // Of 18 MB, the service keeps 4 MB, and the system some more.
    yield* box.ask("PUT", "/faults", [{ status: 401 }])
    yield* Effect.forEach(Array.from({ length: 1000 }), () => box.synthesize({ text }), { concurrency: 8 })
    slow.resume()
    yield* slow.ended
    yield* other.until(({ data }) => data.number === 600)
    expect(slow.events().some(({ data }) => data.number === 600)).toBe(false)
  })
})

plainIt.scopedLive("The events end when the service stops, which does not wait for their readers.", () =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const context = yield* Scope.extend(Layer.build(cannedService()), scope)
    const listener = yield* Effect.gen(function* () {
      const { adminToken, platformUrl } = yield* LocalService
      return yield* listenTo(`${platformUrl}/platform/api/events`, { "X-Admin-Token": Redacted.value(adminToken) })
    }).pipe(Effect.provide(context))
    yield* Scope.close(scope, Exit.void)
    yield* listener.ended
  })
)
