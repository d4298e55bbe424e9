/**
 * What the recogniser recognises, and what it must not: `pnpm verify recognition`. Needs ffmpeg, and takes some minutes.
 *
 * One service speaks 200 sentences, another one their partners, each with one other word. All are transcribed in every
 * encoding. Then every fifth sentence is changed: in ways that keep it the sentence, and in ways that do not.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Resampler, Wav } from "@effect-speech/audio-codec"
import { LocalService } from "@effect-speech/local-service"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Record from "effect/Record"
import * as Redacted from "effect/Redacted"
import { refuseOptions } from "effect-speech-test-support/options"
import { run, temporaryFolder } from "effect-speech-test-support/processes"
import { chances } from "effect-speech-test-support/random"
import { exitStatus, table } from "effect-speech-test-support/report"
import { concatSamples } from "../../packages/audio-codec/src/internal/bytes.js"
import { pinkNoise, whiteNoise } from "../support/noises.js"
import { barOfNone } from "../support/print.js"
import { type Pair, pairs } from "./sentences.js"

await run("ffmpeg", ["-version"]).catch(() =>
  refuseOptions("Install ffmpeg and put it on the PATH: it makes the FLAC, MP3, M4A and Ogg files.")
)

interface Encoding {
  readonly name: string
  readonly file: string
  readonly options: ReadonlyArray<string>
  /** The share of the sentences that must be recognised. */
  readonly bar: number
}

const telephony = ["-ar", "8000", "-c:a"]
const encodings: ReadonlyArray<Encoding> = [
  { name: "float32, 24 kHz", file: "float32.wav", options: ["-c:a", "pcm_f32le"], bar: 1 },
  { name: "pcm16, 24 kHz", file: "pcm16.wav", options: ["-c:a", "pcm_s16le"], bar: 1 },
  { name: "pcm16, 8 kHz", file: "telephony.wav", options: [...telephony, "pcm_s16le"], bar: 1 },
  { name: "A-law, 8 kHz", file: "alaw.wav", options: [...telephony, "pcm_alaw"], bar: 0.95 },
  { name: "mu-law, 8 kHz", file: "mulaw.wav", options: [...telephony, "pcm_mulaw"], bar: 0.95 },
  { name: "FLAC", file: "a.flac", options: [], bar: 1 },
  { name: "MP3, 64 kbit/s", file: "a.mp3", options: ["-b:a", "64k"], bar: 0.95 },
  { name: "M4A (AAC), 64 kbit/s", file: "a.m4a", options: ["-b:a", "64k"], bar: 0.95 },
  { name: "Ogg Opus, 32 kbit/s", file: "a.ogg", options: ["-c:a", "libopus", "-b:a", "32k"], bar: 0.95 }
]

/** The sample rate of the synthesis, in Hz. */
const sampleRate = 24_000

/**
 * A connection for each request. The service closes an idle one after five seconds, and this process, which also runs the
 * service, can be too busy to see that before it sends the next request.
 */
const ownConnection = { Connection: "close" }

const synthesize = async ({ apiKey, ttsBaseUrl }: LocalService["Type"], text: string, lang: string) => {
  const headers = { ...ownConnection, "X-API-Key": Redacted.value(apiKey), "Content-Type": "application/json" }
  const body = JSON.stringify({ text, lang, output_format: `${sampleRate}:float32` })
  const response = await fetch(`${ttsBaseUrl}/tts/bytes`, { method: "POST", headers, body })
  if (!response.ok) throw new Error(`synthesis of ${text}: ${await response.text()}`)
  return new Float32Array(await response.arrayBuffer())
}

type Service = LocalService["Type"]

const transcribe = async ({ apiKey, sttBaseUrl }: Service, lang: string, file: Uint8Array): Promise<string> => {
  const body = new FormData()
  body.append("model", `${lang}-general-v2-8khz`)
  body.append("transaction_id", crypto.randomUUID())
  body.append("audio_file", new Blob([Uint8Array.from(file)]), "recording")
  const headers = { ...ownConnection, "X-Api-Key": Redacted.value(apiKey) }
  const response = await fetch(`${sttBaseUrl}/api/transcribe`, { method: "POST", headers, body })
  if (!response.ok) throw new Error(`transcription: ${await response.text()}`)
  return ((await response.json()) as { readonly text: string }).text
}

const wav = (samples: Float32Array, rate = sampleRate, channels = 1): Uint8Array =>
  Wav.encode(new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength), {
    sampleRate: rate,
    channels,
    encoding: "float32"
  })

const inEveryEncoding = async (folder: string, samples: Float32Array): Promise<ReadonlyArray<Uint8Array>> => {
  const own = mkdtempSync(join(folder, "recording-"))
  const source = join(own, "source.wav")
  writeFileSync(source, wav(samples))
  const outputs = encodings.flatMap(({ file, options }) => [...options, join(own, file)])
  await run("ffmpeg", ["-v", "error", "-threads", "1", "-i", source, ...outputs])
  const files = encodings.map(({ file }) => readFileSync(join(own, file)))
  rmSync(own, { recursive: true })
  return files
}

const rms = (samples: Float32Array) => Math.sqrt(samples.reduce((sum, it) => sum + it * it, 0) / samples.length)

/** Noise with the spectrum of 40 ms of speech. */
const speechShaped = (samples: Float32Array, seed: number): Float32Array => {
  const start = Math.floor(samples.length / 2)
  const taps = samples.subarray(start, start + 0.04 * sampleRate)
  const noise = whiteNoise(samples.length + taps.length, seed)
  return atLevelOf(
    samples,
    samples.map((_, index) => taps.reduce((sum, tap, at) => sum + tap * (noise[index + at] ?? 0), 0))
  )
}

const atLevelOf = (model: Float32Array, samples: Float32Array): Float32Array => {
  const gain = rms(model) / rms(samples)
  return samples.map((sample) => gain * sample)
}

const sweep = (length: number, from: number, to: number): Float32Array => {
  const seconds = length / sampleRate
  return Float32Array.from({ length }, (_, index) => {
    const time = index / sampleRate
    return 0.5 * Math.sin(2 * Math.PI * (from * time + ((to - from) * time * time) / (2 * seconds)))
  })
}

const plus = (samples: Float32Array, others: Float32Array, level: number): Float32Array =>
  samples.map((sample, index) => sample + level * (others[index] ?? 0))

const joined = (...parts: ReadonlyArray<Float32Array>) => concatSamples(parts)

const stretched = (samples: Float32Array, factor: number): Float32Array =>
  Resampler.resample(samples, { from: Math.round(sampleRate * factor), to: sampleRate })

type Change = (samples: Float32Array, other: Float32Array, seed: number) => Uint8Array

const silence = (seconds: number) => new Float32Array(Math.round(seconds * sampleRate))
const withNoise = (samples: Float32Array, seed: number, decibels: number) =>
  wav(plus(samples, atLevelOf(samples, whiteNoise(samples.length, seed)), 10 ** (-decibels / 20)))
const cut = (samples: Float32Array, seconds: number) => wav(samples.subarray(seconds * sampleRate))
const later = (samples: Float32Array, seconds: number) => wav(joined(silence(seconds), samples))
const between = (samples: Float32Array, end: Float32Array) => joined(end, samples, end)
const lowNoise = (samples: Float32Array, seed: number) =>
  atLevelOf(samples, whiteNoise(sampleRate / 2, seed)).map((sample) => sample * 10 ** (-30 / 20))
const at = (samples: Float32Array, rate: number) =>
  wav(Resampler.resample(samples, { from: sampleRate, to: rate }), rate)

interface Changed {
  readonly change: Change
  /** The share of the sentences that must be recognised. Default: 0, so that the number is only printed. */
  readonly bar?: number
  /** What must be recognised, if anything is. Default: the sentence. */
  readonly expected?: (sentence: string, other: string) => string
}

/** Changes that keep the sentence. */
const same: Readonly<Record<string, Changed>> = {
  "20 dB softer": { bar: 1, change: (samples) => wav(samples.map((sample) => sample / 10)) },
  "8 times as loud, clipped": { change: (samples) => wav(samples.map((it) => Math.max(-1, Math.min(1, 8 * it)))) },
  "upside down": { bar: 1, change: (samples) => wav(samples.map((sample) => -sample)) },
  "with an offset of 0.1": { bar: 1, change: (samples) => wav(samples.map((sample) => sample + 0.1)) },
  "with 50 Hz hum, as loud": {
    bar: 1,
    change: (samples) => wav(plus(samples, atLevelOf(samples, sweep(samples.length, 50, 50)), 1))
  },
  "with noise at 30 dB": { bar: 1, change: (samples, _, seed) => withNoise(samples, seed, 30) },
  "with noise at 20 dB": { change: (samples, _, seed) => withNoise(samples, seed, 20) },
  "with noise at 10 dB": { change: (samples, _, seed) => withNoise(samples, seed, 10) },
  "after 1001 samples": { bar: 1, change: (samples) => later(samples, 1001 / sampleRate) },
  "after 50 ms of silence": { bar: 1, change: (samples) => later(samples, 0.05) },
  "after 145 ms of silence": { bar: 1, change: (samples) => later(samples, 0.145) },
  // At half a sample of the recogniser's rate, another period of the voice can be closer.
  "after 1000.5 samples": {
    bar: 0.9,
    change: (samples) => {
      const double = Resampler.resample(samples, { from: sampleRate, to: 2 * sampleRate })
      return wav(joined(new Float32Array(2001), double), 2 * sampleRate)
    }
  },
  "before 145 ms of silence": { bar: 1, change: (samples) => wav(joined(samples, silence(0.145))) },
  "after half a second of silence": { bar: 1, change: (samples) => later(samples, 0.5) },
  "before half a second of silence": { bar: 1, change: (samples) => wav(joined(samples, silence(0.5))) },
  "between half seconds of silence": { bar: 1, change: (samples) => wav(between(samples, silence(0.5))) },
  "between half seconds of noise at 30 dB": {
    bar: 1,
    change: (samples, _, seed) => wav(between(samples, lowNoise(samples, seed)))
  },
  "between half seconds of silence, at 8 kHz": {
    bar: 1,
    change: (samples) => at(between(samples, silence(0.5)), 8000)
  },
  "after 700 ms of silence": { change: (samples) => later(samples, 0.7) },
  "without its first 20 ms": { change: (samples) => cut(samples, 0.02) },
  "without its first 50 ms": { change: (samples) => cut(samples, 0.05) },
  "without its first 100 ms": { change: (samples) => cut(samples, 0.1) },
  "at 11.025 kHz": { bar: 1, change: (samples) => at(samples, 11_025) },
  "at 44.1 kHz": { bar: 1, change: (samples) => at(samples, 44_100) },
  "at 48 kHz": { bar: 1, change: (samples) => at(samples, 48_000) },
  "in stereo": { bar: 1, change: (samples) => wav(interleaved(samples, samples), sampleRate, 2) },
  "in one channel of two": {
    bar: 1,
    change: (samples) => wav(interleaved(samples, new Float32Array(samples.length)), sampleRate, 2)
  },
  "at 1.01 times the speed": { change: (samples) => wav(stretched(samples, 1.01)) }
}

const interleaved = (left: Float32Array, right: Float32Array): Float32Array =>
  Float32Array.from({ length: 2 * left.length }, (_, index) => (index % 2 === 0 ? left : right)[index >> 1] as number)

/** Changes that make it another recording, mostly of the same length: the length alone must not decide. */
const others: Readonly<Record<string, Change>> = {
  silence: (samples) => wav(new Float32Array(samples.length)),
  "a tone of 440 Hz": (samples) => wav(sweep(samples.length, 440, 440)),
  "a tone of 1000 Hz": (samples) => wav(sweep(samples.length, 1000, 1000)),
  "a tone at the pitch of the voice, 200 Hz": (samples) => wav(sweep(samples.length, 200, 200)),
  "a sweep from 100 to 4000 Hz": (samples) => wav(sweep(samples.length, 100, 4000)),
  "a sweep from 3000 to 300 Hz": (samples) => wav(sweep(samples.length, 3000, 300)),
  "white noise": (samples, _, seed) => wav(atLevelOf(samples, whiteNoise(samples.length, seed))),
  "pink noise": (samples, _, seed) => wav(atLevelOf(samples, pinkNoise(samples.length, seed))),
  "noise with the spectrum of speech": (samples, _, seed) => wav(speechShaped(samples, seed)),
  "noise as loud as it, from moment to moment": (samples, _, seed) => {
    const random = chances(seed)
    return wav(samples.map((sample) => (random() < 0.5 ? -sample : sample)))
  },
  backwards: (samples) => wav(Float32Array.from(samples).reverse()),
  "at 1.1 times the speed": (samples) => wav(stretched(samples, 1.1)),
  "its first half": (samples) => wav(samples.subarray(0, samples.length / 2)),
  "its first half, then silence": (samples) => wav(samples.map((sample, at) => (at < samples.length / 2 ? sample : 0))),
  "silence, then its second half": (samples) =>
    wav(samples.map((sample, at) => (at < samples.length / 2 ? 0 : sample))),
  "half a second of silence in its middle": (samples) =>
    wav(joined(samples.subarray(0, samples.length / 2), silence(0.5), samples.subarray(samples.length / 2))),
  "another sentence with it, as loud": (samples, other) =>
    wav(plus(samples, atLevelOf(samples, repeated(other, samples.length)), 1)),
  "200 ms of another sentence in its middle": (samples, other) => {
    const start = Math.floor(samples.length / 2)
    const piece = atLevelOf(samples, loudest(other, 0.2 * sampleRate))
    return wav(samples.map((sample, at) => piece[at - start] ?? sample))
  }
}

/** Joins, cuts and pieces: the sentence, with other sounds beside it, and the sentences that must be found. */
const beside: Readonly<Record<string, Changed>> = {
  "200 ms of another sentence before it, and silence": {
    change: (samples, other) => wav(joined(silence(0.2), loudest(other, 0.2 * sampleRate), silence(0.1), samples)),
    bar: 1
  },
  "another sentence at once after it": {
    change: (samples, other) => wav(joined(samples, other)),
    bar: 1,
    expected: (sentence, other) => `${sentence} ${other}`
  },
  "another sentence before it, after a pause": {
    change: (samples, other) => wav(joined(other, silence(0.6), samples)),
    bar: 1,
    expected: (sentence, other) => `${other} ${sentence}`
  },
  "two others, one of them cut in its middle": {
    change: (samples, other) => wav(joined(other.subarray(other.length / 2), silence(0.3), samples, silence(2), other)),
    bar: 1,
    expected: (sentence, other) => `${sentence} ${other}`
  },
  "3 seconds of noise, then the sentence": {
    change: (samples, _, seed) =>
      wav(joined(atLevelOf(samples, pinkNoise(3 * sampleRate, seed)), silence(0.2), samples)),
    bar: 1
  },
  "silence of 20 seconds at each end": {
    change: (samples) => wav(between(samples, silence(20))),
    bar: 1
  }
}

const repeated = (samples: Float32Array, length: number): Float32Array =>
  Float32Array.from({ length }, (_, index) => samples[index % samples.length] as number)

const loudest = (samples: Float32Array, length: number): Float32Array => {
  const pieces = Array.from({ length: Math.floor(samples.length / length) }, (_, index) =>
    samples.subarray(index * length, (index + 1) * length)
  )
  return pieces.reduce((best, piece) => (rms(piece) > rms(best) ? piece : best))
}

const concurrency = { concurrency: 3 }
const startService = Effect.map(Layer.build(LocalService.layer()), Context.get(LocalService))
const problems: Array<string> = []
const itself = (sentence: string) => sentence

const speakAll = Effect.gen(function* () {
  const service = yield* startService
  const elsewhere = yield* startService
  const spoken = (which: Service, textOf: (pair: Pair) => string) =>
    Effect.forEach(pairs, (pair) => Effect.promise(() => synthesize(which, textOf(pair), pair.lang)))
  return {
    folder: temporaryFolder("recognition-"),
    service,
    sentences: yield* spoken(service, ({ sentence }) => sentence),
    partners: yield* spoken(elsewhere, ({ partner }) => partner),
    again: yield* spoken(elsewhere, ({ sentence }) => sentence)
  }
})
type Spoken = Effect.Effect.Success<typeof speakAll>

/** Transcribes a recording of each pair in every encoding. */
const inEncodings = ({ folder, service }: Spoken, recordings: ReadonlyArray<Float32Array>) =>
  Effect.forEach(
    recordings,
    (samples, index) =>
      Effect.promise(async () => {
        const texts: Array<string> = []
        for (const file of await inEveryEncoding(folder, samples)) {
          texts.push(await transcribe(service, pairs[index]?.lang ?? "", file))
        }
        return texts
      }),
    concurrency
  )

const checkEncodings = (spoken: Spoken) =>
  Effect.gen(function* () {
    const ofSentences = yield* inEncodings(spoken, spoken.sentences)
    const ofPartners = yield* inEncodings(spoken, spoken.partners)
    const rows = [["encoding", `known of ${pairs.length}`, `mistaken partners of ${pairs.length}`]]
    for (const [index, { bar, name }] of encodings.entries()) {
      const known = pairs.filter(({ sentence }, of) => ofSentences[of]?.[index] === sentence).length
      const confused = pairs.filter(({ sentence }, of) => !["", sentence].includes(ofSentences[of]?.[index] ?? ""))
      const mistaken = pairs.filter((_, of) => ofPartners[of]?.[index] !== "")
      rows.push([name, `${known}`, `${mistaken.length}`])
      if (known < bar * pairs.length) problems.push(`${name}: ${known} known`)
      if (confused.length > 0) problems.push(`${name}: ${confused.length} taken for another sentence`)
      for (const { partner, sentence } of mistaken) problems.push(`${name}: "${partner}" was taken for "${sentence}"`)
    }
    table(rows)
  })

/** Transcribes every fifth sentence after each of the changes. */
const checkChanges = (heading: string, changes: Readonly<Record<string, Changed>>, { sentences, service }: Spoken) =>
  Effect.gen(function* () {
    const rows = [[heading, "right"]]
    for (const [name, { bar = 0, change, expected = itself }] of Object.entries(changes)) {
      const results = yield* Effect.forEach(
        pairs.flatMap((pair, index) => (index % 5 === 0 ? [{ ...pair, index }] : [])),
        ({ index, lang, sentence }) =>
          Effect.promise(async () => {
            const next = pairs.findIndex((pair, at) => at > index && pair.lang === lang)
            const at = next < 0 ? index - 5 : next
            const file = change(sentences[index] as Float32Array, sentences[at] as Float32Array, index + 1)
            const text = await transcribe(service, lang, file)
            return { text, expected: expected(sentence, pairs[at]?.sentence ?? "") }
          }),
        concurrency
      )
      const right = results.filter(({ expected, text }) => text === expected).length
      rows.push([name, `${right} of ${results.length}`])
      if (right < bar * results.length) problems.push(`${name}: ${right} right`)
      for (const { expected, text } of results) {
        if (text !== "" && text !== expected) problems.push(`${name}: heard "${text}" instead of "${expected}"`)
      }
    }
    table(rows)
  })

const checkAgain = ({ again, service }: Spoken) =>
  Effect.gen(function* () {
    const texts = yield* Effect.forEach(
      pairs,
      ({ lang }, index) => Effect.promise(() => transcribe(service, lang, wav(again[index] as Float32Array))),
      concurrency
    )
    const known = pairs.filter(({ sentence }, index) => texts[index] === sentence).length
    console.log(`- spoken again by another service: ${known} of ${pairs.length} known`)
  })

const program = Effect.gen(function* () {
  const spoken = yield* speakAll
  yield* checkEncodings(spoken)
  yield* checkChanges("the sentence", same, spoken)
  yield* checkAgain(spoken)
  yield* checkChanges("the sentence, and beside it", beside, spoken)
  const nothing = Record.map(others, (change): Changed => ({ change, bar: 1, expected: () => "" }))
  yield* checkChanges("not the sentence", nothing, spoken)
  barOfNone("every sentence is recognised as its bar demands, and nothing else", problems, `${problems.length} are not`)
  process.exitCode = exitStatus()
})

program.pipe(Effect.scoped, NodeRuntime.runMain)
