/**
 * The process of a model is killed in the middle of each kind of work. The calls of our clients must succeed all the same, by their
 * default retries, with the right result, and the account must be billed for each of them once.
 */
import { setTimeout as sleep } from "node:timers/promises"
import * as AudioSource from "@effect-speech/stt/AudioSource"
import { SpeechToText } from "@effect-speech/stt/SpeechToText"
import type { SttError } from "@effect-speech/stt/SttError"
import { TextToSpeech } from "@effect-speech/tts/TextToSpeech"
import type { TtsError } from "@effect-speech/tts/TtsError"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { chances } from "effect-speech-test-support/random"
import { at, bar, countBy, sum, title } from "effect-speech-test-support/report"
import { clientsOf } from "../support/clients.js"
import { usedOf } from "../support/journal.js"
import { barOfNone, seconds, tableOf } from "../support/print.js"
import { until } from "../support/until.js"
import { recordingOf, sentences } from "./requests.js"
import {
  cpuMillisOf,
  type EngineService,
  killHost,
  latestHost,
  modelsOf,
  type Settings,
  startEngines
} from "./support.js"

/** What became of a call. */
interface Ended {
  /** `undefined`: it succeeded. */
  readonly error: string | undefined
  readonly attempts: number
  readonly millis: number
}

/** A service of which only one model runs, and what its clients ask for. */
interface Subject {
  readonly service: EngineService
  readonly operation: "transcribe" | "synthesize"
  readonly call: () => Promise<Ended>
  /** What a call costs. */
  readonly units: number
  /** Milliseconds of a processor that loading takes, and a call after it. */
  readonly loading: number
  readonly working: number
  readonly stop: () => Promise<void>
}

/** A call that takes longer than this hangs. In seconds. */
const longest = 120

type Work = Effect.Effect<
  { readonly right: boolean; readonly attempts: number },
  SttError | TtsError,
  SpeechToText | TextToSpeech
>

const settle = async (runtime: ManagedRuntime.ManagedRuntime<SpeechToText | TextToSpeech, unknown>, work: Work) => {
  const start = performance.now()
  const exit = await runtime.runPromiseExit(Effect.timeout(work, `${longest} seconds`))
  const millis = performance.now() - start
  if (Exit.isFailure(exit)) return { error: String(exit.cause), attempts: 0, millis }
  const { attempts, right } = exit.value
  return { error: right ? undefined : "the result is wrong", attempts, millis }
}

/** A recording of two pieces. */
const text = sentences(8)
const request = { text, lang: "en", voice: "tiny_loud", outputFormat: "16000:pcm16" } as const
const model = "tiny-nemo-ctc-en"

/** The speech of the text, by a service of its own. */
const speak = async (models: string): Promise<Buffer> => {
  const { stop, synthesize } = await startEngines({ folder: models })
  const { lang, outputFormat, voice } = request
  const { bytes } = await synthesize({ text, lang, voice, output_format: outputFormat })
  await stop()
  return bytes
}

const makeSubject = async (models: string, bytes: Buffer, operation: Subject["operation"]): Promise<Subject> => {
  const service = await startEngines({ folder: models, threads: 1, concurrency: 1 })
  const runtime = ManagedRuntime.make(clientsOf(service))
  const { bytes: wav } = recordingOf(bytes)
  const transcribe = Effect.flatMap(SpeechToText, (stt) =>
    stt.transcribe({ audio: AudioSource.fromBytes(wav), model })
  ).pipe(Effect.map(({ call, text: heard }) => ({ right: heard === text, attempts: call.attempts.length })))
  const synthesize = Effect.flatMap(TextToSpeech, (tts) => tts.synthesize(request)).pipe(
    Effect.map(({ bytes: spoken, call }) => ({
      right: Buffer.compare(spoken, bytes) === 0,
      attempts: call.attempts.length
    }))
  )
  const work: Work = operation === "synthesize" ? synthesize : transcribe
  const call = () => settle(runtime, work)
  const first = await call()
  if (first.error !== undefined) throw new Error(first.error)
  const used = () => cpuMillisOf(latestHost(service))
  const loaded = used()
  await call()
  const working = used() - loaded
  return {
    ...{ service, operation, call, working },
    loading: Math.max(20, loaded - working),
    units: operation === "synthesize" ? [...text].length : Math.ceil(bytes.length / 32_000),
    stop: async () => {
      await runtime.dispose()
      await service.stop()
    }
  }
}

/** Waits until the process has used so much more of a processor, or has ended. */
const untilUsed = async (service: EngineService, millis: number) => {
  const pid = latestHost(service)
  const end = cpuMillisOf(pid) + millis
  while (latestHost(service) === pid && cpuMillisOf(pid) < end) await sleep(2)
}

/** Starts calls, and kills the process when it has done a part of the work. */
const during = async ({ call, service, working }: Subject, calls: number, part: number) => {
  const ended = Promise.all(Array.from({ length: calls }, call))
  const moment = untilUsed(service, working * part).then(() => true)
  const isHit = await Promise.race([moment, ended.then(() => false)])
  killHost(service)
  return { isHit, ended: await ended }
}

const killIdle = async ({ service }: Subject) => {
  killHost(service)
  await until(() => latestHost(service) === undefined)
}

type Kind = (
  subject: Subject,
  chance: number
) => Promise<{ readonly isHit: boolean; readonly ended: ReadonlyArray<Ended> }>

const whileIdle: Kind = async (subject) => {
  await killIdle(subject)
  return { isHit: true, ended: [await subject.call()] }
}

/** A process that loads is killed, after another one that was idle. */
const whileLoading: Kind = async (subject, chance) => {
  await killIdle(subject)
  const ended = subject.call()
  await until(() => latestHost(subject.service) !== undefined)
  await untilUsed(subject.service, chance * subject.loading)
  killHost(subject.service)
  return { isHit: true, ended: [await ended] }
}

const kinds: ReadonlyArray<readonly [name: string, operation: Subject["operation"], kind: Kind]> = [
  ["loads a recogniser", "transcribe", whileLoading],
  ["loads a voice", "synthesize", whileLoading],
  ["hears a first piece", "transcribe", (subject, chance) => during(subject, 1, 0.05 + chance * 0.4)],
  ["hears a second piece", "transcribe", (subject, chance) => during(subject, 1, 0.55 + chance * 0.4)],
  ["speaks a sentence", "synthesize", (subject, chance) => during(subject, 1, 0.05 + chance * 0.9)],
  ["is idle, a recogniser", "transcribe", whileIdle],
  ["is idle, a voice", "synthesize", whileIdle],
  ["hears, and five wait", "transcribe", (subject, chance) => during(subject, 6, 0.05 + chance * 3)],
  ["speaks, and five wait", "synthesize", (subject, chance) => during(subject, 6, 0.05 + chance * 3)]
]

export const checkKills = async ({ quick, seed }: Settings): Promise<void> => {
  const models = modelsOf(["nemo-ctc", "vits"], 100)
  const speech = await speak(models)
  const subjects = {
    transcribe: await makeSubject(models, speech, "transcribe"),
    synthesize: await makeSubject(models, speech, "synthesize")
  }
  const chance = chances(seed)
  const problems: Array<string> = []
  const rows: Array<{ readonly name: string; readonly isHit: boolean; readonly ended: ReadonlyArray<Ended> }> = []
  const times = quick ? 9 : 50
  for (let killed = 0; killed < times; killed++) {
    const [name, operation, kind] = at(kinds, killed % kinds.length)
    const subject = subjects[operation]
    if (latestHost(subject.service) === undefined) await subject.call()
    const before = (await usedOf(subject.service))[operation]
    const { ended, isHit } = await kind(subject, chance())
    const after = (await usedOf(subject.service))[operation]
    const answered = ended.filter(({ error }) => error === undefined).length
    const units = after.units - before.units
    for (const { error } of ended) if (error !== undefined) problems.push(`${name}: ${error}`)
    if (units !== answered * subject.units || after.calls - before.calls !== answered) {
      problems.push(`${name}: ${answered} calls of ${subject.units} units had a result, and ${units} units were billed`)
    }
    rows.push({ name, isHit, ended })
    console.error(`killed ${killed + 1} of ${times} times: a process that ${name}`)
  }
  for (const { stop } of Object.values(subjects)) await stop()

  title(`The process of a model, killed ${times} times, with the seed ${seed}`)
  tableOf(
    kinds.map(([name]) => ({ name, all: rows.filter((row) => row.name === name) })),
    {
      "a process that": ({ name }) => name,
      kills: ({ all }) => all.length,
      calls: ({ all }) => sum(all.map(({ ended }) => ended.length)),
      "with retries": ({ all }) => sum(all.map(({ ended }) => ended.filter(({ attempts }) => attempts > 1).length)),
      "the longest": ({ all }) => seconds(Math.max(0, ...all.flatMap(({ ended }) => ended.map(({ millis }) => millis))))
    }
  )
  const missed = countBy(rows, ({ isHit }) => String(isHit)).get("false") ?? 0
  bar("each kill meets its kind of work", missed === 0, `${missed} came too late`)
  barOfNone("every call succeeds, by retries, and is billed once", problems)
}
