import { existsSync } from "node:fs"
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { codeOrName } from "@effect-speech/common/SystemCode"
import * as Effect from "effect/Effect"
import { LocalServiceExchangesUnusable } from "../../LocalServiceError.js"
import type { OperationName } from "../../OperationName.js"
import { describeParseError } from "../http/problems.js"
import type { FilePart } from "./contents.js"
import { type ExchangeFile, type FileBody, type KeptResponse, parseExchange } from "./exchangeFile.js"
import { canonicalJson, identityOf, isExchangeFile } from "./identity.js"
import { sizeOf } from "./spool.js"

/** What the index knows of a file. Texts and bodies stay on disk. */
export interface IndexedExchange {
  readonly name: string
  readonly operation: OperationName
  readonly fields: ReadonlyMap<string, Sketch>
  readonly audio: { readonly sha256: string; readonly filename: string | undefined } | undefined
  readonly responses: number
  /** How often the request was made in this replay. */
  made: number
}

/** A value, to compare others with: its JSON, or of a long one the beginning, the end and the length. */
export interface Sketch {
  readonly beginning: string
  readonly end: string
  readonly length: number
}

/** In characters, of each end of a value. */
const sketched = 200

export const sketchOf = (value: unknown): Sketch => {
  const json = typeof value === "string" ? value : canonicalJson(value)
  const { length } = json
  const end = json.slice(Math.max(sketched, length - sketched))
  return { beginning: copyOf(json.slice(0, sketched)), end: copyOf(end), length }
}

/** A part of a string would keep the whole string in memory. */
const copyOf = (part: string): string => Buffer.from(part, "utf16le").toString("utf16le")

export const sketchesOf = (fields: Readonly<Record<string, unknown>>): ReadonlyMap<string, Sketch> =>
  new Map(Object.entries(fields).map(([name, value]) => [name, sketchOf(value)]))

/** The exchanges of a folder, by the identities of their requests. */
export type ExchangeIndex = ReadonlyMap<string, IndexedExchange>

/** Files that are read at once: each is one wait for the disk. */
const atOnce = 16

/** Reads the files of a folder. Fails if one is damaged: a test that needs it would fail far from the cause. */
export const readIndex = (folder: string): Effect.Effect<ExchangeIndex, LocalServiceExchangesUnusable> =>
  Effect.gen(function* () {
    const names = yield* Effect.tryPromise({
      try: () => readdir(folder),
      catch: (error) => unusable(folder, `can't be read (${codeOrName(error)}); give the folder of a recording`)
    })
    const exchanges = names.filter(isExchangeFile).toSorted()
    const read = yield* Effect.forEach(exchanges, (name) => readIndexed(folder, name), { concurrency: atOnce })
    const index = new Map<string, IndexedExchange>()
    for (const { exchange, identity } of read) {
      const other = index.get(identity)
      if (other !== undefined) {
        const problem = `holds the same request as ${other.name}; delete one of the two`
        return yield* unusable(join(folder, exchange.name), problem)
      }
      index.set(identity, exchange)
    }
    if (index.size > 0) return index
    return yield* unusable(folder, "holds no exchanges; record some with --record FOLDER of speech run or speech serve")
  })

/** Reads a file and checks those of its responses. Only what the index keeps stays in memory. */
const readIndexed = (folder: string, name: string) =>
  Effect.gen(function* () {
    const { operation, request, responses } = yield* readExchange(folder, name)
    for (const response of responses) yield* checkBody(folder, name, response)
    const exchange: IndexedExchange = {
      name,
      operation,
      fields: sketchesOf(request.fields),
      audio: request.audio && { sha256: request.audio.sha256, filename: request.audio.filename },
      responses: responses.length,
      made: 0
    }
    return { identity: identityOf({ operation, ...request }), exchange }
  })

/** Reads a file of the folder. */
export const readExchange = (
  folder: string,
  name: string
): Effect.Effect<ExchangeFile, LocalServiceExchangesUnusable> => {
  const path = join(folder, name)
  const restore = "restore it, or delete it and record its request again"
  return Effect.tryPromise({
    try: () => readFile(path, "utf8"),
    catch: (error) =>
      existsSync(folder)
        ? unusable(path, `can't be read (${codeOrName(error)}); ${restore}`)
        : unusable(folder, "was moved or removed; move it back, or start the replay again with the folder where it is")
  }).pipe(
    Effect.flatMap((text) =>
      Effect.mapError(parseExchange(text), (error) =>
        unusable(
          path,
          isJson(text)
            ? `is no exchange of this version (${describeParseError(error)}); ${restore}`
            : `is not JSON; is there a merge conflict in it? Mend it, ${restore}`
        )
      )
    )
  )
}

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Checks the file of a response, if its body has one. */
const checkBody = (folder: string, name: string, { body }: KeptResponse) =>
  "file" in body ? findBody(folder, name, body) : Effect.void

/** Finds the bytes of a body in its file: behind the header of a WAV file. */
export const findBody = (
  folder: string,
  name: string,
  { bytes, file }: FileBody
): Effect.Effect<FilePart, LocalServiceExchangesUnusable> =>
  Effect.gen(function* () {
    const path = join(folder, file)
    const size = yield* Effect.promise(() => sizeOf(path))
    const end = (size ?? 0) - (file.endsWith(".wav") ? bytes % 2 : 0)
    if (end >= bytes) return { path, start: end - bytes, end }
    const found = size === undefined ? "does not exist as a file" : `has ${size} bytes, and not ${bytes}`
    return yield* unusable(path, `${found}; restore it, or delete ${name} and record its request again`)
  })

export const unusable = (path: string, problem: string) =>
  new LocalServiceExchangesUnusable({ path, message: `${path} ${problem}.` })
