/**
 * What a call can fail with, and what it requires, is in its type: no more, and no less.
 */
import * as FileSystem from "@effect/platform/FileSystem"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, describe, expect, expectTypeOf, it } from "@effect/vitest"
import { AudioDecoder, Wav } from "@effect-speech/audio-codec"
import { LongTranscription, PieceStore, type PieceStoreError } from "@effect-speech/long-form"
import {
  AudioSource,
  Recording,
  SpeechToText,
  type SttAudioUnreadable,
  type SttError,
  type Transcription,
  type TranscriptionRequest
} from "@effect-speech/stt"
import type { CallReport } from "@effect-speech/transport/CallReport"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import {
  type SpeechStreamError,
  TextToSpeech,
  TtsConnectionFailed,
  TtsCorruptAudio,
  TtsDeadlineExceeded,
  type TtsError
} from "@effect-speech/tts"
import { Context, Effect, Layer, Redacted, Stream } from "effect"
import { scriptedServer } from "effect-speech-test-support/scriptedServer"

const wav = Wav.encode(new Uint8Array(16_000), { sampleRate: 8000, channels: 1, encoding: "pcm16" })
const model = "hi-general-v2-8khz"

/** Where the recordings of this program are. */
class Bucket extends Context.Tag("Bucket")<Bucket, { readonly read: (key: string) => Stream.Stream<Uint8Array> }>() {}
const inMemory = Layer.succeed(Bucket, { read: () => Stream.make(wav) })
const fromBucket = (key: string) =>
  AudioSource.fromStream(Stream.unwrap(Effect.map(Bucket, (bucket) => bucket.read(key))), { filename: key })

/** A client whose service fails once, and the number of requests that it received. */
const client = Effect.gen(function* () {
  let attempts = 0
  const { received, url } = yield* scriptedServer((response) => {
    response.writeHead(attempts++ === 0 ? 503 : 200).end('{"status":"success","text":"नमस्ते","call_id":"1"}')
  })
  const layer = SpeechToText.layer({ apiKey: Redacted.make("prefix.secret"), baseUrl: url })
  return { received, layer: Layer.provide(layer, NodeTransport.layer) }
})

describe("a recording", () => {
  it("requires what its source requires: a stream has the services that it uses", () => {
    expectTypeOf(AudioSource.fromBytes(wav)).toEqualTypeOf<AudioSource.AudioSource<never>>()
    expectTypeOf(AudioSource.fromBlob(new Blob([wav]))).toEqualTypeOf<AudioSource.AudioSource<never>>()
    expectTypeOf(AudioSource.fromPath("call.wav")).toEqualTypeOf<AudioSource.AudioSource<FileSystem.FileSystem>>()
    expectTypeOf(AudioSource.fromStream(Stream.make(wav))).toEqualTypeOf<AudioSource.AudioSource<never>>()
    expectTypeOf(fromBucket("a")).toEqualTypeOf<AudioSource.AudioSource<Bucket>>()
    expectTypeOf(AudioSource.fromOneShotStream(Stream.fromEffect(Effect.as(Bucket, wav)))).toEqualTypeOf<
      AudioSource.AudioSource<Bucket>
    >()
    // A source that requires more is not one that requires less.
    // @ts-expect-error
    const none: AudioSource.AudioSource<never> = AudioSource.fromPath("call.wav")
    // @ts-expect-error
    const any: AudioSource.AudioSource = fromBucket("a")
    expect([none, any].every(AudioSource.isAudioSource)).toBe(true)
  })

  it("passes its requirements to the call; a path is read by the file system of the layer", () => {
    const transcribe = (stt: SpeechToText["Type"]) => ({
      bytes: stt.transcribe({ model, audio: AudioSource.fromBytes(wav) }),
      path: stt.transcribe({ model, audio: AudioSource.fromPath("call.wav") }),
      stream: stt.transcribe({ model, audio: fromBucket("a") })
    })
    type Calls = ReturnType<typeof transcribe>
    expectTypeOf<Calls["bytes"]>().toEqualTypeOf<Effect.Effect<Transcription, SttError>>()
    expectTypeOf<Calls["path"]>().toEqualTypeOf<Effect.Effect<Transcription, SttError>>()
    expectTypeOf<Calls["stream"]>().toEqualTypeOf<Effect.Effect<Transcription, SttError, Bucket>>()

    const helper = (request: TranscriptionRequest) => Effect.flatMap(SpeechToText, (stt) => stt.transcribe(request))
    expectTypeOf(helper({ model, audio: AudioSource.fromPath("call.wav") })).toEqualTypeOf<
      Effect.Effect<Transcription, SttError, SpeechToText>
    >()
    const generic = <R>(request: TranscriptionRequest<R>) =>
      Effect.flatMap(SpeechToText, (stt) => stt.transcribe(request))
    expectTypeOf(generic({ model, audio: fromBucket("a") })).toEqualTypeOf<
      Effect.Effect<Transcription, SttError, SpeechToText | Bucket>
    >()
  })

  it("needs a file system to be inspected only if it is a file", () => {
    expectTypeOf(Recording.inspect(AudioSource.fromBytes(wav))).toEqualTypeOf<
      Effect.Effect<Recording.Recording, SttAudioUnreadable>
    >()
    expectTypeOf(Recording.inspect(AudioSource.fromPath("call.wav"))).toEqualTypeOf<
      Effect.Effect<Recording.Recording, SttAudioUnreadable, FileSystem.FileSystem>
    >()
    expectTypeOf(Recording.inspect(fromBucket("a"))).toEqualTypeOf<
      Effect.Effect<Recording.Recording, SttAudioUnreadable, Bucket>
    >()
  })

  it("of several sources needs what each of them needs to be inspected, also if they are of one list", () => {
    const sources = [AudioSource.fromPath("call.wav"), fromBucket("a")]
    expectTypeOf(Effect.forEach(sources, Recording.inspect)).toEqualTypeOf<
      Effect.Effect<Array<Recording.Recording>, SttAudioUnreadable, FileSystem.FileSystem | Bucket>
    >()
    const generic = <R>(source: AudioSource.AudioSource<R>): Effect.Effect<unknown, SttAudioUnreadable, R> =>
      Recording.inspect(source)
    expectTypeOf(generic(fromBucket("a"))).toEqualTypeOf<Effect.Effect<unknown, SttAudioUnreadable, Bucket>>()
  })

  it.effect("of bytes or of a stream is inspected without a file system", () =>
    Effect.gen(function* () {
      const bytes = yield* Recording.inspect(AudioSource.fromBytes(wav))
      expect(bytes).toEqual({
        container: "wav",
        bytes: wav.byteLength,
        sampleRate: 8000,
        channels: 1,
        durationMillis: 1000
      })
      expect(yield* Effect.provide(Recording.inspect(fromBucket("a")), inMemory)).toMatchObject({ sampleRate: 8000 })
    })
  )

  it.scopedLive("is a stream of the caller's services, run anew by each attempt", () =>
    Effect.gen(function* () {
      const { layer, received } = yield* client
      let opened = 0
      const counted = Layer.succeed(Bucket, {
        read: () =>
          Stream.suspend(() => {
            opened++
            return Stream.make(wav)
          })
      })
      const request = { model, audio: fromBucket("call.wav") }
      const call = Effect.flatMap(SpeechToText, (stt) => stt.transcribe(request))
      const { call: report, text } = yield* Effect.provide(call, [layer, counted])
      expect(text).toBe("नमस्ते")
      expect(report.attempts.map(({ status }) => status)).toEqual([503, 200])
      expect([opened, received.length]).toEqual([2, 2])
      for (const { body } of received) expect(body.includes(Buffer.from(wav))).toBe(true)
    })
  )

  it.scopedLive("that is a stream of a file system gets that of the layer", () =>
    Effect.gen(function* () {
      const { layer, received } = yield* client
      const file = yield* Effect.provide(
        Effect.tap(
          Effect.flatMap(FileSystem.FileSystem, (fs) => fs.makeTempFileScoped()),
          (path) => Effect.flatMap(FileSystem.FileSystem, (fs) => fs.writeFile(path, wav))
        ),
        NodeFileSystem.layer
      )
      const bytes = Stream.unwrap(Effect.map(FileSystem.FileSystem, (fs) => fs.stream(file)))
      const call = Effect.flatMap(SpeechToText, (stt) =>
        stt.transcribe({ model, audio: AudioSource.fromStream(bytes) })
      )
      yield* Effect.provide(call, layer)
      expect(received.at(-1)?.body.includes(Buffer.from(wav))).toBe(true)
    })
  )

  it.effect("reaches a double without the requirements of the caller", () =>
    Effect.gen(function* () {
      const double = SpeechToText.layerTest((request) => {
        const { audio } = request
        assert(audio._tag === "Stream")
        return Effect.map(
          Effect.orDie(Effect.provide(Stream.runCollect(audio.stream), NodeFileSystem.layer)),
          (chunks) => `${chunks.length} chunk`
        )
      })
      const call = Effect.flatMap(SpeechToText, (stt) => stt.transcribe({ model, audio: fromBucket("a") }))
      expect((yield* Effect.provide(call, [double, inMemory])).text).toBe("1 chunk")
    })
  )
})

describe("speech that has begun to arrive", () => {
  /** A client whose service sends half a second of audio, and then does this. */
  const speech = (end: "cut" | "hang" | "stop") =>
    Effect.gen(function* () {
      const { url } = yield* scriptedServer((response) => {
        response.writeHead(200, { "x-sample-rate": "8000", "x-encoding": "pcm16", "x-audio-duration-ms": "1000" })
        response.write(Buffer.alloc(8000))
        if (end === "cut") setTimeout(() => response.destroy(), 20)
        if (end === "stop") response.end()
      })
      const layer = TextToSpeech.layer({
        apiKey: Redacted.make("prefix.secret"),
        baseUrl: url,
        deadlines: { downloadIdle: "100 millis" }
      })
      const tts = Context.get(yield* Layer.build(Layer.provide(layer, NodeTransport.layer)), TextToSpeech)
      return yield* tts.stream({ text: "नमस्ते" })
    })

  it("fails only with what can still happen", () => {
    type Opening = ReturnType<TextToSpeech["Type"]["stream"]>
    expectTypeOf<Effect.Effect.Error<Opening>>().toEqualTypeOf<TtsError>()
    type Audio = Effect.Effect.Success<Opening>
    expectTypeOf<Stream.Stream.Error<Audio["stream"]>>().toEqualTypeOf<
      TtsConnectionFailed | TtsDeadlineExceeded | TtsCorruptAudio
    >()
    expectTypeOf<SpeechStreamError["call"]>().toEqualTypeOf<CallReport>()
    const handled = (audio: Audio) =>
      audio.stream.pipe(
        Stream.catchTags({
          TtsConnectionFailed: () => Stream.empty,
          TtsDeadlineExceeded: () => Stream.empty,
          TtsCorruptAudio: () => Stream.empty
        })
      )
    expectTypeOf<Stream.Stream.Error<ReturnType<typeof handled>>>().toEqualTypeOf<never>()
    const wrong = (audio: Audio) =>
      // A call whose audio arrives was not refused.
      // @ts-expect-error
      Stream.catchTag(audio.stream, "TtsUnauthorized", () => Stream.empty)
    expect([handled, wrong].length).toBe(2)
  })

  it.scopedLive.each([
    ["the connection is lost", "cut", TtsConnectionFailed, { reason: "cut" }],
    ["nothing arrives any more", "hang", TtsDeadlineExceeded, { phase: "download" }],
    ["it ends early", "stop", TtsCorruptAudio, { receivedBytes: 8000 }]
  ] as const)("fails if %s", ([_, end, Class, facts]) =>
    Effect.gen(function* () {
      const audio = yield* speech(end)
      const error = yield* Effect.flip(Stream.runDrain(audio.stream))
      expect(error).toMatchObject({ _tag: new Class()._tag, ...facts })
      expect(error.call.attempts).toMatchObject([{ status: 200 }])
    })
  )
})

describe("a long transcription", () => {
  type Clients = SpeechToText | PieceStore | AudioDecoder.AudioDecoder

  it("requires what its recording requires, beside its clients and a decoder", () => {
    const bytes = LongTranscription.transcribe({ model, audio: AudioSource.fromBytes(wav) })
    expectTypeOf(bytes).toEqualTypeOf<
      Effect.Effect<LongTranscription.Transcript, SttError | PieceStoreError, Clients>
    >()
    const path = LongTranscription.transcribe({ model, audio: AudioSource.fromPath("hour.wav") })
    expectTypeOf<Effect.Effect.Context<typeof path>>().toEqualTypeOf<Clients | FileSystem.FileSystem>()
    const stream = LongTranscription.transcribe({ model, audio: fromBucket("hour.wav") })
    expectTypeOf<Effect.Effect.Context<typeof stream>>().toEqualTypeOf<Clients | Bucket>()
    const request: LongTranscription.Request = { model, audio: AudioSource.fromPath("hour.wav") }
    const given = LongTranscription.transcribe(request)
    expectTypeOf<Effect.Effect.Context<typeof given>>().toEqualTypeOf<Clients | FileSystem.FileSystem>()
  })

  it.effect("of bytes, and of a stream, runs without a file system", () => {
    const speech = Wav.encode(
      Uint8Array.from({ length: 16_000 }, (_, index) => (index % 7) * 30),
      { sampleRate: 8000, channels: 1, encoding: "pcm16" }
    )
    const bucket = Layer.succeed(Bucket, { read: () => Stream.make(speech) })
    return Effect.gen(function* () {
      for (const audio of [AudioSource.fromBytes(speech), fromBucket("hour.wav")]) {
        const { text } = yield* LongTranscription.transcribe({ model, audio })
        expect(text).toBe("नमस्ते")
      }
    }).pipe(
      Effect.provide([
        SpeechToText.layerTest("नमस्ते"),
        PieceStore.layerMemory,
        AudioDecoder.AudioDecoder.layerWav,
        bucket
      ])
    )
  })
})
