import { describe, expect, it } from "@effect/vitest"
import type * as AudioFormat from "@effect-speech/audio-codec/AudioFormat"
import * as Wav from "@effect-speech/audio-codec/Wav"
import { AudioSource } from "@effect-speech/stt"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Stream from "effect/Stream"
import { fileWith, inChunks, stereo48k, tone, wav } from "./recordings.js"
import { fileOf, type Request, sendStatuses, transcribe } from "./scriptedStt.js"

describe("telephony", () => {
  const expected: AudioFormat.AudioFormat = { sampleRate: 8000, channels: 1, encoding: "pcm16" }
  const telephony = true

  const second = tone(1)

  it.scoped.each([
    ["bytes", AudioSource.fromBytes(second), true],
    ["a Blob", AudioSource.fromBlob(new Blob([second])), true],
    ["a stream", AudioSource.fromStream(inChunks(second, 999)), false]
  ] as const)("sends %s of 48 kHz stereo as 8 kHz mono, a twelfth of the size", ([_, audio, exact]) =>
    Effect.gen(function* () {
      const { received } = yield* transcribe(undefined, { audio, telephony })
      const { bytes, headers } = fileOf(received[0])
      const sent = yield* Wav.decode(bytes)
      expect(sent.format).toEqual(expected)
      expect(sent.bytes.byteLength).toBe(16_000)
      expect((second.byteLength - 44) / sent.bytes.byteLength).toBe(12)
      expect(headers).toContain('filename="audio.wav"')
      expect(received[0]?.headers["content-length"]).toBe(exact ? String(received[0]?.body.byteLength) : undefined)
    })
  )

  it.scopedLive("converts a file again for a retry", () =>
    Effect.gen(function* () {
      const { path } = yield* fileWith(tone(0.5))
      const { received } = yield* transcribe(
        sendStatuses(503),
        { audio: AudioSource.fromPath(path), telephony },
        {
          retries: { times: 1, firstDelay: "1 millis" }
        }
      )
      const [first, second] = received.map((each) => fileOf(each).bytes)
      expect(first).toEqual(second)
      expect((yield* Wav.decode(first ?? new Uint8Array(0))).format).toEqual(expected)
      expect(received.length).toBe(2)
    })
  )

  it.scoped("skips chunks of any length before the samples", () =>
    Effect.gen(function* () {
      const plain = tone(0.1)
      const notes = new Uint8Array(8 + 200_000)
      notes.set([...new TextEncoder().encode("note"), ...new Uint8Array(Uint32Array.of(200_000).buffer)])
      const bytes = Buffer.concat([plain.subarray(0, 12), notes, plain.subarray(12)])
      bytes.writeUInt32LE(bytes.length - 8, 4)
      const { outcome, received } = yield* transcribe(undefined, { audio: AudioSource.fromBytes(bytes), telephony })
      expect(outcome).toMatchObject({ right: { warnings: [] } })
      expect((yield* Wav.decode(fileOf(received[0]).bytes)).bytes.byteLength).toBe(1600)
      expect(received[0]?.headers["content-length"]).toBe(String(received[0]?.body.byteLength))
    })
  )

  const cutStream = Stream.concat(inChunks(wav.subarray(0, 5000), 100), Stream.fail(new RangeError("disk")))

  const { fromBytes, fromStream } = AudioSource
  const flac = Uint8Array.of(...new TextEncoder().encode("fLaC"), 0, 0, 0, 34)

  it.scoped.each([
    ["FLAC", fromBytes(flac), /it is FLAC, and only WAV.*leave telephony out/],
    ["an unknown container", fromBytes(new Uint8Array(100)), /it is no WAV file.*leave telephony out/],
    ["100 Hz", fromBytes(tone(1, { ...stereo48k, sampleRate: 100 })), /too low for speech.*100 Hz/],
    ["a WAV without samples", fromBytes(tone(0)), /it has no samples/],
    ["a stream without samples", fromStream(inChunks(tone(0), 10)), /it has no samples/],
    ["a broken WAV", fromBytes(tone(0.01).slice(0, 30)), /it can't be converted: this WAV file is .*[^.]\.$/],
    ["a stream that fails", fromStream(cutStream), /its stream failed \(RangeError\)/]
  ] as const)("refuses %s, and says what to do", ([_, audio, problem]) =>
    Effect.gen(function* () {
      const { outcome, received } = yield* transcribe(undefined, { audio, telephony })
      expect(outcome).toMatchObject({ left: { _tag: "SttAudioUnreadable", message: expect.stringMatching(problem) } })
      expect(received).toEqual([])
    })
  )
})

const lower = AudioSource.fromBytes(tone(1, { ...stereo48k, sampleRate: 1000 }))
const ofFormat = ["MoreThanOneChannel", "SampleRateFarFrom8kHz"]
const others = { model: "en-general-v2-8khz", parseNumber: true, hotwords: [{ phrase: "UPI 2.0" }] }

it.scoped.each<readonly [what: string, asked: Partial<Request>, tags: ReadonlyArray<string>]>([
  ["a stream", { audio: AudioSource.fromStream(inChunks(wav, 50)) }, ofFormat],
  ["all parts of a request", others, [...ofFormat, "ParseNumberWithoutEffect", "HotwordNotSpoken"]],
  ["the converted recording", { telephony: true }, []],
  ["the converted recording, at a lower rate", { audio: lower, telephony: true }, ["SampleRateFarFrom8kHz"]]
])("a transcription has the warnings of %s", ([_, asked, tags]) =>
  Effect.gen(function* () {
    const { outcome } = yield* transcribe(undefined, { audio: AudioSource.fromBytes(wav), ...asked })
    expect(Either.getOrThrow(outcome).warnings.map(({ _tag }) => _tag)).toEqual(tags)
  })
)
