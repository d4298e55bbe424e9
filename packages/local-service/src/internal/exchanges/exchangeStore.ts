import { createHash, randomUUID } from "node:crypto"
import { readdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import {
  addResponse,
  type ExchangeFile,
  formatExchange,
  isSameResponse,
  type KeptResponse,
  parseExchange
} from "./exchangeFile.js"
import { fileNameOf, identityOf, isExchangeFile, isNamedByIdentity } from "./identity.js"
import { partName } from "./parts.js"

/** One exchange, as it is kept. */
export interface Exchange extends Pick<ExchangeFile, "operation" | "request"> {
  readonly response: KeptResponse
}

/** Why an exchange is not kept. */
export class NotKept extends Error {}

/** The files of a recording. One request has one file, with the list of its responses in this recording. */
export interface ExchangeStore {
  /** Rejects with {@link NotKept} if another process has replaced the file, or if it is full. */
  readonly keep: (exchange: Exchange) => Promise<void>
  /** Run it once, after the last exchange. */
  readonly end: () => Promise<void>
}

/**
 * What this recording has written of a request.
 *
 * `following`: the file is of an earlier recording, and its first `count` responses are those of this one too. So it stays as it is.
 * `own`: the list is of this recording, and has `count` responses. `theirs`: another process has replaced the file, so this recording leaves it alone.
 */
type Progress =
  | { readonly state: "following"; readonly count: number; readonly text: string }
  | { readonly state: "own"; readonly count: number; readonly text: string }
  | { readonly state: "theirs" }

/** To one request. Each call reads and writes all of them. */
const responseLimit = 1000

const replaced = "another recording has replaced the responses to this request"

/** Writes the exchanges of one recording into a folder that other processes may write too. */
export const makeExchangeStore = (folder: string, maximumResponses = responseLimit): ExchangeStore => {
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
  const write = async (path: string, text: string, count: number): Promise<void> => {
    await replaceFile(folder, path, text)
    progress.set(path, { state: "own", count, text: digest(text) })
  }
  /** The file that was read last: a request is often made again at once. */
  let latest: { readonly text: string; readonly file: ExchangeFile | undefined } | undefined
  const parse = async (text: string): Promise<ExchangeFile | undefined> => {
    if (latest?.text !== text) latest = { text, file: await parsed(text) }
    return latest.file
  }
  const keep = async (path: string, { response, ...about }: Exchange): Promise<void> => {
    const earlier = progress.get(path)
    if (earlier?.state === "theirs") throw new NotKept(replaced)
    const count = earlier?.count ?? 0
    if (count >= maximumResponses) throw new NotKept(`its file has ${count} responses, the most for one request`)
    const text = await readText(path)
    if (earlier !== undefined && earlier.text !== digest(text)) {
      progress.set(path, { state: "theirs" })
      throw new NotKept(replaced)
    }
    if (earlier?.state === "own") return await write(path, addResponse(text, response), count + 1)
    const file = await parse(text)
    const expected = file?.responses[count]
    if (expected !== undefined && isSameResponse(expected, response)) {
      progress.set(path, { state: "following", count: count + 1, text: digest(text) })
      return
    }
    const [first = response, ...more] = [...(file?.responses.slice(0, count) ?? []), response]
    const request = file?.request ?? about.request
    await write(path, formatExchange({ ...about, request, responses: [first, ...more] }), count + 1)
  }
  const end = async (path: string): Promise<void> => {
    const last = progress.get(path)
    if (last?.state !== "following") return
    const text = await readText(path)
    const file = await parse(text)
    if (file === undefined || digest(text) !== last.text || file.responses.length === last.count) return
    const [first, ...more] = file.responses
    await write(path, formatExchange({ ...file, responses: [first, ...more.slice(0, last.count - 1)] }), last.count)
  }
  let renamed: Promise<ReadonlyMap<string, string>> | undefined
  return {
    keep: async (exchange) => {
      const { operation, request } = exchange
      const identity = identityOf({ operation, ...request })
      renamed ??= renamedIn(folder)
      const path = join(folder, (await renamed).get(identity) ?? fileNameOf(operation, identity))
      return await change(path, () => keep(path, exchange))
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

/** The names of the exchanges that a person has renamed, by the identities of their requests. */
const renamedIn = async (folder: string): Promise<ReadonlyMap<string, string>> => {
  const renamed = new Map<string, string>()
  for (const name of await readdir(folder)) {
    if (!isExchangeFile(name) || isNamedByIdentity(name)) continue
    const file = await parsed(await readText(join(folder, name)))
    if (file !== undefined) renamed.set(identityOf({ operation: file.operation, ...file.request }), name)
  }
  return renamed
}

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
