/**
 * A long recording of `speech transcribe`: cut at pauses, sent in pieces, joined to one transcript.
 */
import * as NodeAudioDecoder from "@effect-speech/audio-decoder/NodeAudioDecoder"
import * as LongTranscription from "@effect-speech/long-form/LongTranscription"
import * as SegmentReader from "@effect-speech/long-form/SegmentReader"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { CallsInFlight } from "../callsInFlight.js"
import type { Given } from "../declaration.js"
import type * as Progress from "../progress.js"
import type { Tally } from "../tally.js"

const minutes = (millis: number): string => (millis / 60_000).toFixed(millis < 600_000 ? 1 : 0)

/** Shows the minutes that are done. */
const showing =
  (job: Progress.JobLine, tally: Tally) =>
  (event: LongTranscription.Event): Effect.Effect<void> => {
    if (event._tag === "Started" || event._tag === "Called") return Effect.void
    if (event._tag === "Planned") tally.total = event.durationMillis
    else tally.add(event.endMillis - event.startMillis, event._tag !== "Done")
    return tally.show(
      job,
      (done, total) => `${minutes(done)}${total === undefined ? "" : ` of ${minutes(total)}`} minutes`
    )
  }

export const transcribeLong = (
  request: LongTranscription.Request,
  { concurrency, pieceMinutes, pieces, segmentFields }: Given<"transcribe">,
  { name, progress, tally }: { readonly name: string; readonly progress: Progress.Progress; readonly tally: Tally }
) =>
  Effect.gen(function* () {
    const job = yield* progress.job(name)
    const { finish } = yield* CallsInFlight
    return yield* LongTranscription.transcribe(request, {
      concurrency,
      maximum: pieceMinutes === undefined ? undefined : Duration.minutes(pieceMinutes),
      segments: segmentFields === undefined ? undefined : SegmentReader.fields(segmentFields),
      gracePeriod: pieces === undefined ? undefined : finish(progress),
      onEvent: showing(job, tally)
    })
  }).pipe(Effect.provide(NodeAudioDecoder.layer))
