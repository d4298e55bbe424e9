import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { message, synthesisRequest, transcriptionRequest, validForm } from "./support/messages.js"
import { cannedService, type Listener, serviceTests } from "./support/service.js"

const listeners: ReadonlyArray<readonly [listener: Listener, line: string]> = [
  ["stt", "POST /api/transcribe HTTP/1.1"],
  ["tts", "POST /tts/bytes HTTP/1.1"],
  ["platform", "GET /platform/api/account HTTP/1.1"]
]
const host = { Host: "127.0.0.1" }
const text = '{"text":"hi"}'

serviceTests("malformed HTTP", cannedService(), (it) => {
  it.each(listeners)("is 400 or 431, and the connection is closed, at %s", function* ({ raw }, [listener, line]) {
    const head = (start: string, ...lines: ReadonlyArray<string>) =>
      Buffer.from([start, ...lines, "", ""].join("\r\n"), "latin1")
    const withHost = (...lines: ReadonlyArray<string>) => head("GET / HTTP/1.1", "Host: 127.0.0.1", ...lines)
    for (const bytes of [
      head("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"),
      head("FROB /x HTTP/1.1", "Host: 127.0.0.1"),
      head("GET"),
      head("GET / HTTP/9.9", "Host: 127.0.0.1"),
      head("GET / HTTP/1.1", "Host : 127.0.0.1"),
      head("PRI * HTTP/2.0", "", "SM"),
      withHost("broken"),
      withHost("X: a\0b"),
      withHost(" folded")
    ]) {
      const { answer, ended } = yield* raw(listener, bytes, { answers: 0 })
      expect(answer.status, bytes.toString()).toBe(400)
      expect(ended).not.toBe("enough")
    }
    for (const [status, headers] of [
      [400, { "Content-Length": 3, "content-length": 4 }],
      [400, { "Content-Length": -1 }],
      [400, { "Content-Length": "many" }],
      [400, { "Content-Length": 3, "Transfer-Encoding": "chunked" }],
      [400, { "Content-Length": "99999999999999999999999" }],
      [431, { "X-Long": "x".repeat(20_000) }],
      [417, { "Content-Length": 0, Expect: "tea" }]
    ] as const) {
      const { answer } = yield* raw(listener, message(line, { ...host, ...headers }, "abc"))
      expect(answer.status, JSON.stringify(headers).slice(0, 80)).toBe(status)
      expect(answer.json().error).toEqual(expect.any(String))
    }
  })

  it.each(listeners)("a connection that ends in the middle of a head is 400 at %s", function* ({ raw }, row) {
    const [listener, line] = row
    const { answer } = yield* raw(listener, `${line}\r\nHost: 127.0.0.1\r\n`, { halfClose: true })
    expect(answer.status).toBe(400)
  })

  it("of chunks is 400, or 413 if it is too large", function* ({ key, raw }) {
    const headers = { "Content-Length": undefined, "Transfer-Encoding": "chunked" }
    for (const [status, chunks] of [
      [400, "zz\r\nabc\r\n0\r\n\r\n"],
      [400, "-1\r\nabc\r\n0\r\n\r\n"],
      [400, "fffffffffffffffff\r\nabc"],
      [400, "1\r\nabc\r\n0\r\n\r\n"],
      [400, "\r\n\r\n"],
      [413, `5;${"x".repeat(40_000)}\r\n`]
    ] as const) {
      expect((yield* raw("tts", synthesisRequest(key, chunks, headers))).answer.status).toBe(status)
      expect((yield* raw("stt", transcriptionRequest(key, chunks, headers))).answer.status).toBe(status)
    }
  })

  it("the request id is returned with 400 for chunks and with 417", function* ({ key, raw }) {
    const id = { "X-Request-Id": "mine" }
    const chunked = { ...id, "Content-Length": undefined, "Transfer-Encoding": "chunked" }
    const broken = yield* raw("tts", synthesisRequest(key, "zz\r\n", chunked))
    const expecting = yield* raw("tts", synthesisRequest(key, "{}", { ...id, Expect: "tea" }))
    expect([broken, expecting].map(({ answer }) => answer.headers["x-request-id"])).toEqual(["mine", "mine"])
  })
})

serviceTests("a Host header", cannedService({ hostNames: ["speech.test", "Mine.Test"] }), (it) => {
  const accepted = "127.0.0.1, 127.0.0.1:8080, localhost, LOCALHOST:1, [::1]:8080, speech.test:80, mine.test"
  const foreign = "evil.example, localhost.evil.example, evil-speech.test, 127.0.0.1.evil.example, "
  it.each(listeners)("must name the service at %s", function* ({ raw }, [listener, line]) {
    const statusOf = (lines: string) =>
      Effect.map(raw(listener, `${line}\r\n${lines}Content-Length: 0\r\n\r\n`), ({ answer }) => answer.status)
    // 401: the key or token is missing.
    for (const value of accepted.split(", ")) expect(yield* statusOf(`Host: ${value}\r\n`), value).toBe(401)
    for (const value of foreign.split(", ")) expect(yield* statusOf(`Host: ${value}\r\n`), value).toBe(421)
    for (const second of ["localhost", "evil.example"]) {
      expect(yield* statusOf(`Host: localhost\r\nHost: ${second}\r\n`)).toBe(400)
    }
    expect(yield* statusOf("")).toBe(400)
  })
})

serviceTests("a request of a web page", cannedService(), (it) => {
  const foreign = [
    { Origin: "https://evil.example" },
    { Origin: "null" },
    { Origin: "http://127.0.0.1:1" },
    { "Sec-Fetch-Site": "cross-site" },
    { "Sec-Fetch-Site": "same-site" },
    { Origin: "https://evil.example", "Sec-Fetch-Site": "cross-site" }
  ]
  it.each(foreign)("of another origin is 401, uses up no fault and empties no journal: %j", function* (box, headers) {
    const { ask, service, synthesize, transcribe } = box
    yield* synthesize({ text: "hi" })
    yield* ask("PUT", "/faults", [{ times: 2, status: 418 }])
    const before = yield* service.requests
    for (const answer of [
      yield* synthesize({ text: "hi" }, headers),
      yield* synthesize("hi", { ...headers, "X-API-Key": "", "Content-Type": "text/plain" }),
      yield* transcribe(validForm(), headers)
    ]) {
      expect([answer.status, answer.text]).toEqual([401, expect.stringContaining("a web page of another origin")])
    }
    expect(yield* service.requests).toEqual(before)
    expect(yield* service.faults.list).toMatchObject([{ happened: 0 }])
  })

  it.each([{}, { "Sec-Fetch-Site": "none" }, { Origin: "http://localhost:5173", "Sec-Fetch-Site": "same-origin" }])(
    "of no other origin, and of a program, is in the journal also if it is 401: %j",
    function* ({ service, synthesize }, headers) {
      expect((yield* synthesize({ text: "hi" }, headers)).status).toBe(200)
      expect((yield* synthesize({ text: "hi" }, { ...headers, "X-API-Key": "wrong" })).status).toBe(401)
      expect(yield* service.requests).toMatchObject([{ status: 200 }, { status: 401, keyId: null }])
    }
  )
})

serviceTests("paths and methods", cannedService(), (it) => {
  it.each([
    ["/api/transcribe", "stt"],
    ["/tts/bytes", "tts"]
  ] as const)("%s is 405 with another method, and allows POST", function* ({ raw }, [path, listener]) {
    for (const method of ["GET", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "PROPFIND"]) {
      const request = message(`${method} ${path} HTTP/1.1`, { ...host, Connection: "close" })
      const { answer } = yield* raw(listener, request, { head: method === "HEAD", answers: 0 })
      expect([answer.status, answer.headers.allow], method).toEqual([405, "POST"])
    }
  })

  it.each(listeners)("a target that is not a URL is 400 at %s, and no defect", function* ({ raw, token }, row) {
    const [listener, line] = row
    for (const start of ["http://[", "http://:80", "http://127.0.0.1:99999", "https://%"]) {
      for (const path of [line.split(" ")[1], "/platform/api/recordings?text=a"]) {
        const headers = { ...host, "X-Admin-Token": token, "Content-Length": 0 }
        const { answer } = yield* raw(listener, message(`POST ${start}${path} HTTP/1.1`, headers))
        expect(answer.status).toBe(400)
        expect(answer.json()[listener === "stt" ? "message" : "error"]).toBe("the request target is not a URL")
      }
    }
  })

  const unknown = "/api/transcribe/ /tts/bytes/ /TTS/BYTES /openapiXjson // //openapi.json /% /%ff * http://"
  const elsewhere = {
    stt: ["/tts/bytes", "/platform/api/account"],
    tts: ["/api/transcribe", "/platform/api/account"],
    platform: ["/api/transcribe", "/tts/bytes"]
  }
  it.each(listeners)("any other path, and CONNECT, is 404 at %s", function* ({ raw, token }, [listener]) {
    const headers = { ...host, "Content-Length": 0, "X-Admin-Token": token, Connection: "close" }
    const targets = [...unknown.split(" "), "http://127.0.0.1/nowhere", "/platform/api", "/favicon.ico"]
    for (const target of [...elsewhere[listener], ...targets]) {
      const { answer } = yield* raw(listener, message(`POST ${target} HTTP/1.1`, headers), { answers: 0 })
      expect(answer.status, target).toBe(404)
      expect(answer.text).toContain("nothing is here")
    }
    const { answer } = yield* raw(listener, message("CONNECT example.com:443 HTTP/1.1", host), { answers: 0 })
    expect(answer.status).toBe(404)
  })

  it("a query is ignored", function* ({ key, send }) {
    const headers = { "X-API-Key": key, "Content-Type": "application/json" }
    for (const query of ["?key=a", "?", "?a=1&b=2"]) {
      expect((yield* send("tts", { path: `/tts/bytes${query}`, headers, body: text })).status).toBe(200)
    }
  })

  it("a whole URL as target is accepted, and an offer to upgrade is ignored", function* ({ key, raw, service }) {
    const headers = { ...host, "X-API-Key": key, "Content-Type": "application/json", "Content-Length": text.length }
    const whole = yield* raw("tts", message(`POST ${service.ttsBaseUrl}/tts/bytes HTTP/1.1`, headers, text))
    expect(whole.answer.status).toBe(200)
    const upgrade = synthesisRequest(key, text, { Connection: "Upgrade", Upgrade: "h2c" })
    expect((yield* raw("tts", upgrade)).answer.status).toBe(200)
  })

  it.each([
    ["/openapi.json", "platform"],
    ["/", "platform"],
    ["/platform/api/account", "platform"],
    ["/api/transcribe", "stt"],
    ["/tts/bytes", "tts"]
  ] as const)("%s has no CORS header, not even for a preflight", function* ({ send, token }, [path, listener]) {
    const headers = {
      Origin: "https://evil.example",
      "Access-Control-Request-Method": "POST",
      "Access-Control-Request-Headers": "x-api-key",
      "X-Admin-Token": token
    }
    for (const method of ["OPTIONS", "GET", "POST"]) {
      const answer = yield* send(listener, { method, path, headers })
      expect(Object.keys(answer.headers).filter((name) => name.startsWith("access-control"))).toEqual([])
    }
  })
})

serviceTests("a body that stalls", cannedService({ bodyIdle: "100 millis" }), (it) => {
  it.each([
    ["stops", "{", validForm().subarray(0, 400)],
    ["never starts", "", ""]
  ] as const)("because it %s is 408, and the connection is closed", function* ({ key, raw }, [, json, form]) {
    const headers = { "Content-Length": 1000 }
    const tts = yield* raw("tts", synthesisRequest(key, json, headers), { answers: 0 })
    expect([tts.answer.status, tts.ended]).toEqual([408, "closed"])
    expect((yield* raw("stt", transcriptionRequest(key, form, headers))).answer.status).toBe(408)
  })
})

/** Longer than a busy machine pauses between two chunks. */
const bodyIdleMillis = 1000

serviceTests("a body", cannedService({ bodyIdle: bodyIdleMillis }), (it) => {
  /** Sends the body in `count` chunks, in more time than the body may pause. */
  const slowly = (request: Buffer, body: string | Uint8Array, count: number) => {
    const size = Math.ceil(body.length / count)
    const head = request.subarray(0, request.length - body.length)
    const chunks = Array.from({ length: count }, (_, index) => [
      body.slice(index * size, (index + 1) * size),
      (1.2 * bodyIdleMillis) / count
    ])
    return [head, ...chunks.flat()]
  }
  it("that is slow, but never stops for long, is accepted", function* ({ key, raw }) {
    const form = validForm()
    const received = yield* Effect.all(
      [
        raw("tts", slowly(synthesisRequest(key, text), text, text.length)),
        raw("stt", slowly(transcriptionRequest(key, form), form, 16))
      ],
      { concurrency: "unbounded" }
    )
    for (const { answer } of received) expect(answer.status).toBe(200)
  })

  it("that is shorter than its length is 400", function* ({ key, raw }) {
    const headers = { "Content-Length": 100_000 }
    const tts = yield* raw("tts", synthesisRequest(key, text, headers), { halfClose: true })
    expect(tts.answer.status).toBe(400)
    const stt = yield* raw("stt", transcriptionRequest(key, validForm(), headers), { halfClose: true })
    expect(stt.answer.status).toBe(400)
  })

  it("that is longer than its length is 400: the rest is not a request", function* ({ key, raw }) {
    const request = synthesisRequest(key, `${text}garbage\r\n\r\n`, { "Content-Length": text.length })
    const { answers } = yield* raw("tts", request, { answers: 0 })
    expect(answers.map(({ status }) => status)).toEqual([400])
  })

  it("in chunks is accepted, also with extensions and trailers", function* ({ key, raw }) {
    const headers = { "Content-Length": undefined, "Transfer-Encoding": "chunked" }
    const json = `5;a=b\r\n${text.slice(0, 5)}\r\n${(text.length - 5).toString(16)}\r\n${text.slice(5)}\r\n0\r\nX: y\r\n\r\n`
    expect((yield* raw("tts", synthesisRequest(key, json, headers))).answer.status).toBe(200)
    const form = validForm()
    const chunks = [form.subarray(0, 1000), form.subarray(1000)].flatMap((chunk) => [
      Buffer.from(`${chunk.length.toString(16)}\r\n`),
      chunk,
      Buffer.from("\r\n")
    ])
    const body = Buffer.concat([...chunks, Buffer.from("0\r\n\r\n")])
    expect((yield* raw("stt", transcriptionRequest(key, body, headers))).answer.status).toBe(200)
  })

  it("that waits for 100 Continue gets it", function* ({ key, raw }) {
    const head = synthesisRequest(key, "", { "Content-Length": text.length, Expect: "100-continue" })
    const { answer, interim } = yield* raw("tts", [head, 50, text])
    expect(interim).toEqual([100])
    expect(answer.status).toBe(200)
  })

  it("with a Content-Encoding is 415", function* ({ synthesize, transcribe }) {
    const statuses = (encoding: string) => {
      const headers = { "Content-Encoding": encoding }
      const both = Effect.all([synthesize({ text: "a" }, headers), transcribe(validForm(), headers)])
      return Effect.map(both, (answers) => answers.map(({ status }) => status))
    }
    for (const encoding of ["gzip", "deflate", "br", "GZIP", "gzip, identity"]) {
      expect(yield* statuses(encoding), encoding).toEqual([415, 415])
    }
    for (const encoding of ["identity", "Identity"]) expect(yield* statuses(encoding)).toEqual([200, 200])
  })
})

serviceTests("a connection", cannedService(), (it) => {
  it("gets responses in the order of its pipelined requests", function* ({ key, raw }) {
    const ids = ["first", "second", "third", "fourth"]
    const pipelined = Buffer.concat(ids.map((id) => synthesisRequest(key, text, { "X-Request-Id": id })))
    const { answers } = yield* raw("tts", pipelined, { answers: 4 })
    expect(answers.map(({ headers, status }) => `${status} ${headers["x-request-id"]}`)).toEqual(
      ids.map((id) => `200 ${id}`)
    )
  })

  it("stays open after a refusal before the body was read", function* ({ key, raw }) {
    const both = Buffer.concat([synthesisRequest("a.b", text), synthesisRequest(key, text)])
    const { answers } = yield* raw("tts", both, { answers: 2 })
    expect(answers.map(({ status }) => status)).toEqual([401, 200])
  })

  it("that sends nothing, or half a head, does not disturb others", function* ({ abandon, synthesize }) {
    yield* abandon("tts", ["", 20])
    yield* abandon("tts", ["POST /tts/bytes HTT", 20])
    yield* abandon("stt", ["POST /api/transcribe HTTP/1.1\r\nHost: ", 20])
    expect((yield* synthesize({ text: "a" })).status).toBe(200)
  })
})

serviceTests("a body that may pause for a month", cannedService({ bodyIdle: "31 days" }), (it) => {
  it("is not refused at its first pause", function* ({ key, raw }) {
    const pausing = (request: Buffer) => [request.subarray(0, -4), 50, request.subarray(-4)]
    expect((yield* raw("tts", pausing(synthesisRequest(key, text)))).answer.status).toBe(200)
    expect((yield* raw("stt", pausing(transcriptionRequest(key, validForm())))).answer.status).toBe(200)
  })
})
