import { AsyncLocalStorage } from "node:async_hooks"
import type * as CallEvent from "@effect-speech/transport/CallEvent"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type { SpeakOptions } from "../Speech.js"
import { type Plain, plain } from "./plain.js"

type Given = Pick<SpeakOptions, "deadlines" | "onEvent" | "outage" | "retryIfBilled">

/** The options of a call. `undefined`: all have their defaults. */
export const callOptionsOf = ({
  deadlines,
  onEvent,
  outage,
  retryIfBilled
}: Given): CallEvent.CallOptions | undefined =>
  deadlines === undefined && onEvent === undefined && outage === undefined && retryIfBilled === undefined
    ? undefined
    : { deadlines, onEvent: handlerOf<CallEvent.CallEvent>(onEvent), outage, retryIfBilled }

/**
 * While the promise of a handler is pending, further events wait. What it throws is a warning of the process. It runs in the async
 * context of the caller: the fibers of several calls share a turn of the event loop, which has the context of one of them.
 */
export const handlerOf = <Event>(
  onEvent: ((event: Plain<Event>) => unknown) | undefined
): ((event: Event) => Effect.Effect<void>) | undefined => {
  if (onEvent === undefined) return undefined
  const inCaller = AsyncLocalStorage.snapshot()
  return (event) =>
    Effect.suspend(() => {
      const handled = inCaller(onEvent, plain(event))
      return isPromise(handled) ? Effect.promise(async () => void (await handled)) : Effect.void
    })
}

const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  Predicate.hasProperty(value, "then") && Predicate.isFunction(value.then)
