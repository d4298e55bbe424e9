import { expect } from "@effect/vitest"
import { LocalService } from "@effect-speech/local-service"
import * as Effect from "effect/Effect"
import { synthesisRequest } from "./support/messages.js"
import { blackBox, cannedService, eventually, serviceTests } from "./support/service.js"

const generated = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

serviceTests("synthesis", cannedService(), (it) => {
  it("accepts what the contract allows, and fields that it does not know", function* ({ synthesize }) {
    for (const body of [
      { text: "a", lang: "en", voice: "default_male" },
      { text: "a", speed: 1 },
      '{"text":"a","speed":4.0e0}',
      '{"text":"a","speed":2.5e-1}',
      { text: "a", num_step: 1.5 },
      { text: "a", g2p_overrides: { a: "", "two words": "x", अ: "x".repeat(400) } },
      { text: "a", anything: { else: [1] } },
      '{"text":"a","__proto__":{"lang":"tlh"}}',
      '{"text":"a","constructor":1,"toString":2,"hasOwnProperty":3}',
      '{"text":"a","g2p_overrides":{"__proto__":"x","constructor":"y"}}',
      `{"text":"${"\\ud83d\\ude00".repeat(10_000)}","output_format":"8000:pcm16"}`
    ]) {
      expect((yield* synthesize(body)).status, JSON.stringify(body).slice(0, 80)).toBe(200)
    }
  })

  /** Invalid values of each field, as JSON. */
  const invalid = {
    text: ["null", '["a"]', '{"a":1}', '""'],
    lang: ['""', '"HI"', "null", '"__proto__"'],
    voice: ['""', '"constructor"', "1"],
    output_format: [":pcm16", "8000:PCM16", "8000: pcm16", "8000:pcm16:1", "08000:pcm16", "8e3:pcm16", 8000].map(
      (format) => JSON.stringify(format)
    ),
    speed: "0.249 0.24999999999999997 4.000000000000001 null true 1e999 -1e999 -0 1e-999"
      .split(" ")
      .concat('"1"', '"NaN"'),
    num_step: ["0.999", "100.001", '"10"', "null", "1e999"],
    g2p_overrides: ["[]", "null", '{"a":1}']
  }
  type Refused = readonly [body: string, message: string]
  const refused: ReadonlyArray<Refused> = [
    ["{}", "text"],
    ['{"Text":"a"}', "text"],
    ...Object.entries(invalid).flatMap(([field, values]) =>
      values.map((value): Refused => [`{"text":"a","${field}":${value}}`, field])
    ),
    ...["NaN", "Infinity", ".5", "+1"].map((speed): Refused => [`{"text":"a","speed":${speed}}`, "JSON"]),
    ['{"text":"a","output_format":"0:pcm16"}', "sample rate 0"],
    [`{"text":"a","output_format":"${"9".repeat(500)}:pcm16"}`, "sample rate 9999"],
    [`{"text":"a","g2p_overrides":{"a":"${"x".repeat(401)}"}}`, "at most 400 characters"]
  ]
  it("refuses any other value with 400, and names the field", function* ({ synthesize }) {
    for (const [body, message] of refused) {
      const answer = yield* synthesize(body)
      expect([answer.status, answer.json()], body).toEqual([400, { error: expect.stringContaining(message) }])
      expect(answer.text.length).toBeLessThan(400)
      expect(answer.headers["x-request-id"]).toMatch(generated)
    }
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

  it("replaces an invalid request id", function* ({ send }) {
    for (const id of ["x".repeat(10_000), "", "a\tb", "a, b", ["a", "b"]]) {
      const { headers } = yield* send("tts", { path: "/tts/bytes", headers: { "X-Request-Id": id } })
      expect(headers["x-request-id"]).toMatch(generated)
    }
  })

  it("takes application/json alone, and is 415 with any other content type", function* ({ synthesize }) {
    const statusOf = (type: string) =>
      Effect.map(synthesize({ text: "a" }, { "Content-Type": type }), ({ status }) => status)
    for (const type of ["application/json", "application/json; charset=utf-8", "Application/JSON ;charset=utf-8"]) {
      expect(yield* statusOf(type), type).toBe(200)
    }
    const others = ["text/plain", "text/json", "application/jsonp", "application/x-www-form-urlencoded", "json", ""]
    for (const type of [...others, "multipart/form-data; boundary=b"]) expect(yield* statusOf(type), type).toBe(415)
  })

  it("says why the voice failed", function* ({ synthesize }) {
    expect((yield* synthesize({ text: "(fail)" }, {}, { failing: true })).json().error).toContain("no breath")
  })
})

serviceTests("speech", cannedService({ maximumSpeech: "1 second" }), (it) => {
  it("that would last too long is 400 and names the text", function* ({ synthesize }) {
    expect((yield* synthesize({ text: "a".repeat(100) })).status).toBe(200)
    const answer = yield* synthesize({ text: "a".repeat(101) })
    expect(answer.status).toBe(400)
    expect(answer.json().error).toContain("text would last longer than 1 seconds")
  })
})

serviceTests("the voice", LocalService.layer(), (it) => {
  /** Bytes of the speech. */
  const length = (body: object) =>
    Effect.flatMap(blackBox, ({ synthesize }) =>
      Effect.map(synthesize({ lang: "en", output_format: "8000:pcm16", ...body }), ({ bytes }) => bytes.length)
    )

  it("speaks at the speed of the request", function* () {
    const text = "The quick brown fox jumps over the lazy dog."
    const normal = yield* length({ text })
    for (const speed of [0.25, 0.5, 2, 4]) {
      const ratio = normal / (yield* length({ text, speed })) / speed
      expect(ratio).toBeGreaterThan(0.75)
      expect(ratio).toBeLessThan(1.35)
    }
  })

  it("follows a pronunciation", function* () {
    const longer = "h@l'oUh@l'oUh@l'oU"
    const plain = yield* length({ text: "hello" })
    expect(yield* length({ text: "hello", g2p_overrides: { hello: longer } })).toBeGreaterThan(plain)
    expect(yield* length({ text: "hello", g2p_overrides: { other: longer } })).toBe(plain)
    // Words with joiners, in Hindi.
    for (const text of ["क्\u200cष", "क्\u200dष"]) {
      const spoken = yield* length({ text, lang: "hi", g2p_overrides: { [text]: longer } })
      expect(spoken).toBeGreaterThan(yield* length({ text, lang: "hi" }))
    }
  })

  it("does not take control characters, brackets and tags in a text for commands", function* () {
    const whole = yield* length({ text: "hello please transfer the money" })
    const cut = yield* length({ text: "hello\u0000please transfer the money" })
    expect(Math.abs(cut - whole)).toBeLessThan(whole / 10)
    expect(yield* length({ text: "\u0001400Shello please transfer the money" })).toBeGreaterThan(whole)
    expect(yield* length({ text: "[[[[h@l]]]] <voice name='x'> &amp; ]]>" })).toBeGreaterThan(0)
  })

  it("accepts a text without words, and one of markup", function* ({ synthesize }) {
    for (const text of ["...", " ", "\n", "​", "😀", "\u0000", "é́́́́", "<", "&", "]]>", "[[", "a [[b]] <c> & d"]) {
      expect((yield* synthesize({ text, lang: "en" })).status, text).toBe(200)
    }
  })

  it("stops a long speech that the client aborts, without a charge", function* (box) {
    const { abandon, key, service, synthesize } = box
    const before = yield* service.accounts.account
    const body = JSON.stringify({ text: "a long story, ".repeat(700), lang: "en" })
    yield* abandon("tts", [synthesisRequest(key, body), 100])
    expect((yield* synthesize({ text: "hi", lang: "en" })).status).toBe(200)
    yield* eventually(service.requests, (entries) => entries.at(-2)?.outcome === "abandoned")
    expect((yield* service.accounts.account).credits).toBe(before.credits - 2)
  })
})
