/**
 * Transcriptions, over the client of transcription and over the long form.
 */
import { AudioDecoder, AudioDecoderError, type Compressed } from "@effect-speech/audio-codec/AudioDecoder"
import * as Container from "@effect-speech/audio-codec/Container"
import { errorName } from "@effect-speech/common/SystemCode"
import * as LongTranscription from "@effect-speech/long-form/LongTranscription"
import * as SegmentReader from "@effect-speech/long-form/SegmentReader"
import { SpeechToText } from "@effect-speech/stt/SpeechToText"
import { SttInvalidRequest } from "@effect-speech/stt/SttError"
import type { Issue } from "@effect-speech/transport/unstable/Issue"
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
import { checkCallOptions } from "./optionRules.js"
import { pieceStore } from "./pieceStore.js"
import { plain } from "./plain.js"
import { type OpenRecording, openRecording } from "./recordings.js"
import type { Services } from "./services.js"

/** What a transcription runs with. */
export interface TranscriptionParts extends Pick<Services, "files" | "speechToText"> {
  readonly calls: Calls
  readonly caller: Caller
}

/** Runs a call with a recording, and releases it, whether the call started or not. */
const withRecording = <Call extends { readonly filename: string | undefined }, A>(
  { calls, caller }: TranscriptionParts,
  recording: Recording,
  call: Either.Either<Call, Issue>,
  run: (call: Call, audio: OpenRecording["audio"]) => Effect.Effect<A, unknown>
): Promise<A> => {
  const opened = openSafely(recording, Either.isRight(call) ? call.right.filename : undefined)
  if (Either.isLeft(opened)) return calls.run(Effect.fail(opened.left), caller)
  const { audio, release } = opened.right
  const effect = Effect.flatMap(
    Either.mapLeft(call, (issue) => new SttInvalidRequest(issue)),
    (call) => run(call, audio)
  )
  const running = calls.run(effect, caller)
  return release === undefined ? running : running.finally(release)
}

/** Bytes that were transferred, or an object that only looks like a stream, may throw. */
const openSafely = (...given: Parameters<typeof openRecording>): ReturnType<typeof openRecording> => {
  try {
    return openRecording(...given)
  } catch (error) {
    return Either.left(new SttInvalidRequest({ field: "recording", problem: `can't be read (${errorName(error)})` }))
  }
}

export const transcribe = (
  parts: TranscriptionParts,
  recording: Recording,
  given: Either.Either<TranscribeOptions, Issue>
): Promise<Transcription> => {
  const call = Either.flatMap(given, ({ deadlines, filename, onEvent, outage, retryIfBilled, signal: _, ...fields }) =>
    Either.map(checkCallOptions({ deadlines, filename, onEvent, outage, retryIfBilled }), (options) => ({
      filename,
      fields,
      options: callOptionsOf(options)
    }))
  )
  return withRecording(parts, recording, call, ({ fields, options }, audio) =>
    Effect.flatMap(parts.speechToText, (stt) => Effect.map(stt.transcribe({ ...fields, audio }, options), plain))
  )
}

export const transcribeLong = (
  parts: TranscriptionParts,
  recording: Recording,
  given: Either.Either<TranscribeLongOptions, Issue>
): Promise<Transcript> =>
  withRecording(parts, recording, Either.flatMap(given, longCall), ({ fields, keepIn, options }, audio) =>
    Effect.flatMap(Effect.all([parts.files, parts.speechToText]), ([context, stt]) =>
      LongTranscription.transcribe({ ...fields, audio }, options).pipe(
        Effect.provide(Layer.merge(pieceStore(keepIn, "transcribe"), onlyWav)),
        Effect.provideService(SpeechToText, stt),
        Effect.provide(context),
        Effect.map(plain)
      )
    )
  )

/** As `AudioDecoder.layerWav`, with advice for a program without Effect. */
const refuse = (container: Compressed) =>
  Effect.fail(
    new AudioDecoderError({
      reason: "NoDecoder",
      container,
      message:
        `This recording is ${Container.displayName(container)}, and transcribeLong takes only WAV. Convert it to WAV, or send it in one ` +
        "request with transcribe."
    })
  )
const onlyWav = Layer.succeed(AudioDecoder, {
  containers: [],
  decodeFile: (_, container) => refuse(container),
  decodeStream: (_, container) => refuse(container)
})

const longCall = ({
  concurrency,
  filename,
  gracePeriod,
  keepIn,
  maximum,
  onEvent,
  outage,
  retryIfBilled,
  segments,
  signal: _,
  ...fields
}: TranscribeLongOptions) =>
  Either.map(checkCallOptions({ filename, onEvent, outage, retryIfBilled, segments }), () => {
    const options: LongTranscription.Options = {
      concurrency,
      gracePeriod,
      maximum,
      outage,
      retryIfBilled,
      segments: segments && SegmentReader.fields(segments),
      onEvent: handlerOf<LongTranscription.Event>(onEvent)
    }
    return { filename, fields, keepIn, options }
  })
