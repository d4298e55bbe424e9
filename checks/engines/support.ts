/** What the parts of the check share: models, services that run them, the processes of the models, and what a service responds. */
import { mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { SherpaOptions } from "@effect-speech/engine-sherpa/Sherpa"
import { temporaryFolder } from "effect-speech-test-support/processes"
import { type ServiceOptions, startService } from "effect-speech-test-support/serviceProcess"
import { type TinyFamily, writeTinyModels } from "effect-speech-test-support/tinyModels"
import { makeService, overHttp } from "../conformance/service.js"

export interface Settings {
  readonly quick: boolean
  readonly seed: number
}

const temporary = temporaryFolder("check-engines-")
let folders = 0

/** A folder of models: one of each family. */
export const modelsOf = (families: ReadonlyArray<TinyFamily>, work = 0): string => {
  const folder = join(temporary, `models-${++folders}`)
  mkdirSync(folder)
  writeTinyModels(folder, { families, work })
  return folder
}

/** A service with models, in a process of its own. */
export const startEngines = async (engine: SherpaOptions, options: ServiceOptions = {}) => {
  const service = await startService(
    { credits: 1e12, maximumUploadBytes: 2 ** 31, maximumRecording: "10 hours", ...options, engine },
    { temporary }
  )
  const { pid } = await service.sample()
  const { apiKey, sttBaseUrl, ttsBaseUrl } = service
  const plain = makeService(overHttp({ stt: sttBaseUrl, tts: ttsBaseUrl }), {
    key: apiKey ?? "",
    model: "",
    otherModel: ""
  })
  return { ...service, pid, ...plain }
}
export type EngineService = Awaited<ReturnType<typeof startEngines>>

/** Reads a file that the system has of each process. */
const fact = (path: string): string => {
  try {
    return readFileSync(`/proc/${path}`, "utf8")
  } catch {
    // It has ended.
    return ""
  }
}

/** The ids of the processes that a service has started for its models, in the order of their starts. */
export const hostsOf = (pid: number): ReadonlyArray<number> =>
  fact(`${pid}/task/${pid}/children`)
    .split(" ")
    .filter((id) => id !== "")
    .map(Number)

/** The process that a service has started last, or `undefined`. */
export const latestHost = ({ pid }: { readonly pid: number }): number | undefined => hostsOf(pid).at(-1)

/** Kills the process that a service has started last. */
export const killHost = (service: { readonly pid: number }): void => {
  const pid = latestHost(service)
  // 0 would be this process and all its relatives.
  if (pid === undefined) throw new Error("There is no process of a model to kill.")
  process.kill(pid, "SIGKILL")
}

/** Memory of a process, in bytes: now, and at most so far. */
export const memoryOf = (pid: number | undefined): { readonly rss: number; readonly peak: number } => {
  const status = fact(`${pid}/status`)
  const bytes = (field: string) => 1024 * Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1] ?? 0)
  return { rss: bytes("VmRSS"), peak: bytes("VmHWM") }
}

/** Milliseconds of a processor that a process has used so far. The system counts in ticks of 10 ms. 0 for one that has ended. */
export const cpuMillisOf = (pid: number | undefined): number => {
  // The name of the program may have blanks.
  const [, rest = ""] = fact(`${pid}/stat`).split(") ")
  const fields = rest.split(" ")
  return 10 * (Number(fields[11] ?? 0) + Number(fields[12] ?? 0))
}
