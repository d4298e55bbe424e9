import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { afterAll, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { vi } from "vitest"
import {
  field,
  fields,
  file,
  form,
  model,
  rawPart,
  transactionId,
  transcriptionRequest,
  validForm,
  wav
} from "./support/messages.js"
import { cannedService, eventually, serviceTests } from "./support/service.js"

// A folder of its own: services of other test files spool at the same time.
const folder = mkdtempSync(`${tmpdir()}/forms-`)
vi.stubEnv("TMPDIR", folder)
afterAll(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true })
})
const spooled = Effect.sync(() =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && !entry.name.startsWith("lock.db")
  )
)

const text = (body: Uint8Array) => Buffer.from(body).toString("latin1")
const disposition = (rest: string) => `Content-Disposition: form-data; ${rest}`

const id = field("transaction_id", transactionId)
const withModel = (head: string) => form(rawPart(head, model), id, file())
const named = (rest: string) => form(...fields, file(wav(), rest))

serviceTests("a form", cannedService({ maximumUploadBytes: 100_000 }), (it) => {
  const accepted = [
    ...["..", "../../../etc/passwd", "C:\\\\a\\\\b.wav", "", "a\0.wav", "x".repeat(10_000), "आवाज़.wav"].map(
      (name) => [`the file name ${name.slice(0, 20)}`, named(`; filename="${name}"`)] as const
    ),
    ["no file name", named("")],
    ["an extended file name", named("; filename*=UTF-8''%e0%a4%86.wav")],
    ["both kinds of file name", named("; filename=\"a.wav\"; filename*=UTF-8''b.wav")],
    ["a file name without quotes", named("; filename=a.wav")],
    ["a malformed content type of the file", named('; filename="a"\r\nContent-Type: x')],
    ["a file of text/plain", named('; filename="a"\r\nContent-Type: text/plain')],
    ["a charset of a field", withModel(disposition('name="model"\r\nContent-Type: text/plain; charset=utf-8'))],
    ["a field name without quotes", withModel(disposition("name=model"))],
    ["headers in another case", withModel('content-disposition: FORM-DATA; NAME="model"')],
    ["more headers of a part", withModel(`X-A: b\r\n${disposition('name="model"')}\r\nX-C: d`)],
    ["a preamble", Buffer.concat([Buffer.from("preamble\r\n"), validForm()])],
    ["an epilogue", Buffer.concat([validForm(), Buffer.from("epilogue\r\n--b\r\nmore")])],
    ["no line break at its end", validForm().subarray(0, -2)],
    ["a part without a name", validForm(rawPart("X: y", "z"))],
    ["a boundary in the middle of a line", validForm(field("other", "a--b--c"))]
  ] as const
  it("with odd, but valid names, headers and ends is accepted", function* ({ transcribe }) {
    for (const [what, body] of accepted) {
      const answer = yield* transcribe(body)
      expect([answer.status, answer.json().message], what).toEqual([200, undefined])
    }
  })

  const otherFile = rawPart(disposition('name="other"; filename="a.wav"'), wav())
  const auxFile = rawPart(disposition('name="aux"; filename="a"'), "true")
  const nestedForm = rawPart(
    `${disposition('name="audio_file"')}\r\nContent-Type: multipart/mixed; boundary=c`,
    '--c\r\nContent-Disposition: file; filename="a.wav"\r\n\r\nRIFF\r\n--c--'
  )
  const longHeader = rawPart(`X: ${"y".repeat(2_000_000)}\r\n${disposition('name="audio_file"')}`, wav())
  const malformed: ReadonlyArray<readonly [what: string, body: string | Uint8Array, message: string]> = [
    ["model twice", validForm(field("model", model)), "model is given twice"],
    ["transaction_id twice", validForm(id), "transaction_id is given twice"],
    ["an unknown field twice", validForm(field("x", "1"), field("x", "2")), "x is given twice"],
    ["two files", validForm(file()), "more than one file"],
    ["a second file under another name", validForm(otherFile), ""],
    ["a file as aux", form(...fields, auxFile), "aux must not be a file"],
    ["a form in a form", form(...fields, nestedForm), "audio_file"],
    ["no parts", form(), ""],
    ["only parts without names", form(rawPart("X: y", "z")), ""],
    ["an empty body", "", ""],
    ["line feeds without carriage returns", text(validForm()).replaceAll("\r\n", "\n"), ""],
    ["an end in the middle of a file", Buffer.concat([...fields, file().subarray(0, 200)]), ""],
    ["an end in a field", field("model", "hi").subarray(0, -2), ""],
    ["an end in its last boundary", validForm().subarray(0, -4), ""],
    ["binary noise", Buffer.from(Array.from({ length: 5000 }, (_, index) => (index * 7919) % 256)), ""],
    ["two megabytes of headers in a part", form(...fields, longHeader), ""]
  ]
  it("that is malformed is 400 and leaves no file, and the next form is accepted", function* ({ ask, transcribe }) {
    for (const [what, body, message] of malformed) {
      const answer = yield* transcribe(body)
      const failure = { status: "error", error: "bad request", message: expect.stringContaining(message) }
      expect([answer.status, answer.json()], what).toEqual([400, failure])
      expect((yield* transcribe(validForm())).status).toBe(200)
    }
    yield* ask("DELETE", "/requests")
    yield* eventually(spooled, (files) => files.length === 0)
  })

  const many = (count: number) => Array.from({ length: count }, (_, index) => field(`x${index}`, "y"))
  const sizes = [
    ["250 more fields", 200, validForm(...many(250))],
    ["300 more fields", 413, validForm(...many(300))],
    ["a field of 64 kB", 200, validForm(field("x", "y".repeat(65_535)))],
    ["a field above 64 kB", 413, validForm(field("x", "y".repeat(65_537)))],
    ["a field name of 5,000 characters", 200, validForm(field("x".repeat(5000), "y"))],
    ["a file of the largest size", 200, form(...fields, file(wav({ samples: 49_978 })))],
    ["a slightly larger file", 413, form(...fields, file(wav({ samples: 49_979 })))]
  ] as const
  it("is 413 above the largest sizes", function* ({ ask, transcribe }) {
    for (const [what, status, body] of sizes) expect((yield* transcribe(body)).status, what).toBe(status)
    yield* ask("DELETE", "/requests")
    yield* eventually(spooled, (files) => files.length === 0)
  })

  const types = [
    [200, "multipart/form-data; boundary=b"],
    [200, 'multipart/form-data; boundary="b"'],
    [200, "Multipart/Form-Data; Boundary=b"],
    [200, "multipart/form-data; charset=utf-8; boundary=b"],
    [400, "multipart/form-data"],
    [400, "multipart/form-data; boundary="],
    [400, 'multipart/form-data; boundary=""'],
    [400, "multipart/form-data; boundary=other"],
    [400, `multipart/form-data; boundary=${"b".repeat(5000)}`],
    ...["multipart/mixed; boundary=b", "multipart/form-data-more; boundary=b", "audio/wav", ""].map(
      (type) => [415, type] as const
    ),
    ...["application/json", "application/x-www-form-urlencoded"].map((type) => [415, type] as const)
  ] as const
  it("is 400 without its boundary, and 415 with another type", function* ({ transcribe }) {
    for (const [status, type] of types) {
      expect((yield* transcribe(validForm(), { "Content-Type": type })).status, type).toBe(status)
    }
  })

  it("with a boundary of 70 characters is accepted", function* ({ transcribe }) {
    const boundary = "x".repeat(70)
    const body = Buffer.from(text(validForm()).replaceAll("--b", `--${boundary}`), "latin1")
    const type = `multipart/form-data; boundary=${boundary}`
    expect((yield* transcribe(body, { "Content-Type": type })).status).toBe(200)
  })

  it("may arrive in two pieces, split anywhere", function* ({ key, raw }) {
    const body = form(...fields, file(wav({ samples: 20 })))
    const head = transcriptionRequest(key, "", { "Content-Length": body.length })
    for (let length = 1; length < body.length; length += 61) {
      const { answer } = yield* raw("stt", [head, body.subarray(0, length), 2, body.subarray(length)])
      expect(answer.status).toBe(200)
    }
  })

  it("that the client aborts leaves no file and costs nothing", function* ({ abandon, key, service, transcribe }) {
    const before = yield* service.accounts.account
    const head = transcriptionRequest(key, "", { "Content-Length": 90_000 })
    for (const body of [Buffer.concat([...fields, file().subarray(0, 5000)]), Buffer.concat(fields), Buffer.alloc(0)]) {
      yield* abandon("stt", [head, body, 50])
    }
    expect(yield* eventually(spooled, (files) => files.length === 0)).toEqual([])
    expect(yield* service.accounts.account).toEqual(before)
    yield* eventually(service.requests, (entries) => entries.slice(-3).every(({ outcome }) => outcome === "abandoned"))
    expect((yield* transcribe(validForm())).status).toBe(200)
  })

  it("is accepted 20 times at once, each with its own file", function* ({ transcribe }) {
    const answers = yield* Effect.all(
      Array.from({ length: 20 }, (_, index) => transcribe(form(...fields, file(wav({ samples: 8000 + index }))))),
      { concurrency: "unbounded" }
    )
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    expect(new Set(answers.map((answer) => answer.json().call_id)).size).toBe(20)
  })
})
