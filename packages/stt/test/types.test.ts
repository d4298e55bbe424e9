import type * as FileSystem from "@effect/platform/FileSystem"
import type * as HttpClient from "@effect/platform/HttpClient"
import { expectTypeOf, it } from "@effect/vitest"
import {
  type AudioSource,
  SpeechToText,
  type SpeechToTextCalls,
  type SttError,
  type SttInvalidApiKey,
  SttUnauthorized,
  type SttWarning,
  type Transcription
} from "@effect-speech/stt"
import type * as ConfigError from "effect/ConfigError"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Match from "effect/Match"

type Service = SpeechToText["Type"]

it("transcribe fails with an SttError and nothing else, and needs nothing", () => {
  expectTypeOf<ReturnType<Service["transcribe"]>>().toEqualTypeOf<Effect.Effect<Transcription, SttError>>()
  expectTypeOf<Parameters<Service["transcribe"]>[0]["audio"]>().toEqualTypeOf<AudioSource.AudioSource>()
})

it("the layers say what they need and how they fail", () => {
  type Built = Layer.Layer<
    SpeechToText,
    ConfigError.ConfigError | SttInvalidApiKey,
    HttpClient.HttpClient | FileSystem.FileSystem
  >
  expectTypeOf(SpeechToText.layerFromEnv).toEqualTypeOf<Built>()
  expectTypeOf(SpeechToText.layer).returns.toEqualTypeOf<Built>()
  expectTypeOf(SpeechToText.layerConfig).returns.toEqualTypeOf<Built>()
  expectTypeOf(SpeechToText.layerTest).returns.toEqualTypeOf<Layer.Layer<SpeechToText | SpeechToTextCalls>>()
})

it("an exhaustive match that forgets a tag does not compile", () => {
  const all = Match.type<SttError>().pipe(
    Match.tag("SttInvalidRequest", "SttInvalidApiKey", "SttAudioUnreadable", () => "caller"),
    Match.tag("SttBadRequest", "SttUnauthorized", "SttCreditExhausted", "SttForbidden", () => "refused"),
    Match.tag("SttServerError", "SttUnavailable", "SttUnexpectedStatus", () => "service"),
    Match.tag("SttConnectionFailed", "SttDeadlineExceeded", () => "network"),
    Match.tag("SttInvalidResponse", () => "answer")
  )
  const complete = all.pipe(
    Match.tag("SttTranscriptionFailed", () => "answer"),
    Match.exhaustive
  )
  expectTypeOf(complete).returns.toEqualTypeOf<string>()
  // @ts-expect-error SttTranscriptionFailed is forgotten
  expectTypeOf(all.pipe(Match.exhaustive)).returns.toEqualTypeOf<string>()
})

it("catching a tag takes it out of the error type", () => {
  const failing: Effect.Effect<Transcription, SttError> = Effect.fail(new SttUnauthorized())
  const caught = failing.pipe(Effect.catchTag("SttUnauthorized", () => Effect.succeed(undefined)))
  expectTypeOf<Effect.Effect.Error<typeof caught>>().toEqualTypeOf<Exclude<SttError, SttUnauthorized>>()
})

it("a request may leave out what has a default, and a result tells what was seen", () => {
  type Asked = Parameters<Service["transcribe"]>[0]
  expectTypeOf<{ audio: AudioSource.AudioSource; model: string }>().toExtend<Asked>()
  expectTypeOf<Transcription["warnings"]>().toEqualTypeOf<ReadonlyArray<SttWarning>>()
  // A match of all tags needs no default branch.
  const what = Match.type<SttWarning>().pipe(
    Match.tag("MoreThanOneChannel", ({ channels }) => channels),
    Match.tag("SampleRateFarFrom8kHz", ({ sampleRate }) => sampleRate),
    Match.tag("ParseNumberWithoutEffect", ({ language }) => language),
    Match.tag("HotwordNotSpoken", ({ phrase }) => phrase),
    Match.exhaustive
  )
  expectTypeOf(what).returns.toEqualTypeOf<string | number>()
})
