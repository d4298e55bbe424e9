/** Holds the types, which are written without Effect, against those of the Effect clients: a change of one breaks here. */
import type { AudioFormat } from "@effect-speech/audio-codec/AudioFormat"
import type * as Wav from "@effect-speech/audio-codec/Wav"
import type * as LongSpeech from "@effect-speech/long-form/LongSpeech"
import type * as LongTranscription from "@effect-speech/long-form/LongTranscription"
import type * as Passages from "@effect-speech/long-form/Passages"
import type * as SegmentReader from "@effect-speech/long-form/SegmentReader"
import type * as SttContract from "@effect-speech/stt/SttContract"
import type { SttError } from "@effect-speech/stt/SttError"
import type { SttWarning } from "@effect-speech/stt/SttWarning"
import type * as SttResult from "@effect-speech/stt/Transcription"
import type { TranscriptionOptions } from "@effect-speech/stt/TranscriptionOptions"
import type * as Events from "@effect-speech/transport/CallEvent"
import type * as Report from "@effect-speech/transport/CallReport"
import type * as Client from "@effect-speech/transport/ClientOptions"
import type * as Deadlines from "@effect-speech/transport/Deadlines"
import type * as Retries from "@effect-speech/transport/Retries"
import type { SynthesisRequest } from "@effect-speech/tts/SynthesisRequest"
import type * as TtsContract from "@effect-speech/tts/TtsContract"
import type { TtsError } from "@effect-speech/tts/TtsError"
import type { TtsWarning } from "@effect-speech/tts/TtsWarning"
import type * as Duration from "effect/Duration"
import type * as Schema from "effect/Schema"
import { expectTypeOf, it } from "vitest"
import * as Speech from "../src/index.js"
import type { Plain } from "../src/internal/plain.js"

type Identical<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

/** The fields that differ, with both types. */
type Differences<A, B> = {
  readonly [Name in keyof A | keyof B]: Identical<
    Name extends keyof A ? A[Name] : "absent",
    Name extends keyof B ? B[Name] : "absent"
  > extends true
    ? never
    : readonly [Name extends keyof A ? A[Name] : "absent", Name extends keyof B ? B[Name] : "absent"]
}

/** Compiles if both types are the same once they are plain. If not, the compiler names the differences. */
const same = <A, B>(
  ..._: Identical<Plain<A>, Plain<B>> extends true ? [] : [differences: Differences<Plain<A>, Plain<B>>]
): void => undefined

/** The facts of each error of an operation, by tag. */
type FactsOf<Member extends { readonly fields: Schema.Struct.Fields }> = {
  readonly [Class in Member as Class extends { readonly _tag: infer Tag extends string }
    ? Tag
    : never]: Schema.Struct.Type<Omit<Class["fields"], "_tag" | "call" | "message">>
}
type Own = keyof Speech.CommonFacts

it("a speech is a promise of its audio, where a program takes promises", () => {
  expectTypeOf<Speech.Speech>().toExtend<Promise<Speech.Audio>>()
  expectTypeOf<Speech.LongSpeech>().toExtend<Promise<Speech.LongAudio>>()
  expectTypeOf<Awaited<Speech.Speech>>().toEqualTypeOf<Speech.Audio>()
})

it("the facts of each tag are the fields of that error of the client", () => {
  same<Omit<Speech.SpeakFacts, Own>, FactsOf<(typeof TtsError.members)[number]>>()
  same<Omit<Speech.TranscribeFacts, Own>, FactsOf<(typeof SttError.members)[number]>>()
  same<Exclude<Speech.Category, "file">, (TtsError | SttError)["category"]>()
})

it("a report, its attempts and its piece have the fields of those of the client", () => {
  same<Speech.CallReport, Report.CallReport>()
  same<Speech.Attempt, Report.Attempt>()
  same<Speech.CallPiece, Report.Piece>()
})

it("the events of a call, of a long text and of a long recording are those of the clients", () => {
  same<Speech.CallEvent, Events.CallEvent>()
  same<ByTag<Speech.LongSpeechEvent>, ByTag<Plain<LongSpeech.Event>>>()
  same<ByTag<Speech.LongTranscriptionEvent>, ByTag<Plain<LongTranscription.Event>>>()
})

/** The members of a union by tag. One member of the public types may have several tags. */
type ByTag<Union extends { readonly tag: string }> = {
  readonly [Tag in Union["tag"]]: Omit<Sharing<Union, Tag>, "tag">
}
type Sharing<Union, Tag> = Union extends { readonly tag: infer Tags } ? (Tag extends Tags ? Union : never) : never

it("the warnings are those of the clients", () => {
  same<Speech.SpeechWarning, TtsWarning>()
  same<Speech.TranscriptionWarning, SttWarning>()
  same<Speech.TranscriptWarning, LongTranscription.Warning>()
})

it("the results have the fields of those of the clients", () => {
  same<Speech.AudioFormat, AudioFormat>()
  same<Speech.WavFile, Wav.WavFile>()
  same<Speech.Transcription, SttResult.Transcription>()
  same<Speech.AuxInfo, SttContract.AuxInfo>()
  same<Speech.Transcript, LongTranscription.Transcript>()
  same<Speech.LongSpeechReport, LongSpeech.Report>()
})

/** The options with the durations that this package takes. */
type Options<Given> = {
  [Name in keyof Given]: Duration.DurationInput extends Given[Name] ? Speech.Duration | undefined : Given[Name]
}
type WithoutCallOptions<Given> = Omit<Given, keyof Speech.CallOptions>

it("the options are those of the clients, with durations as numbers and words", () => {
  expectTypeOf<Speech.Duration>().toExtend<Duration.DurationInput>()
  same<Speech.Deadlines, Options<Deadlines.Deadlines>>()
  same<Speech.RetryPolicy, Options<Retries.RetryPolicy>>()
  same<Pick<Speech.ConnectOptions, SharedOption>, Pick<Client.ClientOptions, SharedOption>>()
  same<Speech.ConnectOptions["hotwordEncoding"], SttContract.HotwordEncoding | undefined>()
  expectTypeOf<WithoutCallOptions<Speech.SpeakLongOptions>>().toExtend<LongSpeech.Options>()
  expectTypeOf<
    Omit<WithoutCallOptions<Speech.TranscribeLongOptions>, "segments">
  >().toExtend<LongTranscription.Options>()
  expectTypeOf<keyof LongSpeech.Options>().toExtend<keyof Speech.SpeakLongOptions>()
  expectTypeOf<keyof LongTranscription.Options>().toExtend<keyof Speech.TranscribeLongOptions>()
  same<Speech.SegmentFields, SegmentReader.Fields>()
})
type SharedOption = "allowInsecureHttp" | "concurrency" | "retryAmbiguous"

it("a request has the fields of that of the client", () => {
  same<Pick<Speech.SpeakOptions, keyof Speech.VoiceOptions>, Omit<SynthesisRequest, "text">>()
  same<Speech.OutputFormat, TtsContract.OutputFormat>()
  same<Speech.Passage, Passages.Passage>()
  same<Pick<Speech.TranscribeOptions, keyof TranscriptionOptions>, TranscriptionOptions>()
})

const speakHint = (error: Speech.SpeakError): string => {
  switch (error.tag) {
    case "InvalidOption":
      return error.facts.option
    case "ClientClosed":
      return "closed"
    case "FileFailed":
      return error.facts.path
    case "TtsInvalidRequest":
      return error.facts.field
    case "TtsInvalidApiKey":
    case "TtsInvalidResponse":
      return error.facts.problem
    case "TtsBadRequest":
      return error.facts.field ?? ""
    case "TtsUnauthorized":
    case "TtsServerError":
    case "TtsBackendFailed":
    case "TtsUnexpectedStatus":
      return String(error.facts.status)
    case "TtsConnectionFailed":
      return error.facts.reason
    case "TtsDeadlineExceeded":
      return error.facts.phase
    case "TtsCorruptAudio":
      return String(error.facts.receivedBytes)
  }
}

const transcribeHint = (error: Speech.TranscribeError): string => {
  switch (error.tag) {
    case "InvalidOption":
    case "ClientClosed":
    case "FileFailed":
      return error.message
    case "SttInvalidRequest":
    case "SttInvalidApiKey":
    case "SttInvalidResponse":
      return error.facts.problem
    case "SttAudioUnreadable":
      return error.facts.source
    case "SttBadRequest":
    case "SttUnauthorized":
    case "SttCreditExhausted":
    case "SttForbidden":
    case "SttServerError":
    case "SttUnavailable":
    case "SttUnexpectedStatus":
      return error.facts.serverError ?? String(error.facts.status)
    case "SttConnectionFailed":
      return error.facts.sent
    case "SttDeadlineExceeded":
      return String(error.facts.limitMillis)
    case "SttTranscriptionFailed":
      return error.facts.callId ?? ""
  }
}

it("a switch over the tags of an operation is exhaustive, and each case has its facts", () => {
  expectTypeOf(speakHint).returns.toBeString()
  expectTypeOf(transcribeHint).returns.toBeString()
  expectTypeOf(Speech.isSpeakError).guards.toEqualTypeOf<Speech.SpeakError>()
  expectTypeOf(Speech.isTranscribeError).guards.toEqualTypeOf<Speech.TranscribeError>()
})

it("an error of a test has the facts of its tag", () => {
  const error = Speech.SpeechError.of("TtsBadRequest", { field: "speed" })
  expectTypeOf(error).toExtend<Speech.SpeakError>()
  expectTypeOf(error.facts.field).toEqualTypeOf<string | undefined>()
  // @ts-expect-error: there is no such tag.
  const misspelt = () => Speech.SpeechError.of("TtsBadRequests")
  // @ts-expect-error: the facts of this tag have no such name.
  const otherFacts = () => Speech.SpeechError.of("TtsBadRequest", { reason: "refused" })
  expectTypeOf(misspelt).toBeFunction()
  expectTypeOf(otherFacts).toBeFunction()
})
