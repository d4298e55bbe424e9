import type { IncomingHttpHeaders } from "node:http"
import { addAbortSignal } from "node:stream"
import * as Contract from "@effect-speech/stt/SttContract"
import type { BusboyFileStream } from "@fastify/busboy"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import type { OperationName } from "../../OperationName.js"
import { openFieldsParser } from "../contract/multipartUpload.js"
import { maximumBodyBytes } from "../contract/synthesis.js"
import { toForm } from "../contract/transcriptionForm.js"
import { badRequest, formatFieldName, type Problem } from "../http/problems.js"
import type { FormFile, KeptBody } from "../journal/details.js"
import type { UploadKeeper } from "../journal/keepUpload.js"
import type { Contents } from "./contents.js"
import { fieldsOfForm, type RequestContent, sortKeys } from "./identity.js"

/** What was read of a request, beside its audio. */
export interface ReadRequest extends Pick<RequestContent, "fields"> {
  /** The fields for the journal. */
  readonly journalFields: Readonly<Record<string, unknown>>
  /** The body, as the journal keeps it. */
  readonly body: KeptBody
  /** The recording, if there is one. */
  readonly audio: { readonly filename: string | undefined } | undefined
}

/** Reads a body while it passes. */
export interface RequestReader extends Contents {
  /** What was read, or why it can't be read. Run it after the whole body. */
  readonly end: () => Promise<ReadRequest | Problem>
}

export const isProblem = (read: ReadRequest | Problem): read is Problem => "status" in read

/** A reader of the requests of an operation. The bytes of the recording go to `audio` and to `keeper`. */
export const makeRequestReader = (
  operation: OperationName,
  headers: Readonly<IncomingHttpHeaders>,
  audio: Contents,
  keeper: UploadKeeper
): RequestReader => (operation === "synthesize" ? jsonReader() : formReader(headers, audio, keeper))

const jsonReader = (): RequestReader => {
  const chunks: Array<Uint8Array> = []
  let length = 0
  return {
    write: async (chunk) => {
      length += chunk.length
      if (length <= maximumBodyBytes) chunks.push(chunk)
    },
    end: async () => {
      if (length > maximumBodyBytes)
        return { status: 413, message: `the body is larger than ${maximumBodyBytes} bytes` }
      const bytes = Buffer.concat(chunks)
      try {
        const json: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes))
        // Sorting fails if the value is nested too deep.
        if (Predicate.isRecord(json) && sortKeys(json)) {
          return { fields: json, journalFields: json, body: { _tag: "Json", bytes }, audio: undefined }
        }
      } catch {
        // As below.
      }
      return badRequest("the body is not a JSON object in UTF-8")
    }
  }
}

const noForm: Problem = { status: 415, message: "the body must be multipart/form-data" }

const formReader = (headers: Readonly<IncomingHttpHeaders>, audio: Contents, keeper: UploadKeeper): RequestReader => {
  const parser = openFieldsParser(headers, Contract.field.audioFile)
  if (parser === undefined) return { write: async () => undefined, end: async () => noForm }
  let problem: Problem | undefined
  let formFile: FormFile | undefined
  let file: Promise<void> | undefined
  const list: Array<readonly [string, string]> = []
  const broken = new AbortController()
  const fail = (message: string) => {
    problem ??= badRequest(message)
  }
  parser.on("field", (name, value, nameTruncated, valueTruncated) => {
    if (nameTruncated || valueTruncated) fail(`${formatFieldName(name)} is too long`)
    else list.push([name, value])
  })
  parser.on("file", (name, stream, fileName, _encoding, mediaType) => {
    if (name !== Contract.field.audioFile) {
      fail(`${formatFieldName(name)} must not be a file`)
      stream.on("error", () => undefined).resume()
      return
    }
    formFile = { fileName, mediaType, fieldsBefore: list.length }
    keeper.begin(formFile)
    file = pass(addAbortSignal(broken.signal, stream), audio, keeper)
    file.catch(() => fail(malformed))
  })
  parser.on("filesLimit", () => fail("the form has more than one file"))
  parser.on("fieldsLimit", () => fail("the form has too many fields"))
  parser.on("partsLimit", () => fail("the form has too many parts"))
  const ended = new Promise<void>((resolve) =>
    parser.once("finish", resolve).once("error", () => {
      fail(malformed)
      // The parser may have left the file open.
      broken.abort()
      resolve()
    })
  )
  return {
    write: async (chunk) => {
      if (!parser.writable || parser.write(chunk)) return
      await Promise.race([new Promise((next) => parser.once("drain", next)), ended])
    },
    end: async () => {
      if (parser.writable) parser.end()
      await ended
      await file?.catch(() => undefined)
      keeper.end(problem === undefined)
      if (problem !== undefined) return problem
      const journalFields = Option.getOrElse(Effect.runSync(Effect.option(toForm(list))), () =>
        Object.fromEntries(list)
      )
      const body = { _tag: "Form", fields: list, file: formFile } as const
      return { fields: fieldsOfForm(list), journalFields, body, audio: formFile && { filename: formFile.fileName } }
    }
  }
}

const malformed = "the multipart body is malformed or ends early"

const pass = async (stream: BusboyFileStream, audio: Contents, keeper: UploadKeeper): Promise<void> => {
  for await (const chunk of stream) {
    await audio.write(chunk)
    await keeper.write(chunk)
  }
}
