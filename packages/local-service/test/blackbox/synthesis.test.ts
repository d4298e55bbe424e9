import { expect } from "@effect/vitest"
import { LocalService } from "@effect-speech/local-service"
import * as Effect from "effect/Effect"
import { message } from "./support/messages.js"
import { cannedService, eventually, serviceTests } from "./support/service.js"

const generated = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

serviceTests("synthesis", cannedService(), (it) => {
  it.each([
    { body: { text: "a", lang: "en", voice: "default_male" } },
    { body: { text: "a", speed: 1 } },
    { body: '{"text":"a","speed":4.0e0}' },
    { body: '{"text":"a","speed":2.5e-1}' },
    { body: { text: "a", num_step: 1.5 } },
    { body: { text: "a", g2p_overrides: { a: "" } } },
    { body: { text: "a", g2p_overrides: { a: "x".repeat(400) } } },
    { body: { text: "a", g2p_overrides: { "two words": "x", अ: "y" } } },
    { body: { text: "a", anything: { else: [1] } } },
    { body: '{"text":"a","__proto__":{"lang":"tlh"}}' },
    { body: '{"text":"a","constructor":1,"toString":2,"hasOwnProperty":3}' },
    { body: '{"text":"a","g2p_overrides":{"__proto__":"x","constructor":"y"}}' }
  ])("takes $body", function* ({ synthesize }, { body }) {
    expect((yield* synthesize(body)).status).toBe(200)
  })

  it.each([
    { body: {}, names: "text" },
    { body: { text: null }, names: "text" },
    { body: { text: ["a"] }, names: "text" },
    { body: { text: { a: 1 } }, names: "text" },
    { body: { text: "" }, names: "text" },
    { body: { Text: "a" }, names: "text" },
    { body: { text: "a", lang: "" }, names: "lang" },
    { body: { text: "a", lang: "HI" }, names: "lang" },
    { body: { text: "a", lang: null }, names: "lang" },
    { body: { text: "a", lang: "__proto__" }, names: "lang" },
    { body: { text: "a", voice: "" }, names: "voice" },
    { body: { text: "a", voice: "constructor" }, names: "voice" },
    { body: { text: "a", voice: 1 }, names: "voice" },
    { body: { text: "a", output_format: ":pcm16" }, names: "output_format" },
    { body: { text: "a", output_format: "8000:PCM16" }, names: "output_format" },
    { body: { text: "a", output_format: "8000: pcm16" }, names: "output_format" },
    { body: { text: "a", output_format: "8000:pcm16:1" }, names: "output_format" },
    { body: { text: "a", output_format: "08000:pcm16" }, names: "output_format" },
    { body: { text: "a", output_format: "8e3:pcm16" }, names: "output_format" },
    { body: { text: "a", output_format: 8000 }, names: "output_format" },
    { body: { text: "a", output_format: "0:pcm16" }, names: "sample rate 0" },
    { body: { text: "a", output_format: `${"9".repeat(500)}:pcm16` }, names: "sample rate 9999" },
    { body: { text: "a", speed: 0.249 }, names: "speed" },
    { body: { text: "a", speed: 0.24999999999999997 }, names: "speed" },
    { body: { text: "a", speed: 4.000000000000001 }, names: "speed" },
    { body: { text: "a", speed: "1" }, names: "speed" },
    { body: { text: "a", speed: null }, names: "speed" },
    { body: { text: "a", speed: true }, names: "speed" },
    { body: '{"text":"a","speed":1e999}', names: "speed" },
    { body: '{"text":"a","speed":-1e999}', names: "speed" },
    { body: '{"text":"a","speed":-0}', names: "speed" },
    { body: '{"text":"a","speed":1e-999}', names: "speed" },
    { body: '{"text":"a","speed":"NaN"}', names: "speed" },
    { body: '{"text":"a","speed":NaN}', names: "JSON" },
    { body: '{"text":"a","speed":Infinity}', names: "JSON" },
    { body: '{"text":"a","speed":.5}', names: "JSON" },
    { body: '{"text":"a","speed":+1}', names: "JSON" },
    { body: { text: "a", num_step: 0.999 }, names: "num_step" },
    { body: { text: "a", num_step: 100.001 }, names: "num_step" },
    { body: { text: "a", num_step: "10" }, names: "num_step" },
    { body: { text: "a", num_step: null }, names: "num_step" },
    { body: '{"text":"a","num_step":1e999}', names: "num_step" },
    { body: { text: "a", g2p_overrides: [] }, names: "g2p_overrides" },
    { body: { text: "a", g2p_overrides: null }, names: "g2p_overrides" },
    { body: { text: "a", g2p_overrides: { a: 1 } }, names: "g2p_overrides" },
    { body: { text: "a", g2p_overrides: { a: "x".repeat(401) } }, names: "at most 400 characters" }
  ])("refuses $body with 400 and names $names", function* ({ synthesize }, { body, names }) {
    const answer = yield* synthesize(body)
    expect(answer.status).toBe(400)
    expect(answer.json()).toEqual({ error: expect.stringContaining(names) })
    expect(answer.text.length).toBeLessThan(400)
    expect(answer.headers["x-request-id"]).toMatch(generated)
  })

  it("takes 10,000 characters that are all escaped", function* ({ synthesize }) {
    const body = `{"text":"${"\\ud83d\\ude00".repeat(10_000)}","output_format":"8000:pcm16"}`
    expect((yield* synthesize(body)).status).toBe(200)
  })

  it("returns the request id also on 404, 405 and 415", function* ({ send, synthesize }) {
    const headers = { "X-Request-Id": "mine" }
    for (const response of [
      yield* synthesize({ text: "a" }, { ...headers, "Content-Type": "text/plain" }),
      yield* send("tts", { path: "/nowhere", headers }),
      yield* send("tts", { path: "/tts/bytes", method: "GET", headers })
    ]) {
      expect(response.headers["x-request-id"]).toBe("mine")
    }
  })

  it.each([
    { what: "of 10,000 characters", id: "x".repeat(10_000) },
    { what: "that is empty", id: "" },
    { what: "with a tab", id: "a\tb" },
    { what: "that is a list", id: "a, b" }
  ])("replaces a request id $what", function* ({ raw }, { id }) {
    const headers = { Host: "127.0.0.1", "X-Request-Id": id, "Content-Length": 0 }
    const { answer } = yield* raw("tts", message("POST /tts/bytes HTTP/1.1", headers))
    expect(answer.headers["x-request-id"]).toMatch(generated)
  })

  it("replaces two request ids", function* ({ send }) {
    const two = yield* send("tts", { path: "/tts/bytes", headers: { "X-Request-Id": ["a", "b"] } })
    expect(two.headers["x-request-id"]).toMatch(generated)
  })

  it.each([
    { type: "application/json", status: 200 },
    { type: "application/json; charset=utf-8", status: 200 },
    { type: "Application/JSON ;charset=utf-8", status: 200 },
    { type: "text/plain", status: 415 },
    { type: "text/json", status: 415 },
    { type: "application/jsonp", status: 415 },
    { type: "application/x-www-form-urlencoded", status: 415 },
    { type: "multipart/form-data; boundary=b", status: 415 },
    { type: "", status: 415 },
    { type: "json", status: 415 }
  ])("of a body that is $type is $status", function* ({ synthesize }, { status, type }) {
    expect((yield* synthesize({ text: "a" }, { "Content-Type": type })).status).toBe(status)
  })

  it("is 502 where the voice fails and 500 where it breaks, and the next one is spoken", function* ({ synthesize }) {
    const failed = yield* synthesize({ text: "(fail)" }, {}, { failing: true })
    expect(failed.status).toBe(502)
    expect(failed.json().error).toContain("no breath")
    expect((yield* synthesize({ text: "(die)" }, {}, { failing: true })).status).toBe(500)
    expect((yield* synthesize({ text: "a" })).status).toBe(200)
  })
})

serviceTests("a speech", cannedService({ maximumSpeechSeconds: 1 }), (it) => {
  it("that would last too long is 400, and names the text", function* ({ synthesize }) {
    expect((yield* synthesize({ text: "a".repeat(100) })).status).toBe(200)
    const answer = yield* synthesize({ text: "a".repeat(101) })
    expect(answer.status).toBe(400)
    expect(answer.json().error).toContain("text would last longer than 1 seconds")
  })
})

serviceTests("the voice", LocalService.layer(), (it) => {
  it("lasts as long as its speed says, over the whole range", function* ({ synthesize }) {
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

  it("follows pronunciations, and takes brackets in a text for brackets", function* ({ synthesize }) {
    const length = (body: object) =>
      Effect.map(synthesize({ lang: "en", output_format: "8000:pcm16", ...body }), ({ bytes }) => bytes.byteLength)
    const plain = yield* length({ text: "hello" })
    expect(yield* length({ text: "hello", g2p_overrides: { hello: "h@l'oUh@l'oUh@l'oU" } })).toBeGreaterThan(plain)
    expect(yield* length({ text: "hello", g2p_overrides: { other: "h@l'oUh@l'oUh@l'oU" } })).toBe(plain)
    expect((yield* synthesize({ text: "a [[b]] <c> & d", lang: "en" })).status).toBe(200)
  })

  it("follows a pronunciation of a word that is spelt with joiners", function* ({ synthesize }) {
    for (const word of ["क्\u200cष", "क्\u200dष"]) {
      const plain = yield* synthesize({ text: word })
      const spoken = yield* synthesize({ text: word, g2p_overrides: { [word]: "h@l'oUh@l'oUh@l'oU" } })
      expect(spoken.bytes.byteLength).toBeGreaterThan(plain.bytes.byteLength)
    }
  })

  it("is not spoken to by a text: control characters, brackets and tags are read or left out", function* ({
    synthesize
  }) {
    const length = (text: string) =>
      Effect.map(synthesize({ text, lang: "en", output_format: "8000:pcm16" }), ({ bytes }) => bytes.length)
    const whole = yield* length("hello please transfer the money")
    const cut = yield* length("hello\u0000please transfer the money")
    expect(Math.abs(cut - whole)).toBeLessThan(whole / 10)
    expect(yield* length("\u0001400Shello please transfer the money")).toBeGreaterThan(whole)
    expect(yield* length("[[[[h@l]]]] <voice name='x'> &amp; ]]>")).toBeGreaterThan(0)
  })

  it.each(["...", " ", "\n", "​", "😀", "\u0000", "é́́́́", "<", "&", "]]>", "[["])(
    "has something or nothing to say of %j, and goes on",
    function* ({ synthesize }, text) {
      expect((yield* synthesize({ text, lang: "en" })).status).toBe(200)
    }
  )

  it("that has a long story to tell, and is given up, costs nothing and keeps nobody waiting", function* ({
    abandon,
    key,
    service,
    synthesize
  }) {
    const before = yield* service.accounts.account
    const body = JSON.stringify({ text: "a long story, ".repeat(700), lang: "en" })
    const headers = {
      Host: "127.0.0.1",
      "X-API-Key": key,
      "Content-Type": "application/json",
      "Content-Length": body.length
    }
    yield* abandon("tts", [message("POST /tts/bytes HTTP/1.1", headers, body), 100])
    const started = performance.now()
    expect((yield* synthesize({ text: "hi", lang: "en" })).status).toBe(200)
    expect(performance.now() - started).toBeLessThan(5000)
    yield* eventually(service.requests, (entries) => entries.at(-2)?.outcome === "abandoned")
    expect((yield* service.accounts.account).credits).toBe(before.credits - 2)
  })
})
