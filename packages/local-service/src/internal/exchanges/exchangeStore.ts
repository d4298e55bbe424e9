import { createHash, randomUUID } from "node:crypto"
import { readFile, rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { type ExchangeFile, formatExchange, isSameResponse, type KeptResponse, parseExchange } from "./exchangeFile.js"
import { fileNameOf, identityOf } from "./identity.js"
import { partName } from "./parts.js"

/** One exchange, as it is kept. */
export interface Exchange extends Pick<ExchangeFile, "operation" | "request"> {
  readonly response: KeptResponse
}

/** The files of a recording. One request has one file, with the list of its responses in this recording. */
export interface ExchangeStore {
  readonly keep: (exchange: Exchange) => Promise<void>
  /** Run it once, after the last exchange. */
  readonly end: () => Promise<void>
}

/**
 * What this recording has written of a request.
 *
 * `following`: the file is of an earlier recording, and its first `count` responses are those of this one too. So it stays as it is.
 * `own`: the list is of this recording. `theirs`: another process has replaced the file, so this recording leaves it alone.
 */
type Progress =
  | { readonly state: "following"; readonly count: number; readonly text: string }
  | { readonly state: "own"; readonly text: string }
  | { readonly state: "theirs" }

/** Writes the exchanges of one recording into a folder that other processes may write too. */
export const makeExchangeStore = (folder: string): ExchangeStore => {
  /** By the path of the file. Of each text there is only the digest. */
  const progress = new Map<string, Progress>()
  /** The latest change of each file that is being changed. */
  const changes = new Map<string, Promise<unknown>>()

  const change = (path: string, run: () => Promise<void>): Promise<void> => {
    const next = (changes.get(path) ?? Promise.resolve()).then(run, run)
    changes.set(path, next)
    return next.finally(() => {
      if (changes.get(path) === next) changes.delete(path)
    })
  }
  const write = async (path: string, file: ExchangeFile): Promise<void> => {
    const text = formatExchange(file)
    await replaceFile(folder, path, text)
    progress.set(path, { state: "own", text: digest(text) })
  }
  const keep = async (path: string, { response, ...about }: Exchange): Promise<void> => {
    const earlier = progress.get(path)
    if (earlier?.state === "theirs") return
    const text = await readText(path)
    if (earlier !== undefined && earlier.text !== digest(text)) {
      progress.set(path, { state: "theirs" })
      return
    }
    const file = await parsed(text)
    const [count, kept] =
      earlier?.state === "own" ? [file?.responses.length ?? 0, undefined] : [earlier?.count ?? 0, file]
    const expected = kept?.responses[count]
    if (expected !== undefined && isSameResponse(expected, response)) {
      progress.set(path, { state: "following", count: count + 1, text: digest(text) })
      return
    }
    const [first = response, ...more] = [...(file?.responses.slice(0, count) ?? []), response]
    await write(path, { ...about, request: file?.request ?? about.request, responses: [first, ...more] })
  }
  const end = async (path: string): Promise<void> => {
    const latest = progress.get(path)
    if (latest?.state !== "following") return
    const text = await readText(path)
    const file = await parsed(text)
    if (file === undefined || digest(text) !== latest.text || file.responses.length === latest.count) return
    const [first, ...more] = file.responses
    await write(path, { ...file, responses: [first, ...more.slice(0, latest.count - 1)] })
  }
  return {
    keep: (exchange) => {
      const { operation, request } = exchange
      const path = join(folder, fileNameOf(operation, identityOf({ operation, ...request })))
      return change(path, () => keep(path, exchange))
    },
    end: async () => {
      for (const path of progress.keys()) await change(path, () => end(path))
    }
  }
}

const digest = (text: string): string => createHash("sha256").update(text).digest("base64")

/** Empty: there is no file. */
const readText = async (path: string): Promise<string> => {
  try {
    return await readFile(path, "utf8")
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return ""
    throw error
  }
}

/** `undefined`: the file is no exchange of this version. A recording replaces it. */
const parsed = (text: string): Promise<ExchangeFile | undefined> =>
  Effect.runPromise(Effect.orElseSucceed(parseExchange(text), () => undefined))

/** A reader sees the old file or the new one. */
const replaceFile = async (folder: string, path: string, text: string): Promise<void> => {
  const part = join(folder, partName(randomUUID()))
  try {
    await writeFile(part, text, { flag: "wx" })
    await rename(part, path)
  } catch (error) {
    await rm(part, { force: true })
    throw error
  }
}
