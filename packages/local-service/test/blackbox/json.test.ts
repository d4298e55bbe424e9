import { expect } from "@effect/vitest"
import { synthesisRequest } from "./support/messages.js"
import { cannedService, serviceTests } from "./support/service.js"

const deep = (depth: number) => "[".repeat(depth) + "]".repeat(depth)
const deepObjects = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`
const bytes = (...parts: ReadonlyArray<string | ReadonlyArray<number>>) =>
  Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : Buffer.from(part))))

serviceTests("a JSON body", cannedService(), (it) => {
  const malformed: ReadonlyArray<readonly [what: string, body: string | Uint8Array]> = [
    ["that is empty", ""],
    ["that is null", "null"],
    ["that is a list of one good request", '[{"text":"a"}]'],
    ["that is a string", '"text"'],
    ["that ends early", '{"text":"a"'],
    ["with garbage after it", '{"text":"a"} x'],
    ["with a trailing comma", '{"text":"a",}'],
    ["nested 100,000 deep", deep(100_000)],
    ["nested 100,000 deep in text", `{"text":${deep(100_000)}}`],
    ["nested 100,000 deep in objects", deepObjects(100_000)],
    ["nested 100,000 deep in pronunciations", `{"text":"a","g2p_overrides":{"a":${deep(100_000)}}}`],
    ["with half a surrogate pair", '{"text":"\\ud83d"}'],
    ["with the other half", '{"text":"a\\ude00b"}'],
    ["with the halves in the wrong order", '{"text":"\\ude00\\ud83d"}'],
    ["with invalid UTF-8", bytes('{"text":"', [0xff], '"}')],
    ["with UTF-8 that is cut", bytes('{"text":"', [0xf0, 0x9f, 0x98], '"}')],
    ["with overlong UTF-8", bytes('{"text":"', [0xc0, 0x80], '"}')],
    ["with a surrogate in UTF-8", bytes('{"text":"', [0xed, 0xa0, 0x80], '"}')],
    ["in UTF-16 with a byte order mark", bytes([0xff, 0xfe], [...Buffer.from('{"text":"a"}', "utf16le")])],
    ["whose last text is empty", '{"text":"a","text":""}'],
    ["with the text in its prototype", '{"__proto__":{"text":"a"}}']
  ]
  it("that is malformed is 400, and the next one is accepted", function* ({ synthesize }) {
    for (const [what, body] of malformed) {
      const answer = yield* synthesize(body)
      expect(answer.status, what).toBe(400)
      expect(answer.text.length).toBeLessThan(300)
      expect((yield* synthesize({ text: "a" })).status).toBe(200)
    }
  })

  const accepted: ReadonlyArray<readonly [what: string, body: string | Uint8Array]> = [
    ["with a byte order mark", bytes([0xef, 0xbb, 0xbf], '{"text":"a"}')],
    ["with space around it", ' \r\n\t{ "text" : "a" }\r\n'],
    ["with the text twice: the last one counts", '{"text":"","text":"a"}'],
    ["with an escaped name", '{"te\\u0078t":"a"}'],
    ["with a whole surrogate pair", '{"text":"\\ud83d\\ude00"}'],
    ["with an escaped NUL", '{"text":"\\u0000a"}'],
    ["with half a megabyte in an unknown field", `{"text":"a","x":"${"y".repeat(500_000)}"}`],
    ["with a huge number", `{"text":"a","x":${"9".repeat(10_000)}}`],
    ["with 50,000 fields", `{"text":"a"${Array.from({ length: 50_000 }, (_, index) => `,"${index}":1`).join("")}}`]
  ]
  it("that is odd, but JSON, is accepted", function* ({ synthesize }) {
    for (const [what, body] of accepted) expect((yield* synthesize(body)).status, what).toBe(200)
  })

  it.each([1_048_577, 10_000_000])(
    "of %i bytes is 413, and the connection stays open",
    function* ({ key, raw }, length) {
      const large = synthesisRequest(key, Buffer.alloc(length, "a"))
      const { answers } = yield* raw("tts", [large, synthesisRequest(key, '{"text":"a"}')], { answers: 2 })
      expect(answers.map(({ status }) => status)).toEqual([413, 200])
      expect(answers[0]?.json().error).toContain("larger than 1048576 bytes")
    }
  )

  it("of the largest size is accepted", function* ({ synthesize }) {
    const body = `{"text":"a"}${" ".repeat(1_048_576 - 12)}`
    expect((yield* synthesize(body)).status).toBe(200)
    expect((yield* synthesize(`${body} `)).status).toBe(413)
  })

  it("in chunks is 413 as soon as it is too long", function* ({ key, raw }) {
    const head = synthesisRequest(key, "", { "Content-Length": undefined, "Transfer-Encoding": "chunked" })
    const chunk = Buffer.concat([Buffer.from("10000\r\n"), Buffer.alloc(65_536, " "), Buffer.from("\r\n")])
    const { answer } = yield* raw("tts", [head, ...Array.from({ length: 17 }, () => chunk)])
    expect(answer.status).toBe(413)
  })
})
