/**
 * The speech of a text, over the client of synthesis.
 */
import * as AudioFormat from "@effect-speech/audio-codec/AudioFormat"
import * as PcmStream from "@effect-speech/audio-codec/PcmStream"
import * as Wav from "@effect-speech/audio-codec/Wav"
import { nothingSent } from "@effect-speech/transport/CallReport"
import type { Issue } from "@effect-speech/transport/unstable/Issue"
import type * as EffectSpeech from "@effect-speech/tts/Speech"
import { TtsInvalidRequest } from "@effect-speech/tts/TtsError"
import * as EffectDuration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { CallReport, Duration } from "../Call.js"
import type { Audio, SpeakOptions, SpeechStart, WavFile } from "../Speech.js"
import { SpeechError } from "../SpeechError.js"
import { callOptionsOf } from "./callOptions.js"
import { toServiceError } from "./describeError.js"
import type { OpenSpeech, SpeechSource } from "./lazySpeech.js"
import { checkCallOptions } from "./optionRules.js"
import { plain } from "./plain.js"
import type { Services } from "./services.js"
import type { SessionLimit } from "./session.js"

type Whole = Omit<Audio, "wav">

/** The file is not a field, so that audio can be cloned and sent to another thread. */
export const withWav = <
  A extends { readonly format: AudioFormat.AudioFormat | Audio["format"]; readonly bytes: Uint8Array }
>(
  audio: A
): A & { readonly wav: () => Uint8Array } =>
  Object.defineProperty(audio, "wav", { value: () => Wav.encode(audio.bytes, audio.format) }) as A & {
    readonly wav: () => Uint8Array
  }

const audioOf = ({ bytes, call, durationMillis, format, requestId, warnings }: Whole | EffectSpeech.Speech): Audio =>
  withWav({ ...plain({ format, durationMillis, requestId, warnings, call }), bytes })

export const speechSource = (
  { deadlines: defaults, textToSpeech }: Pick<Services, "deadlines" | "textToSpeech">,
  text: string,
  given: Either.Either<SpeakOptions, Issue>
): SpeechSource<Audio, SpeechStart, WavFile, CallReport> => {
  const call = given.pipe(
    Either.flatMap(({ deadlines, onEvent, outage, retryIfBilled, signal: _, ...fields }) =>
      Either.map(checkCallOptions({ deadlines, onEvent, outage, retryIfBilled }), (options) => ({
        request: { ...fields, text },
        options: callOptionsOf(options)
      }))
    ),
    Either.mapLeft((issue) => new TtsInvalidRequest(issue))
  )
  return {
    open: () =>
      Effect.flatMap(call, ({ options, request }) =>
        Effect.map(
          Effect.flatMap(textToSpeech, (tts) => tts.stream(request, options)),
          opened
        )
      ),
    limit: Either.match(given, {
      onLeft: () => undefined,
      onRight: ({ deadlines }) => limitOf(deadlines?.total ?? defaults?.total)
    }),
    whole: () =>
      Effect.flatMap(call, ({ options, request }) =>
        Effect.map(
          Effect.flatMap(textToSpeech, (tts) => tts.synthesize(request, options)),
          audioOf
        )
      ),
    collect,
    write: undefined,
    writeOpen,
    reportOf,
    reportOfError,
    unused
  }
}

/** A value that is not a duration is an error when the speech is opened. */
const limitOf = (total: Duration | undefined): SessionLimit<OpenSpeech<SpeechStart, CallReport>> | undefined => {
  // The decoder would throw an error, with its stack, in each call.
  if (total === undefined) return undefined
  const limitMillis = Option.map(EffectDuration.decodeUnknown(total), EffectDuration.toMillis)
  if (Option.isNone(limitMillis)) return undefined
  const facts = { phase: "total", limitMillis: limitMillis.value } as const
  return {
    millis: facts.limitMillis,
    exceeded: ({ report }) =>
      Effect.flatMap(report, (call) => Effect.fail(toServiceError({ tag: "TtsDeadlineExceeded", facts, call })))
  }
}

const opened = (speech: EffectSpeech.SpeechStream): OpenSpeech<SpeechStart, CallReport> => {
  const { call, durationMillis, format, requestId, warnings } = speech
  const start: SpeechStart = plain({ format, durationMillis, requestId, warnings })
  return { start, audio: speech, report: Effect.map(call, plain) }
}

const writeOpen = ({ audio }: OpenSpeech<SpeechStart, CallReport>, path: string) =>
  Effect.map(Wav.writeFile(audio, path), plain)

const noReport: CallReport = plain(nothingSent)
const reportOf = (outcome: Audio | WavFile): CallReport => ("call" in outcome ? outcome.call : noReport)
const reportOfError = (error: unknown): CallReport => {
  if (error instanceof SpeechError) return error.call
  throw error
}
const unused = async (): Promise<CallReport> => noReport

const collect = ({ audio, report, start }: OpenSpeech<SpeechStart, CallReport>): Effect.Effect<Audio, unknown> =>
  Effect.gen(function* () {
    const bytes = yield* PcmStream.collect(audio)
    const durationMillis = start.durationMillis ?? AudioFormat.durationMillis(audio.format, bytes.byteLength)
    return audioOf({ ...start, durationMillis, bytes, call: yield* report })
  })
