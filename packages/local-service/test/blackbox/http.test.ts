import { expect } from "@effect/vitest"
import { message, synthesisRequest, transcriptionRequest, validForm } from "./support/messages.js"
import { cannedService, type Listener, serviceTests } from "./support/service.js"

const listeners: ReadonlyArray<readonly [listener: Listener, line: string]> = [
  ["stt", "POST /api/transcribe HTTP/1.1"],
  ["tts", "POST /tts/bytes HTTP/1.1"],
  ["platform", "GET /platform/api/account HTTP/1.1"]
]
/** Each row for each listener. */
const everywhere = <Row extends ReadonlyArray<unknown>>(rows: ReadonlyArray<Row>) =>
  listeners.flatMap(([listener, line]) => rows.map((row) => [...row, listener, line] as const))

const host = { Host: "127.0.0.1" }
const text = '{"text":"hi"}'

const pathOf = (line: string) => line.split(" ")[1] ?? ""

serviceTests("malformed HTTP", cannedService(), (it) => {
  it.each(
    everywhere<readonly [string, string]>([
      ["bytes of TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n"],
      ["an unknown method", "FROB /x HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"],
      ["a request line of one word", "GET\r\n\r\n"],
      ["an unknown version", "GET / HTTP/9.9\r\nHost: 127.0.0.1\r\n\r\n"],
      ["a header without a colon", "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nbroken\r\n\r\n"],
      ["a space before a colon", "GET / HTTP/1.1\r\nHost : 127.0.0.1\r\n\r\n"],
      ["a NUL in a header", "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: a\0b\r\n\r\n"],
      ["a folded header", "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n folded\r\n\r\n"],
      ["HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"]
    ])
  )("%s is 400, and the connection is closed: %j at %s", function* ({ raw }, [, bytes, listener]) {
    const { answer, ended } = yield* raw(listener, Buffer.from(bytes, "latin1"), { answers: 0 })
    expect(answer.status).toBe(400)
    expect(ended).not.toBe("enough")
  })

  it.each(
    everywhere<readonly [string, number, Record<string, string | number>]>([
      ["two lengths", 400, { "Content-Length": 3, "content-length": 4 }],
      ["a negative length", 400, { "Content-Length": -1 }],
      ["a length that is not a number", 400, { "Content-Length": "many" }],
      ["a length and chunks", 400, { "Content-Length": 3, "Transfer-Encoding": "chunked" }],
      ["a huge length", 400, { "Content-Length": "99999999999999999999999" }],
      ["20 kB of headers", 431, { "X-Long": "x".repeat(20_000) }],
      ["100 kB of headers", 431, { "X-Long": "x".repeat(100_000) }],
      ["an unknown expectation", 417, { "Content-Length": 0, Expect: "tea" }]
    ])
  )("%s is %i", function* ({ raw }, [, status, headers, listener, line]) {
    const { answer } = yield* raw(listener, message(line, { ...host, ...headers }, "abc"))
    expect(answer.status).toBe(status)
    expect(answer.json().error).toEqual(expect.any(String))
  })

  it.each(listeners)("a connection that ends in the middle of a head is 400 at %s", function* ({ raw }, row) {
    const [listener, line] = row
    const { answer } = yield* raw(listener, `${line}\r\nHost: 127.0.0.1\r\n`, { halfClose: true })
    expect(answer.status).toBe(400)
  })

  it.each([
    ["a size that is not a number", 400, "zz\r\nabc\r\n0\r\n\r\n"],
    ["a negative size", 400, "-1\r\nabc\r\n0\r\n\r\n"],
    ["a huge size", 400, "fffffffffffffffff\r\nabc"],
    ["a chunk that is longer than its size", 400, "1\r\nabc\r\n0\r\n\r\n"],
    ["no size", 400, "\r\n\r\n"],
    ["40 kB of extensions", 413, `5;${"x".repeat(40_000)}\r\n`]
  ] as const)("chunks with %s are %i", function* ({ key, raw }, [, status, chunks]) {
    const headers = { "Content-Length": undefined, "Transfer-Encoding": "chunked" }
    expect((yield* raw("tts", synthesisRequest(key, chunks, headers))).answer.status).toBe(status)
    expect((yield* raw("stt", transcriptionRequest(key, chunks, headers))).answer.status).toBe(status)
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
  const twice = "Host: localhost\r\nHost: "
  it.each(
    everywhere<readonly [string, number]>([
      // 401: the key or token is missing.
      ...accepted.split(", ").map((value) => [`Host: ${value}\r\n`, 401] as const),
      ...foreign.split(", ").map((value) => [`Host: ${value}\r\n`, 421] as const),
      ["", 400],
      [`${twice}localhost\r\n`, 400],
      [`${twice}evil.example\r\n`, 400]
    ])
  )("%j is %i at %s", function* ({ raw }, [lines, status, listener, line]) {
    const { answer } = yield* raw(listener, `${line}\r\n${lines}Content-Length: 0\r\n\r\n`)
    expect(answer.status).toBe(status)
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
  it.each(
    ["GET", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "PROPFIND"].flatMap((method) => [
      [method, "/api/transcribe", "stt"] as const,
      [method, "/tts/bytes", "tts"] as const
    ])
  )("%s %s is 405 and allows POST", function* ({ raw }, [method, path, listener]) {
    const request = message(`${method} ${path} HTTP/1.1`, { ...host, Connection: "close" })
    const { answer } = yield* raw(listener, request, { head: method === "HEAD", answers: 0 })
    expect(answer.status).toBe(405)
    expect(answer.headers.allow).toBe("POST")
  })

  it.each(
    everywhere(["http://[", "http://:80", "http://127.0.0.1:99999", "https://%"].map((start) => [start] as const))
  )("the target %s with a path is 400 at %s, and no defect", function* ({ raw, token }, [start, listener, line]) {
    for (const path of [pathOf(line), "/platform/api/recordings?text=a"]) {
      const request = message(`POST ${start}${path} HTTP/1.1`, { ...host, "X-Admin-Token": token, "Content-Length": 0 })
      const { answer } = yield* raw(listener, request)
      expect([answer.status, answer.json()[listener === "stt" ? "message" : "error"]]).toEqual([
        400,
        "the request target is not a URL"
      ])
    }
  })

  const unknown = "/api/transcribe/ /tts/bytes/ /TTS/BYTES /openapiXjson // //openapi.json /% /%ff * http://"
  const elsewhere = {
    stt: ["/tts/bytes", "/platform/api/account"],
    tts: ["/api/transcribe", "/platform/api/account"],
    platform: ["/api/transcribe", "/tts/bytes"]
  }
  it.each(
    listeners.flatMap(([listener]) =>
      [
        ...elsewhere[listener],
        ...unknown.split(" "),
        ...["http://127.0.0.1/nowhere", "/platform/api", "/favicon.ico"]
      ].map((target) => [target, listener] as const)
    )
  )("POST %s is 404 at %s", function* ({ raw, token }, [target, listener]) {
    const headers = { ...host, "Content-Length": 0, "X-Admin-Token": token, Connection: "close" }
    const { answer } = yield* raw(listener, message(`POST ${target} HTTP/1.1`, headers), { answers: 0 })
    expect(answer.status).toBe(404)
    expect(answer.text).toContain("nothing is here")
  })

  it.each(listeners)("CONNECT is 404 at %s", function* ({ raw }, [listener]) {
    const { answer } = yield* raw(listener, message("CONNECT example.com:443 HTTP/1.1", host), { answers: 0 })
    expect(answer.status).toBe(404)
  })

  it.each(["?key=a", "?", "?a=1&b=2"])("the query %s is ignored", function* ({ key, send }, query) {
    const headers = { "X-API-Key": key, "Content-Type": "application/json" }
    expect((yield* send("tts", { path: `/tts/bytes${query}`, headers, body: text })).status).toBe(200)
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

/** Longer than a busy machine pauses between two chunks. */
const bodyIdleMillis = 1500

serviceTests("a body", cannedService({ bodyIdleMillis }), (it) => {
  it.each([
    ["stops", "{", validForm().subarray(0, 400)],
    ["never starts", "", ""]
  ] as const)("that %s is 408, and the connection is closed", function* ({ key, raw }, [, json, form]) {
    const headers = { "Content-Length": 1000 }
    const tts = yield* raw("tts", synthesisRequest(key, json, headers), { answers: 0 })
    expect([tts.answer.status, tts.ended]).toEqual([408, "closed"])
    expect((yield* raw("stt", transcriptionRequest(key, form, headers))).answer.status).toBe(408)
  })

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
    expect((yield* raw("tts", slowly(synthesisRequest(key, text), text, text.length))).answer.status).toBe(200)
    const form = validForm()
    expect((yield* raw("stt", slowly(transcriptionRequest(key, form), form, 16))).answer.status).toBe(200)
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

  it.each([
    ...["gzip", "deflate", "br", "GZIP", "gzip, identity"].map((encoding) => [encoding, 415] as const),
    ...["identity", "Identity"].map((encoding) => [encoding, 200] as const)
  ])("in the encoding %s is %i", function* ({ synthesize, transcribe }, [encoding, status]) {
    const headers = { "Content-Encoding": encoding }
    expect((yield* synthesize({ text: "a" }, headers)).status).toBe(status)
    expect((yield* transcribe(validForm(), headers)).status).toBe(status)
  })
})

serviceTests("a connection", cannedService(), (it) => {
  const oldRequest = (key: string, headers = {}) =>
    synthesisRequest(key, text, headers).toString("latin1").replace("HTTP/1.1", "HTTP/1.0")

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

  it("of HTTP/1.0 is closed after the response, unless it asks for keep-alive", function* ({ key, raw }) {
    const once = yield* raw("tts", oldRequest(key), { answers: 0 })
    expect([once.answer.status, once.ended]).toEqual([200, "closed"])
    const kept = oldRequest(key, { Connection: "keep-alive" }) + oldRequest(key)
    expect((yield* raw("tts", kept, { answers: 0 })).answers.map(({ status }) => status)).toEqual([200, 200])
  })

  it("is closed if the request says so", function* ({ key, raw }) {
    const { answer, ended } = yield* raw("tts", synthesisRequest(key, text, { Connection: "close" }), { answers: 0 })
    expect([answer.headers.connection, ended]).toEqual(["close", "closed"])
  })

  it("that sends nothing, or half a head, does not disturb others", function* ({ abandon, synthesize }) {
    yield* abandon("tts", ["", 20])
    yield* abandon("tts", ["POST /tts/bytes HTT", 20])
    yield* abandon("stt", ["POST /api/transcribe HTTP/1.1\r\nHost: ", 20])
    expect((yield* synthesize({ text: "a" })).status).toBe(200)
  })
})

serviceTests("a body that may pause for a month", cannedService({ bodyIdleMillis: 31 * 24 * 3_600_000 }), (it) => {
  it("is not refused at its first pause", function* ({ key, raw }) {
    const pausing = (request: Buffer) => [request.subarray(0, -4), 50, request.subarray(-4)]
    expect((yield* raw("tts", pausing(synthesisRequest(key, text)))).answer.status).toBe(200)
    expect((yield* raw("stt", pausing(transcriptionRequest(key, validForm())))).answer.status).toBe(200)
  })
})
