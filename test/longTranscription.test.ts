import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import * as FileSystem from "@effect/platform/FileSystem"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { describe, expect, it, layer } from "@effect/vitest"
import { AudioDecoder, type AudioFormat, PcmStream, Wav } from "@effect-speech/audio-codec"
import * as NodeAudioDecoder from "@effect-speech/audio-decoder/NodeAudioDecoder"
import { LocalService } from "@effect-speech/local-service"
import { LongTranscription, PieceStore, Subtitles } from "@effect-speech/long-form"
import { AudioSource, SpeechToText } from "@effect-speech/stt"
import { TextToSpeech } from "@effect-speech/tts"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { localClients } from "effect-speech-test-support/localClients"

const model = "en-general-v2-8khz"
const format: AudioFormat.AudioFormat = { sampleRate: 8000, channels: 1, encoding: "pcm16" }
const sentences = ["The ferry leaves at six.", "Nobody missed the tide today.", "Bring two lamps and a rope."]

layer(Layer.merge(localClients(), AudioDecoder.AudioDecoder.layerWav), { excludeTestServices: true })(
  "a long recording, transcribed by the local service",
  (it) => {
    it.scoped(
      "gets the time of each sentence, and pays for each piece once, though its credit ended in the middle",
      () =>
        Effect.gen(function* () {
          const { accounts, requests } = yield* LocalService
          const fs = yield* FileSystem.FileSystem
          const tts = yield* TextToSpeech
          const folder = yield* fs.makeTempDirectoryScoped()
          const path = `${folder}/long.wav`
          const starts: Array<number> = []
          const parts: Array<Uint8Array> = []
          let millis = 0
          for (const text of sentences) {
            const { bytes } = yield* tts.synthesize({ text, lang: "en", outputFormat: "8000:pcm16" })
            const pause = new Uint8Array(starts.length < 2 ? 16_000 : 0)
            starts.push(millis)
            parts.push(bytes, pause)
            millis += (bytes.byteLength + pause.byteLength) / 16
          }
          yield* Wav.writeFile(PcmStream.make(format, Stream.fromIterable(parts)), path)

          const transcribe = LongTranscription.transcribe(
            { audio: AudioSource.fromPath(path), model },
            { maximum: 2800, concurrency: 1 }
          ).pipe(Effect.provide(PieceStore.layerFolder(`${folder}/pieces`)))
          const before = (yield* requests).length
          yield* accounts.setAccount({ credits: 4 })
          const error = yield* Effect.flip(transcribe)
          expect(error).toMatchObject({ _tag: "SttCreditExhausted", call: { piece: { number: 2, kept: 1 } } })

          yield* accounts.setAccount({ credits: 1000 })
          const { durationMillis, pieces, segments, text } = yield* transcribe
          expect(text).toBe(sentences.join(" "))
          expect(durationMillis).toBe(Math.round(millis))
          expect(segments.map((segment) => segment.text)).toEqual(sentences)
          expect(pieces.map(({ source }) => source)).toEqual(["kept", "sent", "sent"])
          const statuses = (yield* requests).slice(before).map(({ status }) => status)
          expect(statuses).toEqual([200, 402, 200, 200])
          for (const [index, { startMillis: start, times }] of segments.entries()) {
            expect(times).toBe("service")
            // The voice begins a little after its audio.
            expect(Math.abs(start - (starts[index] ?? 0))).toBeLessThan(100)
          }
          const cues = Either.getOrThrow(Subtitles.parse(Subtitles.toVtt(Subtitles.layout(segments))))
          expect(cues.map((cue) => cue.text)).toEqual(sentences)
        })
    )

    /** Four seconds of noise, the same in each run. */
    const noise = Wav.encode(
      Uint8Array.from({ length: 64_000 }, (_, index) => (index % 2 === 0 ? 0 : (index * 7919 * (index % 97)) % 16)),
      format
    )

    it.effect("has no text if it is noise alone, and a warning says why once", () =>
      Effect.gen(function* () {
        const { segments, text, warnings } = yield* LongTranscription.transcribe(
          { audio: AudioSource.fromBytes(noise), model },
          { maximum: "2 seconds" }
        )
        expect([text, segments]).toEqual(["", []])
        expect(warnings.map(({ _tag }) => _tag)).toEqual(["NothingRecognised"])
      }).pipe(Effect.provide(PieceStore.layerMemory))
    )

    it.effect("is refused with the name of the piece if the service does not know the model", () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(
          LongTranscription.transcribe(
            { audio: AudioSource.fromBytes(noise), model: "no-such-model" },
            { maximum: "2 seconds", concurrency: 1 }
          )
        )
        expect(error).toMatchObject({
          _tag: "SttBadRequest",
          call: { billing: "notBilled", piece: { number: 1, kept: 0 } }
        })
      }).pipe(Effect.provide(PieceStore.layerMemory))
    )
  }
)

describe("a recording in a container", () => {
  const recordings = fileURLToPath(new URL("../packages/audio-codec/test/recordings/", import.meta.url))
  const platform = Layer.mergeAll(
    PieceStore.layerMemory,
    SpeechToText.layerTest("a tone"),
    NodeAudioDecoder.layer
  ).pipe(Layer.provideMerge(NodeFileSystem.layer))
  const transcribe = (audio: AudioSource.AudioSource) =>
    Effect.provide(LongTranscription.transcribe({ audio, model }), platform)

  it.live("is decoded, from a file and from bytes", () =>
    Effect.gen(function* () {
      for (const name of ["xing.mp3", "tone.m4a", "tone.flac", "opus.ogg", "vorbis.ogg", "opus.webm"]) {
        const path = `${recordings}${name}`
        const fromFile = yield* transcribe(AudioSource.fromPath(path))
        expect(fromFile, name).toMatchObject({ text: "a tone", pieces: [{ ending: "end" }] })
        expect(fromFile.durationMillis, name).toBeGreaterThan(50)
        const fromBytes = yield* transcribe(AudioSource.fromBytes(readFileSync(path)))
        expect(fromBytes.durationMillis, name).toBe(fromFile.durationMillis)
      }
    })
  )

  it.live("that is cut off is an error of the recording", () =>
    Effect.gen(function* () {
      const bytes = readFileSync(`${recordings}vorbis.ogg`)
      const error = yield* Effect.flip(transcribe(AudioSource.fromBytes(bytes.subarray(0, 2000))))
      expect(error._tag).toBe("SttAudioUnreadable")
      expect(error.message).toMatch(/can't be sent: it can't be decoded: [a-z].*[^.]\.$/)
    })
  )
})
