/** The local service as a process, with all requests of its journal: it keeps only the latest thousand. */
import type { Usage } from "@effect-speech/local-service/Accounts"
import type { JournalEntry } from "@effect-speech/local-service/Journal"
import { countBy, sum } from "effect-speech-test-support/report"
import { type ServiceOptions, type ServiceProcess, startService } from "effect-speech-test-support/serviceProcess"
import { until } from "./until.js"

/** What all calls of a service so far have cost. */
export type Used = Readonly<Record<Usage["operation"], Readonly<Record<"calls" | "units" | "credits", number>>>>

export const usedOf = async ({ platform }: Pick<ServiceProcess, "platform">): Promise<Used> => {
  const usage: ReadonlyArray<Usage> = (await platform("GET", "usage")).body
  const of = (operation: Usage["operation"]) => {
    const own = usage.filter((each) => each.operation === operation)
    const total = (unit: "calls" | "units" | "credits") => sum(own.map((each) => each[unit]))
    return { calls: total("calls"), units: total("units"), credits: total("credits") }
  }
  return { synthesize: of("synthesize"), transcribe: of("transcribe") }
}

export interface JournaledService extends ServiceProcess {
  /** Address and key for transcriptions. */
  readonly speech: { readonly baseUrl: string; readonly apiKey: string }
  /** All requests since the start, in order. Waits until none is under way. */
  readonly journal: () => Promise<ReadonlyArray<JournalEntry>>
  /** Number of calls that were billed. */
  readonly paid: () => Promise<number>
}

/** In milliseconds. The service gets far fewer than a thousand requests meanwhile. */
const interval = 250

export const startJournaled = async (
  temporary: string,
  options: ServiceOptions = { cannedSeconds: 0.1 }
): Promise<JournaledService> => {
  const service = await startService({ credits: 1e12, ...options }, { temporary })
  const entries = new Map<number, JournalEntry>()
  const collect = async () => {
    const latest: ReadonlyArray<JournalEntry> = (await service.platform("GET", "requests")).body
    // An entry that was under way is replaced later.
    for (const entry of latest) entries.set(entry.number, entry)
  }
  let collecting: Promise<void> = Promise.resolve()
  const next = () => {
    collecting = collecting.then(collect)
    return collecting
  }
  const timer = setInterval(() => next().catch(() => undefined), interval)
  return {
    ...service,
    speech: { baseUrl: service.sttBaseUrl, apiKey: service.apiKey ?? "" },
    journal: async () => {
      // The service notices a moment later that a client was killed.
      await new Promise((resolve) => setTimeout(resolve, interval))
      await until(
        async () => {
          await next()
          return [...entries.values()].every(({ outcome }) => outcome !== "underWay")
        },
        { seconds: 15 }
      )
      const all = [...entries.values()].sort((a, b) => a.number - b.number)
      const last = all.at(-1)?.number ?? 0
      if (all.length !== last) throw new Error(`${last - all.length} of ${last} requests were not seen in the journal.`)
      return all
    },
    paid: async () => sum(Object.values(await usedOf(service)).map(({ calls }) => calls)),
    stop: async () => {
      clearInterval(timer)
      await collecting.catch(() => undefined)
      return service.stop()
    }
  }
}

/** Requests with a complete response, whether or not it was delayed. */
export const answered = (entries: ReadonlyArray<JournalEntry>) =>
  entries.filter(({ outcome, status }) => status === 200 && outcome !== "abandoned")

/** How often each transcription was requested, by the id that it sent. */
export const timesById = (entries: ReadonlyArray<JournalEntry>): Map<string, number> =>
  countBy(entries, ({ request }) => String(request?.transaction_id))
