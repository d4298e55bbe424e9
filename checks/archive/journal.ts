/** The local service, and all that its journal has seen: it keeps the latest thousand requests only. */
import type { Usage } from "@effect-speech/local-service/Accounts"
import type { JournalEntry } from "@effect-speech/local-service/Journal"
import { sum } from "../../test/support/report.js"
import { type ServiceOptions, type ServiceProcess, startService } from "../../test/support/serviceProcess.js"
import { folder } from "./support.js"

export interface JournaledService {
  readonly speech: { readonly baseUrl: string; readonly apiKey: string }
  readonly platform: ServiceProcess["platform"]
  /** All requests since the start, in order. Waits until none is under way. */
  readonly journal: () => Promise<ReadonlyArray<JournalEntry>>
  /** Number of calls that were billed. */
  readonly paid: () => Promise<number>
  readonly stop: () => Promise<void>
}

/** In milliseconds. A service that is asked so often serves far fewer than a thousand requests meanwhile. */
const interval = 250

export const startJournaled = async (options: ServiceOptions = {}): Promise<JournaledService> => {
  const service = await startService({ cannedSeconds: 0.1, credits: 1_000_000_000, ...options }, { temporary: folder })
  const entries = new Map<number, JournalEntry>()
  const collect = async () => {
    const latest: ReadonlyArray<JournalEntry> = (await service.platform("GET", "requests")).body
    for (const entry of latest) entries.set(entry.number, entry)
  }
  let collecting: Promise<void> = Promise.resolve()
  const next = () => {
    collecting = collecting.then(collect)
    return collecting
  }
  const timer = setInterval(() => next().catch(() => undefined), interval)
  return {
    speech: { baseUrl: service.sttBaseUrl, apiKey: service.apiKey ?? "" },
    platform: service.platform,
    journal: async () => {
      // A client that was killed is noticed a moment later.
      for (let look = 0; look < 50; look++) {
        await new Promise((resolve) => setTimeout(resolve, interval))
        await next()
        if ([...entries.values()].every(({ outcome }) => outcome !== "underWay")) break
      }
      const all = [...entries.values()].sort((a, b) => a.number - b.number)
      const last = all.at(-1)?.number ?? 0
      if (all.length !== last) throw new Error(`${last - all.length} of ${last} requests were not seen in the journal.`)
      return all
    },
    paid: async () => {
      const usage: ReadonlyArray<Usage> = (await service.platform("GET", "usage")).body
      return sum(usage.map(({ calls }) => calls))
    },
    stop: async () => {
      clearInterval(timer)
      await collecting.catch(() => undefined)
      await service.stop()
    }
  }
}

/** Requests that were answered with a transcript, whether or not the response was delayed. */
export const answered = (entries: ReadonlyArray<JournalEntry>) =>
  entries.filter(({ outcome, status }) => status === 200 && outcome !== "abandoned")

/** Of each call, by the id that it sent. */
export const timesById = (entries: ReadonlyArray<JournalEntry>): Map<string, number> => {
  const times = new Map<string, number>()
  for (const { request } of entries) {
    const id = String(request?.transaction_id)
    times.set(id, (times.get(id) ?? 0) + 1)
  }
  return times
}
