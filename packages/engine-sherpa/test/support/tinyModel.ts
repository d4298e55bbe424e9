import { execFileSync } from "node:child_process"
import { cpSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { concat } from "@effect-speech/common/TypedArrays"
import type { Utterance } from "@effect-speech/engine"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { temporaryFolder } from "effect-speech-test-support/processes"
import { type TinyFamily, tinyFolder, tinyName } from "effect-speech-test-support/tinyModels"
import type { OpenRecogniser, OpenVoice, Settings } from "../../src/internal/models.js"
import { openModel } from "../../src/internal/models.js"
import { recognise } from "../../src/internal/recognition.js"
import { speak } from "../../src/internal/speech.js"
import { read } from "../../src/ModelFolder.js"

const settings: Settings = { threads: 1, concurrency: 2, queue: 2, idle: Number.POSITIVE_INFINITY }

const copies = temporaryFolder("effect-speech-copies-")

/** A copy of a tiny model that a test may spoil. */
export const copyOf = (family: TinyFamily): string => {
  const models = mkdtempSync(join(copies, "models-"))
  cpSync(join(tinyFolder(), tinyName(family)), join(models, tinyName(family)), { recursive: true })
  return models
}

/** Replaces a part of a file by one of the same length. */
export const edit = (file: string, from: string, to: string) => {
  const bytes = readFileSync(file)
  const at = bytes.indexOf(from)
  if (at < 0) throw new Error(`${file} does not contain ${from}`)
  bytes.write(to, at, "latin1")
  writeFileSync(file, bytes)
}

const open = (family: TinyFamily, of: Partial<Settings>, models = tinyFolder()) =>
  Effect.gen(function* () {
    const contents = yield* read(models)
    const description = contents.models.find(({ name }) => name === tinyName(family))
    if (description === undefined) throw new Error(`There is no tiny model of ${family}.`)
    return yield* openModel(description, { ...settings, ...of })
  }).pipe(Effect.provide(NodeFileSystem.layer), Effect.orDie)

/** A recogniser with its supervisor. `models`: the folder that has it. */
export const tinyRecogniser = (
  of: Partial<Settings> = {},
  family: "nemo-ctc" | "whisper" | "zipformer" = "nemo-ctc",
  models?: string
) => Effect.map(open(family, of, models), (model) => model as OpenRecogniser)

export const tinyVoice = (of: Partial<Settings> = {}, models?: string) =>
  Effect.map(open("vits", of, models), (model) => model as OpenVoice)

/** What a recogniser hears. */
export const hear = (
  { family, supervised }: OpenRecogniser,
  samples: Float32Array | Stream.Stream<Float32Array>,
  lang = "en"
) => recognise(supervised, family, { lang, samples, hotwords: [] })

/** A text as a voice speaks it, in blocks. */
export const say = ({ family, supervised }: OpenVoice, text: string, of: Partial<Utterance> = {}) =>
  speak(supervised, family, 0, { text, lang: "en", voice: "tiny", speed: 1, pronunciations: {}, ...of })

const spoken = new Map<string, Float32Array>()

/** A text as speech. It is spoken once. */
export const speechOf = (text: string) =>
  Effect.gen(function* () {
    const before = spoken.get(text)
    if (before !== undefined) return before
    const blocks = yield* Effect.scoped(Effect.flatMap(tinyVoice(), (voice) => Stream.runCollect(say(voice, text))))
    const speech = concat(Chunk.toArray(blocks), Float32Array)
    spoken.set(text, speech)
    return speech
  })

/** The processes of models that a process has started, by their ids. */
export const modelProcesses = (parent: number = process.pid): ReadonlyArray<number> =>
  execFileSync("ps", ["-A", "-o", "pid=,ppid=,args="], { encoding: "utf8" })
    .split("\n")
    .flatMap((line) => {
      const [pid, ppid, ...args] = line.trim().split(/\s+/)
      return Number(ppid) === parent && args.some((arg) => arg.endsWith("modelHost.js")) ? [Number(pid)] : []
    })

/** Kills the processes of all models of this process. */
export const killModels: Effect.Effect<number> = Effect.suspend(() => signalModels("SIGKILL"))

export const signalModels = (signal: NodeJS.Signals): Effect.Effect<number> =>
  Effect.sync(() => {
    const found = modelProcesses()
    for (const pid of found) process.kill(pid, signal)
    return found.length
  })
