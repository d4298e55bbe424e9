/**
 * The speech of a text of any length, over the long form.
 */
import * as PcmStream from "@effect-speech/audio-codec/PcmStream"
import * as Wav from "@effect-speech/audio-codec/Wav"
import * as EffectLongSpeech from "@effect-speech/long-form/LongSpeech"
import { TextToSpeech } from "@effect-speech/tts/TextToSpeech"
import { TtsInvalidRequest } from "@effect-speech/tts/TtsError"
import * as Effect from "effect/Effect"
import type { LongAudio, LongSpeechReport, Passage, SpeakLongOptions, WavFile } from "../Speech.js"
import { handlerOf } from "./callOptions.js"
import type { CallSite } from "./errors.js"
import { toSpeechError } from "./errors.js"
import type { OpenSpeech, SpeechSource } from "./lazySpeech.js"
import { pieceStore } from "./pieceStore.js"
import { plain, snapshot } from "./plain.js"
import type { Services } from "./services.js"
import { withWav } from "./speech.js"

type Start = Pick<LongSpeechReport, "format">
type File = WavFile & LongSpeechReport
type Open = OpenSpeech<Start, LongSpeechReport>

export const longSpeechSource = (
  { files, textToSpeech }: Pick<Services, "files" | "textToSpeech">,
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
  }: SpeakLongOptions,
  site: CallSite
): SpeechSource<LongAudio, Start, File, LongSpeechReport> => {
  const request = { ...snapshot(fields), text: snapshot(text) }
  const options: EffectLongSpeech.Options = {
    concurrency,
    differentFormat,
    edgeSilence,
    fade,
    firstCodePoints,
    gracePeriod,
    maximumCodePoints,
    outage,
    pauses: snapshot(pauses),
    onEvent: handlerOf<EffectLongSpeech.Event>(onEvent)
  }
  const run = <A, R>(effect: Effect.Effect<A, unknown, R>) =>
    Effect.flatMap(Effect.all([files, textToSpeech]), ([context, tts]) =>
      effect.pipe(
        Effect.provide(pieceStore(keepIn, "speak")),
        Effect.provideService(TextToSpeech, tts),
        Effect.provide(context)
      )
    )
  const open = () =>
    run(
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
    write: (path) => run(Effect.map(EffectLongSpeech.writeFile(request, path, options), fileOf)),
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

const collect = ({ audio, report }: Open): Effect.Effect<LongAudio, unknown> =>
  Effect.flatMap(PcmStream.collect(audio), (bytes) => Effect.map(report, (report) => withWav({ ...report, bytes })))

const fileOf = ({
  dataLength,
  durationMillis,
  path,
  report
}: Omit<WavFile, "format"> & { readonly report: EffectLongSpeech.Report | LongSpeechReport }): File => ({
  ...plain(report),
  path,
  dataLength,
  durationMillis
})
