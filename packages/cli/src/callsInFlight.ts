/**
 * The calls of a command that are in flight. They may be billed, also if the command ends before their response.
 */
import { SpeechToText } from "@effect-speech/stt/SpeechToText"
import type { CallEvent, CallOptions } from "@effect-speech/transport/CallEvent"
import { isWaiting } from "@effect-speech/transport/unstable/CallEvents"
import { isRefusal } from "@effect-speech/transport/unstable/Report"
import { TextToSpeech } from "@effect-speech/tts/TextToSpeech"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import { plural, say } from "./message.js"
import type { Progress } from "./progress.js"
import { isAsked, nextSignal } from "./signals.js"

interface Followed {
  readonly options: CallOptions
  readonly end: (exit: Exit.Exit<unknown, unknown>) => Effect.Effect<void>
}

export class CallsInFlight extends Context.Tag("effect-speech/cli/CallsInFlight")<
  CallsInFlight,
  {
    /** `maySpend`: whether an attempt with this status may be billed, and is retried. */
    readonly begin: (options: CallOptions | undefined, maySpend: (status: number) => boolean) => Followed
    /** The grace period of a job that keeps its pieces: it says what it waits for, and lasts until the next Ctrl-C. */
    readonly finish: (progress: Pick<Progress, "withoutLines">) => Effect.Effect<void>
    /** Says how many calls an interruption has stopped after their whole request was sent, or an earlier attempt that may be billed. */
    readonly sayStopped: Effect.Effect<void>
  }
>() {}

type State = "waits" | "sends" | "isSent"

const stateAfter = (event: CallEvent): State => {
  if (isWaiting(event)) return "waits"
  return event._tag === "Uploading" ? "sends" : "isSent"
}

const make = (): CallsInFlight["Type"] => {
  const calls = new Map<Followed, State>()
  /** Those of which an earlier attempt, or this one, may be billed whatever follows. */
  const spent = new Set<Followed>()
  let stopped = 0
  let isSaid = false
  return {
    begin: (options, maySpend) => {
      const onEvent = (event: CallEvent) =>
        Effect.suspend(() => {
          if (calls.has(call)) {
            calls.set(call, stateAfter(event))
            if (event._tag === "Answered" && maySpend(event.status)) spent.add(call)
          }
          return options?.onEvent?.(event) ?? Effect.void
        })
      const end: Followed["end"] = (exit) =>
        Effect.sync(() => {
          if (Exit.isInterrupted(exit) && (calls.get(call) === "isSent" || spent.has(call))) stopped += 1
          calls.delete(call)
          spent.delete(call)
        })
      const call: Followed = { options: { ...options, onEvent }, end }
      calls.set(call, "sends")
      return call
    },
    finish: (progress) =>
      Effect.suspend(() => {
        const count = [...calls.values()].filter((state) => state !== "waits").length
        if (count === 0) return Effect.void
        const again = isAsked() ? " again" : ""
        const sentence = `Finishing ${plural(count, "call")}. Press Ctrl-C${again} to stop now: ${count === 1 ? "it" : "they"} may be billed.`
        // The recordings of a command are interrupted together.
        const announcing = isSaid ? Effect.void : progress.withoutLines(say(sentence))
        isSaid = true
        return Effect.zipRight(announcing, nextSignal)
      }),
    sayStopped: Effect.suspend(() => {
      if (stopped === 0 || !isAsked()) return Effect.void
      const [were, they, them] = stopped === 1 ? ["was", "It", "it"] : ["were", "They", "them"]
      return say(
        `${plural(stopped, "call")} ${were} stopped. ${they} may be billed, and the same command sends ${them} again.`
      )
    })
  }
}

/** No attempt of a synthesis that is retried may be billed: it is billed after a whole 200. */
const neverSpends = () => false

const spendsUnlessRefused = (status: number) => !isRefusal(status)

const during = <A, E, R>(begin: () => Followed, call: (options: CallOptions) => Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const { end, options } = begin()
    return Effect.onExit(call(options), end)
  })

/** A client whose calls are followed. */
export const followTextToSpeech = <E, R>(client: Layer.Layer<TextToSpeech, E, R>) =>
  Layer.effect(
    TextToSpeech,
    Effect.gen(function* () {
      const { begin } = yield* CallsInFlight
      const tts = yield* TextToSpeech
      return {
        ...tts,
        synthesize: (request, given) =>
          during(
            () => begin(given, neverSpends),
            (options) => tts.synthesize(request, options)
          ),
        stream: (request, given) =>
          Effect.flatMap(
            Effect.acquireRelease(
              Effect.sync(() => begin(given, neverSpends)),
              ({ end }, exit) => end(exit)
            ),
            ({ options }) => tts.stream(request, options)
          )
      }
    })
  ).pipe(Layer.provide(client), Layer.provideMerge(Layer.sync(CallsInFlight, make)))

/** A client whose calls are followed. */
export const followSpeechToText = <E, R>(client: Layer.Layer<SpeechToText, E, R>) =>
  Layer.effect(
    SpeechToText,
    Effect.gen(function* () {
      const { begin } = yield* CallsInFlight
      const stt = yield* SpeechToText
      return {
        ...stt,
        transcribe: (request, given) =>
          during(
            () => begin(given, spendsUnlessRefused),
            (options) => stt.transcribe(request, options)
          )
      }
    })
  ).pipe(Layer.provide(client), Layer.provideMerge(Layer.sync(CallsInFlight, make)))

/** Says at an interruption which calls it has stopped. */
export const sayingStopped = <A, E, R>(command: Effect.Effect<A, E, R>): Effect.Effect<A, E, R | CallsInFlight> =>
  Effect.flatMap(CallsInFlight, ({ sayStopped }) => Effect.onInterrupt(command, () => sayStopped))
