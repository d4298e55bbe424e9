import { createWriteStream } from "node:fs"
import type { IncomingMessage } from "node:http"
import { pipeline } from "node:stream/promises"
import * as FileSystem from "@effect/platform/FileSystem"
import { Busboy, type BusboyFileStream } from "@fastify/busboy"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** A multipart request, its file spooled to disk until the scope closes. */
export interface Upload {
  readonly fields: ReadonlyMap<string, string>
  readonly file: { readonly path: string; readonly byteLength: number } | undefined
}

/** What is wrong with a request body, and the status for it. */
export interface UploadProblem {
  readonly status: 400 | 413 | 415
  readonly problem: string
}

export interface UploadLimits {
  /** Of the file, in bytes. */
  readonly maximumFileBytes: number
}

const fieldLimits = { fields: 32, parts: 33, fieldSize: 64 * 1024, headerPairs: 32, headerSize: 16 * 1024 }

/** Reads the form of a request: each field once, and one file, in the field that is named. */
export const readUpload = (
  request: IncomingMessage,
  fileField: string,
  limits: UploadLimits
): Effect.Effect<Upload, UploadProblem, FileSystem.FileSystem | Scope.Scope> =>
  Effect.gen(function* () {
    const contentType = request.headers["content-type"] ?? ""
    if (!/^multipart\/form-data\s*(;|$)/i.test(contentType)) {
      return yield* Effect.fail<UploadProblem>({ status: 415, problem: "the body must be multipart/form-data" })
    }
    const fs = yield* FileSystem.FileSystem
    const directory = yield* Effect.orDie(fs.makeTempDirectoryScoped({ prefix: "effect-speech-upload-" }))
    return yield* Effect.tryPromise({
      try: (signal) => parse(request, contentType, { fileField, path: `${directory}/recording`, signal, ...limits }),
      catch: (error): UploadProblem =>
        error instanceof Refused
          ? error.because
          : { status: 400, problem: "the multipart body is malformed or ends early" }
    })
  })

class Refused extends Error {
  readonly because: UploadProblem
  constructor(because: UploadProblem) {
    super(because.problem)
    this.because = because
  }
}

const refuse = (status: UploadProblem["status"], problem: string) => new Refused({ status, problem })

interface ParseOptions extends UploadLimits {
  readonly fileField: string
  readonly path: string
  readonly signal: AbortSignal
}

const parse = async (request: IncomingMessage, contentType: string, options: ParseOptions): Promise<Upload> => {
  const parser = new Busboy({
    headers: { ...request.headers, "content-type": contentType },
    limits: { ...fieldLimits, files: 1, fileSize: options.maximumFileBytes },
    isPartAFile: (name, _type, filename) => name === options.fileField || filename !== undefined
  })
  // The parser may fail more than once, and only the first time is waited for.
  parser.on("error", () => undefined)
  const ended = new AbortController()
  const signal = AbortSignal.any([options.signal, ended.signal])
  const fields = new Map<string, string>()
  let spooled: Promise<number> | undefined

  const fail = (status: UploadProblem["status"], problem: string) => parser.destroy(refuse(status, problem))
  parser.on("field", (name, value, nameTruncated, valueTruncated) => {
    if (fields.has(name)) fail(400, `${name} is given twice`)
    else if (nameTruncated || valueTruncated) fail(413, `${name} is too long`)
    else fields.set(name, value)
  })
  parser.on("file", (name, stream) => {
    if (name !== options.fileField) {
      stream.on("error", () => undefined).resume()
      fail(400, `${name} must not be a file`)
      return
    }
    spooled = spool(stream, { ...options, signal })
    spooled.catch((error: Error) => parser.destroy(error))
  })
  parser.on("filesLimit", () => fail(400, "more than one file is given"))
  parser.on("fieldsLimit", () => fail(413, "too many fields are given"))
  parser.on("partsLimit", () => fail(413, "too many parts are given"))

  try {
    // Not `pipeline`, which would close the connection before the answer that says what is wrong.
    await new Promise<void>((resolve, reject) => {
      const gone = () => reject(new Error("the request was given up"))
      parser.once("finish", resolve).once("error", reject)
      request.once("aborted", gone)
      options.signal.addEventListener("abort", gone, { once: true })
      request.pipe(parser)
    })
    const byteLength = await spooled
    return { fields, file: byteLength === undefined ? undefined : { path: options.path, byteLength } }
  } finally {
    request.unpipe(parser)
    request.resume()
    ended.abort()
  }
}

const spool = async (file: BusboyFileStream, { maximumFileBytes, path, signal }: ParseOptions): Promise<number> => {
  const written = createWriteStream(path, { flags: "wx" })
  await pipeline(file, written, { signal })
  if (file.truncated) throw refuse(413, `the file is larger than ${maximumFileBytes} bytes`)
  return written.bytesWritten
}
