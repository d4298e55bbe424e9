/** The services of this check as processes: the one to record, and those that record and replay it. */
import { mkdirSync, mkdtempSync } from "node:fs"
import { join } from "node:path"
import { temporaryFolder } from "effect-speech-test-support/processes"
import { type ServiceOptions, type ServiceProcess, startService } from "effect-speech-test-support/serviceProcess"

export const temporary = temporaryFolder("check-replay-")

/** A new folder. */
export const newFolder = (name: string): string => mkdtempSync(join(temporary, `${name}-`))

const start = (options: ServiceOptions) => {
  const folder = join(temporary, "services")
  mkdirSync(folder, { recursive: true })
  return startService({ credits: 1e12, ...options }, { temporary: folder })
}

/** The service to record: its ids and times are the same in each run. */
export const startReal = (options: ServiceOptions = {}) =>
  start({ cannedByText: true, knownSeconds: 120, seed: 1, fixedMillis: Date.UTC(2026, 0, 1), ...options })

export const startRecorder = (folder: string, real: Pick<ServiceProcess, "apiKey" | "sttBaseUrl" | "ttsBaseUrl">) =>
  start({
    record: {
      folder,
      apiKey: real.apiKey ?? "",
      sttBaseUrl: real.sttBaseUrl,
      ttsBaseUrl: real.ttsBaseUrl
    }
  })

export const startReplay = (folder: string) => start({ replay: folder })
