import type * as CallEvent from "@effect-speech/transport/CallEvent"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type { SpeakOptions } from "../Speech.js"
import { type Plain, plain, snapshot } from "./plain.js"

/** The options of a call. `undefined`: all have their defaults. */
export const callOptionsOf = ({
  deadlines,
  onEvent,
  outage,
  retryIfBilled
}: Pick<SpeakOptions, "deadlines" | "onEvent" | "outage" | "retryIfBilled">): CallEvent.CallOptions | undefined =>
  deadlines === undefined && onEvent === undefined && outage === undefined && retryIfBilled === undefined
    ? undefined
    : { deadlines: snapshot(deadlines), onEvent: handlerOf<CallEvent.CallEvent>(onEvent), outage, retryIfBilled }

/** While the promise of a handler is pending, further events wait. What it throws is a warning of the process. */
export const handlerOf = <Event>(
  onEvent: ((event: Plain<Event>) => unknown) | undefined
): ((event: Event) => Effect.Effect<void>) | undefined =>
  onEvent === undefined
    ? undefined
    : (event) =>
        Effect.suspend(() => {
          const handled = onEvent(plain(event))
          return isPromise(handled) ? Effect.promise(async () => void (await handled)) : Effect.void
        })

const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  Predicate.hasProperty(value, "then") && Predicate.isFunction(value.then)
