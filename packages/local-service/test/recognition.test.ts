import { execFileSync } from "node:child_process"
import { copyFileSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it, layer, onTestFinished } from "@effect/vitest"
import * as Resampler from "@effect-speech/audio-codec/Resampler"
import { KnownRecordings, LocalService } from "@effect-speech/local-service"
import { type Recognised, Recogniser } from "@effect-speech/local-service/Recogniser"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { chances } from "effect-speech-test-support/random"
import { teachable } from "effect-speech-test-support/teachable"
import { type Box, serviceTests } from "./blackbox/support/service.js"

const inSeconds = (recognised: Recognised | undefined) =>
  (recognised?.segments ?? []).map(({ endMillis, startMillis, text }) => {
    return { text, start: startMillis / 1000, end: endMillis / 1000 }
  })

const pathOf = (name: string) => fileURLToPath(new URL(`../../audio-decoder/test/recordings/${name}`, import.meta.url))
const catSamples = Float32Array.from(
  new Int16Array(Uint8Array.from(readFileSync(pathOf("cat.wav")).subarray(44)).buffer),
  (sample) => sample / 0x8000
)

const silence = (millis: number) => new Float32Array(millis * 8)
const joined = (...parts: ReadonlyArray<Float32Array>) => Float32Array.from(parts.flatMap((part) => [...part]))
const noise = (millis: number, level: number, seed: number) => {
  const chance = chances(seed)
  return Float32Array.from({ length: millis * 8 }, () => level * (2 * chance() - 1))
}
const recognise = (samples: Float32Array) =>
  Effect.flatMap(LocalService, ({ recogniser }) => teachable(recogniser).recognise(Stream.make(samples)))

/** The recogniser of a test. */
const taught = Effect.map(Recogniser, teachable)

/** The first and the last sample as loud as speech. */
const soundOf = (samples: Float32Array) => {
  const isLoud = (sample: number) => Math.abs(sample) > 0.003
  return { start: samples.findIndex(isLoud), end: samples.findLastIndex(isLoud) + 1 }
}

/** As other programs join speech: without its silence, with 40 ms left, and with soft ends. */
const trimmed = (samples: Float32Array) => {
  const { end, start } = soundOf(samples)
  const kept = samples.slice(Math.max(0, start - 320), end + 320)
  return kept.map((sample, index) => sample * Math.min(1, index / 40, (kept.length - 1 - index) / 40))
}

const branch = "Good morning.\n\nThe branch of Dr. Rao opens on Monday, at ten.  Please bring your card!"
const loan = "Your loan was approved yesterday. Thank you."

serviceTests(
  "a recording made of speech of this service",
  LocalService.layer(),
  (it) => {
    const spoken = new Map<string, Float32Array>()
    const speak = ({ synthesize }: Box, text: string) =>
      Effect.gen(function* () {
        const known = spoken.get(text)
        if (known !== undefined) return known
        const { bytes } = yield* synthesize({ text, lang: "en", output_format: "8000:pcm16" })
        const samples = Float32Array.from(new Int16Array(Uint8Array.from(bytes).buffer), (sample) => sample / 0x8000)
        spoken.set(text, samples)
        return samples
      })
    const sentences = ["Good morning.", "The branch of Dr. Rao opens on Monday, at ten.", "Please bring your card!"]

    it("that is whole has exactly the text, and each sentence with its time", function* (box) {
      const samples = yield* speak(box, branch)
      const recognised = yield* recognise(samples)
      expect(recognised?.text).toBe(branch)
      expect(recognised?.segments?.map(({ text }) => text)).toEqual(sentences)
      const times = inSeconds(recognised)
      expect(times[0]?.start).toBe(0)
      expect(times.at(-1)?.end).toBeCloseTo(samples.length / 8000, 2)
      for (const [index, { start }] of times.entries()) {
        if (index === 0) continue
        // The pause before it is silent.
        const end = times[index - 1]?.end ?? 0
        expect(start - end).toBeCloseTo(0.3, 1)
        expect(soundOf(samples.subarray((end + 0.02) * 8000, (start - 0.02) * 8000)).start).toBe(-1)
      }
    })

    it("that joins other recordings with other pauses has the text of both, and their times", function* (box) {
      const first = trimmed(yield* speak(box, loan))
      const second = trimmed(yield* speak(box, branch))
      const recognised = yield* recognise(joined(silence(900), first, silence(123), second, silence(2000), first))
      expect(recognised?.text).toBe(`${loan} ${branch} ${loan}`)
      const starts = inSeconds(recognised).map(({ start }) => start)
      const secondAt = 0.9 + first.length / 8000 + 0.123
      expect(starts.length).toBe(7)
      expect(Math.abs((starts[0] ?? 0) - 0.9)).toBeLessThan(0.06)
      expect(Math.abs((starts[2] ?? 0) - secondAt)).toBeLessThan(0.06)
      expect(Math.abs((starts[5] ?? 0) - (secondAt + second.length / 8000 + 2))).toBeLessThan(0.06)
    })

    it("that joins recordings without a pause has the text of both", function* (box) {
      const first = yield* speak(box, loan)
      const { end, start } = soundOf(first)
      expect((yield* recognise(joined(first.subarray(start, end), yield* speak(box, branch))))?.text).toBe(
        `${loan} ${branch}`
      )
    })

    it("that is cut has its whole sentences, and nothing of those that are cut in two", function* (box) {
      const samples = yield* speak(box, branch)
      const [, second, third] = inSeconds(yield* recognise(samples))
      const inSecond = ((second?.start ?? 0) + (second?.end ?? 0)) / 2
      const inThird = ((third?.start ?? 0) + (third?.end ?? 0)) / 2
      const cut = (from: number, to: number) => recognise(samples.slice(from * 8000, to * 8000))
      expect((yield* cut(0, inSecond))?.text).toBe("Good morning.")
      expect((yield* cut(inSecond, 60))?.text).toBe("Please bring your card!")
      expect((yield* cut((second?.start ?? 0) - 0.1, inThird))?.text).toBe(sentences[1])
      expect(yield* cut(inThird, 60)).toBeUndefined()
    })

    it("with other sounds between has the sentences alone", function* (box) {
      const samples = yield* speak(box, loan)
      const backwards = Float32Array.from(yield* speak(box, branch)).reverse()
      const recognised = yield* recognise(
        joined(noise(2000, 0.2, 1), silence(100), samples, silence(100), backwards, silence(300), samples)
      )
      expect(recognised?.text).toBe(`${loan} ${loan}`)
      expect(inSeconds(recognised)[0]?.start).toBeCloseTo(2.1, 2)
    })

    it("with another word in a sentence does not have that sentence", function* (box) {
      const samples = Float32Array.from(yield* speak(box, branch))
      const [, second] = inSeconds(yield* recognise(samples))
      const other = yield* speak(box, loan)
      samples.set(other.subarray(3000, 4600), ((second?.start ?? 0) + 0.8) * 8000)
      const recognised = yield* recognise(samples)
      expect(recognised?.text).toBe("Good morning. Please bring your card!")
      expect(recognised?.confidence).toBeGreaterThan(0.9)
    })
  },
  { keepsState: true }
)

/** Sounds that are as long and as different as sentences. */
const tune = (seed: number) => {
  const chance = chances(seed)
  const loudness = Array.from({ length: 20 }, () => 0.1 + 0.4 * chance())
  let last = 0
  return Float32Array.from({ length: 2 * 8000 }, (_, index) => {
    last = 0.7 * last + 0.3 * (2 * chance() - 1)
    return last * (loudness[Math.floor(index / 800)] ?? 0)
  })
}

const text = (index: number) => `Sentence ${index}.`
const segments = Array.from({ length: 24 }, (_, index) => {
  return { text: text(index), startMillis: 2500 * index, endMillis: 2500 * index + 2000 }
})
const minute = joined(...segments.flatMap((_, index) => [tune(index + 1), silence(500)]))
const recording = { text: segments.map((each) => each.text).join("\n"), samples: Stream.make(minute), segments }

layer(KnownRecordings.layer({ capacity: "90 seconds" }))("a long recording", (it) => {
  it.effect("that is taught with times is recognised in a part of it", () =>
    Effect.gen(function* () {
      const { learn, recognise } = yield* taught
      yield* learn(recording)
      const part = joined(silence(777), minute.slice(20.7 * 8000, 36.2 * 8000))
      const recognised = yield* recognise(Stream.make(part))
      expect(recognised?.segments?.map((each) => each.text)).toEqual([9, 10, 11, 12, 13].map(text))
      expect(recognised?.text).toBe([9, 10, 11, 12, 13].map(text).join("\n"))
      expect(inSeconds(recognised)[0]?.start).toBeCloseTo(0.777 + 9 * 2.5 - 20.7, 2)
    })
  )

  it.effect("is forgotten when later ones exceed the capacity", () =>
    Effect.gen(function* () {
      const { forget, learn, recognise } = yield* taught
      const recognised = (samples: Float32Array) =>
        Effect.map(recognise(Stream.make(samples)), (recognised) => recognised?.text)
      yield* learn(recording)
      yield* learn({ text: "cat", samples: Stream.make(catSamples) })
      expect(yield* recognised(minute)).toBe(recording.text)
      yield* learn({ text: "tune", samples: Stream.make(joined(tune(99), silence(40_000))) })
      expect(yield* recognised(minute)).toBeUndefined()
      expect(yield* recognised(catSamples)).toBe("cat")
      yield* forget
      expect(yield* recognised(catSamples)).toBeUndefined()
    })
  )
})

layer(KnownRecordings.layer())("a recording at another sample rate", (it) => {
  it.effect.each([11_025, 22_050, 48_000])(
    "of %i Hz is recognised with its times, whole and as a stream",
    (sampleRate) =>
      Effect.gen(function* () {
        const { forget, learn, recognise } = yield* taught
        const samples = Resampler.resample(catSamples, { from: 8000, to: sampleRate })
        const half = Math.floor(samples.length / 2)
        for (const given of [samples, Stream.make(samples.subarray(0, half), samples.subarray(half))]) {
          yield* learn({
            text: "cat",
            samples: given,
            sampleRate,
            segments: [{ text: "cat", startMillis: 100, endMillis: 900 }]
          })
          const recognised = yield* recognise(joined(silence(500), catSamples))
          expect(recognised?.segments?.map(({ text }) => text)).toEqual(["cat"])
          expect(inSeconds(recognised)[0]?.start).toBeCloseTo(0.6, 2)
          expect(inSeconds(recognised)[0]?.end).toBeCloseTo(1.4, 2)
          yield* forget
        }
      })
  )
})

layer(KnownRecordings.layer())("a sample rate that no recording has", (it) => {
  it.effect.each([0, 999, 8000.5, Number.NaN])("of %d Hz is refused, and the others are still learned", (sampleRate) =>
    Effect.gen(function* () {
      const { learn, recognise } = yield* taught
      const defect = yield* Effect.catchAllDefect(
        learn({ text: "cat", samples: catSamples, sampleRate }),
        Effect.succeed
      )
      expect(String(defect)).toBe(
        `RangeError: sampleRate must be an integer from 1000 to 4294967295, not ${sampleRate}.`
      )
      yield* learn({ text: "cat", samples: catSamples })
      expect((yield* recognise(catSamples))?.text).toBe("cat")
    })
  )
})

layer(KnownRecordings.layer())("sentences that share most of their words", (it) => {
  it.effect("are each recognised in a join longer than half a minute", () =>
    Effect.gen(function* () {
      const { learn, recognise } = yield* taught
      const words = Array.from({ length: 3 }, (_, index) => tune(40 + index).subarray(0, 0.3 * 8000))
      const speech = (text: string) => joined(...Array.from(text, (word) => words[Number(word)] as Float32Array))
      const texts = ["0120", "0121", "0122", "0110", "0112", "0100", "01020"]
      for (const text of texts) yield* learn({ text, samples: Stream.make(speech(text)) })
      const join = joined(...texts.flatMap((text) => [speech(text), silence(300)]), silence(24_000))
      const recognised = yield* recognise(Stream.make(join))
      expect(recognised?.text).toBe(texts.join(" "))
    })
  )
})

const folderOf = (files: Readonly<Record<string, string>>) => {
  const folder = mkdtempSync(join(tmpdir(), "sidecars-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  copyFileSync(pathOf("cat.wav"), join(folder, "cat.wav"))
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content)
  return folder
}
const cue = (separator: string, text: string) => `00:00:00${separator}020 --> 00:00:00${separator}990\n${text}\n`

const refusal = (recordings: string) => Effect.flip(Layer.build(LocalService.layer({ recordings })))

describe("a recording that is taught with subtitles beside it", () => {
  it.scoped("has their text and times, which count before its text", () =>
    Effect.gen(function* () {
      for (const [name, content] of [
        ["cat.srt", `1\n${cue(",", "He has\na bad cat.")}`],
        ["cat.vtt", `WEBVTT\n\n${cue(".", "He has\na bad cat.")}`]
      ] as const) {
        const recordings = folderOf({ [name]: content, "cat.txt": "something else" })
        const service = Context.get(yield* Layer.build(LocalService.layer({ recordings })), LocalService)
        const recognised = yield* teachable(service.recogniser).recognise(Stream.make(catSamples))
        expect(recognised?.text).toBe("He has a bad cat.")
        expect(recognised?.segments).toMatchObject([{ startMillis: 20, endMillis: 990, text: "He has a bad cat." }])
      }
    })
  )

  it.scoped("is refused if what is beside it is no file, too large, has a mistake, or says nothing", () =>
    Effect.gen(function* () {
      const pipe = folderOf({})
      execFileSync("mkfifo", [join(pipe, "cat.srt")])
      const endless = folderOf({})
      symlinkSync("/dev/zero", join(endless, "cat.txt"))
      for (const [folder, problem] of [
        [pipe, "cat.srt is not a file"],
        [endless, "cat.txt is not a file"],
        [folderOf({ "cat.txt": "a".repeat(4 * 1024 * 1024 + 1) }), "cat.txt is larger than 4 MiB"],
        [folderOf({ "cat.srt": "1\n00:00:02,000 --> 00:00:01,000\nHe has a bad cat.\n" }), "cat.srt: Line 2 "],
        [folderOf({ "cat.txt": "\ufeff \n" }), "cat.txt has no text; write there what is said in it"],
        [folderOf({ "cat.vtt": "WEBVTT\n" }), "cat.vtt has no text; write there what is said in it"]
      ] as const) {
        const error = yield* refusal(folder)
        expect(error).toMatchObject({ _tag: "LocalServiceRecordingUnusable", path: join(folder, "cat.wav") })
        expect(error.message).toContain(join(folder, problem))
      }
      const without = folderOf({ "cat.srt": "" })
      rmSync(join(without, "cat.wav"))
      const error = yield* refusal(without)
      expect(error).toMatchObject({ _tag: "LocalServiceRecordingUnusable", path: without })
      expect(error.message).toContain("it has no .wav file")
    })
  )

  it.scoped("can't be taught without a text", () =>
    Effect.gen(function* () {
      const { teach } = Context.get(yield* Layer.build(LocalService.layer()), LocalService)
      const path = pathOf("cat.wav")
      const silent = { text: "He has a bad cat.", segments: [{ startMillis: 0, endMillis: 500, text: " " }] }
      for (const taught of [{ text: " \n" }, silent]) {
        expect(yield* Effect.flip(teach({ path, ...taught }))).toMatchObject({
          _tag: "LocalServiceRecordingUnusable",
          message: `The recording ${path} can't be taught: its text, or that of a segment, is empty.`
        })
      }
    })
  )
})
