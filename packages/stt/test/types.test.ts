import type * as FileSystem from "@effect/platform/FileSystem"
import type * as HttpClient from "@effect/platform/HttpClient"
import { expectTypeOf, it } from "@effect/vitest"
import {
  type AudioSource,
  SpeechToText,
  type SpeechToTextCalls,
  type SttError,
  type SttForbidden,
  type SttInvalidApiKey,
  type SttWarning,
  type Transcription
} from "@effect-speech/stt"
import type * as ConfigError from "effect/ConfigError"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"

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

it("a handler of a category gets the errors of that category, and leaves the others", () => {
  const handled = (self: Effect.Effect<string, SttError>) =>
    self.pipe(
      Effect.catchIf(
        (error) => error.category === "account",
        (error) => {
          expectTypeOf(error._tag).toEqualTypeOf<
            "SttInvalidApiKey" | "SttUnauthorized" | "SttCreditExhausted" | "SttForbidden"
          >()
          return Effect.succeed("")
        }
      )
    )
  type Left = Effect.Effect.Error<ReturnType<typeof handled>>
  expectTypeOf<Left>().toEqualTypeOf<Exclude<SttError, { readonly category: "account" }>>()
  expectTypeOf<Extract<Left, SttForbidden>>().toEqualTypeOf<never>()
})

it("a request may omit what has a default, and a transcription has warnings", () => {
  type Asked = Parameters<Service["transcribe"]>[0]
  expectTypeOf<{ audio: AudioSource.AudioSource; model: string }>().toExtend<Asked>()
  expectTypeOf<Transcription["warnings"]>().toEqualTypeOf<ReadonlyArray<SttWarning>>()
})
