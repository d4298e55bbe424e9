/** A schedule: the calls of one trial, and what the network does to their connections. */
import * as FastCheck from "effect/FastCheck"
import type { HttpClientName } from "effect-speech-test-support/httpClients"

const { array, boolean, constant, nat, oneof, record } = FastCheck

const oneOf = <const Values extends ReadonlyArray<unknown>>(...values: Values): FastCheck.Arbitrary<Values[number]> =>
  FastCheck.constantFrom(...values)
const between = (min: number, max: number) => FastCheck.integer({ min, max })

type Drawn<A> = A extends FastCheck.Arbitrary<infer Value> ? Value : never

/** `usual` in four of five draws, and in the smallest counterexample. */
const seldom = <A, B>(usual: A, other: FastCheck.Arbitrary<B>): FastCheck.Arbitrary<A | B> =>
  oneof({ withCrossShrink: true }, { arbitrary: constant(usual), weight: 4 }, { arbitrary: other, weight: 1 })

/** A point of a connection, in one of its directions. */
const point = record({
  /** Number of the message on the connection, from 0. */
  message: seldom(0, nat(2)),
  edge: oneOf("end", "headEnd", "start"),
  /** Distance from the edge, in bytes. Negative: before it. */
  offset: oneof(constant(0), between(-2, 2), between(-100, 100), between(-20_000, 20_000), nat(4_000_000))
})
export type Point = Drawn<typeof point>

/**
 * | action         | what happens from then on                                     |
 * | -------------- | ------------------------------------------------------------- |
 * | `pause`        | this direction forwards nothing for `millis`                  |
 * | `stall`        | this direction reads and forwards nothing any more            |
 * | `reset`        | both sides are reset                                          |
 * | `cut`          | this direction ends with a FIN; the other continues           |
 * | `resetService` | the service is reset; the client gets no signal               |
 * | `resetClient`  | the client is reset; the service gets no signal               |
 * | `vanish`       | neither side gets a signal, and nothing is forwarded any more |
 */
export const actions = ["pause", "stall", "reset", "cut", "resetService", "resetClient", "vanish"] as const
export type Action = (typeof actions)[number]

/** What happens to one connection. Times are in milliseconds. */
const planWith = (possible: ReadonlyArray<Action>) =>
  record({
    /** Delay before the client is read and the service is called. */
    lateMillis: seldom(0, nat(300)),
    /** Delay of each piece. */
    latencyMillis: seldom(0, nat(40)),
    /** Size of the first 50 pieces, in bytes. `undefined`: as they arrive. */
    sliceBytes: seldom(undefined, between(1, 9)),
    disturbances: array(
      record({
        /** `up` is to the service, `down` is to the client. */
        direction: oneOf("down", "up"),
        /** The action happens when all bytes before this point were forwarded. */
        point,
        action: oneOf(...possible),
        millis: between(5, 250)
      }),
      { maxLength: 2 }
    )
  })
export type Plan = Drawn<ReturnType<typeof planWith>>
export type Disturbance = Plan["disturbances"][number]
export type Direction = Disturbance["direction"]

const call = (interruptMillis: FastCheck.Arbitrary<number | undefined>) =>
  record({
    operation: oneOf("synthesize", "stream", "transcribe"),
    /** Length of speech, in samples at 8 kHz. */
    samples: oneOf(1, 99, 1000, 8000, 40_000, 300_000),
    /** Part of a stream that is read: 0 to 1. */
    share: seldom(1, oneOf(0, 0.1, 0.5, 0.9)),
    /** The source of a recording. */
    source: oneOf("bytes", "file", "stream", "oneShot"),
    /** Delay before the call. */
    gapMillis: seldom(0, nat(40)),
    /** Time until the caller interrupts the call. `undefined`: never. */
    interruptMillis
  })
export type Call = Drawn<ReturnType<typeof call>>

/** In milliseconds. */
interface Limits {
  readonly uploadIdle: number
  readonly answer: number
  readonly downloadIdle: number
  readonly total: number
}

const short = between(200, 1200)
/** Longer than any call takes on a busy machine. */
const longMillis = 240_000

/** `isGentle`: the network only delays, so each call must succeed. */
const scheduleWith = (isGentle: boolean, layers: ReadonlyArray<HttpClientName>) => {
  const never = constant(undefined)
  // Later connections are undisturbed, so that some calls succeed in the end.
  const plans = array(planWith(isGentle ? ["pause"] : actions), { minLength: 1, maxLength: 4 })
  const limits: FastCheck.Arbitrary<Limits> = isGentle
    ? constant({ uploadIdle: longMillis, answer: longMillis, downloadIdle: longMillis, total: longMillis })
    : record({
        uploadIdle: short,
        answer: short,
        downloadIdle: short,
        total: oneof(constant(30_000), short)
      })
  const fails = record({ status: oneOf(500, 504, 521), times: oneOf(1, 3) })
  return record({
    isGentle: constant(isGentle),
    layer: oneOf(...layers),
    calls: array(call(isGentle ? never : seldom(undefined, nat(250))), { minLength: 1, maxLength: 4 }),
    /** Rank of the first call: see `rankOf`. */
    firstRank: oneOf(0, 0, 0, 1, 2, 3),
    /** Whether the calls run in parallel. */
    together: boolean(),
    retries: nat(2),
    retryAmbiguous: boolean(),
    concurrency: oneOf(1, 2, 64),
    deadlines: limits,
    /** The first requests of each operation get this status. `undefined`: none does. */
    fails: isGentle ? never : seldom(undefined, fails),
    /** Whether no connection is accepted. */
    isRefused: isGentle ? constant(false) : seldom(false, boolean()),
    /** Plans for the connections to each host, in order. Further connections are undisturbed. */
    plans: record({ stt: plans, tts: plans })
  })
}
export type Schedule = Drawn<ReturnType<typeof scheduleWith>>

export const schedules = (layers: ReadonlyArray<HttpClientName>): FastCheck.Arbitrary<Schedule> =>
  oneof({ arbitrary: scheduleWith(true, layers), weight: 1 }, { arbitrary: scheduleWith(false, layers), weight: 3 })

/** Each call of a schedule has another rank, from 0. It decides its cost, which tells the calls apart in the bill. */
export const rankOf = ({ firstRank }: Schedule, at: number): number => (firstRank + at) % 4
