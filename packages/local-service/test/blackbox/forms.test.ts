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
  formType,
  message,
  model,
  rawPart,
  transactionId,
  validForm,
  wav
} from "./support/messages.js"
import { cannedService, eventually, serviceTests } from "./support/service.js"

// The services of other files spool at the same time, and what they leave for a moment is none of this one's.
const folder = mkdtempSync(`${tmpdir()}/forms-`)
vi.stubEnv("TMPDIR", folder)
afterAll(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true })
})
const spooled = Effect.sync(() =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
)

const text = (body: Uint8Array) => Buffer.from(body).toString("latin1")
const disposition = (rest: string) => `Content-Disposition: form-data; ${rest}`

const id = field("transaction_id", transactionId)
const withModel = (head: string) => form(rawPart(head, model), id, file())
const named = (rest: string) => form(...fields, file(wav(), rest))

serviceTests("a form", cannedService({ maximumUploadBytes: 100_000 }), (it) => {
  it.each([
    { what: "a file called ..", body: named('; filename=".."') },
    { what: "a file called by a path", body: named('; filename="../../../etc/passwd"') },
    { what: "a file called by a path of Windows", body: named('; filename="C:\\\\a\\\\b.wav"') },
    { what: "a file called nothing", body: named('; filename=""') },
    { what: "a file without a name", body: named("") },
    { what: "a file with a NUL in its name", body: named('; filename="a\0.wav"') },
    { what: "a file with 10,000 characters in its name", body: named(`; filename="${"x".repeat(10_000)}"`) },
    { what: "a file with its name in UTF-8", body: named('; filename="आवाज़.wav"') },
    { what: "a file with an extended name", body: named("; filename*=UTF-8''%e0%a4%86.wav") },
    { what: "a file with both kinds of name", body: named("; filename=\"a.wav\"; filename*=UTF-8''b.wav") },
    { what: "a file with a name that is not in quotes", body: named("; filename=a.wav") },
    {
      what: "a file of a type that is none",
      body: form(...fields, rawPart(`${disposition('name="audio_file"; filename="a"')}\r\nContent-Type: x`, wav()))
    },
    {
      what: "a file that says it is text",
      body: form(
        ...fields,
        rawPart(`${disposition('name="audio_file"; filename="a"')}\r\nContent-Type: text/plain`, wav())
      )
    },
    {
      what: "a field with a charset",
      body: withModel(`${disposition('name="model"')}\r\nContent-Type: text/plain; charset=utf-8`)
    },
    { what: "names that are not in quotes", body: withModel(disposition("name=model")) },
    { what: "heads in another case", body: withModel('content-disposition: FORM-DATA; NAME="model"') },
    { what: "more heads in a part", body: withModel(`X-A: b\r\n${disposition('name="model"')}\r\nX-C: d`) },
    { what: "a preamble", body: Buffer.concat([Buffer.from("preamble\r\n"), validForm()]) },
    { what: "an epilogue", body: Buffer.concat([validForm(), Buffer.from("epilogue\r\n--b\r\nmore")]) },
    { what: "no line break at its end", body: validForm().subarray(0, -2) },
    { what: "a part without a name, which is nobody's", body: validForm(rawPart("X: y", "z")) },
    { what: "a boundary in the middle of a line", body: validForm(field("other", "a--b--c")) }
  ])("with $what is taken", function* ({ transcribe }, { body }) {
    const answer = yield* transcribe(body)
    expect([answer.status, answer.json().message]).toEqual([200, undefined])
  })

  it.each([
    ...["model", "transaction_id"].map((name) => ({
      what: `${name} twice`,
      body: validForm(field(name, name === "model" ? model : transactionId)),
      message: `${name} is given twice`
    })),
    {
      what: "a field twice that nobody knows",
      body: validForm(field("x", "1"), field("x", "2")),
      message: "x is given twice"
    },
    { what: "two files", body: validForm(file()), message: "more than one file" },
    {
      what: "a second file under another name",
      body: validForm(rawPart(disposition('name="other"; filename="a.wav"'), wav())),
      message: ""
    },
    {
      what: "a file in a field that is not for one",
      body: form(...fields, rawPart(disposition('name="aux"; filename="a"'), "true")),
      message: "aux must not be a file"
    },
    {
      what: "a form in a form",
      body: form(
        ...fields,
        rawPart(
          `${disposition('name="audio_file"')}\r\nContent-Type: multipart/mixed; boundary=c`,
          '--c\r\nContent-Disposition: file; filename="a.wav"\r\n\r\nRIFF\r\n--c--'
        )
      ),
      message: "audio_file"
    },
    { what: "nothing in it", body: form(), message: "" },
    { what: "parts without names alone", body: form(rawPart("X: y", "z")), message: "" },
    { what: "no body at all", body: "", message: "" },
    { what: "line feeds alone", body: text(validForm()).replaceAll("\r\n", "\n"), message: "" },
    { what: "a head that does not end", body: `--b\r\n${disposition('name="model"')}`, message: "" },
    { what: "an end in the middle of a file", body: Buffer.concat([...fields, file().subarray(0, 200)]), message: "" },
    { what: "an end after a file", body: Buffer.concat([...fields, file()]), message: "" },
    { what: "an end in a part of no name", body: "--b\r\nX: y\r\n\r\nx", message: "" },
    { what: "an end in a field", body: field("model", "hi").subarray(0, -2), message: "" },
    { what: "an end in its last boundary", body: validForm().subarray(0, -4), message: "" },
    { what: "an end in the middle of a boundary", body: "--", message: "" },
    {
      what: "binary noise",
      body: Buffer.from(Array.from({ length: 5000 }, (_, index) => (index * 7919) % 256)),
      message: ""
    },
    {
      what: "endless heads in a part",
      body: form(...fields, rawPart(`X: ${"y".repeat(2_000_000)}\r\n${disposition('name="audio_file"')}`, wav())),
      message: ""
    }
  ])("with $what is 400, and the service goes on", function* ({ transcribe }, { body, message }) {
    const answer = yield* transcribe(body)
    expect(answer.status).toBe(400)
    expect(answer.json()).toEqual({
      status: "error",
      error: "bad request",
      message: expect.stringContaining(message)
    })
    expect((yield* transcribe(validForm())).status).toBe(200)
    expect(yield* eventually(spooled, (files) => files.length === 0)).toEqual([])
  })

  const many = (count: number) => Array.from({ length: count }, (_, index) => field(`x${index}`, "y"))
  it.each([
    { what: "250 more fields", body: validForm(...many(250)), status: 200 },
    { what: "300 more fields", body: validForm(...many(300)), status: 413 },
    { what: "5,000 more fields", body: validForm(...many(5000)), status: 413 },
    { what: "a field of 64 kB", body: validForm(field("x", "y".repeat(65_535))), status: 200 },
    { what: "a field of more than 64 kB", body: validForm(field("x", "y".repeat(65_537))), status: 413 },
    { what: "a field with 5,000 characters in its name", body: validForm(field("x".repeat(5000), "y")), status: 200 },
    { what: "a file of the largest size", body: form(...fields, file(wav({ samples: 49_978 }))), status: 200 },
    { what: "a file that is a little larger", body: form(...fields, file(wav({ samples: 49_979 }))), status: 413 },
    { what: "a file that is much larger", body: form(...fields, file(wav({ samples: 5_000_000 }))), status: 413 }
  ])("with $what is $status", function* ({ transcribe }, { body, status }) {
    expect((yield* transcribe(body)).status).toBe(status)
    expect(yield* eventually(spooled, (files) => files.length === 0)).toEqual([])
  })

  it.each([
    { type: "multipart/form-data; boundary=b", status: 200 },
    { type: 'multipart/form-data; boundary="b"', status: 200 },
    { type: "Multipart/Form-Data; Boundary=b", status: 200 },
    { type: "multipart/form-data; charset=utf-8; boundary=b", status: 200 },
    { type: "multipart/form-data", status: 400 },
    { type: "multipart/form-data; boundary=", status: 400 },
    { type: 'multipart/form-data; boundary=""', status: 400 },
    { type: "multipart/form-data; boundary=other", status: 400 },
    { type: `multipart/form-data; boundary=${"b".repeat(5000)}`, status: 400 },
    { type: "multipart/mixed; boundary=b", status: 415 },
    { type: "multipart/form-data-more; boundary=b", status: 415 },
    { type: "application/json", status: 415 },
    { type: "application/x-www-form-urlencoded", status: 415 },
    { type: "audio/wav", status: 415 },
    { type: "", status: 415 }
  ])("that is $type is $status", function* ({ transcribe }, { status, type }) {
    expect((yield* transcribe(validForm(), { "Content-Type": type })).status).toBe(status)
  })

  it("of a boundary of 70 characters is taken", function* ({ transcribe }) {
    const boundary = "x".repeat(70)
    const body = Buffer.from(text(validForm()).replaceAll("--b", `--${boundary}`), "latin1")
    const type = `multipart/form-data; boundary=${boundary}`
    expect((yield* transcribe(body, { "Content-Type": type })).status).toBe(200)
  })

  it("may come in any pieces", function* ({ key, raw }) {
    const body = form(...fields, file(wav({ samples: 20 })))
    const headers = { Host: "127.0.0.1", "X-Api-Key": key, "Content-Type": formType, "Content-Length": body.length }
    const head = message("POST /api/transcribe HTTP/1.1", headers)
    for (let length = 1; length < body.length; length += 23) {
      const { answer } = yield* raw("stt", [head, body.subarray(0, length), 2, body.subarray(length)])
      expect(answer.status).toBe(200)
    }
  })

  it("that is given up leaves no file behind, and nothing to pay", function* ({ abandon, key, service, transcribe }) {
    const before = yield* service.accounts.account
    const headers = { Host: "127.0.0.1", "X-Api-Key": key, "Content-Type": formType, "Content-Length": 90_000 }
    const head = message("POST /api/transcribe HTTP/1.1", headers)
    for (const body of [Buffer.concat([...fields, file().subarray(0, 5000)]), Buffer.concat(fields), Buffer.alloc(0)]) {
      yield* abandon("stt", [head, body, 50])
    }
    expect(yield* eventually(spooled, (files) => files.length === 0)).toEqual([])
    expect(yield* service.accounts.account).toEqual(before)
    yield* eventually(service.requests, (entries) => entries.slice(-3).every(({ outcome }) => outcome === "abandoned"))
    expect((yield* transcribe(validForm())).status).toBe(200)
  })

  it("is one of 20 at once, and each has its own file", function* ({ transcribe }) {
    const answers = yield* Effect.all(
      Array.from({ length: 20 }, (_, index) => transcribe(form(...fields, file(wav({ samples: 8000 + index }))))),
      { concurrency: "unbounded" }
    )
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    expect(new Set(answers.map((answer) => answer.json().call_id)).size).toBe(20)
  })
})
