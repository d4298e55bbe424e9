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
import type { Caller, Calls } from "./calls.js"
import { pieceStore } from "./pieceStore.js"
import { plain, snapshot } from "./plain.js"
import { type OpenRecording, openRecording } from "./recordings.js"
import type { Services } from "./services.js"

/** Runs a call with a recording, and releases it, whether the call started or not. */
const withRecording = <A>(
  { calls, caller }: TranscriptionParts,
  recording: Recording,
  filename: string | undefined,
  run: (audio: OpenRecording["audio"]) => Effect.Effect<A, unknown>
): Promise<A> => {
  const opened = openRecording(recording, filename)
  if (Either.isLeft(opened)) return calls.run(Effect.fail(opened.left), caller)
  const { audio, release } = opened.right
  const running = calls.run(run(audio), caller)
  return release === undefined ? running : running.finally(release)
}

/** What a transcription runs with. */
export interface TranscriptionParts extends Pick<Services, "files" | "speechToText"> {
  readonly calls: Calls
  readonly caller: Caller
}

export const transcribe = (
  parts: TranscriptionParts,
  recording: Recording,
  { deadlines, filename, onEvent, outage, retryIfBilled, ...fields }: TranscribeOptions
): Promise<Transcription> => {
  const asked = snapshot(fields)
  const options = callOptionsOf({ deadlines, onEvent, outage, retryIfBilled })
  return withRecording(parts, recording, filename, (audio) =>
    Effect.flatMap(parts.speechToText, (stt) => Effect.map(stt.transcribe({ ...asked, audio }, options), plain))
  )
}

export const transcribeLong = (
  parts: TranscriptionParts,
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
    segments,
    ...fields
  }: TranscribeLongOptions
): Promise<Transcript> => {
  const asked = snapshot(fields)
  const options: LongTranscription.Options = {
    concurrency,
    gracePeriod,
    maximum,
    outage,
    retryIfBilled,
    segments: segments && SegmentReader.fields(segments),
    onEvent: handlerOf<LongTranscription.Event>(onEvent)
  }
  return withRecording(parts, recording, filename, (audio) =>
    Effect.flatMap(Effect.all([parts.files, parts.speechToText]), ([context, stt]) =>
      LongTranscription.transcribe({ ...asked, audio }, options).pipe(
        Effect.provide(Layer.merge(pieceStore(keepIn, "transcribe"), AudioDecoder.layerWav)),
        Effect.provideService(SpeechToText, stt),
        Effect.provide(context),
        Effect.map(plain)
      )
    )
  )
}
