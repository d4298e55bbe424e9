import { type FileHandle, open } from "node:fs/promises"
import type { IncomingHttpHeaders, IncomingMessage } from "node:http"
import { addAbortSignal } from "node:stream"
import * as Container from "@effect-speech/audio-codec/Container"
import { Busboy, type BusboyFileStream } from "@fastify/busboy"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import { formatFieldName, type Problem } from "../http/problems.js"
import { bodyTimeoutProblem, contentEncodingProblem } from "../http/requestBodies.js"
import type { FormFile, KeptForm } from "../journal/details.js"
import type { UploadKeeper } from "../journal/keepUpload.js"
import { clearTimeout, setTimeout } from "../realTime.js"
import { type MemoryShare, TemporaryFiles } from "../recordings/temporaryFiles.js"

/** A multipart form. */
export interface Upload {
  /** In the order of the form. */
  readonly fields: ReadonlyArray<readonly [name: string, value: string]>
  /**
   * The uploaded file: the bytes of a WAV file that is in memory, or the path of another one, which is on disk until the scope closes.
   * `undefined` if the form has none.
   */
  readonly file: Uint8Array | string | undefined
  /** What the form says of the file, and its length. */
  readonly fileFacts: FileFacts | undefined
}

export interface FileFacts extends FormFile {
  readonly byteLength: number
}

export interface UploadLimits {
  /** The largest file, in bytes. */
  readonly maximumFileBytes: number
  /** The longest time without a byte of the body, in milliseconds. */
  readonly idleMillis: number
}

const fieldLimits = { fields: 256, parts: 257, fieldSize: 64 * 1024, headerPairs: 32, headerSize: 16 * 1024 }

/**
 * In bytes. A file on disk costs more than the rest of a call: a short one (16 seconds of telephony) always stays in memory, and half a
 * minute at 16 kHz while there is room.
 */
const inMemory = { always: 256 * 1024, most: 1024 * 1024 }

/** Reads the form of a request: its fields, and one file in the field `fileField`. */
export const readUpload = (
  request: IncomingMessage,
  fileField: string,
  limits: UploadLimits
): Effect.Effect<Upload, Problem, TemporaryFiles | Scope.Scope> =>
  Effect.gen(function* () {
    const contentType = request.headers["content-type"] ?? ""
    if (!/^multipart\/form-data\s*(;|$)/i.test(contentType)) {
      return yield* Effect.fail<Problem>({ status: 415, message: "the body must be multipart/form-data" })
    }
    const encoded = contentEncodingProblem(request)
    if (encoded !== undefined) return yield* Effect.fail(encoded)
    const temporaryFiles = yield* TemporaryFiles
    const files = yield* Scope.make()
    const newPath = () => Effect.runPromise(Scope.extend(temporaryFiles.newPath, files))
    const memory = yield* temporaryFiles.memory(inMemory)
    // Waits for the parser. A file that is still being opened would reappear after its removal.
    let parsing: Promise<unknown> = Promise.resolve()
    yield* Effect.addFinalizer((exit) =>
      Effect.zipRight(
        Effect.promise(() => parsing.catch(() => undefined)),
        Scope.close(files, exit)
      )
    )
    return yield* Effect.tryPromise({
      try: (signal) => {
        const upload = parse(request, { fileField, memory, newPath, signal, ...limits })
        parsing = upload
        return upload
      },
      catch: (error): Problem | Unwritable =>
        error instanceof Refused
          ? error.problem
          : error instanceof Unwritable
            ? error
            : { status: 400, message: "the multipart body is malformed or ends early" }
    }).pipe(Effect.catchIf((problem) => problem instanceof Unwritable, Effect.die))
  })

interface ReadForm extends Omit<KeptForm, "_tag"> {
  /** Whether this is all of the form. */
  readonly isWhole: boolean
}

/** Reads a form that is not worked on. Gives what is before the first error, and `undefined` if it is no form. */
export const readForm = (headers: Readonly<IncomingHttpHeaders>, fileField: string, keeper: UploadKeeper) => {
  const fields: Array<readonly [name: string, value: string]> = []
  const parser = openFieldsParser(headers, fileField)
  let file: FormFile | undefined
  let isBroken = false
  const ended = new Promise<void>((resolve) =>
    parser?.once("finish", resolve).once("error", () => {
      isBroken = true
      resolve()
    })
  )
  parser?.on("field", (name, value, nameTruncated, valueTruncated) => {
    isBroken ||= nameTruncated || valueTruncated
    fields.push([name, value])
  })
  parser?.on("file", (name, stream, fileName, _encoding, mediaType) => {
    stream.on("error", () => undefined)
    if (name !== fileField || file !== undefined) {
      isBroken = true
      return stream.resume()
    }
    file = { fileName, mediaType, fieldsBefore: fields.length }
    keeper.begin(file)
    return stream.on("data", (chunk) => {
      const written = keeper.write(chunk)
      if (written === undefined) return
      stream.pause()
      void written.then(() => stream.resume())
    })
  })
  return {
    /** Wait for the result, if there is one, before you write more. */
    write: (chunk: Uint8Array): Promise<void> | undefined => {
      if (parser?.writable !== true || parser.write(chunk)) return undefined
      return Promise.race([new Promise<void>((next) => parser.once("drain", () => next())), ended])
    },
    end: async (): Promise<ReadForm | undefined> => {
      if (parser === undefined) return undefined
      if (parser.writable) {
        parser.end()
        await ended
      }
      keeper.end(!isBroken)
      return { fields, file, isWhole: !isBroken }
    }
  }
}

/** A parser without a limit of the file. `undefined` if the body is not a form, or has no boundary. */
export const openFieldsParser = (headers: Readonly<IncomingHttpHeaders>, fileField: string) => {
  try {
    return openParser(headers, fileField, Number.POSITIVE_INFINITY)
  } catch {
    return undefined
  }
}

/** Throws if the body is not a form, or has no boundary. */
const openParser = (headers: Readonly<IncomingHttpHeaders>, fileField: string, maximumFileBytes: number) => {
  const parser = new Busboy({
    headers: { ...headers, "content-type": headers["content-type"] ?? "" },
    limits: { ...fieldLimits, files: 1, fileSize: maximumFileBytes },
    isPartAFile: (name, _type, filename) => name === fileField || filename !== undefined
  })
  // An error without a listener would end the process. The parser may emit several.
  parser.on("error", () => undefined)
  return parser
}

class Refused extends Error {
  readonly problem: Problem
  constructor(problem: Problem) {
    super(problem.message)
    this.problem = problem
  }
}

/** The file can't be written to disk: a failure of the service, not of the request. */
class Unwritable extends Error {}

const refuse = (status: number, message: string) => new Refused({ status, message })

interface ParseOptions extends UploadLimits {
  readonly fileField: string
  readonly memory: MemoryShare
  readonly newPath: () => Promise<string>
  readonly signal: AbortSignal
}

const parse = async (request: IncomingMessage, options: ParseOptions): Promise<Upload> => {
  const parser = openParser(request.headers, options.fileField, options.maximumFileBytes)
  const ended = new AbortController()
  const signal = AbortSignal.any([options.signal, ended.signal])
  const fields: Array<readonly [string, string]> = []
  let stored: Promise<StoredFile> | undefined
  let formFile: FormFile | undefined

  const fail = (status: number, message: string) => parser.destroy(refuse(status, message))
  parser.on("field", (name, value, nameTruncated, valueTruncated) => {
    if (nameTruncated || valueTruncated) fail(413, `${formatFieldName(name)} is too long`)
    else fields.push([name, value])
  })
  parser.on("file", (name, stream, fileName, _encoding, mediaType) => {
    if (name !== options.fileField) {
      stream.on("error", () => undefined).resume()
      fail(400, `${formatFieldName(name)} must not be a file`)
      return
    }
    formFile = { fileName, mediaType, fieldsBefore: fields.length }
    stored = storeFile(stream, { ...options, signal })
    stored.catch((error: Error) => parser.destroy(error))
  })
  parser.on("filesLimit", () => fail(400, "the form has more than one file"))
  parser.on("fieldsLimit", () => fail(413, "the form has too many fields"))
  parser.on("partsLimit", () => fail(413, "the form has too many parts"))

  const idle = setTimeout(() => parser.destroy(new Refused(bodyTimeoutProblem(options.idleMillis))), options.idleMillis)
  const onData = () => idle.refresh()
  request.on("data", onData)
  try {
    // `pipeline` would close the connection before the response.
    await new Promise<void>((resolve, reject) => {
      const abort = () => reject(new Error("the request was aborted"))
      parser.once("finish", resolve).once("error", reject)
      request.once("aborted", abort)
      options.signal.addEventListener("abort", abort, { once: true })
      request.pipe(parser)
    })
    const whole = await stored
    return {
      fields,
      file: whole?.file,
      fileFacts: formFile && whole && { ...formFile, byteLength: whole.byteLength }
    }
  } finally {
    clearTimeout(idle)
    request.off("data", onData)
    request.unpipe(parser)
    request.resume()
    ended.abort()
    await stored?.catch(() => undefined)
  }
}

/** The bytes of a WAV file that is in memory, or the path of any other file. */
interface StoredFile {
  readonly file: Uint8Array | string
  readonly byteLength: number
}

const storeFile = async (
  file: BusboyFileStream,
  { maximumFileBytes, memory, newPath, signal }: ParseOptions
): Promise<StoredFile> => {
  let path: string | undefined
  let waiting: Array<Uint8Array> = []
  let length = 0
  let target: FileHandle | undefined
  const write = async () => {
    path ??= await newPath()
    try {
      target ??= await open(path, "wx", 0o600)
      for (const chunk of waiting) await target.writeFile(chunk)
      waiting = []
      memory.release()
      return path
    } catch (cause) {
      throw new Unwritable("the upload can't be written", { cause })
    }
  }
  try {
    for await (const chunk of addAbortSignal(signal, file)) {
      waiting.push(chunk)
      length += chunk.length
      if (target !== undefined || !memory.fits(chunk.length)) await write()
    }
    if (file.truncated) throw refuse(413, `the file is larger than ${maximumFileBytes} bytes`)
    const whole = Buffer.concat(waiting)
    if (target === undefined && Option.contains(Container.sniff(whole), "wav"))
      return { file: whole, byteLength: length }
    // The decoders of other containers read a file.
    return { file: await write(), byteLength: length }
  } finally {
    await target?.close()
  }
}
