// Plain JavaScript, over the built packages: no compiler adds to the memory that is measured.
/** Both clients as a process of its own: `node client.js SETTING`, as JSON. It answers each task by what the task took. */
import { setTimeout as sleep } from "node:timers/promises"
import * as FileSystem from "@effect/platform/FileSystem"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { durationMillis } from "@effect-speech/audio-codec/AudioFormat"
import * as PcmStream from "@effect-speech/audio-codec/PcmStream"
import * as Wav from "@effect-speech/audio-codec/Wav"
import * as AudioSource from "@effect-speech/stt/AudioSource"
import { SpeechToText } from "@effect-speech/stt/SpeechToText"
import { TextToSpeech } from "@effect-speech/tts/TextToSpeech"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Stream from "effect/Stream"
import { collectedFootprint, footprint } from "effect-speech-test-support/footprint"
import { resetPeakMemory } from "effect-speech-test-support/memory"
import { noise } from "effect-speech-test-support/recordings"
import { clientsOf } from "../support/clients.js"
import { readJob, serve } from "../support/serve.js"
import { soak, teach } from "./soaked.js"

/**
 * @typedef {object} Setting
 * @property {import("effect-speech-test-support/serviceProcess").Ready} service
 * @property {NonNullable<Parameters<typeof clientsOf>[1]>["deadlines"]} [deadlines] Default: those of the clients.
 *
 * @typedef {{ readonly task: "upload", readonly path: string, readonly source: keyof typeof sources }} Upload
 * @typedef {{ readonly task: "speak", readonly path: string, readonly texts: number, readonly codePoints: number,
 *   readonly speed: number }} Speaking Texts of this length, one after another, into one WAV file.
 * @typedef {{ readonly announcedMillis: number, readonly announcedBytes: number, readonly readBytes: number,
 *   readonly readMillis: number }} Spoken What the service announces, summed up, and what the file holds.
 * @typedef {{ readonly task: "call" | "leave" | "build", readonly count: number }} Repeating
 * @typedef {Upload | Speaking | Repeating | { readonly task: "teach" } | import("./soaked.js").Soak} Task
 *
 * @typedef {import("effect-speech-test-support/footprint").Footprint} Footprint
 *
 * @typedef {object} Result
 * @property {Footprint} before After a garbage collection, as `after` is.
 * @property {Footprint} after
 * @property {number} peak The peak of resident memory during the task, in bytes.
 * @property {ReadonlyArray<Footprint>} samples During the task, at regular intervals.
 * @property {unknown} result
 */

/** @type {Setting} */
const { deadlines, service } = readJob()

/** New clients each time. */
const clients = () => clientsOf(service, { deadlines })

const fs = await Effect.runPromise(Effect.provide(FileSystem.FileSystem, NodeFileSystem.layer))
const model = "en-general-v2-8khz"
const text = "Platform two."
const outputFormat = "8000:pcm16"
const second = noise(16_000)

/** How a recording is given to the client. */
const sources = {
  path: AudioSource.fromPath,
  /** @param {string} path @param {number} byteLength */
  stream: (path, byteLength) => AudioSource.fromStream(fs.stream(path), { byteLength }),
  /** @param {string} path */
  streamOfUnknownLength: (path) => AudioSource.fromStream(fs.stream(path))
}

const transcribe = /** @param {AudioSource.AudioSource} audio */ (audio) =>
  Effect.flatMap(SpeechToText, (stt) => stt.transcribe({ audio, model }))

const synthesize = Effect.flatMap(TextToSpeech, (tts) => tts.synthesize({ text, lang: "en", outputFormat }))

const upload = /** @param {Upload} task */ ({ path, source }) =>
  Effect.gen(function* () {
    const { size } = yield* fs.stat(path)
    yield* transcribe(sources[source](path, Number(size)))
    return Number(size)
  })

const sentence = "The train to the city leaves from platform two at nine o'clock. "

/** Writes texts one after another into one file as speech, and reads the file back. @param {Speaking} task */
const speak = ({ codePoints, path, speed, texts }) =>
  Effect.gen(function* () {
    const tts = yield* TextToSpeech
    const long = sentence.repeat(Math.ceil(codePoints / sentence.length)).slice(0, codePoints)
    let announcedMillis = 0
    let announcedBytes = 0
    const spoken = Stream.unwrapScoped(
      Effect.map(tts.stream({ text: long, lang: "en", speed }), ({ byteLength = 0, durationMillis = 0, stream }) => {
        announcedMillis += durationMillis
        announcedBytes += byteLength
        return stream
      })
    )
    /** @type {import("@effect-speech/audio-codec/AudioFormat").AudioFormat} */
    const format = { sampleRate: 24_000, channels: 1, encoding: "float32" }
    const stream = Stream.flatMap(Stream.range(1, texts), () => spoken)
    yield* Wav.writeFile(PcmStream.make(format, stream), path)

    const read = yield* Wav.readFile(path)
    const readBytes = yield* Stream.runFold(read.stream, 0, (sum, bytes) => sum + bytes.byteLength)
    const readMillis = durationMillis(read.format, readBytes)
    /** @type {Spoken} */
    const result = { announcedMillis, announcedBytes, readBytes, readMillis }
    return result
  }).pipe(Effect.scoped, Effect.provideService(FileSystem.FileSystem, fs))

const repeated =
  /** @param {number} count @param {(index: number) => Effect.Effect<unknown, unknown, TextToSpeech | SpeechToText>} effect */
  (count, effect) => Effect.forEach(Array(count), (_, index) => effect(index), { discard: true })

/** @typedef {NonNullable<import("@effect-speech/transport/CallEvent").CallOptions["onEvent"]>} OnEvent */

/** A call that is interrupted at an event. */
const interruptedAt =
  /**
   * @param {import("@effect-speech/transport/CallEvent").CallEvent["_tag"]} tag
   * @param {(onEvent: OnEvent) => Effect.Effect<unknown, unknown, TextToSpeech | SpeechToText>} begin
   */
  (tag, begin) =>
    Effect.flatMap(Deferred.make(), (happened) =>
      Effect.raceFirst(
        begin((event) => (event._tag === tag ? Deferred.succeed(happened, undefined) : Effect.void)),
        Deferred.await(happened)
      )
    )

const opened = Effect.flatMap(TextToSpeech, (tts) => tts.stream({ text, lang: "en", outputFormat }))
const endless = AudioSource.fromStream(Stream.concat(Stream.make(second), Stream.never))

/** Calls left before their end: audio not read, audio half read, a text and a recording interrupted. */
const waysToLeave = [
  Effect.scoped(opened),
  Effect.scoped(Effect.flatMap(opened, ({ stream }) => Stream.runHead(stream))),
  interruptedAt("Waiting", (onEvent) =>
    Effect.flatMap(TextToSpeech, (tts) => tts.synthesize({ text, lang: "en", outputFormat }, { onEvent }))
  ),
  interruptedAt("Uploading", (onEvent) =>
    Effect.flatMap(SpeechToText, (stt) => stt.transcribe({ audio: endless, model }, { onEvent }))
  )
]

/** @param {Task} task @returns {Effect.Effect<unknown, unknown, TextToSpeech | SpeechToText>} */
const effectOf = (task) => {
  switch (task.task) {
    case "upload":
      return upload(task)
    case "speak":
      return speak(task)
    case "call":
      return repeated(task.count, (index) => (index % 2 === 0 ? synthesize : transcribe(AudioSource.fromBytes(second))))
    case "leave":
      return repeated(task.count, (index) => waysToLeave[index % waysToLeave.length] ?? Effect.void)
    case "build":
      // Builds both clients and what is below them, makes a call, and closes them.
      return repeated(task.count, () => Effect.provide(synthesize, Layer.fresh(clients())))
    case "teach":
      return teach
    case "soak":
      // Of its own clients, whose connections it closes.
      return Effect.provide(soak(task), Layer.fresh(clients()))
  }
}

const runtime = ManagedRuntime.make(clients())

/** @param {Task} task @returns {Promise<Result>} */
const run = async (task) => {
  const before = await collectedFootprint()
  resetPeakMemory()
  /** @type {Array<Footprint>} */
  const samples = []
  const timer = setInterval(() => samples.push(footprint()), 100)
  const result = await runtime.runPromise(effectOf(task))
  clearInterval(timer)
  const { peak } = footprint()
  // The fibers of an interrupted call end a moment later.
  for (let tries = 100; tries > 0 && footprint().fibers > before.fibers; tries--) await sleep(20)
  return { before, after: await collectedFootprint(), peak, samples, result }
}

serve(run)
