import { expectTypeOf, it } from "@effect/vitest"
import type { SttError } from "@effect-speech/stt"
import type { TtsError } from "@effect-speech/tts"

it("a handler for the errors of one service does not accept those of the other", () => {
  expectTypeOf<(error: SttError) => void>().not.toExtend<(error: TtsError) => void>()
  expectTypeOf<(error: TtsError) => void>().not.toExtend<(error: SttError) => void>()
  expectTypeOf<SttError["_tag"] & TtsError["_tag"]>().toEqualTypeOf<never>()
})
