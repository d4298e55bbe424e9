import { readdirSync, readFileSync } from "node:fs"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { expect } from "@effect/vitest"
import * as Container from "@effect-speech/audio-codec/Container"
import * as Pcm from "@effect-speech/audio-codec/Pcm"
import * as Resampler from "@effect-speech/audio-codec/Resampler"
import * as Wav from "@effect-speech/audio-codec/Wav"
import { LocalService } from "@effect-speech/local-service"
import * as AudioSource from "@effect-speech/stt/AudioSource"
import { inspect } from "@effect-speech/stt/Recording"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { noise } from "effect-speech-test-support/random"
import { teachable } from "effect-speech-test-support/teachable"
import { field, file, form, transactionId } from "./blackbox/support/messages.js"
import { serviceTests } from "./blackbox/support/service.js"

// Spoken by this service's voice and encoded by ffmpeg: MP3 and AAC at 64 kbit/s, Opus at 32, Vorbis at its default.
const recording = (name: string) =>
  readFileSync(new URL(`../../audio-decoder/test/recordings/${name}`, import.meta.url))
const text = "He has a bad cat."
const files = [
  "cat.flac",
  "cat.mp3",
  "cat.m4a",
  "cat.fragmented.m4a",
  "cat.opus.ogg",
  "cat.vorbis.ogg",
  "cat.flac.ogg",
  "cat.webm"
]

const formOf = (bytes: Uint8Array) =>
  form(field("model", "en-general-v2-8khz"), field("transaction_id", transactionId), file(bytes))

const catSamples = Float32Array.from(
  new Int16Array(Uint8Array.from(recording("cat.wav").subarray(44)).buffer),
  (sample) => sample / 0x8000
)

const wavOf = (samples: Iterable<number>, sampleRate = 8000) =>
  Wav.encode(Pcm.encode(Float32Array.from(samples), "pcm16").bytes, { sampleRate, channels: 1, encoding: "pcm16" })

const learn = Effect.gen(function* () {
  const { recogniser } = yield* LocalService
  yield* teachable(recogniser).learn({ text, lang: "en", samples: Stream.make(catSamples) })
})

/** Every recording of these tests and of audio-codec's, and a WAV file of each kind. */
const everyRecording: ReadonlyArray<readonly [name: string, bytes: Uint8Array]> = [
  ...["../../audio-decoder/test/recordings/", "../../audio-codec/test/recordings/"].flatMap((folder) =>
    readdirSync(new URL(folder, import.meta.url)).map(
      (name) => [name, readFileSync(new URL(folder + name, import.meta.url))] as const
    )
  ),
  ...["RIFF", "RF64", "BW64"].map((name) => {
    const header = Wav.header({ sampleRate: 8000, channels: 1, encoding: "pcm16" }, name === "RIFF" ? 800 : 2 ** 33)
    return [`${name}.wav`, Buffer.concat([Buffer.from(name), header.subarray(4), Buffer.alloc(800)])] as const
  })
]

const wav = [0x52, 0x49, 0x46, 0x46]
const damaged: Readonly<Record<string, ReadonlyArray<Uint8Array>>> = {
  "cut in half": files.map((name) => recording(name).subarray(0, recording(name).length / 2)),
  "noise after the first bytes of a WAV": [[...wav, ...noise(30_000, 1)], wav].map((bytes) => Uint8Array.from(bytes)),
  "empty, or of no known container": [new Uint8Array(0), Uint8Array.from([0, ...noise(1000, 3)])]
}

serviceTests("a recording", LocalService.layer(), (it) => {
  it.each(everyRecording)(
    "has the same container for the client and the service, and is recognised by its content alone: %s",
    function* ({ transcribe }, [name, bytes]) {
      const container = Option.getOrThrow(Container.sniff(bytes))
      expect(name.endsWith(`.${container}`)).toBe(true)
      const { container: found } = yield* Effect.provide(inspect(AudioSource.fromBytes(bytes)), NodeFileSystem.layer)
      expect(found).toBe(container)
      yield* learn
      // The others say something else, such as "hat" in place of "cat".
      const spoken = ["cat.wav", ...files].includes(name) ? text : name === "join.mp3" ? `${text} ${text}` : ""
      expect((yield* transcribe(formOf(bytes))).json()).toMatchObject({ status: "success", text: spoken })
    }
  )

  const silence = (millis: number) => new Float32Array(millis * 8)
  const lowNoise = (millis: number) => Float32Array.from(noise(millis * 8, 11), (byte) => (byte - 128) / 2 ** 15)
  it.each([
    ["silence", silence, 80, 80, 16_000],
    ["silence", silence, 500, 0, 8000],
    ["silence", silence, 333, 500, 44_100],
    ["low noise", lowNoise, 0, 500, 8000],
    ["low noise", lowNoise, 80, 80, 44_100],
    ["low noise", lowNoise, 500, 500, 16_000]
  ] as const)(
    "with %s around it is still recognised at another rate",
    function* ({ transcribe }, [, quiet, before, after, rate]) {
      yield* learn
      const samples = Float32Array.from([...quiet(before), ...catSamples, ...quiet(after)])
      const resampled = Resampler.resample(samples, { from: 8000, to: rate })
      expect((yield* transcribe(formOf(wavOf(resampled, rate)))).json().text).toBe(text)
    }
  )

  it.each([
    [
      "half a second of silence in its middle",
      [...catSamples.subarray(0, 5000), ...silence(500), ...catSamples.subarray(5000)]
    ],
    [
      "silence instead of its last quarter",
      catSamples.map((sample, at) => (at < catSamples.length * 0.75 ? sample : 0))
    ],
    ["a part of a word at once before it", [...catSamples.subarray(4000, 6000), ...catSamples]],
    ["a part of a word at once after it", [...catSamples, ...catSamples.subarray(4000, 6000)]]
  ] as const)("with %s is not recognised", function* ({ transcribe }, [, samples]) {
    yield* learn
    expect((yield* transcribe(formOf(wavOf(samples)))).json()).toMatchObject({ status: "success", text: "" })
  })

  it.each([
    ["a part of a word and a pause before it", [...catSamples.subarray(4000, 6000), ...silence(150), ...catSamples]],
    ["a pause and a part of a word after it", [...catSamples, ...silence(150), ...catSamples.subarray(4000, 6000)]],
    ["a second of silence before it", [...silence(1000), ...catSamples]]
  ] as const)("with %s is recognised, without them", function* ({ transcribe }, [, samples]) {
    yield* learn
    expect((yield* transcribe(formOf(wavOf(samples)))).json()).toMatchObject({ status: "success", text })
  })

  it.each(Object.entries(damaged))("is refused: %s", function* ({ transcribe }, [, variants]) {
    for (const bytes of variants) {
      const answer = yield* transcribe(formOf(bytes))
      expect(answer.status).toBe(400)
      expect(answer.json().message).toContain("audio_file: ")
    }
  })

  it("that is being decoded does not delay other requests", function* ({ send, transcribe }) {
    const frames = recording("cat.mp3").subarray(-8000)
    const start = frames.findIndex((byte, index) => byte === 255 && ((frames[index + 1] ?? 0) & 0xf6) === 0xf2)
    const long = Buffer.concat(Array.from({ length: 100 }, () => frames.subarray(start)))
    let done = false
    const began = performance.now()
    const decoding = yield* Effect.fork(Effect.tap(transcribe(formOf(long)), () => Effect.sync(() => (done = true))))
    let longest = 0
    for (let count = 0; !done; count++) {
      yield* Effect.sleep("10 millis")
      const started = performance.now()
      yield* send("stt", { method: "GET", path: "/" })
      // The first request opens a connection and runs code that is not compiled yet.
      if (count > 0) longest = Math.max(longest, performance.now() - started)
    }
    // On a busy machine both take longer.
    expect(longest).toBeLessThan((performance.now() - began) / 2)
    expect((yield* decoding).status).toBe(200)
  })
})

serviceTests("a recording above the longest duration", LocalService.layer({ maximumRecording: "500 millis" }), (it) => {
  it("is 400: half a second", function* ({ transcribe }) {
    for (const name of ["cat.wav", ...files]) {
      const answer = yield* transcribe(formOf(recording(name)))
      expect([answer.status, answer.json().message], name).toEqual([
        400,
        expect.stringContaining("longer than 0.5 seconds")
      ])
    }
  })

  // A fifth of a second of silence, encoded by ffmpeg.
  const whole = recording("surround.flac")
  const unannounced = Buffer.from(whole)
  // The number of samples, in the block STREAMINFO: 0 is unknown.
  unannounced.fill(0, 22, 26)
  it.each([
    ["in its header", whole],
    ["only in its frames", unannounced]
  ] as const)(
    "of eight channels is 400 if it has more samples than one channel of that duration, %s",
    function* ({ transcribe }, [, bytes]) {
      const answer = yield* transcribe(formOf(bytes))
      expect(answer.status).toBe(400)
      expect(answer.json().message).toContain("more than 96000 samples in all its channels")
    }
  )
})
