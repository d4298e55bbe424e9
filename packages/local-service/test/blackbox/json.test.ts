import { expect } from "@effect/vitest"
import { message } from "./support/messages.js"
import { cannedService, serviceTests } from "./support/service.js"

const deep = (depth: number) => "[".repeat(depth) + "]".repeat(depth)
const deepObjects = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`
const bytes = (...parts: ReadonlyArray<string | ReadonlyArray<number>>) =>
  Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : Buffer.from(part))))

serviceTests("a body of JSON", cannedService(), (it) => {
  it.each([
    { what: "that is empty", body: "" },
    { what: "that is null", body: "null" },
    { what: "that is a list", body: "[]" },
    { what: "that is a list of one good request", body: '[{"text":"a"}]' },
    { what: "that is a number", body: "7" },
    { what: "that is true", body: "true" },
    { what: "that is a string", body: '"text"' },
    { what: "that ends early", body: '{"text":"a"' },
    { what: "that ends in a string", body: '{"text":"a' },
    { what: "that goes on", body: '{"text":"a"}{"text":"b"}' },
    { what: "with garbage behind it", body: '{"text":"a"} x' },
    { what: "with a NUL behind it", body: '{"text":"a"}\0' },
    { what: "with a comma too many", body: '{"text":"a",}' },
    { what: "with single quotes", body: "{'text':'a'}" },
    { what: "with a comment", body: '{"text":"a"/* b */}' },
    { what: "with names without quotes", body: '{text:"a"}' },
    { what: "with a line break in a string", body: '{"text":"a\nb"}' },
    { what: "with an escape that is none", body: '{"text":"\\x41"}' },
    { what: "nested 100,000 deep", body: deep(100_000) },
    { what: "nested 100,000 deep in text", body: `{"text":${deep(100_000)}}` },
    { what: "nested 100,000 deep in objects", body: deepObjects(100_000) },
    { what: "nested 100,000 deep in pronunciations", body: `{"text":"a","g2p_overrides":{"a":${deep(100_000)}}}` },
    { what: "with half a surrogate pair", body: '{"text":"\\ud83d"}' },
    { what: "with the other half", body: '{"text":"a\\ude00b"}' },
    { what: "with the halves in the wrong order", body: '{"text":"\\ude00\\ud83d"}' },
    { what: "with invalid UTF-8", body: bytes('{"text":"', [0xff], '"}') },
    { what: "with UTF-8 that is cut", body: bytes('{"text":"', [0xf0, 0x9f, 0x98], '"}') },
    { what: "with UTF-8 that is too long", body: bytes('{"text":"', [0xc0, 0x80], '"}') },
    { what: "with a surrogate in UTF-8", body: bytes('{"text":"', [0xed, 0xa0, 0x80], '"}') },
    { what: "in UTF-16", body: Buffer.from('{"text":"a"}', "utf16le") },
    { what: "in UTF-16 with its mark", body: bytes([0xff, 0xfe], [...Buffer.from('{"text":"a"}', "utf16le")]) },
    { what: "in UTF-32", body: bytes([0, 0, 0], "{", [0, 0, 0], "}") },
    { what: "whose last text is empty", body: '{"text":"a","text":""}' },
    { what: "with the text in its prototype", body: '{"__proto__":{"text":"a"}}' }
  ])("$what is 400", function* ({ synthesize }, { body }) {
    const answer = yield* synthesize(body)
    expect(answer.status).toBe(400)
    expect(answer.text.length).toBeLessThan(300)
    expect((yield* synthesize({ text: "a" })).status).toBe(200)
  })

  it.each([
    { what: "with a byte order mark", body: bytes([0xef, 0xbb, 0xbf], '{"text":"a"}') },
    { what: "with space around it", body: ' \r\n\t{ "text" : "a" }\r\n' },
    { what: "with the text given twice, of which the last counts", body: '{"text":"","text":"a"}' },
    { what: "with an escaped name", body: '{"te\\u0078t":"a"}' },
    { what: "with a whole surrogate pair", body: '{"text":"\\ud83d\\ude00"}' },
    { what: "with a NUL that is escaped", body: '{"text":"\\u0000a"}' },
    { what: "with half a megabyte of what nobody asked for", body: `{"text":"a","x":"${"y".repeat(500_000)}"}` },
    { what: "with numbers beyond all numbers", body: `{"text":"a","x":${"9".repeat(10_000)}}` },
    {
      what: "with 50,000 fields",
      body: `{"text":"a"${Array.from({ length: 50_000 }, (_, index) => `,"${index}":1`).join("")}}`
    }
  ])("$what is taken", function* ({ synthesize }, { body }) {
    expect((yield* synthesize(body)).status).toBe(200)
  })

  it.each([1_048_577, 2_000_000, 50_000_000])(
    "of %i bytes is 413, on a connection that stays open",
    function* ({ key, raw }, length) {
      const headers = { Host: "127.0.0.1", "X-API-Key": key, "Content-Type": "application/json" }
      const large = Buffer.alloc(length, "a")
      const small = '{"text":"a"}'
      const { answers } = yield* raw(
        "tts",
        [
          message("POST /tts/bytes HTTP/1.1", { ...headers, "Content-Length": length }),
          large,
          message("POST /tts/bytes HTTP/1.1", { ...headers, "Content-Length": small.length }, small)
        ],
        { answers: 2 }
      )
      expect(answers.map(({ status }) => status)).toEqual([413, 200])
      expect(answers[0]?.json().error).toContain("larger than 1048576 bytes")
    }
  )

  it("of the largest size is read", function* ({ synthesize }) {
    const body = `{"text":"a"}${" ".repeat(1_048_576 - 12)}`
    expect((yield* synthesize(body)).status).toBe(200)
    expect((yield* synthesize(`${body} `)).status).toBe(413)
  })

  it("is measured as it comes, where it comes in chunks", function* ({ key, raw }) {
    const headers = {
      Host: "127.0.0.1",
      "X-API-Key": key,
      "Content-Type": "application/json",
      "Transfer-Encoding": "chunked"
    }
    const chunk = Buffer.concat([Buffer.from("10000\r\n"), Buffer.alloc(65_536, " "), Buffer.from("\r\n")])
    const { answer } = yield* raw("tts", [
      message("POST /tts/bytes HTTP/1.1", headers),
      ...Array.from({ length: 17 }, () => chunk)
    ])
    expect(answer.status).toBe(413)
  })
})
