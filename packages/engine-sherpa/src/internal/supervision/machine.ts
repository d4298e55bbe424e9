/**
 * The supervisor of one model, as a function: what happened goes in, what to do comes out. It knows no process and no clock.
 *
 * | state      | what it means | next |
 * | ---------- | ------------- | ---- |
 * | `unloaded` | no process: no request yet, or none for long | `loading` with the next request |
 * | `loading`  | the process loads the model | `ready`, `waiting` or `refused` |
 * | `ready`    | the process works, or waits for work | `waiting` if it ends, `unloaded` when it is idle for long |
 * | `waiting`  | the process ended, and starts again after a delay | `loading` |
 * | `refused`  | the model can't be loaded | none |
 *
 * A request enters, has some pieces of work done, and leaves. Pieces of all requests are done in the order in which they come, so a
 * short request does not wait for the end of a long one.
 *
 * | rule                  | why |
 * | --------------------- | --- |
 * | If the process is killed, the pieces in it fail, and the others wait for the next process. | The system may kill it again. |
 * | If the process ends by itself, the pieces in it are sent again, each alone in the process. If one ends it again, that one fails. | One of them ended it, and the others are innocent. |
 * | While the process is down, no request enters. | Its client can choose to wait, or to ask another machine. |
 * | A model that never loaded is refused if it ends its process, and after several attempts if its process is killed. | It would do so again. |
 * | A model that loaded before is refused only if it ends its process several times. While its process is killed, who waits is sent away. | Memory may be short for a while. |
 */

import type { Outcome } from "../host/protocol.js"

/**
 * How often a model that can't be loaded is tried before it is refused, if it could be loaded before, or if its process was killed from
 * outside. If both: before those who wait are sent away.
 */
const mostAttempts = 5

/** In milliseconds. */
const delays = { first: 500, longest: 30_000 }

/** The share of the newest request in the mean duration of a request. */
const weightOfNewest = 0.2

/** In milliseconds. */
const retryAfter = { shortest: 1000, longest: 60_000 }

export interface Rules {
  /** Pieces that are in the process at once: those that it works on, and one more, so that it need not wait for the next one. */
  readonly inProcess: number
  /** Requests that may be in at once. */
  readonly places: number
  /** Milliseconds without a request after which the process ends. */
  readonly idle: number
  /** Milliseconds in which a model must be loaded. */
  readonly loadTimeout: number
  /** Milliseconds in which a piece must be done. */
  readonly pieceTimeout: number
}

/** Numbers of requests, of their pieces, and of processes. None is used again. */
export type Request = number
export type Piece = number
export type Host = number

export interface Failure {
  readonly reason: "Overloaded" | "Unavailable" | "Failed"
  /** What is known of the cause, as a sentence. Empty if the reason says it all. */
  readonly cause: string
  readonly retryAfterMillis?: number
}

/** Why a process ended. */
export interface Ending {
  /** Whether something outside of the process ended it, such as `kill` or a lack of memory. */
  readonly killed: boolean
  readonly cause: string
}

type Phase =
  | { readonly _tag: "unloaded" }
  | { readonly _tag: "loading"; readonly host: Host; readonly until: number }
  | { readonly _tag: "ready"; readonly host: Host; readonly idleAt: number }
  | { readonly _tag: "waiting"; readonly until: number }
  | { readonly _tag: "refused" }

interface Work {
  readonly piece: Piece
  readonly request: Request
}

interface Running extends Work {
  /** When it must be done. */
  readonly until: number
  /** Whether its request still wants it. */
  readonly wanted: boolean
  /** Whether it was a suspect. Nothing else is in the process then. */
  readonly alone: boolean
}

export interface State {
  readonly phase: Phase
  /** The requests that are in, each with the time when it entered, and whether a piece of it was done. */
  readonly requests: ReadonlyMap<Request, { readonly since: number; readonly served: boolean }>
  readonly queue: ReadonlyArray<Work>
  /** What was in a process that ended by itself. Each is sent again before the queue. */
  readonly suspects: ReadonlyArray<Work>
  /** What is in the process. */
  readonly running: ReadonlyArray<Running>
  /** Who waits until the model is loaded. */
  readonly loads: ReadonlyArray<Request>
  /** Number of the latest process. */
  readonly hosts: Host
  /** Ends of processes since a piece was done. */
  readonly deaths: number
  /** Processes in a row that ended before the model was loaded. Of a model that loaded before, those that ended by themselves. */
  readonly failedLoads: number
  readonly everLoaded: boolean
  /** Why it last ended. */
  readonly cause: string
  readonly rejected: number
  readonly restarts: number
  /** Mean milliseconds for which a request is in, of those that had a piece done. 0: not known. */
  readonly mean: number
}

export const initial: State = {
  phase: { _tag: "unloaded" },
  requests: new Map(),
  queue: [],
  suspects: [],
  running: [],
  loads: [],
  hosts: 0,
  deaths: 0,
  failedLoads: 0,
  everLoaded: false,
  cause: "",
  rejected: 0,
  restarts: 0,
  mean: 0
}

export type Event =
  /** Asks for a place. */
  | { readonly _tag: "Enter"; readonly request: Request }
  | { readonly _tag: "Leave"; readonly request: Request }
  | { readonly _tag: "Ask"; readonly request: Request; readonly piece: Piece }
  | { readonly _tag: "Withdraw"; readonly piece: Piece }
  /** Wants the model to be loaded. */
  | { readonly _tag: "Load"; readonly request: Request }
  | { readonly _tag: "Loaded"; readonly host: Host }
  | { readonly _tag: "Done"; readonly host: Host; readonly outcome: Outcome }
  | { readonly _tag: "Ended"; readonly host: Host; readonly ending: Ending }
  /** It is the time of {@link wakeAt}. */
  | { readonly _tag: "Wake" }

export type Action =
  | { readonly _tag: "Start"; readonly host: Host }
  | { readonly _tag: "Stop"; readonly host: Host }
  | { readonly _tag: "Send"; readonly host: Host; readonly piece: Piece }
  /** Answers `Enter` and `Load`. */
  | { readonly _tag: "Admit"; readonly request: Request }
  | { readonly _tag: "Reject"; readonly request: Request; readonly failure: Failure }
  /** Answers `Ask`. */
  | { readonly _tag: "Deliver"; readonly piece: Piece; readonly outcome: Outcome }
  | { readonly _tag: "Fail"; readonly piece: Piece; readonly failure: Failure }

export interface Step {
  readonly state: State
  readonly actions: ReadonlyArray<Action>
}

const only = (state: State, ...actions: ReadonlyArray<Action>): Step => ({ state, actions })

const andThen = ({ actions, state }: Step, next: (state: State) => Step): Step => {
  const after = next(state)
  return { state: after.state, actions: [...actions, ...after.actions] }
}

/** What happens next. `now` is in milliseconds, and never goes back. */
export const step = (rules: Rules, state: State, event: Event, now: number): Step =>
  andThen(react(rules, state, event, now), (after) => fill(rules, after, now, isIdle(state)))

const react = (rules: Rules, state: State, event: Event, now: number): Step => {
  switch (event._tag) {
    case "Enter":
      return enter(rules, state, event.request, now)
    case "Load":
      return load(rules, state, event.request, now)
    case "Ask":
      return ask(state, event)
    case "Withdraw":
      return only(without(state, ({ piece }) => piece === event.piece))
    case "Leave":
      return only(leave(state, event.request, now))
    case "Loaded":
      return loaded(rules, state, event.host, now)
    case "Done":
      return isCurrent(state, event.host) ? done(state, event.outcome) : only(state)
    case "Ended":
      return isCurrent(state, event.host) ? ended(state, event.ending, now) : only(state)
    case "Wake":
      return wake(rules, state, now)
  }
}

const enter = (rules: Rules, state: State, request: Request, now: number): Step => {
  const failure = down(state, now)
  if (failure !== undefined) return only(state, { _tag: "Reject", request, failure })
  if (state.requests.size >= rules.places) {
    return only(
      { ...state, rejected: state.rejected + 1 },
      { _tag: "Reject", request, failure: { reason: "Overloaded", cause: "", retryAfterMillis: estimate(state, now) } }
    )
  }
  const requests = new Map(state.requests).set(request, { since: now, served: false })
  return andThen(only({ ...state, requests }, { _tag: "Admit", request }), (after) => ensureStarted(rules, after, now))
}

/** Milliseconds until a place is probably free. Requests that are in for long show that the mean is too low. */
const estimate = ({ mean, requests }: State, now: number): number => {
  const oldest = Math.max(0, ...[...requests.values()].map(({ since }) => now - since))
  return Math.min(retryAfter.longest, Math.max(retryAfter.shortest, mean, oldest))
}

/** Why no request can enter now. `undefined` if one can. */
const down = ({ cause, phase }: State, now: number): Failure | undefined => {
  if (phase._tag === "refused") return { reason: "Failed", cause }
  if (phase._tag !== "waiting") return undefined
  return { reason: "Unavailable", cause, retryAfterMillis: Math.max(retryAfter.shortest, phase.until - now) }
}

const load = (rules: Rules, state: State, request: Request, now: number): Step => {
  if (state.phase._tag === "ready") return only(state, { _tag: "Admit", request })
  if (state.phase._tag === "refused") {
    return only(state, { _tag: "Reject", request, failure: { reason: "Failed", cause: state.cause } })
  }
  return ensureStarted(rules, { ...state, loads: [...state.loads, request] }, now)
}

const ensureStarted = (rules: Rules, state: State, now: number): Step =>
  state.phase._tag === "unloaded" ? start(rules, state, now) : only(state)

const start = (rules: Rules, state: State, now: number): Step => {
  const host = state.hosts + 1
  return only(
    {
      ...state,
      hosts: host,
      restarts: state.restarts + (state.deaths > 0 ? 1 : 0),
      phase: { _tag: "loading", host, until: now + rules.loadTimeout }
    },
    { _tag: "Start", host }
  )
}

const ask = (state: State, { piece, request }: Work): Step => {
  if (state.phase._tag === "refused") {
    return only(state, { _tag: "Fail", piece, failure: { reason: "Failed", cause: state.cause } })
  }
  return only({ ...state, queue: [...state.queue, { piece, request }] })
}

/** The state without some pieces. The process finishes those that it has begun, and nobody gets them. */
const without = (state: State, isUnwanted: (work: Work) => boolean): State => ({
  ...state,
  queue: state.queue.filter((work) => !isUnwanted(work)),
  suspects: state.suspects.filter((work) => !isUnwanted(work)),
  running: state.running.map((work) => (isUnwanted(work) ? { ...work, wanted: false } : work))
})

const leave = (state: State, request: Request, now: number): State => {
  const left = state.requests.get(request)
  const loads = state.loads.filter((waiting) => waiting !== request)
  if (left === undefined) return { ...state, loads }
  const requests = new Map(state.requests)
  requests.delete(request)
  const mean = left.served ? meanWith(state.mean, now - left.since) : state.mean
  return without({ ...state, loads, requests, mean }, (work) => work.request === request)
}

const meanWith = (mean: number, newest: number): number =>
  mean === 0 ? newest : mean + weightOfNewest * (newest - mean)

const isCurrent = ({ phase }: State, host: Host): boolean =>
  (phase._tag === "loading" || phase._tag === "ready") && phase.host === host

const loaded = (rules: Rules, state: State, host: Host, now: number): Step => {
  if (state.phase._tag !== "loading" || state.phase.host !== host) return only(state)
  const admitted = state.loads.map((request): Action => ({ _tag: "Admit", request }))
  const phase: Phase = { _tag: "ready", host, idleAt: now + rules.idle }
  return only({ ...state, phase, loads: [], failedLoads: 0, everLoaded: true }, ...admitted)
}

const done = (state: State, outcome: Outcome): Step => {
  const work = state.running.find(({ piece }) => piece === outcome.task)
  if (work === undefined) return only(state)
  const { request } = work
  const entered = state.requests.get(request)
  const after = {
    ...state,
    requests:
      entered === undefined ? state.requests : new Map(state.requests).set(request, { ...entered, served: true }),
    running: state.running.filter((running) => running !== work),
    deaths: outcome._tag === "Failed" ? state.deaths : 0
  }
  return work.wanted ? only(after, { _tag: "Deliver", piece: work.piece, outcome }) : only(after)
}

/** The state when there is no process any more, and so none of the pieces that it had. */
const withoutHost = (state: State, phase: Phase): State => ({ ...state, phase, running: [] })

const ended = (state: State, { cause, killed }: Ending, now: number): Step => {
  const wasLoading = state.phase._tag === "loading"
  // Whatever is wrong, it is not the model.
  const isInnocent = killed && state.everLoaded
  const deaths = state.deaths + 1
  const failedLoads = wasLoading ? state.failedLoads + (isInnocent ? 0 : 1) : 0
  const isHopeless = wasLoading && ((!killed && !state.everLoaded) || failedLoads >= mostAttempts)
  const until = now + Math.min(delays.longest, delays.first * 2 ** (deaths - 1))
  const failure: Failure = isHopeless
    ? { reason: "Failed", cause }
    : { reason: "Unavailable", cause, retryAfterMillis: Math.max(retryAfter.shortest, until - now) }
  // Without anybody who waits, the next request starts it, after the delay.
  const phase: Phase = isHopeless ? { _tag: "refused" } : { _tag: "waiting", until }
  const next = withoutHost({ ...state, cause, deaths, failedLoads }, phase)
  if (isHopeless || (wasLoading && isInnocent && deaths >= mostAttempts)) return sendAway(next, failure)
  const lost = state.running.filter(({ wanted }) => wanted)
  if (killed) return only(next, ...lost.map(failed(failure)))
  if (state.running.length === 1) return only(next, ...lost.map(({ piece }) => guilty(piece, cause)))
  return only({ ...next, suspects: [...lost, ...state.suspects] })
}

const failed =
  (failure: Failure) =>
  ({ piece }: Work): Action => ({ _tag: "Fail", piece, failure })

/** Nobody waits any more. */
const sendAway = (state: State, failure: Failure): Step =>
  only(
    { ...state, suspects: [], queue: [], loads: [] },
    ...[...state.suspects, ...state.queue].map(failed(failure)),
    ...state.loads.map((request): Action => ({ _tag: "Reject", request, failure }))
  )

/** The process works, and ended on this piece: the same would happen again. */
const guilty = (piece: Piece, reason: string): Action => ({
  _tag: "Deliver",
  piece,
  outcome: { _tag: "Failed", task: piece, reason }
})

const wake = (rules: Rules, state: State, now: number): Step => {
  const { phase } = state
  if (phase._tag === "waiting" && now >= phase.until) {
    if (state.requests.size === 0 && state.loads.length === 0) return only({ ...state, phase: { _tag: "unloaded" } })
    return start(rules, state, now)
  }
  if (phase._tag === "loading" && now >= phase.until) {
    return stuck(state, phase.host, `It was not loaded after ${rules.loadTimeout / 1000} seconds.`, now)
  }
  if (phase._tag === "ready" && state.running.some(({ until }) => now >= until)) {
    return stuck(state, phase.host, `A piece was not done after ${rules.pieceTimeout / 1000} seconds.`, now)
  }
  if (phase._tag === "ready" && isIdle(state) && now >= phase.idleAt) {
    return only(withoutHost(state, { _tag: "unloaded" }), { _tag: "Stop", host: phase.host })
  }
  return only(state)
}

const stuck = (state: State, host: Host, cause: string, now: number): Step =>
  andThen(only(state, { _tag: "Stop", host }), (after) => ended(after, { killed: true, cause }, now))

const isIdle = ({ requests }: State): boolean => requests.size === 0

/** Gives the process as many pieces as it has room for, and notes since when it is idle. */
const fill = (rules: Rules, state: State, now: number, wasIdle: boolean): Step => {
  const { phase } = state
  if (phase._tag !== "ready") return only(state)
  if (isIdle(state)) return only(wasIdle ? state : { ...state, phase: { ...phase, idleAt: now + rules.idle } })
  const alone = state.suspects.length > 0
  const sent = alone ? state.suspects.slice(0, room(1, state)) : state.queue.slice(0, room(rules.inProcess, state))
  if (sent.length === 0) return only(state)
  const started = sent.map((work) => ({ ...work, until: now + rules.pieceTimeout, wanted: true, alone }))
  const isSent = (work: Work) => sent.includes(work)
  return only(
    { ...without(state, isSent), running: [...state.running, ...started] },
    ...sent.map(({ piece }): Action => ({ _tag: "Send", host: phase.host, piece }))
  )
}

const room = (most: number, { running }: State): number =>
  running.some(({ alone }) => alone) ? 0 : Math.max(0, most - running.length)

/** When {@link step} wants to be called with `Wake`. `undefined`: never, as it is now. */
export const wakeAt = (state: State): number | undefined => {
  const { phase } = state
  if (phase._tag === "waiting" || phase._tag === "loading") return phase.until
  if (phase._tag !== "ready") return undefined
  const first = Math.min(
    isIdle(state) ? phase.idleAt : Number.POSITIVE_INFINITY,
    ...state.running.map(({ until }) => until)
  )
  return Number.isFinite(first) ? first : undefined
}
