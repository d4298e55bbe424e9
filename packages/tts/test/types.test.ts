import { expectTypeOf, it } from "@effect/vitest"
import type { PcmStream } from "@effect-speech/audio-codec"
import type { Speech, SpeechStream, TtsError } from "@effect-speech/tts"
import * as Match from "effect/Match"

it("speech is audio for everything that takes a PcmStream", () => {
  expectTypeOf<SpeechStream>().toExtend<PcmStream.PcmStream<TtsError>>()
  expectTypeOf<Speech>().toExtend<PcmStream.PcmStream>()
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
