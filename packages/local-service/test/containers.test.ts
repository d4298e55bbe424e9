import { readdirSync, readFileSync } from "node:fs"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { expect, layer } from "@effect/vitest"
import * as Container from "@effect-speech/audio-codec/Container"
import * as Wav from "@effect-speech/audio-codec/Wav"
import { LocalService } from "@effect-speech/local-service"
import * as AudioSource from "@effect-speech/stt/AudioSource"
import { inspect } from "@effect-speech/stt/Recording"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"

// Spoken by this service's voice and encoded by ffmpeg: MP3 and AAC at 64 kbit/s, Opus at 32, Vorbis at its default.
const recording = (name: string) => readFileSync(new URL(`recordings/${name}`, import.meta.url))
const text = "He has a bad cat."
const files = ["cat.flac", "cat.mp3", "cat.m4a", "cat.fragmented.m4a", "cat.opus.ogg", "cat.vorbis.ogg", "cat.webm"]

const transcribe = (bytes: Uint8Array) =>
  Effect.gen(function* () {
    const { apiKey, sttBaseUrl } = yield* LocalService
    return yield* Effect.promise(async () => {
      const body = new FormData()
      body.append("model", "en-general-v2-8khz")
      body.append("transaction_id", "7f3c0f3e-1b2a-4c5d-8e9f-0a1b2c3d4e5f")
      body.append("audio_file", new Blob([Uint8Array.from(bytes)]), "recording")
      const headers = { "X-Api-Key": Redacted.value(apiKey) }
      const response = await fetch(`${sttBaseUrl}/api/transcribe`, { method: "POST", headers, body })
      return { status: response.status, json: (await response.json()) as { readonly message?: string } }
    })
  })

const learn = Effect.gen(function* () {
  const { recogniser } = yield* LocalService
  const samples = Float32Array.from(
    new Int16Array(Uint8Array.from(recording("cat.wav").subarray(44)).buffer),
    (sample) => sample / 0x8000
  )
  yield* recogniser.learn({ text, lang: "en", samples: Stream.make(samples) })
})

/** Every recording of these tests and of audio-codec's, and a WAV file of each kind. */
const everyRecording: ReadonlyArray<readonly [name: string, bytes: Uint8Array]> = [
  ...["recordings/", "../../audio-codec/test/recordings/"].flatMap((folder) =>
    readdirSync(new URL(folder, import.meta.url)).map(
      (name) => [name, readFileSync(new URL(folder + name, import.meta.url))] as const
    )
  ),
  ...["RIFF", "RF64", "BW64"].map((name) => {
    const header = Wav.header({ sampleRate: 8000, channels: 1, encoding: "pcm16" }, name === "RIFF" ? 800 : 2 ** 33)
    return [`${name}.wav`, Buffer.concat([Buffer.from(name), header.subarray(4), Buffer.alloc(800)])] as const
  })
]

/** The same at every run. */
const noise = (length: number, seed: number) => {
  let state = seed
  return Uint8Array.from({ length }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state >>> 24
  })
}

const magics = {
  MP3: [0xff, 0xfb, 0x90, 0x64],
  "MP3 with a tag": [0x49, 0x44, 0x33, 4, 0, 0, 0, 0, 0, 0],
  M4A: [0, 0, 0, 16, 0x66, 0x74, 0x79, 0x70, 0x4d, 0x34, 0x41, 0x20, 0, 0, 0, 0],
  FLAC: [0x66, 0x4c, 0x61, 0x43],
  OGG: [0x4f, 0x67, 0x67, 0x53],
  WebM: [0x1a, 0x45, 0xdf, 0xa3],
  WAV: [0x52, 0x49, 0x46, 0x46]
}

const expectRefused = (bytes: Uint8Array) =>
  Effect.gen(function* () {
    const started = performance.now()
    const answer = yield* transcribe(bytes)
    expect(answer).toEqual({
      status: 400,
      json: { status: "error", error: "bad request", message: expect.stringContaining("audio_file: ") }
    })
    expect(performance.now() - started).toBeLessThan(3000)
  })

layer(LocalService.layer(), { excludeTestServices: true })("a recording", (it) => {
  it.effect.each(["cat.wav", ...files])("that is known is recognised as %s, whatever its name", (name) =>
    Effect.gen(function* () {
      yield* learn
      const answer = yield* transcribe(recording(name))
      expect(answer).toMatchObject({ status: 200, json: { text } })
    })
  )

  it.effect.each(["hat.flac", "hat.mp3", "hat.m4a", "hat.opus.ogg"])(
    "with another word is not recognised as the known one: %s",
    (name) =>
      Effect.gen(function* () {
        yield* learn
        expect(yield* transcribe(recording(name))).toMatchObject({ status: 200, json: { text: "" } })
      })
  )

  it.effect.each(everyRecording)("has one container to the client and to the service: %s", ([name, bytes]) =>
    Effect.gen(function* () {
      const container = Container.sniff(bytes)
      expect(name.endsWith(`.${container}`)).toBe(true)
      const { container: found } = yield* Effect.provide(inspect(AudioSource.fromBytes(bytes)), NodeFileSystem.layer)
      expect(found).toBe(container)
      expect((yield* transcribe(bytes)).status).toBe(200)
    })
  )

  it.effect("that begins later, as encoders make it, is still recognised", () =>
    Effect.gen(function* () {
      yield* learn
      const samples = Buffer.concat([Buffer.alloc(1000), recording("cat.wav").subarray(44)])
      const later = Wav.encode({ sampleRate: 8000, channels: 1, encoding: "pcm16" }, samples)
      expect(yield* transcribe(later)).toMatchObject({ status: 200, json: { text } })
    })
  )

  // Half a minute at 44.1 kHz, encoded by ffmpeg: 288 frames, each shorter than the longest of their headers.
  it.effect("of digital silence is decoded whole: silence.flac", () =>
    Effect.gen(function* () {
      expect(yield* transcribe(recording("silence.flac"))).toMatchObject({ status: 200, json: { text: "" } })
    })
  )

  it.effect.each(files)("that is cut off is 400, at once: %s", (name) =>
    Effect.gen(function* () {
      const whole = recording(name)
      for (const part of [0.1, 0.5, 0.9]) yield* expectRefused(whole.subarray(0, Math.floor(whole.length * part)))
    })
  )

  it.effect.each(files)("with noise in place of its beginning is 400, at once: %s", (name) =>
    Effect.gen(function* () {
      const broken = Uint8Array.from(recording(name))
      broken.set(noise(Math.min(400, broken.length - 12), 7), 12)
      yield* expectRefused(broken)
    })
  )

  it.effect.each(Object.entries(magics))("of noise that begins as %s is 400, at once", ([, magic]) =>
    Effect.gen(function* () {
      for (const seed of [1, 2]) yield* expectRefused(Uint8Array.from([...magic, ...noise(30_000, seed)]))
      yield* expectRefused(Uint8Array.from(magic))
    })
  )

  it.effect("that is empty, or of no known container, is 400", () =>
    Effect.gen(function* () {
      yield* expectRefused(new Uint8Array(0))
      yield* expectRefused(Uint8Array.from([0, ...noise(1000, 3)]))
    })
  )

  it.effect("whose tables say that there are four billion samples is 400, at once", () =>
    Effect.gen(function* () {
      const inflated = Buffer.from(recording("cat.m4a"))
      inflated.writeUInt32BE(0xffffffff, inflated.indexOf("stsz") + 12)
      yield* expectRefused(inflated)
      inflated.writeUInt32BE(8, inflated.indexOf("stsz") + 8)
      yield* expectRefused(inflated)
      const fragmented = Buffer.from(recording("cat.fragmented.m4a"))
      for (const flags of [0, 0x201]) {
        fragmented.writeUInt32BE(flags, fragmented.indexOf("trun") + 4)
        fragmented.writeUInt32BE(0xffffffff, fragmented.indexOf("trun") + 8)
        yield* expectRefused(fragmented)
      }
    })
  )

  it.effect("that is being decoded does not delay other requests", () =>
    Effect.gen(function* () {
      const { sttBaseUrl } = yield* LocalService
      const frames = recording("cat.mp3").subarray(-8000)
      const start = frames.findIndex((byte, index) => byte === 255 && ((frames[index + 1] ?? 0) & 0xf6) === 0xf2)
      const long = Buffer.concat(Array.from({ length: 400 }, () => frames.subarray(start)))
      let done = false
      const decoding = yield* Effect.fork(Effect.tap(transcribe(long), () => Effect.sync(() => (done = true))))
      yield* Effect.sleep("200 millis")
      const waits: Array<number> = []
      while (!done && waits.length < 20) {
        const started = performance.now()
        yield* Effect.promise(() => fetch(`${sttBaseUrl}/`).then((response) => response.text()))
        waits.push(performance.now() - started)
      }
      expect(waits.length).toBeGreaterThan(2)
      expect(Math.max(...waits)).toBeLessThan(500)
      expect((yield* decoding).status).toBe(200)
    })
  )
})

layer(LocalService.layer({ maximumRecordingSeconds: 0.5 }))("a recording that is longer than is taken", (it) => {
  it.effect.each(["cat.wav", ...files])("is 400, as %s", (name) =>
    Effect.gen(function* () {
      const { json, status } = yield* transcribe(recording(name))
      expect(status).toBe(400)
      expect(json.message).toContain("longer than 0.5 seconds")
    })
  )
})
