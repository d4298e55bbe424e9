/**
 * A long recording of `speech transcribe`: cut at pauses, sent in pieces, joined to one transcript.
 */
import * as Decoder from "@effect-speech/local-service/Decoder"
import * as LongTranscription from "@effect-speech/long-form/LongTranscription"
import * as SegmentReader from "@effect-speech/long-form/SegmentReader"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Given } from "../declaration.js"
import type * as Progress from "../progress.js"

const minutes = (millis: number): string => (millis / 60_000).toFixed(millis < 600_000 ? 1 : 0)

/** Shows the minutes that are done. */
const showing = (job: Progress.JobLine) => {
  let total: number | undefined
  let done = 0
  let before = 0
  return (event: LongTranscription.Event): Effect.Effect<void> => {
    if (event._tag === "Planned") total = event.durationMillis
    else if (event._tag === "Started" || event._tag === "Called") return Effect.void
    else {
      const millis = event.endMillis - event.startMillis
      done += millis
      if (event._tag !== "Done") before += millis
    }
    const amount = total === undefined ? `${minutes(done)} minutes` : `${minutes(done)} of ${minutes(total)} minutes`
    return job.show({ done, total, amount }, before)
  }
}

export const transcribeLong = (
  request: LongTranscription.Request,
  { concurrency, pieceMinutes, segmentFields }: Given<"transcribe">,
  job: Progress.JobLine
) =>
  LongTranscription.transcribe(request, {
    concurrency,
    maximum: pieceMinutes === undefined ? undefined : Duration.minutes(pieceMinutes),
    segments: segmentFields === undefined ? undefined : SegmentReader.fields(segmentFields),
    onEvent: showing(job)
  }).pipe(Effect.provide(Decoder.layer))
