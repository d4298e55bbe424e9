import type { Outcome } from "../../src/internal/host/protocol.js"
import {
  type Action,
  type Ending,
  type Event,
  type Failure,
  initial,
  type Rules,
  type State,
  step,
  wakeAt
} from "../../src/internal/supervision/machine.js"

export const rules: Rules = { inProcess: 2, places: 4, idle: 10_000, loadTimeout: 60_000, pieceTimeout: 30_000 }

export type Answer = "admitted" | "delivered" | Failure["reason"]

const doneEvent = (host: number, piece: number, of: "success" | "failure" = "success"): Event => {
  const outcome: Outcome =
    of === "failure"
      ? { _tag: "Failed", task: piece, reason: "" }
      : { _tag: "Spoken", task: piece, samples: new Float32Array(1), sampleRate: 16_000 }
  return { _tag: "Done", host, outcome }
}

/**
 * A model with its supervisor, its process and its requests, as a test drives them. It knows nothing of the supervisor's state, and
 * notes each law that an action breaks.
 */
export const makeWorld = (of: Partial<Rules> = {}) => {
  const all = { ...rules, ...of }
  let state: State = initial
  let now = 0
  let numbers = 0
  const broken: Array<string> = []
  const answers = new Map<number, Answer>()
  const failures = new Map<number, Failure>()
  /** Requests that are in, with their pieces that are not answered. */
  const inside = new Map<number, Set<number>>()
  /** Pieces that wait, in the order in which they were asked for. */
  let waiting: Array<number> = []
  /** Pieces that were in a process that ended by itself, in the same order, and wait to be sent again. */
  let suspected: Array<number> = []
  const sentAgain = new Set<number>()
  /** Pieces that end any process that works on them. */
  const poison = new Set<number>()
  const loading = new Set<number>()
  const starts: Array<number> = []
  let host: { readonly number: number; loaded: boolean; readonly pieces: Set<number> } | undefined
  const sent = new Set<number>()
  /** Pieces that nobody waits for any more. */
  const unwanted = new Set<number>()
  /** Processes that were stopped, and have not yet said that they ended. */
  const stopped: Array<number> = []
  /** What a process that ended had done, and nobody read yet. */
  const late: Array<Event> = []

  const law = (holds: boolean, sentence: string) => {
    if (!holds) broken.push(`${sentence} (at ${now} ms)`)
  }
  const answer = (number: number, with_: Answer, failure?: Failure) => {
    law(!answers.has(number), `${number} is answered once`)
    law(!unwanted.has(number), "a piece that nobody waits for is not answered")
    answers.set(number, with_)
    if (failure !== undefined) failures.set(number, failure)
    loading.delete(number)
    for (const pieces of inside.values()) pieces.delete(number)
    forget((piece) => piece === number)
  }
  const forget = (isGone: (piece: number) => boolean) => {
    waiting = waiting.filter((piece) => !isGone(piece))
    suspected = suspected.filter((piece) => !isGone(piece))
  }
  /** How many pieces the process takes now. */
  const room = () => {
    const inHost = host?.pieces ?? new Set()
    const isAlone = suspected.length > 0 || [...inHost].some((piece) => sentAgain.has(piece))
    return (isAlone ? 1 : all.inProcess) - inHost.size
  }
  const perform = (action: Action): void => {
    switch (action._tag) {
      case "Start":
        law(host === undefined, "a model has one process")
        law(ofState() !== "refused", "a refused model is not started")
        host = { number: action.host, loaded: false, pieces: new Set() }
        starts.push(now)
        break
      case "Stop":
        law(host?.number === action.host, "only a process that runs is stopped")
        stopped.push(action.host)
        host = undefined
        break
      case "Send":
        law(host?.loaded === true && host.number === action.host, "only a loaded model gets work")
        law(action.piece === [...suspected, ...waiting][0], "pieces are sent in the order in which they were asked for")
        law(room() > 0, "no more pieces are sent than the process has room for: one, if it is sent again")
        law(!sentAgain.has(action.piece), "a piece is sent at most twice")
        if (sent.has(action.piece)) sentAgain.add(action.piece)
        sent.add(action.piece)
        forget((piece) => piece === action.piece)
        host?.pieces.add(action.piece)
        break
      case "Admit":
        answer(action.request, "admitted")
        break
      case "Reject":
        answer(action.request, action.failure.reason, action.failure)
        break
      case "Deliver":
        answer(action.piece, action.outcome._tag === "Failed" ? "Failed" : "delivered")
        break
      case "Fail":
        answer(action.piece, action.failure.reason, action.failure)
    }
  }
  const ofState = () => state.phase._tag
  const dispatch = (event: Event) => {
    const next = step(all, state, event, now)
    state = next.state
    for (const action of next.actions) perform(action)
    const queued = waiting.length + suspected.length
    law(!(host?.loaded === true && room() > 0 && queued > 0), "a process that has room gets the next piece")
    law(inside.size <= all.places, "no more requests are in than there are places")
    const isWaited = queued > 0 || loading.size > 0 || (host?.pieces.size ?? 0) > 0
    law(!isWaited || wakeAt(state) !== undefined, "nobody waits without an end")
    law(ofState() !== "refused" || !isWaited, "nobody waits for a refused model")
    law(host !== undefined || state.running.length === 0, "a stopped host has no pieces")
  }
  const world = {
    broken,
    answers,
    failures,
    starts,
    get now() {
      return now
    },
    get restarts() {
      return state.restarts
    },
    get state() {
      return ofState()
    },
    get inHost(): ReadonlyArray<number> {
      return [...(host?.pieces ?? [])]
    },
    get inside(): ReadonlyArray<number> {
      return [...inside.keys()]
    },
    get asked(): ReadonlyArray<number> {
      return [...inside.values()].flatMap((pieces) => [...pieces])
    },
    get isRunning() {
      return host !== undefined
    },
    enter: (): number => {
      const request = ++numbers
      dispatch({ _tag: "Enter", request })
      law(answers.has(request), "a request is admitted or rejected at once")
      if (answers.get(request) === "admitted") inside.set(request, new Set())
      return request
    },
    leave: (request: number) => {
      const pieces = inside.get(request) ?? new Set()
      forget((piece) => pieces.has(piece))
      for (const piece of pieces) unwanted.add(piece)
      inside.delete(request)
      dispatch({ _tag: "Leave", request })
    },
    ask: (request: number, of: "innocent" | "poison" = "innocent"): number => {
      const piece = ++numbers
      if (of === "poison") poison.add(piece)
      inside.get(request)?.add(piece)
      waiting.push(piece)
      dispatch({ _tag: "Ask", request, piece })
      return piece
    },
    withdraw: (piece: number) => {
      forget((waits) => waits === piece)
      for (const pieces of inside.values()) pieces.delete(piece)
      unwanted.add(piece)
      dispatch({ _tag: "Withdraw", piece })
    },
    load: (): number => {
      const request = ++numbers
      loading.add(request)
      dispatch({ _tag: "Load", request })
      return request
    },
    loaded: () => {
      if (host === undefined || host.loaded) return
      host.loaded = true
      dispatch({ _tag: "Loaded", host: host.number })
      for (const event of late.splice(0)) dispatch(event)
    },
    done: (piece: number, of: "success" | "failure" = "success") => {
      if (host?.pieces.delete(piece) !== true) return
      dispatch(doneEvent(host.number, piece, of))
    },
    /** The process works on a piece, which ends it if it is poison. */
    work: (piece: number) => {
      if (poison.has(piece)) world.ended({ killed: false, cause: "Its process ended by SIGSEGV." })
      else world.done(piece)
    },
    ended: (ending: Ending) => {
      if (host === undefined) return
      const { number, pieces } = host
      host = undefined
      for (const piece of pieces) late.push(doneEvent(number, piece))
      if (!ending.killed && pieces.size > 1) suspected = [...pieces].filter((piece) => !unwanted.has(piece))
      dispatch({ _tag: "Ended", host: number, ending })
    },
    /** Time passes, and the alarm rings when the supervisor wants it. */
    pass: (millis: number) => {
      for (const number of stopped.splice(0)) {
        dispatch({ _tag: "Ended", host: number, ending: { killed: true, cause: "It was stopped." } })
      }
      const end = now + millis
      for (let at = wakeAt(state); at !== undefined && at <= end; at = wakeAt(state)) {
        law(at > now || starts.length < 1000, "an alarm leads to something")
        now = Math.max(now, at)
        dispatch({ _tag: "Wake" })
        if (broken.length > 20) return
      }
      now = end
    }
  }
  return world
}
