/**
 * A schedule: the calls of one trial, and what the network does to their connections. Seed and index determine all of it, so that you
 * can repeat one schedule alone.
 */

import type { HttpClientName } from "effect-speech-test-support/httpClients"
import { chances } from "effect-speech-test-support/random"
import type { Point } from "./framing.js"
import type { Action, Direction, Disturbance, Plan } from "./proxy.js"

/** The kinds of network. `refused` accepts no connection. */
export const kinds = [
  ...(["nothing", "latency", "bandwidth", "slices", "late accept", "pause", "stall", "reset", "cut"] as const),
  ...(["reset service", "reset client", "vanish", "between calls", "refused", "several"] as const)
]
export type Kind = (typeof kinds)[number]

export const operations = ["synthesize", "stream", "transcribe"] as const
export const sources = ["bytes", "file", "stream", "oneShot"] as const

/** What a handler does at an event. */
export const behaviours = ["returns", "waits", "dies", "throws", "never ends"] as const
export type Behaviour = (typeof behaviours)[number]

/** What the handler of a call does at each event, in turn, and how long it waits if it does. */
export interface Handler {
  readonly behaviours: ReadonlyArray<Behaviour>
  readonly waitMillis: number
}

interface CallBase {
  /** The handler of the events of the call. `undefined`: there is none. */
  readonly handler: Handler | undefined
  /** Number of the call within its operation. It decides the cost, which tells the calls apart in the bill. */
  readonly rank: number
  /** Delay before the call, if calls run one after the other. */
  readonly gapMillis: number
  /** Time until the caller interrupts the call. `undefined`: never. */
  readonly interruptMillis: number | undefined
}

export interface SynthesisCall extends CallBase {
  readonly operation: "synthesize" | "stream"
  /** Length of the speech in samples at 8 kHz. */
  readonly samples: number
  readonly outputFormat: "8000:pcm16" | "24000:float32"
  /** Part of the stream that is read: 0 to 1. */
  readonly share: number
  /** Delay before the stream is read. */
  readonly lateMillis: number
}

export interface TranscriptionCall extends CallBase {
  readonly operation: "transcribe"
  readonly source: (typeof sources)[number]
}

export type Call = SynthesisCall | TranscriptionCall

export interface Limits {
  readonly uploadIdle: number
  readonly answer: number
  readonly downloadIdle: number
  readonly total: number | undefined
}

export interface Schedule {
  readonly seed: number
  readonly index: number
  readonly kind: Kind
  readonly layer: HttpClientName
  readonly calls: ReadonlyArray<Call>
  /** Whether the calls run in parallel. */
  readonly together: boolean
  readonly retries: number
  readonly retryAmbiguous: boolean
  /** Highest number of calls of a client at the same time. */
  readonly concurrency: number
  /** In milliseconds. */
  readonly deadlines: Limits
  /** The first requests of each operation get this status. `undefined`: none does. */
  readonly fails: { readonly status: number; readonly times: number } | undefined
  /** Plans for the connections to each host, in order. */
  readonly plans: { readonly stt: ReadonlyArray<Plan>; readonly tts: ReadonlyArray<Plan> }
  /** Whether every call must succeed: the network only delays. */
  readonly isGentle: boolean
}

const longLimits: Limits = { uploadIdle: 30_000, answer: 30_000, downloadIdle: 30_000, total: undefined }

/** Longer than any call takes on a busy machine. */
const generous: Limits = { uploadIdle: 240_000, answer: 240_000, downloadIdle: 240_000, total: undefined }

/** Kinds whose failure reaches the client without a deadline. */
const signalledKinds: ReadonlyArray<Kind> = ["reset", "cut", "reset client", "refused"]

const oneOf = <A>(chance: () => number, values: ReadonlyArray<A>): A =>
  values[Math.floor(chance() * values.length)] as A

/** Half of the calls have a handler. One that never ends is seldom: it lives for ten seconds after its call. */
const drawHandler = (chance: () => number): Handler | undefined => {
  const drawn = chance()
  if (drawn < 0.5) return undefined
  const waitMillis = oneOf(chance, [0, 1, 5, 50, 400])
  const others = behaviours.slice(0, -1)
  const drawnBehaviours = Array.from({ length: 1 + Math.floor(chance() * 4) }, () => oneOf(chance, others))
  return { behaviours: drawn < 0.52 ? [...drawnBehaviours, "never ends"] : drawnBehaviours, waitMillis }
}

/** Random decisions of one schedule. */
const makeDice = (seed: number) => {
  const chance = chances(seed)
  const upTo = (most: number) => Math.floor(chance() * (most + 1))
  return {
    chance,
    upTo,
    between: (least: number, most: number) => least + upTo(most - least),
    happens: (probability: number) => chance() < probability,
    pick: <A>(values: ReadonlyArray<A>) => oneOf(chance, values)
  }
}
type Dice = ReturnType<typeof makeDice>

/** Draws a schedule. The kinds take turns, so that a few schedules cover all of them. */
export const draw = (seed: number, index: number, layers: ReadonlyArray<HttpClientName>): Schedule => {
  const dice = makeDice(Math.imul(seed, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca6b))
  const { between, happens, pick, upTo } = dice
  const kind = kinds[index % kinds.length] as Kind
  const count = kind === "between calls" ? between(2, 4) : pick([1, 1, 1, 2, 3, 4])
  const ranks = { tts: shuffled(dice.chance), stt: shuffled(dice.chance) }
  // The handlers have chances of their own, so that the rest of a schedule does not depend on them.
  const chanceOfHandler = chances(Math.imul(seed, 0x27d4eb2f) ^ Math.imul(index + 1, 0x165667b1))
  const calls = Array.from({ length: count }, () => drawCall(dice, kind, ranks, chanceOfHandler))

  // Later connections are undisturbed, so that some calls succeed in the end.
  const makePlans = () => Array.from({ length: pick([1, 1, 2, 4]) }, () => drawPlan(dice, kind, count))
  const isMild = gentleKinds.includes(kind)
  const isGentle =
    isMild && (kind === "nothing" || happens(0.5)) && calls.every((call) => call.interruptMillis === undefined)
  const isSignalled = signalledKinds.includes(kind) && happens(0.5)
  return {
    seed,
    index,
    kind,
    layer: pick(layers),
    calls,
    together: count > 1 && kind !== "between calls" && happens(0.5),
    retries: upTo(2),
    retryAmbiguous: happens(0.3),
    deadlines: isGentle ? generous : isSignalled ? longLimits : drawLimits(dice),
    concurrency: pick([1, 1, 2, 64]),
    // A failure of the service, and those of gateways in front of it.
    fails: !isGentle && happens(0.15) ? { status: pick([500, 504, 521]), times: pick([1, 1, 3]) } : undefined,
    plans: { stt: makePlans(), tts: makePlans() },
    isGentle
  }
}

const drawLimits = ({ between, happens }: Dice): Limits => {
  const short = () => between(150, 600)
  return {
    uploadIdle: short(),
    answer: short(),
    downloadIdle: short(),
    total: happens(0.5) ? between(150, 1000) : undefined
  }
}

/** `ranks` are those that are left. */
const drawCall = (
  { happens, pick, upTo }: Dice,
  kind: Kind,
  ranks: Readonly<Record<"tts" | "stt", Array<number>>>,
  chanceOfHandler: () => number
): Call => {
  const operation = pick(operations)
  const base = {
    rank: (operation === "transcribe" ? ranks.stt : ranks.tts).pop() ?? 0,
    gapMillis: happens(0.5) ? 0 : upTo(40),
    interruptMillis: kind !== "nothing" && happens(0.12) ? upTo(250) : undefined,
    handler: drawHandler(chanceOfHandler)
  }
  if (operation === "transcribe") return { ...base, operation, source: pick(sources) }
  const isWhole = operation === "synthesize" || happens(0.6)
  return {
    ...base,
    operation,
    samples: pick([1, 2, 99, 1000, 4001, 8000, 40_000, 300_000]),
    outputFormat: pick(["8000:pcm16", "24000:float32"]),
    share: isWhole ? 1 : pick([0, 0, 0.1, 0.5, 0.9]),
    lateMillis: operation === "stream" && happens(0.2) ? upTo(80) : 0
  }
}

const drawPoint = ({ pick, upTo }: Dice, direction: Direction, message: number): Point => {
  const edge = pick(["start", "headEnd", "headEnd", "end", "end"] as const)
  const near = pick([0, 0, 1, -1, 2, -2, upTo(100), -upTo(100), upTo(20_000), -upTo(20_000), upTo(4_000_000)])
  // No point lies before a start, nor before the end of request headers that have not arrived.
  const offset = edge === "start" ? Math.abs(near) : edge === "headEnd" && direction === "up" ? Math.max(0, near) : near
  return { message, edge, offset }
}

const drawDisturbance = (dice: Dice, action: Action, count: number): Disturbance => {
  const { between, happens, pick, upTo } = dice
  const direction = pick(["up", "down", "down"] as const)
  const message = happens(0.85) ? 0 : upTo(count - 1)
  const millis = action === "pause" ? between(5, 250) : action === "reset" && happens(0.3) ? upTo(60) : 0
  return { direction, point: drawPoint(dice, direction, message), action, millis }
}

const actionOf: Partial<Record<Kind, Action>> = {
  ...({ pause: "pause", stall: "stall", reset: "reset", cut: "cut", vanish: "vanish" } as const),
  ...({ "reset service": "resetService", "reset client": "resetClient" } as const)
}

/** The plan for a connection of so many calls. */
const drawPlan = (dice: Dice, kind: Kind, count: number): Plan => {
  const { between, pick, upTo } = dice
  switch (kind) {
    case "nothing":
    case "refused":
      return {}
    case "latency":
      return { latencyMillis: upTo(15), jitterMillis: upTo(25) }
    case "bandwidth":
      return { bytesPerMilli: pick([1000, 4000, 20_000]) }
    case "slices":
      return { sliceBytes: between(1, 9) }
    case "late accept":
      return { lateMillis: upTo(300) }
    case "between calls": {
      // After a response: the connection is then in the pool, or in use again.
      const message = upTo(count - 2)
      const action = pick(["reset", "reset", "cut", "cut", "stall", "resetService", "vanish"] as const)
      return {
        disturbances: [{ direction: "down", point: { message, edge: "end", offset: 0 }, action, millis: upTo(30) }]
      }
    }
    case "several": {
      const two = [drawPlan(dice, pick(plainKinds), count), drawPlan(dice, pick(plainKinds), count)]
      return Object.assign({}, ...two, { disturbances: two.flatMap(({ disturbances = [] }) => disturbances) })
    }
    default:
      return { disturbances: [drawDisturbance(dice, actionOf[kind] ?? "pause", count)] }
  }
}

const gentleKinds: ReadonlyArray<Kind> = ["nothing", "latency", "bandwidth", "slices", "late accept", "pause"]
const plainKinds = kinds.filter((kind) => !["several", "refused", "nothing", "between calls"].includes(kind))

/** The ranks in the order of use. A higher rank costs more and has a longer recording, so the highest is seldom first. */
const shuffled = (chance: () => number): Array<number> => {
  const drawn = chance()
  const first = drawn < 0.6 ? 0 : drawn < 0.85 ? 1 : drawn < 0.95 ? 2 : 3
  return [...[3, 2, 1, 0].filter((rank) => rank !== first), first]
}
