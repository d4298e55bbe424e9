import { createWriteStream } from "node:fs"
import type { IncomingMessage } from "node:http"
import { pipeline } from "node:stream/promises"
import { Busboy, type BusboyFileStream } from "@fastify/busboy"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { Spool } from "../state/temporaryFiles.js"
import { encodedBody, nameOf, type Problem, tooSlow } from "./requests.js"

/** A multipart request, its file spooled to disk until the scope closes. */
export interface Upload {
  /** In the order in which they came. */
  readonly fields: ReadonlyArray<readonly [name: string, value: string]>
  /** Its path, where there is one. */
  readonly file: string | undefined
}

export interface UploadLimits {
  /** Of the file, in bytes. */
  readonly maximumFileBytes: number
  /** How long nothing may come of the body, in milliseconds. */
  readonly idleMillis: number
}

const fieldLimits = { fields: 256, parts: 257, fieldSize: 64 * 1024, headerPairs: 32, headerSize: 16 * 1024 }

/** Reads the form of a request: fields, and one file, in the field that is named. */
export const readUpload = (
  request: IncomingMessage,
  fileField: string,
  limits: UploadLimits
): Effect.Effect<Upload, Problem, Spool | Scope.Scope> =>
  Effect.gen(function* () {
    const contentType = request.headers["content-type"] ?? ""
    if (!/^multipart\/form-data\s*(;|$)/i.test(contentType)) {
      return yield* Effect.fail<Problem>({ status: 415, message: "the body must be multipart/form-data" })
    }
    const encoded = encodedBody(request)
    if (encoded !== undefined) return yield* Effect.fail(encoded)
    const spool = yield* Spool
    const path = yield* spool.path
    // A file that is still being opened would be there again after it was removed.
    let parsing: Promise<unknown> = Promise.resolve()
    yield* Effect.addFinalizer(() => Effect.promise(() => parsing.catch(() => undefined)))
    return yield* Effect.tryPromise({
      try: (signal) => {
        const upload = parse(request, contentType, { fileField, path, signal, ...limits })
        parsing = upload
        return upload
      },
      catch: (error): Problem | Unwritable =>
        error instanceof Refused
          ? error.because
          : error instanceof Unwritable
            ? error
            : { status: 400, message: "the multipart body is malformed or ends early" }
    }).pipe(Effect.catchIf((problem) => problem instanceof Unwritable, Effect.die))
  })

class Refused extends Error {
  readonly because: Problem
  constructor(because: Problem) {
    super(because.message)
    this.because = because
  }
}

/** The disk does not take the file, which is nobody's fault who sent it. */
class Unwritable extends Error {}

const refuse = (status: number, message: string) => new Refused({ status, message })

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
  const fields: Array<readonly [string, string]> = []
  let spooled: Promise<void> | undefined

  const fail = (status: number, message: string) => parser.destroy(refuse(status, message))
  parser.on("field", (name, value, nameTruncated, valueTruncated) => {
    if (nameTruncated || valueTruncated) fail(413, `${nameOf(name)} is too long`)
    else fields.push([name, value])
  })
  parser.on("file", (name, stream) => {
    if (name !== options.fileField) {
      stream.on("error", () => undefined).resume()
      fail(400, `${nameOf(name)} must not be a file`)
      return
    }
    spooled = spool(stream, { ...options, signal })
    spooled.catch((error: Error) => parser.destroy(error))
  })
  parser.on("filesLimit", () => fail(400, "more than one file is given"))
  parser.on("fieldsLimit", () => fail(413, "too many fields are given"))
  parser.on("partsLimit", () => fail(413, "too many parts are given"))

  const idle = setTimeout(() => parser.destroy(new Refused(tooSlow(options.idleMillis))), options.idleMillis)
  const came = () => idle.refresh()
  request.on("data", came)
  try {
    // Not `pipeline`, which would close the connection before the answer that says what is wrong.
    await new Promise<void>((resolve, reject) => {
      const gone = () => reject(new Error("the request was given up"))
      parser.once("finish", resolve).once("error", reject)
      request.once("aborted", gone)
      options.signal.addEventListener("abort", gone, { once: true })
      request.pipe(parser)
    })
    await spooled
    return { fields, file: spooled === undefined ? undefined : options.path }
  } finally {
    clearTimeout(idle)
    request.off("data", came)
    request.unpipe(parser)
    request.resume()
    ended.abort()
    await spooled?.catch(() => undefined)
  }
}

const spool = async (file: BusboyFileStream, { maximumFileBytes, path, signal }: ParseOptions): Promise<void> => {
  const written = createWriteStream(path, { flags: "wx" })
  const closed = new Promise<void>((resolve) => written.once("close", () => resolve()))
  let unwritable: Unwritable | undefined
  // Of the system's own errors alone: the end of the body before its time is one of the stream too.
  written.once("error", (error: NodeJS.ErrnoException) => {
    if (error.syscall !== undefined) unwritable = new Unwritable("the upload can't be kept", { cause: error })
  })
  try {
    await pipeline(file, written, { signal })
  } catch (error) {
    throw unwritable ?? error
  } finally {
    await closed
  }
  if (file.truncated) throw refuse(413, `the file is larger than ${maximumFileBytes} bytes`)
}
