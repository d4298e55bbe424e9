import { deepStrictEqual } from "node:assert"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { sniff } from "@effect-speech/audio-codec/Container"
import { AudioSource } from "@effect-speech/stt"
import { SpeechToText } from "@effect-speech/stt/SpeechToText"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { loopback } from "effect-speech-test-support/loopback"
import { send } from "effect-speech-test-support/plainHttp"
import { cutAt } from "../../packages/audio-codec/test/wavArbitrary.js"
import { readUpload } from "../../packages/local-service/src/internal/contract/multipartUpload.js"
import type { Problem } from "../../packages/local-service/src/internal/http/problems.js"
import {
  makeTemporaryFiles,
  TemporaryFiles
} from "../../packages/local-service/src/internal/recordings/temporaryFiles.js"
import { filePartOf } from "../../packages/stt/src/internal/filePart.js"
import { anyString, bytesUpTo, isWellFormed, joined, pieceSizes, recordOf, wellFormedString } from "./arbitraries.js"
import { law, runnerOf, type Topic, temporaryFolder } from "./law.js"

/** A form as it arrived, and what the reader of the local service returned for it. */
interface Read {
  readonly contentType: string
  readonly announced: string | undefined
  readonly body: Buffer
  readonly fields?: ReadonlyArray<readonly [name: string, value: string]>
  readonly file?: Buffer | undefined
  readonly problem?: Problem
}

/** An HTTP server that reads forms as the local service does. */
const formReader = Effect.gen(function* () {
  const folder = yield* temporaryFolder
  const temporaryFiles = yield* Effect.provide(makeTemporaryFiles(folder), NodeFileSystem.layer)
  let last: Read | undefined
  const server = createServer(async (request, response) => {
    const parts: Array<Buffer> = []
    // A paused request starts when it is read, so that the listener takes nothing away.
    request.pause().on("data", (part) => parts.push(part))
    const ended = new Promise((resolve) => request.once("end", resolve))
    const read = await readUpload(request, "audio_file", { maximumFileBytes: 1e9, idleMillis: 10_000 }).pipe(
      Effect.map(({ fields, file }) => ({
        fields,
        file: typeof file === "string" ? readFileSync(file) : file && Buffer.from(file)
      })),
      Effect.catchAll((problem) => Effect.succeed({ problem })),
      Effect.scoped,
      Effect.provideService(TemporaryFiles, temporaryFiles),
      Effect.runPromise
    )
    request.resume()
    await ended
    const { "content-length": announced, "content-type": contentType = "" } = request.headers
    last = { contentType, announced, body: Buffer.concat(parts), ...read }
    response.setHeader("content-type", "application/json").end('{"status":"success","text":"","call_id":"x"}')
  })
  const { url } = yield* loopback(server)
  return {
    url,
    folder,
    /** Returns the last form, once. */
    last: (): Read => {
      const read = last
      last = undefined
      if (read === undefined) throw new Error("no form arrived")
      const left = readdirSync(folder).filter((name) => name !== "recording")
      if (left.length > 0) throw new Error("a file was not removed")
      return read
    }
  }
})

/** Parts of a body that look like a delimiter. */
const delimiters = [
  "\r\n--",
  "--",
  "\r\n",
  "\r",
  "\n",
  "--\r\n",
  "effect-speech-",
  "\r\n\r\n",
  "\r\n--effect-speech-",
  "\r\n--b"
]

const content = joined(12, bytesUpTo(40), FastCheck.constantFrom(...delimiters))

const requestFields = FastCheck.record({
  model: wellFormedString.filter((model) => model.trim() !== ""),
  aux: FastCheck.boolean(),
  hotwords: FastCheck.array(FastCheck.record({ phrase: wellFormedString.filter((phrase) => phrase !== "") }), {
    maxLength: 3
  }),
  additionalFields: recordOf(
    FastCheck.oneof(
      wellFormedString,
      content.map((bytes) => bytes.toString("latin1"))
    ),
    FastCheck.stringMatching(/^[!#-[\]-~]{1,20}$/).filter(
      (name) => !["model", "transaction_id", "audio_file", "aux", "parse_number", "hotwords"].includes(name)
    )
  )
})

const kinds = ["bytes", "blob", "path", "stream", "stream of known length"] as const

/** Field names as `fetch` reads them: it decodes three escapes of HTML. A lone surrogate is replaced. */
const unescaped = (name: string) => name.replace(/%(22|0A|0D)/g, decodeURIComponent)
const asSent = (name: string) =>
  Array.from(name, (character) => {
    if (!isWellFormed(character)) return "\ufffd"
    return /[\p{Cc}\\]/u.test(character) ? encodeURIComponent(character) : character
  }).join("")

const transactionId = "7f3c0f3e-1b2a-4c5d-8e9f-0a1b2c3d4e5f"

const boundaryCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'()+_,-./:=?"

/** A form of another client, with all the freedom of RFC 2046 and RFC 7578. */
const foreignForm = FastCheck.record({
  boundary: FastCheck.oneof(
    FastCheck.string({ unit: FastCheck.constantFrom(...boundaryCharacters), minLength: 1, maxLength: 70 }),
    FastCheck.constantFrom("-", "--", "b", "----WebKitFormBoundary7MA4YWxkTrZu0gW", "=_b", "a".repeat(70))
  ),
  isQuoted: FastCheck.boolean(),
  preamble: FastCheck.constantFrom("", "\r\n", "This is a form.\r\n", "--\r\n"),
  epilogue: FastCheck.constantFrom("", "\r\n", "\r\nThat was it.", "\r\n\r\n"),
  disposition: FastCheck.constantFrom("Content-Disposition: form-data", "content-disposition:Form-Data"),
  extra: FastCheck.constantFrom("", "X-Other: 1\r\n", "Content-Length: 3\r\n", "Content-Transfer-Encoding: binary\r\n"),
  fields: FastCheck.array(FastCheck.tuple(FastCheck.stringMatching(/^[A-Za-z0-9_.[\]-]{1,20}$/), wellFormedString), {
    maxLength: 5
  }),
  file: content,
  place: FastCheck.nat(5),
  mediaType: FastCheck.constantFrom("", "Content-Type: audio/wav\r\n", "content-type: application/octet-stream\r\n"),
  sizes: pieceSizes
})

type Foreign = typeof foreignForm extends FastCheck.Arbitrary<infer Form> ? Form : never
type Reader = Effect.Effect.Success<typeof formReader>

/** A form of another client, with its boundary as the header has it. `undefined` if a part holds the delimiter. */
const bytesOf = ({ boundary, disposition, epilogue, extra, preamble, ...form }: Foreign): Buffer | undefined => {
  const contents = [form.file.toString("latin1"), ...form.fields.map(([, value]) => value)]
  if (contents.some((content) => `\r\n${content}`.includes(`\r\n--${boundary}`))) return undefined
  const part = (parameters: string, content: Uint8Array) => [
    Buffer.from(`--${boundary}\r\n${extra}${disposition}; ${parameters}\r\n\r\n`),
    content,
    Buffer.from("\r\n")
  ]
  const parts = form.fields.map(([name, value]) => part(`name="${name}"`, Buffer.from(value)))
  const mediaType = `\r\n${form.mediaType}`.trimEnd()
  const file = part(`name="audio_file"; filename="a"${mediaType}`, form.file)
  const end = Buffer.from(`--${boundary}--${epilogue}`)
  return Buffer.concat([Buffer.from(preamble), ...parts.toSpliced(form.place, 0, file).flat(), end])
}

const readAsWritten = (reader: Reader) =>
  law(
    20,
    FastCheck.asyncProperty(foreignForm, async (form) => {
      const { boundary, fields, file, sizes } = form
      const body = bytesOf(form)
      FastCheck.pre(body !== undefined)
      const quoted = form.isQuoted || /[^A-Za-z0-9'+_.-]/.test(boundary) ? `"${boundary}"` : boundary
      const headers = { "content-type": `multipart/form-data; boundary=${quoted}` }
      await send(reader.url, { headers, body: cutAt(body, sizes) })
      const read = reader.last()
      if (read.problem !== undefined) throw new Error(`${read.problem.message}: ${body.toString("latin1")}`)
      deepStrictEqual(read.fields, fields)
      deepStrictEqual(read.file?.toString("latin1"), file.toString("latin1"))
    })
  )

const filenames = FastCheck.oneof(
  anyString,
  FastCheck.constantFrom("call.wav", "..", "a\\", 'a".wav', "%22", "a;b.mp3")
)

const sentAsGiven = Effect.fn(function* (reader: Reader) {
  const path = join(reader.folder, "recording")
  const run = yield* runnerOf(Layer.merge(NodeTransport.layer, NodeFileSystem.layer))
  const options = { apiKey: Redacted.make("prefix.secret"), baseUrl: reader.url, retries: 0 }
  const stt = yield* Effect.promise(() => run(SpeechToText.make(options)))
  return law(
    20,
    FastCheck.asyncProperty(
      requestFields,
      filenames,
      content.filter(({ byteLength }) => byteLength > 0),
      FastCheck.constantFrom(...kinds),
      pieceSizes,
      async (fields, filename, bytes, kind, sizes) => {
        const stream = Stream.fromIterable(cutAt(bytes, sizes))
        if (kind === "path") writeFileSync(path, bytes)
        const audio = {
          bytes: () => AudioSource.fromBytes(bytes, { filename }),
          blob: () => AudioSource.fromBlob(new Blob([Uint8Array.from(bytes)]), { filename }),
          path: () => AudioSource.fromPath(path),
          stream: () => AudioSource.fromStream(stream, { filename }),
          "stream of known length": () => AudioSource.fromOneShotStream(stream, { filename, byteLength: bytes.length })
        }[kind]()
        await run(stt.transcribe({ ...fields, audio, transactionId }))

        const read = reader.last()
        if (read.problem !== undefined) throw new Error(read.problem.message)
        const announced = kind === "stream" ? undefined : String(read.body.length)
        deepStrictEqual(read.announced, announced, "the announced length")
        const { additionalFields, aux, hotwords, model } = fields
        const own = { model, transaction_id: transactionId, aux: String(aux), hotwords: JSON.stringify(hotwords) }
        const expected = [...Object.entries(own), ...Object.entries(additionalFields)]
        deepStrictEqual(read.fields, expected, "the fields for the reader of the service")
        deepStrictEqual(read.file?.equals(bytes), true, "the file for the reader of the service")

        const headers = { "content-type": read.contentType }
        const form = await new Response(new Uint8Array(read.body), { headers }).formData()
        const file = form.get("audio_file") as File
        deepStrictEqual(Buffer.from(await file.arrayBuffer()).equals(bytes), true, "the file for fetch")
        const called = filePartOf(kind === "path" ? "recording" : filename, Option.getOrUndefined(sniff(bytes)))
        deepStrictEqual(file.name, unescaped(asSent(called.filename)))
        const found = [...form].filter(([name]) => name !== "audio_file")
        deepStrictEqual(
          found,
          expected.map(([name, value]) => [unescaped(name), value])
        )
      }
    )
  )
})

export const formLaws: Topic = Effect.gen(function* () {
  const reader = yield* formReader
  return {
    "two independent readers get a form as it was given, for any recording from any source": yield* sentAsGiven(reader),
    "any well-formed form is read as it was written, in pieces of any size": readAsWritten(reader)
  }
})
