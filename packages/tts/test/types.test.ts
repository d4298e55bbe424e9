import type * as HttpClient from "@effect/platform/HttpClient"
import { expectTypeOf, it } from "@effect/vitest"
import type { PcmStream } from "@effect-speech/audio-codec"
import {
  type Speech,
  type SpeechStream,
  type SynthesisRequest,
  TextToSpeech,
  type TextToSpeechCalls,
  type TtsError,
  type TtsInvalidApiKey
} from "@effect-speech/tts"
import type * as ConfigError from "effect/ConfigError"
import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Match from "effect/Match"
import type * as Scope from "effect/Scope"

type Service = TextToSpeech["Type"]

it("both ways fail with a TtsError and nothing else; a stream lives in a scope", () => {
  expectTypeOf<ReturnType<Service["stream"]>>().toEqualTypeOf<Effect.Effect<SpeechStream, TtsError, Scope.Scope>>()
  expectTypeOf<ReturnType<Service["synthesize"]>>().toEqualTypeOf<Effect.Effect<Speech, TtsError>>()
})

it("speech is audio for everything that takes a PcmStream", () => {
  expectTypeOf<SpeechStream>().toExtend<PcmStream.PcmStream<TtsError>>()
  expectTypeOf<Speech>().toExtend<PcmStream.PcmStream>()
})

it("the layers say what they need and how they fail", () => {
  type Built = Layer.Layer<TextToSpeech, ConfigError.ConfigError | TtsInvalidApiKey, HttpClient.HttpClient>
  expectTypeOf(TextToSpeech.layerFromEnv).toEqualTypeOf<Built>()
  expectTypeOf(TextToSpeech.layer).returns.toEqualTypeOf<Built>()
  expectTypeOf(TextToSpeech.layerConfig).returns.toEqualTypeOf<Built>()
  expectTypeOf(TextToSpeech.layerTest).returns.toEqualTypeOf<Layer.Layer<TextToSpeech | TextToSpeechCalls>>()
})

it("only the six output formats compile", () => {
  expectTypeOf<NonNullable<SynthesisRequest["outputFormat"]>>().toEqualTypeOf<
    "8000:pcm16" | "8000:float32" | "16000:pcm16" | "16000:float32" | "24000:pcm16" | "24000:float32"
  >()
})

it("every error has one category", () => {
  expectTypeOf<TtsError["category"]>().toEqualTypeOf<"request" | "account" | "service" | "connection">()
})

it("an exhaustive match that forgets a tag does not compile", () => {
  const all = Match.type<TtsError>().pipe(
    Match.tag("TtsInvalidRequest", "TtsInvalidApiKey", "TtsBadRequest", "TtsUnauthorized", () => "caller"),
    Match.tag("TtsServerError", "TtsBackendFailed", "TtsUnexpectedStatus", () => "service"),
    Match.tag("TtsConnectionFailed", "TtsDeadlineExceeded", () => "network"),
    Match.tag("TtsInvalidResponse", () => "answer")
  )
  const complete = all.pipe(
    Match.tag("TtsCorruptAudio", () => "answer"),
    Match.exhaustive
  )
  expectTypeOf(complete).returns.toEqualTypeOf<string>()
  // @ts-expect-error TtsCorruptAudio is forgotten
  expectTypeOf(all.pipe(Match.exhaustive)).returns.toEqualTypeOf<string>()
})
