/**
 * Transcriptions, over the client of transcription and over the long form.
 */
import { AudioDecoder } from "@effect-speech/audio-codec/AudioDecoder"
import * as LongTranscription from "@effect-speech/long-form/LongTranscription"
import * as SegmentReader from "@effect-speech/long-form/SegmentReader"
import { SpeechToText } from "@effect-speech/stt/SpeechToText"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import type {
  Recording,
  TranscribeLongOptions,
  TranscribeOptions,
  Transcript,
  Transcription
} from "../Transcription.js"
import { callOptionsOf, handlerOf } from "./callOptions.js"
import { pieceStore } from "./pieceStore.js"
import { plain, snapshot } from "./plain.js"
import { type OpenRecording, openRecording } from "./recordings.js"
import type { Services } from "./services.js"

/** Opens a recording, runs a call with it, and releases it. */
const withRecording = <A>(
  recording: Recording,
  filename: string | undefined,
  run: (audio: OpenRecording["audio"]) => Effect.Effect<A, unknown>
): Effect.Effect<A, unknown> => {
  const opened = openRecording(recording, filename)
  if (Either.isLeft(opened)) return Effect.fail(opened.left)
  const { audio, release } = opened.right
  return Effect.ensuring(run(audio), Effect.sync(release))
}

export const transcription = (
  { speechToText }: Pick<Services, "speechToText">,
  recording: Recording,
  { deadlines, filename, onEvent, outage, retryIfBilled, ...fields }: TranscribeOptions
): Effect.Effect<Transcription, unknown> => {
  const asked = snapshot(fields)
  const options = callOptionsOf({ deadlines, onEvent, outage, retryIfBilled })
  return withRecording(recording, filename, (audio) =>
    Effect.flatMap(speechToText, (stt) => Effect.map(stt.transcribe({ ...asked, audio }, options), plain))
  )
}

export const longTranscription = (
  { files, speechToText }: Pick<Services, "files" | "speechToText">,
  recording: Recording,
  {
    concurrency,
    filename,
    gracePeriod,
    keepIn,
    maximum,
    onEvent,
    outage,
    retryIfBilled,
    segmentFields,
    ...fields
  }: TranscribeLongOptions
): Effect.Effect<Transcript, unknown> => {
  const asked = snapshot(fields)
  const options: LongTranscription.Options = {
    concurrency,
    gracePeriod,
    maximum,
    outage,
    retryIfBilled,
    segments: segmentFields && SegmentReader.fields(segmentFields),
    onEvent: handlerOf<LongTranscription.Event>(onEvent)
  }
  return withRecording(recording, filename, (audio) =>
    Effect.flatMap(Effect.all([files, speechToText]), ([context, stt]) =>
      LongTranscription.transcribe({ ...asked, audio }, options).pipe(
        Effect.provide(Layer.merge(pieceStore(keepIn), AudioDecoder.layerWav)),
        Effect.provideService(SpeechToText, stt),
        Effect.provide(context),
        Effect.map(plain)
      )
    )
  )
}
