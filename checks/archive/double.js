// Plain JavaScript, over the built packages: no compiler adds to the memory that is measured.
/** A service that takes a fixed time for each call, and files that do not exist. */
import { appendFileSync } from "node:fs"
import * as AudioSource from "@effect-speech/stt/AudioSource"
import { SpeechToText } from "@effect-speech/stt/SpeechToText"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

/**
 * @typedef {{ readonly millis: number, readonly log?: string } | { readonly baseUrl: string, readonly apiKey: string }} Speech
 *   A double that takes so many milliseconds, and appends a line to `log` when a call begins and ends; or a service.
 */

/**
 * `SpeechToText.layerTest` keeps each request for its test. This one keeps nothing, however many there are.
 *
 * @param {{ readonly millis: number, readonly log?: string }} options
 * @returns {Effect.Effect<import("@effect-speech/stt/SpeechToText").SpeechToTextService>}
 */
export const double = ({ log, millis }) =>
  Effect.gen(function* () {
    const { transcribe } = yield* SpeechToText
    const template = yield* Effect.orDie(
      transcribe({ audio: AudioSource.fromBytes(new Uint8Array([0])), model: "hi-general-v2-8khz", aux: true })
    )
    /** @param {"begin" | "end"} what @param {string} id */
    const note = (what, id) => {
      if (log !== undefined) appendFileSync(log, `${Date.now()} ${what} ${id}\n`)
    }
    return SpeechToText.of({
      transcribe: ({ transactionId = "" }) =>
        Effect.suspend(() => {
          note("begin", transactionId)
          return Effect.sleep(millis)
        }).pipe(
          Effect.map(() => {
            note("end", transactionId)
            return { ...template, text: `The call ${transactionId}.`, transactionId }
          })
        )
    })
  }).pipe(Effect.provide(SpeechToText.layerTest("")))

/**
 * So many recordings of a folder, which are not read.
 *
 * @param {string} root @param {number} count
 * @returns {import("@effect-speech/archive/Source").Source}
 */
export const items = (root, count) => ({
  root,
  description: `${count} recordings`,
  byContent: false,
  items: () =>
    Stream.map(Stream.range(0, count - 1), (index) => ({
      path: `${String(Math.floor(index / 1000)).padStart(4, "0")}/call-${String(index).padStart(7, "0")}.wav`,
      size: 8044,
      modifiedMillis: 1_700_000_000_000 + index
    }))
})
