import { expect } from "@effect/vitest"
import { formType, message, validForm } from "./support/messages.js"
import { cannedService, type Listener, serviceTests } from "./support/service.js"

const listeners: ReadonlyArray<{ readonly listener: Listener; readonly line: string }> = [
  { listener: "stt", line: "POST /api/transcribe HTTP/1.1" },
  { listener: "tts", line: "POST /tts/bytes HTTP/1.1" },
  { listener: "platform", line: "GET /platform/api/account HTTP/1.1" }
]
const each = <Row extends object>(rows: ReadonlyArray<Row>) =>
  listeners.flatMap((listener) => rows.map((row) => ({ ...listener, ...row })))

const host = { Host: "127.0.0.1" }
const text = '{"text":"hi"}'

serviceTests("malformed HTTP", cannedService(), (it) => {
  it.each(
    each([
      { what: "no HTTP at all", bytes: "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n" },
      { what: "a method that is none", bytes: "FROB /x HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" },
      { what: "a line of one word", bytes: "GET\r\n\r\n" },
      { what: "a version that is none", bytes: "GET / HTTP/9.9\r\nHost: 127.0.0.1\r\n\r\n" },
      { what: "a header without a colon", bytes: "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nbroken\r\n\r\n" },
      { what: "a space before a colon", bytes: "GET / HTTP/1.1\r\nHost : 127.0.0.1\r\n\r\n" },
      { what: "a NUL in a header", bytes: "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: a\0b\r\n\r\n" },
      { what: "a header that is folded", bytes: "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n folded\r\n\r\n" },
      { what: "HTTP/2 from the start", bytes: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" }
    ])
  )(
    "that is $what is 400 at $listener, in its own shape, and the connection ends",
    function* ({ raw }, { bytes, listener }) {
      const { answer, ended } = yield* raw(listener, Buffer.from(bytes, "latin1"), { answers: 0 })
      expect(answer.status).toBe(400)
      expect(ended).not.toBe("enough")
    }
  )

  it.each(
    each([
      { what: "two lengths", headers: { "Content-Length": 3, "content-length": 4 } },
      { what: "a negative length", headers: { "Content-Length": -1 } },
      { what: "a length that is no number", headers: { "Content-Length": "many" } },
      { what: "a length and chunks", headers: { "Content-Length": 3, "Transfer-Encoding": "chunked" } },
      { what: "a length beyond all numbers", headers: { "Content-Length": "99999999999999999999999" } }
    ])
  )("with $what is 400 at $listener", function* ({ raw }, { headers, line, listener }) {
    expect((yield* raw(listener, message(line, { ...host, ...headers }, "abc"))).answer.status).toBe(400)
  })

  it.each(each([{ bytes: 20_000 }, { bytes: 100_000 }]))(
    "with $bytes bytes of headers is 431 at $listener",
    function* ({ raw }, { bytes, line, listener }) {
      const { answer } = yield* raw(listener, message(line, { ...host, "X-Long": "x".repeat(bytes) }))
      expect(answer.status).toBe(431)
      expect(answer.json().error).toEqual(expect.any(String))
    }
  )

  it.each([
    { what: "a size that is no number", chunks: "zz\r\nabc\r\n0\r\n\r\n" },
    { what: "a negative size", chunks: "-1\r\nabc\r\n0\r\n\r\n" },
    { what: "a size beyond all numbers", chunks: "fffffffffffffffff\r\nabc" },
    { what: "a chunk that is longer than its size", chunks: "1\r\nabc\r\n0\r\n\r\n" },
    { what: "no size", chunks: "\r\n\r\n" }
  ])("with $what in its chunks is 400", function* ({ key, raw }, { chunks }) {
    const chunked = { ...host, "X-API-Key": key, "Transfer-Encoding": "chunked" }
    const json = { ...chunked, "Content-Type": "application/json" }
    expect((yield* raw("tts", message("POST /tts/bytes HTTP/1.1", json, chunks))).answer.status).toBe(400)
    const multipart = { ...chunked, "Content-Type": formType }
    expect((yield* raw("stt", message("POST /api/transcribe HTTP/1.1", multipart, chunks))).answer.status).toBe(400)
  })

  it("keeps the request id of a request whose body is malformed, or that expects too much", function* ({ key, raw }) {
    const headers = { ...host, "X-API-Key": key, "Content-Type": "application/json", "X-Request-Id": "mine" }
    const line = "POST /tts/bytes HTTP/1.1"
    const broken = yield* raw("tts", message(line, { ...headers, "Transfer-Encoding": "chunked" }, "zz\r\n"))
    expect(broken.answer.headers["x-request-id"]).toBe("mine")
    const expecting = yield* raw("tts", message(line, { ...headers, "Content-Length": 2, Expect: "tea" }, "{}"))
    expect(expecting.answer.status).toBe(417)
    expect(expecting.answer.headers["x-request-id"]).toBe("mine")
  })
})

serviceTests("a Host header", cannedService({ hostNames: ["speech.test", "Mine.Test"] }), (it) => {
  it.each(
    each([
      { what: "an address", value: "127.0.0.1", known: true },
      { what: "an address and a port", value: "127.0.0.1:8080", known: true },
      { what: "localhost", value: "localhost", known: true },
      { what: "LOCALHOST", value: "LOCALHOST:1", known: true },
      { what: "an IPv6 address", value: "[::1]:8080", known: true },
      { what: "a name that was given", value: "speech.test:80", known: true },
      { what: "a name that was given in capitals", value: "mine.test", known: true },
      { what: "a foreign name", value: "evil.example", known: false },
      { what: "a name that begins as ours", value: "localhost.evil.example", known: false },
      { what: "a name that ends as ours", value: "evil-speech.test", known: false },
      { what: "an address with more behind it", value: "127.0.0.1.evil.example", known: false },
      { what: "nothing", value: "", known: false }
    ])
  )("of $what is known at $listener: $known, else 421", function* ({ raw }, { known, line, listener, value }) {
    const { answer } = yield* raw(listener, message(line, { Host: value, "Content-Length": 0 }))
    expect(answer.status).toBe(known ? 401 : 421)
  })

  it.each(
    each([
      { what: "missing", lines: "" },
      { what: "given twice", lines: "Host: localhost\r\nHost: evil.example\r\n" },
      { what: "given twice alike", lines: "Host: localhost\r\nHost: localhost\r\n" }
    ])
  )("that is $what is 400 at $listener", function* ({ raw }, { line, lines, listener }) {
    const { answer } = yield* raw(listener, `${line}\r\n${lines}Content-Length: 0\r\n\r\n`)
    expect(answer.status).toBe(400)
  })
})

serviceTests("the targets and methods", cannedService(), (it) => {
  it.each(
    ["GET", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "PROPFIND"].flatMap((method) => [
      { method, listener: "stt" as const, path: "/api/transcribe" },
      { method, listener: "tts" as const, path: "/tts/bytes" }
    ])
  )("$method at $path is 405, which says that it takes POST", function* ({ raw }, { listener, method, path }) {
    const request = message(`${method} ${path} HTTP/1.1`, { ...host, Connection: "close" })
    const { answer } = yield* raw(listener, request, { head: method === "HEAD", answers: 0 })
    expect(answer.status).toBe(405)
    expect(answer.headers.allow).toBe("POST")
  })

  it.each(
    (["stt", "tts", "platform"] as const).flatMap((listener) =>
      [
        listener === "stt" ? "/tts/bytes" : "/api/transcribe",
        listener === "platform" ? "/tts/bytes" : "/platform/api/account",
        "/api/transcribe/",
        "/tts/bytes/",
        "/TTS/BYTES",
        "/openapiXjson",
        "//",
        "//openapi.json",
        "/%",
        "/%ff",
        "*",
        "http://",
        "http://127.0.0.1/nowhere",
        "/platform/api",
        "/favicon.ico"
      ].map((target) => ({ listener, target }))
    )
  )("POST $target at $listener is 404", function* ({ raw, token }, { listener, target }) {
    const headers = { ...host, "Content-Length": 0, "X-Admin-Token": token, Connection: "close" }
    const { answer } = yield* raw(listener, message(`POST ${target} HTTP/1.1`, headers), { answers: 0 })
    expect(answer.status).toBe(404)
    expect(answer.text).toContain("nothing is here")
  })

  it.each(["?key=a", "?", "?a=1&b=2"])("a query %s changes nothing", function* ({ key, send }, query) {
    const headers = { "X-API-Key": key, "Content-Type": "application/json" }
    expect((yield* send("tts", { path: `/tts/bytes${query}`, headers, body: text })).status).toBe(200)
  })

  it("the whole address for a target is answered as any other, and so is an offer to upgrade", function* ({
    key,
    raw,
    service
  }) {
    const headers = { ...host, "X-API-Key": key, "Content-Type": "application/json", "Content-Length": text.length }
    const whole = yield* raw("tts", message(`POST ${service.ttsBaseUrl}/tts/bytes HTTP/1.1`, headers, text))
    expect(whole.answer.status).toBe(200)
    const upgrade = { ...headers, Connection: "Upgrade", Upgrade: "h2c" }
    expect((yield* raw("tts", message("POST /tts/bytes HTTP/1.1", upgrade, text))).answer.status).toBe(200)
  })

  it.each(listeners)("CONNECT at $listener is no way to another host", function* ({ raw }, { listener }) {
    const { answer } = yield* raw(listener, message("CONNECT example.com:443 HTTP/1.1", host), { answers: 0 })
    expect(answer.status).toBe(404)
  })

  it.each([
    { path: "/openapi.json", listener: "platform" as const },
    { path: "/", listener: "platform" as const },
    { path: "/platform/api/account", listener: "platform" as const },
    { path: "/api/transcribe", listener: "stt" as const },
    { path: "/tts/bytes", listener: "tts" as const }
  ])(
    "a page of another site may not read $path: there is no CORS header, to a preflight neither",
    function* ({ send, token }, { listener, path }) {
      for (const method of ["OPTIONS", "GET", "POST"]) {
        const headers = {
          Origin: "https://evil.example",
          "Access-Control-Request-Method": "POST",
          "Access-Control-Request-Headers": "x-api-key",
          "X-Admin-Token": token
        }
        const answer = yield* send(listener, { method, path, headers })
        expect(Object.keys(answer.headers).filter((name) => name.startsWith("access-control"))).toEqual([])
      }
    }
  )
})

serviceTests("a body", cannedService({ bodyIdleMillis: 300 }), (it) => {
  const json = (key: string) => ({ ...host, "X-API-Key": key, "Content-Type": "application/json" })
  const multipart = (key: string) => ({ ...host, "X-Api-Key": key, "Content-Type": formType })
  const synthesis = "POST /tts/bytes HTTP/1.1"
  const transcription = "POST /api/transcribe HTTP/1.1"

  it("that stops is 408, and the connection ends", function* ({ key, raw }) {
    const tts = yield* raw("tts", message(synthesis, { ...json(key), "Content-Length": 100 }, "{"), { answers: 0 })
    expect(tts.answer.status).toBe(408)
    expect(tts.ended).toBe("closed")
    const part = validForm().subarray(0, 400)
    const stt = yield* raw("stt", message(transcription, { ...multipart(key), "Content-Length": 1000 }, part))
    expect(stt.answer.status).toBe(408)
  })

  it("of which nothing comes is 408", function* ({ key, raw }) {
    expect((yield* raw("tts", message(synthesis, { ...json(key), "Content-Length": 9 }))).answer.status).toBe(408)
    expect((yield* raw("stt", message(transcription, { ...multipart(key), "Content-Length": 9 }))).answer.status).toBe(
      408
    )
  })

  it("that comes slowly, and never stops for long, is taken", function* ({ key, raw }) {
    const head = message(synthesis, { ...json(key), "Content-Length": text.length })
    const slowly = [...text].flatMap((byte) => [byte, 40])
    expect((yield* raw("tts", [head, ...slowly])).answer.status).toBe(200)
    const body = validForm()
    const pieces = [0, 1, 2, 3, 4, 5, 6, 7].flatMap((index) => [
      body.subarray((index * body.length) / 8, ((index + 1) * body.length) / 8),
      60
    ])
    const multipartHead = message(transcription, { ...multipart(key), "Content-Length": body.length })
    expect((yield* raw("stt", [multipartHead, ...pieces])).answer.status).toBe(200)
  })

  it("that ends before its length is 400", function* ({ key, raw }) {
    const tts = message(synthesis, { ...json(key), "Content-Length": 100 }, text)
    expect((yield* raw("tts", tts, { halfClose: true })).answer.status).toBe(400)
    const stt = message(transcription, { ...multipart(key), "Content-Length": 100_000 }, validForm())
    expect((yield* raw("stt", stt, { halfClose: true })).answer.status).toBe(400)
  })

  it("that is longer than its length is 400, since what follows is no request", function* ({ key, raw }) {
    const request = message(synthesis, { ...json(key), "Content-Length": text.length }, `${text}garbage\r\n\r\n`)
    const { answers } = yield* raw("tts", request, { answers: 0 })
    expect(answers.map(({ status }) => status)).toEqual([400])
  })

  it("in chunks is taken, with extensions and trailers too", function* ({ key, raw }) {
    const chunks = `5;a=b\r\n${text.slice(0, 5)}\r\n${(text.length - 5).toString(16)}\r\n${text.slice(5)}\r\n0\r\nX: y\r\n\r\n`
    const tts = message(synthesis, { ...json(key), "Transfer-Encoding": "chunked" }, chunks)
    expect((yield* raw("tts", tts)).answer.status).toBe(200)
    const body = validForm()
    const stt = Buffer.concat([
      message(transcription, { ...multipart(key), "Transfer-Encoding": "chunked" }),
      ...Array.from({ length: Math.ceil(body.length / 1000) }, (_, index) => {
        const chunk = body.subarray(index * 1000, (index + 1) * 1000)
        return Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from("\r\n")])
      }),
      Buffer.from("0\r\n\r\n")
    ])
    expect((yield* raw("stt", stt)).answer.status).toBe(200)
  })

  it("in chunks that have endless extensions is refused", function* ({ key, raw }) {
    const headers = { ...json(key), "Transfer-Encoding": "chunked" }
    const request = message(synthesis, headers, `5;${"x".repeat(40_000)}\r\n`)
    expect([400, 413]).toContain((yield* raw("tts", request)).answer.status)
  })

  it("that waits for 100 Continue is told to come", function* ({ key, raw }) {
    const headers = { ...json(key), "Content-Length": text.length, Expect: "100-continue" }
    const { answer, interim } = yield* raw("tts", [message(synthesis, headers), 50, text])
    expect(interim).toEqual([100])
    expect(answer.status).toBe(200)
  })

  it("with another expectation is 417, in the shape of each listener", function* ({ raw }) {
    for (const { line, listener } of listeners) {
      const { answer } = yield* raw(listener, message(line, { ...host, "Content-Length": 0, Expect: "tea" }))
      expect(answer.status).toBe(417)
    }
  })

  it.each(["gzip", "deflate", "br", "GZIP", "gzip, identity"])(
    "in %s is 415",
    function* ({ synthesize, transcribe }, encoding) {
      expect((yield* synthesize({ text: "a" }, { "Content-Encoding": encoding })).status).toBe(415)
      expect((yield* transcribe(validForm(), { "Content-Encoding": encoding })).status).toBe(415)
    }
  )

  it.each(["identity", "Identity"])("in %s is taken", function* ({ synthesize, transcribe }, encoding) {
    expect((yield* synthesize({ text: "a" }, { "Content-Encoding": encoding })).status).toBe(200)
    expect((yield* transcribe(validForm(), { "Content-Encoding": encoding })).status).toBe(200)
  })
})

serviceTests("a connection", cannedService(), (it) => {
  const request = (key: string, more: Record<string, string> = {}, version = "1.1") =>
    message(
      `POST /tts/bytes HTTP/${version}`,
      { ...host, "X-API-Key": key, "Content-Type": "application/json", "Content-Length": text.length, ...more },
      text
    )

  it("answers requests that come all at once in their order", function* ({ key, raw }) {
    const ids = ["first", "second", "third", "fourth"]
    const pipelined = Buffer.concat(ids.map((id) => request(key, { "X-Request-Id": id })))
    const { answers } = yield* raw("tts", pipelined, { answers: 4 })
    expect(answers.map(({ headers, status }) => `${status} ${headers["x-request-id"]}`)).toEqual(
      ids.map((id) => `200 ${id}`)
    )
  })

  it("goes on after a refusal whose body was not read", function* ({ key, raw }) {
    const both = Buffer.concat([request("a.b"), request(key)])
    const { answers } = yield* raw("tts", both, { answers: 2 })
    expect(answers.map(({ status }) => status)).toEqual([401, 200])
  })

  it("of HTTP/1.0 is answered and closed, and kept where that is asked for", function* ({ key, raw }) {
    const once = yield* raw("tts", request(key, {}, "1.0"), { answers: 0 })
    expect(once.answer.status).toBe(200)
    expect(once.ended).toBe("closed")
    const kept = Buffer.concat([request(key, { Connection: "keep-alive" }, "1.0"), request(key, {}, "1.0")])
    expect((yield* raw("tts", kept, { answers: 0 })).answers.map(({ status }) => status)).toEqual([200, 200])
  })

  it("is closed where that is asked for", function* ({ key, raw }) {
    const { answer, ended } = yield* raw("tts", request(key, { Connection: "close" }), { answers: 0 })
    expect(answer.headers.connection).toBe("close")
    expect(ended).toBe("closed")
  })

  it("that says nothing, or half a head, harms nobody", function* ({ abandon, synthesize }) {
    yield* abandon("tts", ["", 20])
    yield* abandon("tts", ["POST /tts/bytes HTT", 20])
    yield* abandon("stt", ["POST /api/transcribe HTTP/1.1\r\nHost: ", 20])
    expect((yield* synthesize({ text: "a" })).status).toBe(200)
  })

  it("that ends in the middle of a head is 400", function* ({ raw }) {
    for (const { line, listener } of listeners) {
      const { answer } = yield* raw(listener, `${line}\r\nHost: 127.0.0.1\r\n`, { halfClose: true })
      expect(answer.status).toBe(400)
    }
  })
})
