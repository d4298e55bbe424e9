/**
 * Cuts that fall inside speech, of `Quiet` and of `Silence`: `pnpm verify cuts`. Takes some minutes.
 *
 * The voice of the local service speaks sentences without inner pauses. An hour of them, some louder and some softer, with
 * pauses at known places, is mixed with noise and cut by both, at 8 kHz. A cut is inside speech if it is not in a pause.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Pcm, Quiet, Resampler, Silence } from "@effect-speech/audio-codec"
import * as Espeak from "@effect-speech/local-service/Espeak"
import { Voice } from "@effect-speech/local-service/Voice"
import * as Effect from "effect/Effect"
import { readOptions, refuseOptions } from "effect-speech-test-support/options"
import { chances } from "effect-speech-test-support/random"
import { bar, exitStatus, sum, table, title } from "effect-speech-test-support/report"
import { pairs } from "../recognition/sentences.js"
import { hum, pinkNoise, slowNoise, whiteNoise } from "../support/noises.js"

const options = readOptions({ minutes: { type: "string", default: "60" }, seed: { type: "string", default: "1" } })
const [minutes, seed] = [Number(options.minutes), Number(options.seed)]
if (!(minutes >= 1 && Number.isInteger(seed))) refuseOptions("--minutes is a number from 1, and --seed an integer.")

const sampleRate = 8000
const length = minutes * 60 * sampleRate
/** In milliseconds. */
const pauses = { from: 150, to: 800 }
/** How much louder or softer a sentence may be, in dB. */
const loudness = 6
const decibels = [30, 20, 10, 5]
const longestPieces = [
  { name: "5 minutes", millis: 300_000 },
  { name: "30 s", millis: 30_000 }
]

const collect = (samples: ReturnType<Voice["Type"]["speak"]>) =>
  samples instanceof Float32Array ? Effect.succeed(samples) : Pcm.collectSamples(samples)

/** The sentences at 8 kHz, without silence at their ends: a window of 10 ms below -50 dB is silent. */
const speakSentences = Effect.gen(function* () {
  const voice = yield* Voice
  const utterances = pairs.flatMap(({ lang, sentence }) =>
    // A mark inside a sentence would be a pause.
    voice.voices.map(({ name, sampleRate: from }) => ({
      from,
      utterance: { lang, text: sentence.replace(/[,;:—-]/g, " "), voice: name, speed: 1, pronunciations: {} }
    }))
  )
  return yield* Effect.forEach(utterances, ({ from, utterance }) =>
    Effect.map(collect(voice.speak(utterance)), (samples) => {
      const telephony = Resampler.resample(samples, { from, to: sampleRate })
      const silences = Silence.pauses(telephony, sampleRate, { thresholdDecibels: -50, minimum: "10 millis" })
      const before = silences.find(({ startSample }) => startSample === 0)?.endSample ?? 0
      const after = silences.find(({ endSample }) => endSample === telephony.length)?.startSample ?? telephony.length
      return telephony.subarray(before, after)
    })
  )
})

interface Span {
  readonly start: number
  readonly end: number
}

/** Sentences in random order, with pauses. */
const makeSpeech = (
  sentences: ReadonlyArray<Float32Array>,
  random: () => number,
  pause: () => number,
  gain: () => number
): { readonly samples: Float32Array; readonly spoken: ReadonlyArray<Span> } => {
  const samples = new Float32Array(length)
  const spoken: Array<Span> = []
  for (let offset = 0; ; ) {
    const start = offset + Math.round((pause() * sampleRate) / 1000)
    const sentence = sentences[Math.floor(random() * sentences.length)] as Float32Array
    offset = start + sentence.length
    if (offset > length) return { samples, spoken }
    const factor = gain()
    samples.set(
      sentence.map((sample) => factor * sample),
      start
    )
    spoken.push({ start, end: offset })
  }
}

const power = (samples: Float32Array, spans: ReadonlyArray<Span>): number => {
  const energy = sum(spans.map(({ end, start }) => samples.subarray(start, end).reduce((all, it) => all + it * it, 0)))
  return energy / sum(spans.map(({ end, start }) => end - start))
}

/** Other people who talk all the time. */
const babble = (sentences: ReadonlyArray<Float32Array>): Float32Array => {
  const all = new Float32Array(length)
  for (let talker = 0; talker < 5; talker++) {
    const { samples } = makeSpeech(
      sentences,
      chances(seed + 100 + talker),
      () => 0,
      () => 1
    )
    for (let index = 0; index < length; index++) all[index] = (all[index] as number) + (samples[index] as number)
  }
  return all
}

interface Cutter {
  readonly push: (samples: Float32Array) => ReadonlyArray<Silence.Piece>
  readonly flush: () => ReadonlyArray<Silence.Piece>
}

/** The places of the cuts, and the CPU time in seconds. */
const cutAll = (cutter: Cutter, samples: Float32Array) => {
  const before = process.cpuUsage()
  const starts: Array<number> = []
  for (let offset = 0; offset < length; offset += sampleRate) {
    for (const { startSample } of cutter.push(samples.subarray(offset, offset + sampleRate))) starts.push(startSample)
  }
  for (const { startSample } of cutter.flush()) starts.push(startSample)
  const { system, user } = process.cpuUsage(before)
  return { cuts: starts.filter((start) => start > 0), seconds: (system + user) / 1e6 }
}

const program = Effect.gen(function* () {
  const sentences = yield* speakSentences
  const random = chances(seed)
  const { samples, spoken } = makeSpeech(
    sentences,
    random,
    () => pauses.from + random() * (pauses.to - pauses.from),
    () => 10 ** (((2 * random() - 1) * loudness) / 20)
  )
  const speechPower = power(samples, spoken)
  const isInside = (cut: number) => spoken.some(({ end, start }) => cut > start && cut < end)

  const noises: ReadonlyArray<{
    readonly name: string
    readonly make: () => Float32Array
    readonly isOnlyPrinted?: true
  }> = [
    { name: "white", make: () => whiteNoise(length, seed) },
    { name: "pink", make: () => pinkNoise(length, seed) },
    { name: "hum", make: () => hum(length, sampleRate, seed) },
    { name: "drift", make: () => slowNoise(length, sampleRate, seed) },
    { name: "babble", make: () => babble(sentences), isOnlyPrinted: true }
  ]
  const rows: Array<ReadonlyArray<string>> = []
  const inside = new Map<string, number>()
  const cost = { quiet: 0, silence: 0, hours: 0 }
  const measure = (noise: string, level: string, mixed: Float32Array) => {
    const row = [noise, level]
    for (const { millis, name } of longestPieces) {
      const quiet = cutAll(Quiet.unsafeMakeCutter(sampleRate, { maximum: millis }), mixed)
      const silence = cutAll(Silence.unsafeMakeSplitter(sampleRate, millis), mixed)
      const wrong = quiet.cuts.filter(isInside).length
      row.push(`${silence.cuts.filter(isInside).length} of ${silence.cuts.length}`, `${wrong} of ${quiet.cuts.length}`)
      cost.quiet += quiet.seconds
      cost.silence += silence.seconds
      cost.hours += length / sampleRate / 3600
      inside.set(`${noise}, ${name}`, (inside.get(`${noise}, ${name}`) ?? 0) + wrong)
    }
    rows.push(row)
    console.error(row.join("  "))
  }
  measure("none", "", samples)
  const mixed = new Float32Array(length)
  for (const { make, name } of noises) {
    const noise = make()
    const noisePower = power(noise, [{ start: 0, end: length }])
    for (const level of decibels) {
      const gain = Math.sqrt(speechPower / noisePower / 10 ** (level / 10))
      for (let index = 0; index < length; index++) {
        mixed[index] = (samples[index] as number) + gain * (noise[index] as number)
      }
      measure(name, `${level} dB`, mixed)
    }
  }

  title(`Cuts inside speech, ${minutes} minutes`)
  const header = longestPieces.flatMap(({ name }) => [`\`Silence\`, ${name}`, `\`Quiet\`, ${name}`])
  table([["noise", "speech above it", ...header], ...rows])
  const perHour = (seconds: number) => (seconds / cost.hours).toFixed(1)
  title("Seconds of a processor for an hour of audio")
  table([
    ["`Silence`", "`Quiet`"],
    [perHour(cost.silence), perHour(cost.quiet)]
  ])
  for (const { isOnlyPrinted = false, name } of [{ name: "none" }, ...noises]) {
    for (const { name: longest } of longestPieces) {
      const count = inside.get(`${name}, ${longest}`) ?? 0
      const claim = `Quiet cuts no speech in pieces of ${longest}, noise: ${name}`
      if (!isOnlyPrinted) bar(claim, count === 0, `${count} cuts`)
    }
  }
  process.exitCode = exitStatus()
})

program.pipe(Effect.provide(Espeak.layer), NodeRuntime.runMain)
