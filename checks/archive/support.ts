/** What the parts of the check share: processes with an archive, folders of recordings, trees. */
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { RunId, RunStatus } from "@effect-speech/archive/Run"
import { startScript, temporaryFolder } from "effect-speech-test-support/processes"
import { noise } from "effect-speech-test-support/recordings"
import type { Answer, Command, Options, RunOptions } from "./client.js"

export interface Settings {
  readonly quick: boolean
  readonly seed: number
}

export const folder = temporaryFolder("check-archive-")
let names = 0
/** A path in the folder of the check that nothing has. */
export const fresh = (name: string): string => join(folder, `${name}-${++names}`)

/** A process with an archive. */
export const startArchive = async (options: Options) => {
  const { kill, ready, request, stop } = await startScript<number>(new URL("client.js", import.meta.url), [
    JSON.stringify(options)
  ])
  const ask = (command: Command) => request<Answer>(command)
  const statusOf = async (command: Command): Promise<RunStatus & Pick<Answer, "cpuMillis" | "millis" | "peak">> => {
    const { cpuMillis, error, millis, peak, status } = await ask(command)
    if (error !== undefined) throw new Error(`${command.do}: ${error.tag} ${error.code ?? ""}: ${error.message}`)
    if (status === undefined) throw new Error(`${command.do} has no status`)
    return { ...status, cpuMillis, millis, peak }
  }
  return {
    pid: ready,
    kill,
    stop,
    /** Resolves to the error too. */
    ask,
    start: (run: RunOptions) => statusOf({ do: "start", run }),
    await: (id: RunId) => statusOf({ do: "await", id }),
    status: (id: RunId) => statusOf({ do: "status", id }),
    retry: (id: RunId, only: string) => statusOf({ do: "retry", id, only }),
    files: async (id: RunId) => (await ask({ do: "results", id })).files ?? []
  }
}

export type ArchiveProcess = Awaited<ReturnType<typeof startArchive>>

/** Starts a run, and waits for its end. */
export const complete = async (archive: ArchiveProcess, run: RunOptions) => {
  const started = await archive.start(run)
  const ended = await archive.await(started.id)
  return {
    ...ended,
    listedMillis: started.millis,
    millis: started.millis + ended.millis,
    cpuMillis: started.cpuMillis + ended.cpuMillis,
    peak: Math.max(started.peak, ended.peak)
  }
}

/** Where the recording of this number is in its folder. */
const pathOf = (index: number): string =>
  join(String(Math.floor(index / 1000)).padStart(4, "0"), `call-${String(index).padStart(7, "0")}.wav`)

/** A folder with so many recordings: ten milliseconds of noise each, if nothing else is given. */
export const recordings = (count: number, contents: ReadonlyArray<Buffer> = [noise(160)]): string => {
  const root = fresh("recordings")
  for (let index = 0; index < count; index++) {
    const path = join(root, pathOf(index))
    if (index % 1000 === 0) mkdirSync(join(path, ".."), { recursive: true })
    writeFileSync(path, contents[index % contents.length] ?? "")
    // Files of one second are listed as those of a year are.
    utimesSync(path, 1_700_000_000 + index, 1_700_000_000 + index)
  }
  return root
}

/** Size of a store of libSQL, with its log. */
export const storeSize = (path: string): number =>
  ["", "-wal"].reduce((size, ending) => size + (existsSync(path + ending) ? statSync(path + ending).size : 0), 0)

/** The digest of each file below a folder, by its path. */
export const tree = (root: string): Map<string, string> => {
  const digests = new Map<string, string>()
  if (!existsSync(root)) return digests
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    digests.set(path.slice(root.length + 1), createHash("sha256").update(readFileSync(path)).digest("hex"))
  }
  return digests
}

/** How two trees differ, in sentences. */
export const differences = (expected: Map<string, string>, found: Map<string, string>): ReadonlyArray<string> => [
  ...[...expected].flatMap(([path, digest]) => {
    const other = found.get(path)
    return other === digest ? [] : [`${path} ${other === undefined ? "is missing" : "differs"}`]
  }),
  ...[...found.keys()].filter((path) => !expected.has(path)).map((path) => `${path} is too much`)
]

/** The calls that the doubles have noted. */
export const calls = (logs: ReadonlyArray<string>) =>
  logs.flatMap((log, machine) =>
    (existsSync(log) ? readFileSync(log, "utf8") : "")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => {
        const [at, what, id = ""] = line.split(" ")
        return { at: Number(at), what, id, machine }
      })
  )

/** The number of calls that have begun before. */
export const begunTwice = (noted: ReturnType<typeof calls>): number => {
  const begun = noted.filter(({ what }) => what === "begin").map(({ id }) => id)
  return begun.length - new Set(begun).size
}

/** Of all files of a run, in words. */
export const countsOf = ({ counts }: RunStatus): string =>
  Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([state, count]) => `${count} ${state}`)
    .join(", ")
