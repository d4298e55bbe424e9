/**
 * Transcribes the same call from every source of a recording: an object of a bucket, which is a service of the program, a
 * microphone that can be read once, a Blob, bytes and a path. It looks at each before it is sent, and reads the warnings.
 */

import assert from "node:assert/strict"
import { FileSystem } from "@effect/platform"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { PcmStream, Wav } from "@effect-speech/audio-codec"
import { LocalService } from "@effect-speech/local-service"
import { AudioSource, Recording, SpeechToText } from "@effect-speech/stt"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import { TextToSpeech } from "@effect-speech/tts"
import { Array as Arr, Console, Context, Effect, Layer, Stream } from "effect"

export class Bucket extends Context.Tag("Bucket")<
  Bucket,
  { readonly read: (key: string) => Stream.Stream<Uint8Array, Error> }
>() {
  static readonly from = (objects: Readonly<Record<string, Uint8Array>>) =>
    Layer.succeed(Bucket, {
      read: (key) => {
        const object = objects[key]
        return object === undefined
          ? Stream.fail(new Error(`no object ${key}`))
          : Stream.fromIterable(Arr.chunksOf(object, 4096)).pipe(Stream.map((bytes) => Uint8Array.from(bytes)))
      }
    })
}

export const ofBucket = (key: string) =>
  AudioSource.fromStream(Stream.unwrap(Effect.map(Bucket, (bucket) => bucket.read(key))), { filename: `${key}.wav` })

export const transcribe = <R>(audio: AudioSource.AudioSource<R>) =>
  Effect.flatMap(SpeechToText, (stt) => stt.transcribe({ audio, model: "en-general-v2-8khz", aux: true }))

export const program = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const tts = yield* TextToSpeech
  const text = "Please call me back tomorrow."
  const speech = yield* tts.synthesize({ text, lang: "en", outputFormat: "8000:pcm16" })
  const wav = Wav.encode(speech.bytes, speech.format)
  const path = `${yield* fs.makeTempDirectoryScoped()}/call.wav`
  yield* fs.writeFile(path, wav)
  const objects = Bucket.from({ call: wav })

  const sources: ReadonlyArray<AudioSource.AudioSource<Bucket | FileSystem.FileSystem>> = [
    AudioSource.fromPath(path),
    AudioSource.fromBytes(wav),
    AudioSource.fromBlob(new Blob([wav])),
    ofBucket("call")
  ]
  const inspected = yield* Effect.forEach(sources, Recording.inspect).pipe(Effect.provide(objects))
  assert.deepEqual(
    inspected.map(({ container, sampleRate, channels }) => [container, sampleRate, channels]),
    Arr.replicate(["wav", 8000, 1], 4)
  )
  const once = AudioSource.fromOneShotStream(Wav.encodeStream(speech))
  assert.deepEqual({ ...(yield* Recording.inspect(once)) }, {})

  const transcripts = [
    yield* transcribe(AudioSource.fromPath(path)),
    yield* transcribe(AudioSource.fromBytes(wav, { filename: "memory" })),
    yield* transcribe(AudioSource.fromBlob(new File([wav], "form.wav"))),
    yield* transcribe(ofBucket("call")).pipe(Effect.provide(objects)),
    yield* transcribe(once)
  ]
  assert.deepEqual(
    transcripts.map((transcript) => transcript.text),
    Arr.replicate(text, 5)
  )
  assert.ok(transcripts.every(({ warnings }) => warnings.length === 0))

  const missing = yield* transcribe(ofBucket("none")).pipe(Effect.provide(objects), Effect.flip)
  assert.equal(missing._tag, "SttAudioUnreadable")
  const again = yield* transcribe(once).pipe(Effect.flip)
  assert.equal(again._tag, "SttAudioUnreadable")

  const stereo = Wav.encode(new Uint8Array(4 * 48_000), { ...speech.format, channels: 2, sampleRate: 48_000 })
  const tags = (yield* Recording.inspect(AudioSource.fromBytes(stereo)).pipe(Effect.map(Recording.warnings))).map(
    ({ _tag }) => _tag
  )
  assert.deepEqual(tags, ["MoreThanOneChannel", "SampleRateFarFrom8kHz"])
  const silent = yield* transcribe(AudioSource.fromBytes(stereo))
  assert.deepEqual(
    silent.warnings.map(({ _tag }) => _tag),
    [...tags, "NothingRecognised"]
  )

  const twice = PcmStream.concat([speech, PcmStream.silence(speech.format, "1 second"), speech])
  const opened = yield* Recording.open(AudioSource.fromStream(Wav.encodeStream(twice)))
  assert.equal(opened.container, "wav")
  assert.ok((yield* Stream.runCount(opened.stream)) > 0)
  yield* Console.log(`ok sources ${transcripts.length} sources, then ${missing.message}`)
})

export const live = LocalService.layerClients.pipe(
  Layer.provideMerge(Layer.merge(LocalService.layer(), NodeTransport.layer))
)

program.pipe(Effect.scoped, Effect.provide(live), NodeRuntime.runMain)
