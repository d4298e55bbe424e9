/**
 * The ids of calls whose request has none: transaction ids and request ids.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"

/**
 * A generator of ids.
 *
 * @example
 * ```ts
 * import { CallIds, type CallIdsService } from "@effect-speech/transport"
 * import { Effect } from "effect"
 *
 * const fixed: CallIdsService = { next: Effect.succeed("7f3c0f3e-1b2a-4c5d-8e9f-0a1b2c3d4e5f") }
 *
 * // All calls of an effect send this id.
 * export const withFixedIds = Effect.provideService(CallIds, fixed)
 * ```
 *
 * @since 0.1.0
 * @category services
 */
export interface CallIdsService {
  /** The next id: a UUID. Anything else is a defect of the call. */
  readonly next: Effect.Effect<string>
}

const isUuid = Schema.is(Schema.UUID)

/**
 * A generator of ids, taken from the context of the call. Default: random UUIDs.
 *
 * Provide it if ids must be known, as in a test, or must come from your own system. A request that has an id does not use it.
 *
 * @example
 * ```ts
 * import { CallIds } from "@effect-speech/transport"
 * import { TextToSpeech } from "@effect-speech/tts"
 * import { Effect } from "effect"
 *
 * // In a test: `00000000-0000-4000-8000-000000000001`.
 * export const requestId = Effect.flatMap(TextToSpeech, (tts) => tts.synthesize({ text: "Hello." })).pipe(
 *   Effect.map((speech) => speech.requestId),
 *   Effect.provide(TextToSpeech.layerTest({ bytes: new Uint8Array(96_000) })),
 *   Effect.provide(CallIds.layerTest)
 * )
 * ```
 *
 * @since 0.1.0
 * @category services
 */
export class CallIds extends Context.Reference<CallIds>()("@effect-speech/transport/CallIds", {
  defaultValue: (): CallIdsService => ({ next: Effect.sync(() => crypto.randomUUID()) })
}) {
  /** Ids that count from 1: `00000000-0000-4000-8000-000000000001` is the first. */
  static readonly layerTest: Layer.Layer<CallIds> = Layer.sync(CallIds, () => {
    let number = 0
    return { next: Effect.sync(() => `00000000-0000-4000-8000-${String(++number).padStart(12, "0")}`) }
  })

  /** Generates an id. */
  static readonly next: Effect.Effect<string> = Effect.flatMap(CallIds, ({ next }) =>
    Effect.filterOrDie(next, isUuid, (id) => new TypeError(`CallIds gave ${JSON.stringify(id)}, which is no UUID`))
  )
}
