/** The journal as it grows: server-sent events while the tab is visible. A browser allows six connections to one host. */
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { eventData } from "../../src/internal/console/messages.js"
import type { JournalEntry } from "../../src/Journal.js"
import {
  fetchRequests,
  readAccount,
  readFaults,
  readKeys,
  readModels,
  readUsage,
  reportFailure,
  requests
} from "./state.js"
import { makeStore } from "./store.js"

export type Phase = "connecting" | "live" | "paused"
export const phase = makeStore<Phase>("connecting")

/** The page keeps this many of the latest entries at most, and this share of them when they are more. */
const capacity = 20_000
const keptShare = 0.9
const reconnectMillis = 2000
const redrawMillis = 60
const usageMillis = 500
const modelsMillis = 2000

const decodeEntry = Schema.decodeUnknownEither(Schema.parseJson(eventData.request))
const decodeChanged = Schema.decodeUnknownEither(Schema.parseJson(eventData.changed))

/** The journal in the page: what was read of it, and the events since. */
const makeJournal = () => {
  let redraw: ReturnType<typeof setTimeout> | undefined
  let byNumber = new Map<number, JournalEntry>()
  /** The events since the latest reading of the journal began. */
  let sinceReading: Array<JournalEntry> | undefined
  let readings = 0

  const draw = () => {
    redraw = undefined
    const entries = [...byNumber.values()].sort((one, other) => one.number - other.number)
    if (entries.length > capacity) {
      // Many at once: while the first entries stay, the rooms derive only what is new.
      entries.splice(0, entries.length - capacity * keptShare)
      byNumber = new Map(entries.map((entry) => [entry.number, entry]))
    }
    requests.set(entries)
  }

  return {
    read: async () => {
      const reading = ++readings
      const events: Array<JournalEntry> = []
      sinceReading = events
      const outcome = await fetchRequests()
      if (reading !== readings) return
      sinceReading = undefined
      if (!outcome.ok) return reportFailure(outcome)
      byNumber = new Map([...outcome.value, ...events].map((entry) => [entry.number, entry]))
      clearTimeout(redraw)
      draw()
    },
    add: (entry: JournalEntry) => {
      byNumber.set(entry.number, entry)
      sinceReading?.push(entry)
      redraw ??= setTimeout(draw, redrawMillis)
    },
    stop: () => {
      clearTimeout(redraw)
      readings++
    }
  }
}

/** Reads the credit and the usage, which change with each request. Many requests share one reading. */
const makeMeter = () => {
  let waiting: ReturnType<typeof setTimeout> | undefined
  return {
    read: () => {
      waiting ??= setTimeout(() => {
        waiting = undefined
        void Promise.all([readAccount(), readUsage(), readFaults()])
      }, usageMillis)
    },
    stop: () => clearTimeout(waiting)
  }
}

/** Reads the models, again and again if their engine counts its work: no event says that their state has changed. */
const makeModelReader = () => {
  let waiting: ReturnType<typeof setTimeout> | undefined
  let readings = 0
  const read = async (): Promise<void> => {
    clearTimeout(waiting)
    const reading = ++readings
    const outcome = await readModels()
    if (reading !== readings) return
    const isSettled = outcome.ok && outcome.value.every(({ running }) => running === undefined)
    if (!isSettled) waiting = setTimeout(read, modelsMillis)
  }
  return {
    read,
    stop: () => {
      clearTimeout(waiting)
      readings++
    }
  }
}

/** Follows the service until the returned function is called. */
export const follow = (): (() => void) => {
  const journal = makeJournal()
  const meter = makeMeter()
  const models = makeModelReader()
  let source: EventSource | undefined
  let retry: ReturnType<typeof setTimeout> | undefined

  const open = () => {
    clearTimeout(retry)
    if (document.hidden || source !== undefined) return
    phase.set("connecting")
    const opened = new EventSource("platform/api/events")
    source = opened
    opened.addEventListener("open", () => {
      phase.set("live")
      void Promise.all([journal.read(), readAccount(), readKeys(), readUsage(), readFaults(), models.read()])
    })
    opened.addEventListener("request", ({ data }) => {
      const decoded = decodeEntry(data)
      if (Either.isLeft(decoded)) return
      journal.add(decoded.right)
      if (decoded.right.outcome !== "underWay") meter.read()
    })
    opened.addEventListener("changed", ({ data }) => {
      const decoded = decodeChanged(data)
      if (Either.isLeft(decoded)) return
      const reads = { journal: journal.read, keys: readKeys, faults: readFaults, account: meter.read }
      void reads[decoded.right.what]()
    })
    opened.addEventListener("error", () => {
      close()
      phase.set("connecting")
      // Also finds out whether the session has ended, which the events do not say.
      void readAccount()
      retry = setTimeout(open, reconnectMillis)
    })
  }

  const close = () => {
    clearTimeout(retry)
    models.stop()
    source?.close()
    source = undefined
  }

  const openIfVisible = () => {
    if (document.hidden) {
      close()
      phase.set("paused")
    } else open()
  }

  document.addEventListener("visibilitychange", openIfVisible)
  window.addEventListener("pagehide", close)
  window.addEventListener("pageshow", openIfVisible)
  openIfVisible()
  return () => {
    document.removeEventListener("visibilitychange", openIfVisible)
    window.removeEventListener("pagehide", close)
    window.removeEventListener("pageshow", openIfVisible)
    meter.stop()
    journal.stop()
    close()
  }
}
