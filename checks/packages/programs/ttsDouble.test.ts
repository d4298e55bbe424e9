/**
 * Tests a program that records announcements, with the test double of TextToSpeech: audio by request, audio that breaks off,
 * audio that is corrupt, errors, fixed ids and the requests that were made.
 */

import { FileSystem } from "@effect/platform"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { expect, it, layer } from "@effect/vitest"
import { Wav } from "@effect-speech/audio-codec"
import { CallIds } from "@effect-speech/transport"
import { TextToSpeech, TtsConnectionFailed, TtsContract, TtsUnauthorized } from "@effect-speech/tts"
import { Effect, Layer } from "effect"

/** Records an announcement; there is no file if it fails. */
export const record = (text: string, path: string) =>
  Effect.gen(function* () {
    const tts = yield* TextToSpeech
    const speech = yield* tts.stream({ text, lang: "en", outputFormat: "8000:pcm16" })
    const file = yield* Wav.writeFile(speech, path)
    return { file, call: yield* speech.call, requestId: speech.requestId }
  }).pipe(Effect.scoped)

const second = new Uint8Array(16_000)

const double = TextToSpeech.layerTest(({ outputFormat, text }) => {
  if (text === "cut") {
    return {
      bytes: second,
      outputFormat: "8000:pcm16",
      failure: new TtsConnectionFailed({ reason: "cut", sent: "all" })
    }
  }
  if (text === "refused") return new TtsUnauthorized()
  if (text === "half a sample") return { bytes: second.subarray(1), outputFormat: "8000:pcm16" }
  return { bytes: second, ...(outputFormat === undefined ? {} : { outputFormat }) }
})

const live = Layer.mergeAll(double, CallIds.layerTest, NodeFileSystem.layer)

layer(live)("an announcement", (it) => {
  it.scoped("is recorded, under the id of the call", () =>
    Effect.gen(function* () {
      yield* TextToSpeech.clearCalls
      const folder = yield* Effect.flatMap(FileSystem.FileSystem, (fs) => fs.makeTempDirectoryScoped())
      const { call, file, requestId } = yield* record("Platform two", `${folder}/two.wav`)
      expect(file.durationMillis).toBe(1000)
      expect(file.format).toEqual(TtsContract.audioFormat("8000:pcm16"))
      expect(requestId).toBe("00000000-0000-4000-8000-000000000001")
      expect([call.sentId, call.receivedId, call.billing]).toEqual([requestId, requestId, "billed"])
      expect(yield* TextToSpeech.calls).toEqual([{ text: "Platform two", lang: "en", outputFormat: "8000:pcm16" }])
    })
  )

  it.scoped("leaves no file if it is cut, corrupt or refused", () =>
    Effect.gen(function* () {
      yield* TextToSpeech.clearCalls
      const fs = yield* FileSystem.FileSystem
      const folder = yield* fs.makeTempDirectoryScoped()
      const tags = yield* Effect.forEach(["cut", "half a sample", "refused", " "], (text) =>
        Effect.map(Effect.flip(record(text, `${folder}/none.wav`)), ({ _tag }) => _tag)
      )
      expect(tags).toEqual(["TtsConnectionFailed", "TtsCorruptAudio", "TtsUnauthorized", "TtsInvalidRequest"])
      expect(yield* fs.readDirectory(folder)).toEqual([])
      expect((yield* TextToSpeech.calls).length).toBe(3)
    })
  )
})

it.effect("an announcement is spoken in the default format of the service", () =>
  Effect.gen(function* () {
    const tts = yield* TextToSpeech
    const speech = yield* tts.synthesize({ text: "Platform two" })
    expect(speech.format).toEqual(TtsContract.audioFormat(TtsContract.defaultOutputFormat))
    expect(speech.durationMillis).toBeCloseTo(166.67, 1)
  }).pipe(Effect.provide(TextToSpeech.layerTest({ bytes: second })))
)
