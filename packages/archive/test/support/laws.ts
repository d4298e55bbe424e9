/**
 * What an archive promises, as functions of what happened: the requests that the service got, the commands of a person, and what
 * the person saw of the run and its files. Each law returns a sentence for each time that it is broken.
 *
 * Times are milliseconds of a clock that never jumps. A file is a path and a version of its content, such as `a.wav#2`.
 */
import type { FileState, LimitChanges, Limits, RunState } from "../../src/Run.js"

/** What a person saw of a file. */
export interface Seen {
  readonly path: string
  /** The id that its calls send. */
  readonly id: string
  readonly state: FileState
  readonly tag?: string | undefined
  readonly text?: string | undefined
}

export type Event = { readonly at: number } & (
  | {
      readonly is: "request"
      /** Counts from 0. */
      readonly call: number
      readonly process: string
      readonly file: string
      readonly id: string
      /** What the service charges if it carries the call out: started seconds. */
      readonly cost: number
    }
  | {
      readonly is: "response"
      readonly call: number
      /**
       * `answered`: with a transcript. `lost`: carried out, and the process can't know it. `refused`: the account was refused.
       * `rejected`: the file was rejected, or the service was overloaded, and nothing is billed.
       */
      readonly outcome: "answered" | "lost" | "refused" | "rejected"
      /** The process got the whole response, while it could write to the store. */
      readonly delivered: boolean
    }
  /** A pause is recorded: the command has returned. `frozen`: processes that were stopped and could do nothing. */
  | { readonly is: "paused"; readonly frozen: ReadonlyArray<string> }
  /** A command is given that lets the run go on. `afterRefusal`: the run is suspended by the account. */
  | { readonly is: "goesOn"; readonly afterRefusal: boolean }
  /** A person has named the tag of these files, by their ids. */
  | { readonly is: "retried"; readonly ids: ReadonlyArray<string> }
  /** The limits that hold for sure from now on. */
  | { readonly is: "limits"; readonly limits: Limits }
  /** A command is given that changes limits. It may still be carried out much later. */
  | { readonly is: "asked for limits"; readonly changes: LimitChanges }
  | { readonly is: "saw limits"; readonly limits: Limits }
  | { readonly is: "seen"; readonly state: RunState; readonly files: ReadonlyArray<Seen> }
  | { readonly is: "killed" | "frozen" | "continued" | "asked to end"; readonly process: string }
  /** `inTime`: within its time for calls under way. */
  | { readonly is: "ended"; readonly process: string; readonly inTime: boolean }
)

export type Log = ReadonlyArray<Event>
export type Law = (log: Log) => ReadonlyArray<string>

type Of<Is extends Event["is"]> = Event & { readonly is: Is }

/** Calls as the bill has them. */
const calls = (log: Log) => {
  const responses = new Map(
    log.filter((event): event is Of<"response"> => event.is === "response").map((event) => [event.call, event])
  )
  return log
    .filter((event): event is Of<"request"> => event.is === "request")
    .map((request) => ({ ...request, response: responses.get(request.call) }))
}

/** The file that each id was sent for. */
const filesById = (log: Log) => new Map(calls(log).map(({ file, id }) => [id, file]))

/** The call may be billed: only a refusal and a rejection are not. */
const mayBeBilled = (outcome: Of<"response">["outcome"] | undefined) => outcome !== "refused" && outcome !== "rejected"

/** A file that was seen as done is not called again, and stays done with the same result. */
export const doneStaysDone: Law = (log) => {
  const done = new Map<string, Seen>()
  const files = filesById(log)
  const doneFiles = new Set<string>()
  return log.flatMap((event) => {
    if (event.is === "request" && doneFiles.has(event.file)) {
      return [`${event.file} was seen as done, and is called again`]
    }
    if (event.is !== "seen") return []
    const changed = event.files.filter((file) => {
      const before = done.get(file.id)
      return before !== undefined && (file.state !== "done" || file.text !== before.text)
    })
    for (const file of event.files) {
      if (file.state !== "done") continue
      done.set(file.id, file)
      doneFiles.add(files.get(file.id) ?? "")
    }
    return changed.map(({ path, state }) => `${path} was seen as done, and is ${state}, or has another text`)
  })
}

/** In a run that holds: a file that may have been billed is not called again, unless a person names its tag. */
export const nothingIsPaidTwice: Law = (log) => {
  const outcomes = new Map(calls(log).map(({ call, response }) => [call, response]))
  const files = filesById(log)
  const sent = new Map<string, Array<number>>()
  const permitted = new Map<string, number>()
  return log.flatMap((event) => {
    if (event.is === "retried") {
      for (const file of event.ids.map((id) => files.get(id) ?? "")) permitted.set(file, sent.get(file)?.length ?? 0)
    }
    if (event.is !== "request") return []
    const before = sent.get(event.file) ?? []
    sent.set(event.file, [...before, event.call])
    const billed = before.slice(permitted.get(event.file) ?? 0).filter((call) => {
      const response = outcomes.get(call)
      // What has not been answered yet may be billed.
      return response === undefined || response.at > event.at || mayBeBilled(response.outcome)
    })
    return billed.length === 0
      ? []
      : [`${event.file} may be billed by call ${billed.join()}, and call ${event.call} begins`]
  })
}

/** No call begins after a pause is recorded. A process that was frozen meanwhile finishes what it had begun. */
export const nothingBeginsAfterAPause: Law = (log) => {
  let paused: Of<"paused"> | undefined
  return log.flatMap((event) => {
    if (event.is === "paused") paused = event
    if (event.is === "goesOn") paused = undefined
    if (event.is !== "request" || paused === undefined) return []
    if (event.at <= paused.at || paused.frozen.includes(event.process)) return []
    return [`${event.file} is called ${event.at - paused.at} ms after the pause was recorded`]
  })
}

/**
 * No call begins after the account was refused and the process could record it. A call that began before the last start
 * or resume does not count: the account may have been topped up since.
 */
export const nothingBeginsAfterARefusal: Law = (log) => {
  const processes = new Map(calls(log).map(({ call, process }) => [call, process]))
  const isKilledThen = ({ at, call }: Of<"response">) =>
    log.some((event) => event.is === "killed" && event.at === at && event.process === processes.get(call))
  let refused: Of<"response"> | undefined
  const earlier = new Set<number>()
  const underWay = new Set<number>()
  const frozen = new Set<string>()
  const frozenThen = new Set<string>()
  return log.flatMap((event) => {
    if (event.is === "frozen") frozen.add(event.process)
    if (event.is === "continued") frozen.delete(event.process)
    if (
      event.is === "response" &&
      event.outcome === "refused" &&
      event.delivered &&
      refused === undefined &&
      !earlier.has(event.call) &&
      !isKilledThen(event)
    ) {
      refused = event
      for (const process of frozen) frozenThen.add(process)
    }
    if (event.is === "goesOn") {
      refused = undefined
      frozenThen.clear()
      for (const call of underWay) earlier.add(call)
    }
    if (event.is === "response") underWay.delete(event.call)
    if (event.is === "request") underWay.add(event.call)
    if (event.is !== "request" || refused === undefined) return []
    if (event.at <= refused.at || frozenThen.has(event.process)) return []
    return [`${event.file} is called ${event.at - refused.at} ms after the account was refused`]
  })
}

/** After a refused account, the run goes on with one call, and with others once it is not refused. */
export const oneCallFirstAfterARefusal: Law = (log) => {
  const dead = new Set<string>()
  let probing = false
  let probe: Of<"request"> | undefined
  return log.flatMap((event) => {
    if (event.is === "killed") dead.add(event.process)
    if (event.is === "goesOn" && event.afterRefusal) {
      probing = true
      probe = undefined
    }
    if (event.is === "response" && probe?.call === event.call) {
      if (event.outcome !== "refused") probing = false
      probe = undefined
    }
    if (event.is !== "request" || !probing) return []
    const other = probe
    probe = event
    if (other === undefined || dead.has(other.process)) return []
    return [`${event.file} is called beside ${other.file}, though the account was refused before`]
  })
}

/** The files that were called for are at most as many as the limit. */
export const filesAreWithinTheLimit: Law = (log) =>
  withinLimits(log, ({ maxFiles }, begun) => {
    const { size } = new Set(begun.map(({ id }) => id))
    return maxFiles === undefined || size <= maxFiles ? undefined : `${size} files, and the limit is ${maxFiles}`
  })

/**
 * The money is at most the limit: what calls cost that began under it, or whose files were seen as done. The cost of a call that a
 * crash left unanswered is known only if it was reserved under a limit.
 */
export const moneyIsWithinTheLimit: Law = (log) =>
  withinLimits(log, ({ maxCredits }, begun) => {
    const spent = begun.reduce((sum, { cost, known }) => sum + (known ? cost : 0), 0)
    return maxCredits === undefined || spent <= maxCredits
      ? undefined
      : `${spent} credits, and the limit is ${maxCredits}`
  })

const limitNames = ["maxFiles", "maxCredits"] as const

/** A limit stays until a person gives another one or removes it. */
export const limitsStay: Law = (log) => {
  const asked = new Map<string, Set<number | "none">>()
  let before: Limits = {}
  return log.flatMap((event) => {
    for (const name of limitNames) {
      const change = event.is === "asked for limits" ? event.changes[name] : undefined
      if (change !== undefined) asked.set(name, (asked.get(name) ?? new Set()).add(change))
    }
    if (event.is !== "saw limits") return []
    const { limits } = event
    const broken = limitNames.filter(
      (name) => limits[name] !== before[name] && asked.get(name)?.has(limits[name] ?? "none") !== true
    )
    const sentences = broken.map((name) => `${name} was ${before[name]} and is ${limits[name]}, as nobody asked`)
    before = limits
    return sentences
  })
}

interface Begun {
  readonly id: string
  readonly cost: number
  /** It began while there was a limit of credits, or its file was seen as done and no crash left it unanswered. */
  readonly known: boolean
}

const withinLimits = (log: Log, problem: (limits: Limits, begun: ReadonlyArray<Begun>) => string | undefined) => {
  const responses = new Map(calls(log).map(({ call, response }) => [call, response]))
  let limits: Limits = {}
  const begun: Array<Of<"request"> & { underLimit: boolean }> = []
  const done = new Set<string>()
  const killed = new Set<string>()
  return log.flatMap((event) => {
    if (event.is === "killed") killed.add(event.process)
    if (event.is === "limits") limits = event.limits
    if (event.is === "seen") for (const { id, state } of event.files) if (state === "done") done.add(id)
    if (event.is !== "request") return []
    begun.push({ ...event, underLimit: limits.maxCredits !== undefined })
    const counted = begun.filter(({ call }) => {
      const response = responses.get(call)
      return response === undefined || response.at > event.at || response.outcome !== "refused"
    })
    const paid = counted.map(({ call, cost, id, process, underLimit }) => {
      const response = responses.get(call)
      const isLeft = killed.has(process) && response?.delivered !== true
      return {
        id,
        cost: response?.outcome === "rejected" ? 0 : cost,
        known: underLimit || (done.has(id) && !isLeft)
      }
    })
    const sentence = problem(limits, paid)
    return sentence === undefined ? [] : [`${event.file} is called: ${sentence}`]
  })
}

/** A process that is asked to end begins no call, and ends within its time. */
export const endsWhenAsked: Law = (log) => {
  const asked = new Map<string, number>()
  return log.flatMap((event) => {
    if (event.is === "asked to end") asked.set(event.process, event.at)
    if (event.is === "ended" && !event.inTime) return [`${event.process} did not end in its time`]
    if (event.is !== "request") return []
    const at = asked.get(event.process)
    return at === undefined || event.at <= at ? [] : [`${event.file} is called after ${event.process} was asked to end`]
  })
}

/** A process that ends in order loses no call: each file whose transcript it got is done. */
export const noAnswerIsLost: Law = (log) => {
  const all = calls(log)
  return log.flatMap((event, index) => {
    if (event.is !== "ended") return []
    const next = log.slice(index).find((later): later is Of<"seen"> => later.is === "seen")
    const got = all.filter(
      ({ process, response }) => process === event.process && response?.outcome === "answered" && response.delivered
    )
    return got.flatMap(({ file, id, call }) => {
      // A call that a person let repeat meanwhile may have another end.
      if (all.some((other) => other.id === id && other.call > call)) return []
      const seen = next?.files.find((each) => each.id === id)
      return seen === undefined || seen.state === "done"
        ? []
        : [`${event.process} got the text of ${file}, which is ${seen.state}`]
    })
  })
}

/** A path has one result. While files are listed, one that was replaced is there beside the new one. */
export const oneResultForAPath: Law = (log) =>
  log.flatMap((event) => {
    if (event.is !== "seen" || event.state === "listing") return []
    const paths = event.files.map(({ path }) => path)
    return new Set(paths).size === paths.length ? [] : [`a path has two results: ${paths.join(" ")}`]
  })

export const laws = {
  doneStaysDone,
  nothingIsPaidTwice,
  nothingBeginsAfterAPause,
  nothingBeginsAfterARefusal,
  oneCallFirstAfterARefusal,
  filesAreWithinTheLimit,
  moneyIsWithinTheLimit,
  limitsStay,
  endsWhenAsked,
  noAnswerIsLost,
  oneResultForAPath
} as const satisfies Readonly<Record<string, Law>>

/** How the laws are broken, in sentences. */
export const brokenLaws = (log: Log, laws: Readonly<Record<string, Law>>): ReadonlyArray<string> =>
  Object.entries(laws).flatMap(([name, law]) => law(log).map((sentence) => `${name}: ${sentence}`))
