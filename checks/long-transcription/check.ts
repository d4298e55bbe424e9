/**
 * A long recording becomes one transcript: `pnpm verify long-transcription`; `--only transcript|parallel|memory|kill` for one part,
 * `--quick` for a short form.
 *
 * The local service speaks known sentences, which are joined with pauses into one WAV file and transcribed into SRT and WebVTT.
 * The other parts transcribe noise against a scripted service, in processes of their own.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { AudioDecoder, type AudioFormat, Pcm, PcmStream, Silence, Wav } from "@effect-speech/audio-codec"
import { LongTranscription, PieceStore, Subtitles } from "@effect-speech/long-form"
import { AudioSource } from "@effect-speech/stt"
import { TextToSpeech } from "@effect-speech/tts"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { localClients } from "effect-speech-test-support/localClients"
import { readOptions } from "effect-speech-test-support/options"
import { run, temporaryFolder } from "effect-speech-test-support/processes"
import { chances } from "effect-speech-test-support/random"
import { writeNoise } from "effect-speech-test-support/recordings"
import { at, bar, megabytes, ratio, table, title } from "effect-speech-test-support/report"
import { runClient, startClient } from "../support/client.js"
import { killAt, killRepeatedly, within } from "../support/kill.js"
import { barOfGrowth } from "../support/memory.js"
import { runParts } from "../support/parts.js"
import { barAtMost, barOfNone, tableOf } from "../support/print.js"
import { until } from "../support/until.js"
import type { Job, Result } from "./client.js"
import { startScriptedService } from "./scriptedService.js"

const { only, quick } = readOptions({ only: { type: "string" }, quick: { type: "boolean", default: false } })

const size = quick
  ? { minutes: 3, pieceMillis: 60_000, noiseMinutes: 4, hours: [0.1, 0.4], kills: 3 }
  : { minutes: 40, pieceMillis: 300_000, noiseMinutes: 40, hours: [1, 4], kills: 20 }

const folder = temporaryFolder("check-long-transcription-")
const script = new URL("client.js", import.meta.url)
const minute = 60 * 16_000
const transactionId = "7f3c0f3e-1b2a-4c5d-8e9f-0a1b2c3d4e5f"

const noiseFile = (minutes: number) => {
  const path = join(folder, `noise-${minutes}.wav`)
  writeNoise(path, 44 + Math.round(minutes * minute))
  return path
}

// --- A known recording, through the local service ---

const format: AudioFormat.AudioFormat = { sampleRate: 8000, channels: 1, encoding: "pcm16" }

const wordsOf = (list: string) => list.split(" ")
const slots = [
  "The A One Every This That Our Your",
  "quiet golden narrow hungry early broken clever frozen gentle modern rusty silent",
  "farmer teacher pilot miller doctor painter sailor tailor cook singer driver writer",
  "carries forgets repairs counts paints sells finds borrows washes promises hides opens",
  "seven copper wooden empty yellow heavy ancient cheap foreign little twenty paper",
  "boats letters windows baskets lamps bridges drums ladders coats clocks mirrors stamps",
  "near behind before inside across beside under without beyond around",
  "the market the old harbour a mountain road the railway station our village school a broken wall the winter garden the river"
].map((list, slot) => (slot < 7 ? wordsOf(list) : list.split(/ (?=the |a |our )/)))
/** Sentences of random words, since two that differ only in a number may sound the same to a recogniser. */
const sentences = (random: () => number) => (): string =>
  `${slots.map((slot) => slot[Math.floor(random() * slot.length)]).join(" ")}.`

interface Spoken {
  readonly text: string
  /** Where its voice begins, in milliseconds. */
  readonly start: number
}

/** Speaks sentences until they fill the time. Each is followed by a pause of 300 to 900 ms. */
const speak = (minutes: number) =>
  Effect.gen(function* () {
    const tts = yield* TextToSpeech
    const random = chances(40)
    const nextSentence = sentences(random)
    const spoken: Array<Spoken> = []
    const audio: Array<Uint8Array> = []
    let frames = 0
    while (frames < minutes * 60 * format.sampleRate) {
      const text = nextSentence()
      const { bytes } = yield* tts.synthesize({ text, lang: "en", outputFormat: "8000:pcm16" })
      // The voice begins after the silence before it.
      const [quiet] = Silence.pauses(Pcm.decode(bytes, "pcm16"), format.sampleRate, { minimum: "20 millis" })
      const lead = quiet?.startSample === 0 ? quiet.endSample : 0
      spoken.push({ text, start: ((frames + lead) / format.sampleRate) * 1000 })
      const pause = Math.round((0.3 + 0.6 * random()) * format.sampleRate)
      audio.push(bytes, new Uint8Array(2 * pause))
      frames += bytes.byteLength / 2 + pause
    }
    const path = join(folder, "known.wav")
    yield* Wav.writeFile(PcmStream.make(format, Stream.fromIterable(audio)), path)
    return { path, spoken, minutes: frames / format.sampleRate / 60 }
  })

const words = (text: string) =>
  text
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu)
    ?.join(" ") ?? ""

const transcript = async () => {
  title("A known recording through the local service")
  const { known, result, seconds } = await Effect.gen(function* () {
    const known = yield* speak(size.minutes)
    console.error(`spoken: ${known.spoken.length} sentences`)
    const start = performance.now()
    const result = yield* LongTranscription.transcribe(
      { audio: AudioSource.fromPath(known.path), model: "en-general-v2-8khz" },
      { maximum: size.pieceMillis }
    )
    return { known, result, seconds: (performance.now() - start) / 1000 }
  }).pipe(
    Effect.provide([PieceStore.layerMemory, AudioDecoder.AudioDecoder.layerWav]),
    Effect.provide(localClients()),
    Effect.runPromise
  )
  const { spoken } = known
  const { pieces, segments, text, warnings } = result
  const errors: Array<number> = []
  const problems: Array<string> = []
  let from = 0
  for (const sentence of spoken) {
    const index = segments.findIndex((segment, each) => each >= from && words(segment.text) === words(sentence.text))
    if (index < 0) problems.push(`missing: ${sentence.text}`)
    else {
      errors.push(Math.abs(at(segments, index).startMillis - sentence.start))
      from = index + 1
    }
  }
  const cues = Subtitles.layout(segments)
  writeFileSync(join(folder, "known.srt"), Subtitles.toSrt(cues))
  writeFileSync(join(folder, "known.vtt"), Subtitles.toVtt(cues))
  const most = Math.max(0, ...errors)
  table([
    ["minutes", "sentences", "segments", "pieces", "seconds", "start off by at most"],
    [known.minutes, spoken.length, segments.length, pieces.length, seconds, `${most.toFixed(0)} ms`].map((figure) =>
      typeof figure === "number" ? figure.toFixed(0) : figure
    )
  ])
  const found = `${spoken.length - problems.length} of ${spoken.length}`
  for (const { message } of warnings) console.log(`- ${message}`)
  barOfNone("every sentence is there, in order", problems, found)
  bar(
    "each starts within 100 ms of its place in the join",
    errors.length > 0 && most <= 100,
    `${errors.filter((error) => error <= 100).length} of ${errors.length}`
  )
  bar(
    "the text is that of all sentences",
    words(text) === words(spoken.map((sentence) => sentence.text).join(" ")),
    `${text.length} characters`
  )
  for (const name of ["known.srt", "known.vtt"]) {
    const entries = ["-show_entries", "stream=codec_name,nb_read_packets", "-of", "csv=p=0"]
    const parameters = ["-v", "error", "-count_packets", ...entries, join(folder, name)]
    const probe = await run("ffprobe", parameters, { mayFail: true }).catch(() => undefined)
    if (probe === undefined) console.log(`- not checked: ffprobe is not installed, so it did not read ${name}`)
    else {
      const [codec, packets] = probe.stdout.trim().split(",")
      bar(`ffprobe reads ${name}`, Number(packets) === cues.length, `${codec}, ${packets} of ${cues.length} cues`)
    }
  }
}

// --- Against a scripted service ---

let folders = 0
const jobOf = (baseUrl: string, minutes: number, options: Partial<Job> = {}): Job => ({
  ...{ baseUrl, transactionId, path: noiseFile(minutes), pieces: join(folder, `pieces-${++folders}`) },
  ...{ concurrency: 4, pieceMillis: 60_000, ...options }
})

const parallel = async () => {
  title("Pieces at once")
  const rows: Array<Result & { readonly concurrency: number }> = []
  for (const concurrency of [1, 4, 8]) {
    const service = await startScriptedService(100)
    const result = await runClient<Result>(script, jobOf(service.url, size.noiseMinutes, { concurrency }))
    await service.close()
    rows.push({ ...result, concurrency })
  }
  const [one, four, eight] = [at(rows, 0).millis, at(rows, 1).millis, at(rows, 2).millis]
  tableOf(rows, {
    "at once": ({ concurrency }) => concurrency,
    seconds: ({ millis }) => (millis / 1000).toFixed(1),
    "times as fast": ({ millis }) => ratio(one, millis)
  })
  if (quick) return
  bar("4 at once are at least 2.5 times as fast as 1", one / four >= 2.5, ratio(one, four))
  bar("8 at once are faster than 4", eight < four, ratio(one, eight))
}

const memory = async () => {
  title("Memory")
  const service = await startScriptedService(Number.POSITIVE_INFINITY)
  const rows: Array<Result & { readonly hours: number }> = []
  for (const hours of size.hours) {
    const result = await runClient<Result>(script, jobOf(service.url, 60 * hours, { pieceMillis: 300_000 }))
    rows.push({ ...result, hours })
  }
  await service.close()
  tableOf(rows, {
    hours: ({ hours }) => hours,
    pieces: ({ sources }) => sources.length,
    seconds: ({ millis }) => (millis / 1000).toFixed(1),
    before: ({ before }) => megabytes(before),
    peak: ({ peak }) => megabytes(peak),
    above: ({ before, peak }) => megabytes(peak - before)
  })
  if (quick) return
  barOfGrowth("four times the recording needs at most 30 MB more", 30e6, at(rows, 0).peak, at(rows, 1).peak)
}

/** The transaction ids of the pieces that are kept. */
const keptIn = (pieces: string): ReadonlySet<string> => {
  try {
    const names = readdirSync(pieces).filter((name) => name.endsWith(".json"))
    return new Set(names.map((name) => JSON.parse(readFileSync(join(pieces, name), "utf8")).transactionId))
  } catch {
    return new Set()
  }
}

const kill = async () => {
  title("Killed at random moments")
  const service = await startScriptedService(100)
  const { uploads } = service
  const job = jobOf(service.url, size.noiseMinutes)
  const random = chances(19)
  let again = 0
  /** Counts the kept pieces that are sent again meanwhile. */
  const watched = async <A>(work: () => Promise<A>): Promise<A> => {
    const kept = keptIn(job.pieces)
    const first = uploads.length
    const result = await work()
    again += uploads.slice(first).filter((id) => kept.has(id)).length
    return result
  }
  const killed = await killRepeatedly("the client", size.kills, () =>
    watched(async () => {
      const first = uploads.length
      const client = await startClient<Result>(script, job)
      // The moment counts from the first upload, so that most rounds have some in flight.
      const moment = until(() => uploads.length > first, { seconds: 600 }).then(() => within(random, 900))
      return killAt(client, client.work(), moment)
    })
  )
  const resumed = await watched(() => runClient<Result>(script, job))
  const sent = uploads.length
  const undisturbed = await runClient<Result>(script, jobOf(service.url, size.noiseMinutes))
  await service.close()
  const all = undisturbed.sources.length
  const lost = sent - all
  table([
    ["killed", "pieces", "uploads", "sent twice, since they were in flight", "kept pieces sent again"],
    [killed, all, sent, lost, again].map(String)
  ])
  const inFlight = killed * job.concurrency
  barAtMost("no kept piece is sent again", again, 0)
  barAtMost(
    "only pieces in flight are sent twice",
    lost,
    inFlight,
    () => `${lost} for ${killed} kills of ${job.concurrency}`
  )
  bar("the transcript is the undisturbed one", resumed.text === undisturbed.text, `${resumed.text.length} characters`)
}

await runParts({ transcript, parallel, memory, kill }, only)
