import { stat } from "node:fs/promises"
import { join } from "node:path"
import { codeOrName } from "@effect-speech/common/SystemCode"
import * as Effect from "effect/Effect"
import type { LocalServiceExchangesUnusable } from "../../LocalServiceError.js"
import { digestOfFile, type FilePart } from "./contents.js"
import type { ExchangeFile, FileBody } from "./exchangeFile.js"
import { findBody, readExchange, unusable } from "./exchangeIndex.js"

/** Reads the files of a folder for each request. What has not changed since is not read again. */
export interface ExchangeReader {
  readonly exchange: (name: string) => Effect.Effect<ExchangeFile, LocalServiceExchangesUnusable>
  /** The file of a body in the exchange `name`. Fails if its bytes are not those that were recorded. */
  readonly body: (name: string, body: FileBody) => Effect.Effect<FilePart, LocalServiceExchangesUnusable>
}

/** In bytes on disk: the exchanges that are in memory. */
const maximumInMemory = 16 * 1024 * 1024

export const makeExchangeReader = (folder: string): ExchangeReader => {
  /** The oldest first. */
  const exchanges = new Map<string, { readonly file: ExchangeFile; readonly size: number; readonly version: string }>()
  let size = 0
  const forget = (name: string) => {
    size -= exchanges.get(name)?.size ?? 0
    exchanges.delete(name)
  }
  /** The versions of the audio files whose digests were right. */
  const checked = new Map<string, string>()

  return {
    exchange: (name) =>
      Effect.gen(function* () {
        const found = yield* Effect.promise(() => versionOf(join(folder, name)))
        const known = exchanges.get(name)
        if (known !== undefined && known.version === found?.version) return known.file
        forget(name)
        const file = yield* readExchange(folder, name)
        if (found === undefined || found.size > maximumInMemory) return file
        // Another request may have read it in between.
        forget(name)
        exchanges.set(name, { file, ...found })
        size += found.size
        for (const oldest of exchanges.keys()) if (size > maximumInMemory) forget(oldest)
        return file
      }),
    body: (name, body) =>
      Effect.gen(function* () {
        const file = yield* findBody(folder, name, body)
        const found = yield* Effect.promise(() => versionOf(file.path))
        const version = `${found?.version} ${body.sha256}`
        if (checked.get(body.file) === version) return file
        const restore = `restore it, or delete ${name} and record its request again`
        const { sha256 } = yield* Effect.tryPromise({
          try: () => digestOfFile(file),
          catch: (error) => unusable(file.path, `can't be read (${codeOrName(error)}); ${restore}`)
        })
        if (sha256 !== body.sha256) {
          return yield* unusable(file.path, `has other bytes than the recorded response; ${restore}`)
        }
        checked.set(body.file, version)
        return file
      })
  }
}

/** Differs after a change of the file. */
const versionOf = async (path: string): Promise<{ readonly version: string; readonly size: number } | undefined> => {
  try {
    const { ino, mtimeMs, size } = await stat(path)
    return { version: `${ino} ${size} ${mtimeMs}`, size }
  } catch {
    return undefined
  }
}
