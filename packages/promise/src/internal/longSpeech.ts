/**
 * The speech of a text of any length, over the long form.
 */
import * as PcmStream from "@effect-speech/audio-codec/PcmStream"
import * as Wav from "@effect-speech/audio-codec/Wav"
import * as EffectLongSpeech from "@effect-speech/long-form/LongSpeech"
import type { Issue } from "@effect-speech/transport/unstable/Issue"
import { TextToSpeech } from "@effect-speech/tts/TextToSpeech"
import { TtsInvalidRequest } from "@effect-speech/tts/TtsError"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { LongAudio, LongSpeechReport, Passage, SpeakLongOptions, WavFile } from "../Speech.js"
import { handlerOf } from "./callOptions.js"
import type { CallSite } from "./errors.js"
import { toSpeechError } from "./errors.js"
import type { OpenSpeech, SpeechSource } from "./lazySpeech.js"
import { checkCallOptions, copyOf } from "./optionRules.js"
import { pieceStore } from "./pieceStore.js"
import { plain } from "./plain.js"
import type { Services } from "./services.js"
import { withWav } from "./speech.js"

type Start = Pick<LongSpeechReport, "format">
type LongWavFile = WavFile & LongSpeechReport
type Open = OpenSpeech<Start, LongSpeechReport>

/** A call as the long form takes it. */
interface Call {
  readonly request: EffectLongSpeech.Request
  readonly options: EffectLongSpeech.Options
  readonly keepIn: SpeakLongOptions["keepIn"]
}

export const longSpeechSource = (
  { files, textToSpeech }: Pick<Services, "files" | "textToSpeech">,
  text: string | ReadonlyArray<Passage>,
  given: Either.Either<SpeakLongOptions, Issue>,
  site: CallSite
): SpeechSource<LongAudio, Start, LongWavFile, LongSpeechReport> => {
  const call = Either.all({ passages: copyOf("text", () => text), given }).pipe(
    Either.flatMap(({ given, passages }) => callOf(passages, given)),
    Either.mapLeft((issue) => new TtsInvalidRequest(issue))
  )
  const run = <A, R>(use: (call: Call) => Effect.Effect<A, unknown, R>) =>
    Effect.flatMap(call, (call) =>
      Effect.flatMap(Effect.all([files, textToSpeech]), ([context, tts]) =>
        use(call).pipe(
          Effect.provide(pieceStore(call.keepIn, "speak")),
          Effect.provideService(TextToSpeech, tts),
          Effect.provide(context)
        )
      )
    )
  const open = () =>
    run(({ options, request }) =>
      Effect.map(EffectLongSpeech.stream(request, options), (audio): Open => {
        const report = Effect.map(audio.report, plain)
        return { start: { format: plain(audio.format) }, audio, report }
      })
    )
  return {
    open,
    // Each piece has its own.
    limit: undefined,
    whole: () => Effect.scoped(Effect.flatMap(open(), collect)),
    collect,
    write: (path) =>
      run(({ options, request }) => Effect.map(EffectLongSpeech.writeFile(request, path, options), fileOf)),
    writeOpen: ({ audio, report }, path) =>
      Effect.flatMap(Wav.writeFile(audio, path), (file) => Effect.map(report, (report) => fileOf({ ...file, report }))),
    reportOf: ({ durationMillis, format, pieces, segments }) => ({ format, pieces, segments, durationMillis }),
    reportOfError: (error) => {
      throw error
    },
    unused: async () => {
      const problem = "was not used yet, so it has no report; read it, write it or await it first"
      throw toSpeechError(new TtsInvalidRequest({ field: "speech", problem }), site)
    }
  }
}

const callOf = (
  text: string | ReadonlyArray<Passage>,
  {
    concurrency,
    differentFormat,
    edgeSilence,
    fade,
    firstCodePoints,
    gracePeriod,
    keepIn,
    maximumCodePoints,
    onEvent,
    outage,
    pauses,
    signal: _,
    ...fields
  }: SpeakLongOptions
): Either.Either<Call, Issue> =>
  Either.map(checkCallOptions({ onEvent, outage }), () => ({
    request: { ...fields, text },
    options: {
      concurrency,
      differentFormat,
      edgeSilence,
      fade,
      firstCodePoints,
      gracePeriod,
      maximumCodePoints,
      outage,
      pauses,
      onEvent: handlerOf<EffectLongSpeech.Event>(onEvent)
    },
    keepIn
  }))

const collect = ({ audio, report }: Open): Effect.Effect<LongAudio, unknown> =>
  Effect.flatMap(PcmStream.collect(audio), (bytes) => Effect.map(report, (report) => withWav({ ...report, bytes })))

const fileOf = ({
  dataLength,
  durationMillis,
  path,
  report
}: Omit<WavFile, "format"> & { readonly report: EffectLongSpeech.Report | LongSpeechReport }): LongWavFile => ({
  ...plain(report),
  path,
  dataLength,
  durationMillis
})
