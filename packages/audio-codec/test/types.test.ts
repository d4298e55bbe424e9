import type { PlatformError } from "@effect/platform/Error"
import type * as FileSystem from "@effect/platform/FileSystem"
import { expectTypeOf, it } from "@effect/vitest"
import { type PcmStream, Wav } from "@effect-speech/audio-codec"
import type * as Effect from "effect/Effect"
import type * as Either from "effect/Either"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"

declare class Cut {
  readonly _tag: "Cut"
}
declare class Source {
  readonly _tag: "Source"
}

it("reading bytes gives audio or a WavError", () => {
  expectTypeOf(Wav.decode).returns.toEqualTypeOf<Either.Either<Wav.WavAudio, Wav.WavError>>()
})

it("reading a stream keeps its errors and its needs, and adds a scope", () => {
  const decode = (file: Stream.Stream<Uint8Array, Cut, Source>) => Wav.decodeStream(file)
  expectTypeOf(decode).returns.toEqualTypeOf<
    Effect.Effect<PcmStream.PcmStream<Cut | Wav.WavError>, Cut | Wav.WavError, Source | Scope.Scope>
  >()
})

it("writing a file keeps the errors and the needs of the audio, and adds those of the file", () => {
  const write = (audio: PcmStream.PcmStream<Cut, Source>) => Wav.writeFile(audio, "a.wav")
  expectTypeOf(write).returns.toEqualTypeOf<
    Effect.Effect<Wav.WavFile, Cut | Wav.WavError | PlatformError, Source | FileSystem.FileSystem>
  >()
})
