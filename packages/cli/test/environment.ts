import { readFileSync } from "node:fs"
import * as FileSystem from "@effect/platform/FileSystem"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { Wav } from "@effect-speech/audio-codec"
import { KnownRecordings, LocalService } from "@effect-speech/local-service"
import type { Fault } from "@effect-speech/local-service/Faults"
import { Voice, type VoiceService } from "@effect-speech/local-service/Voice"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { temporaryRoot } from "effect-speech-test-support/temporaryRoot"
import { speech } from "../src/speech.js"

/** The settings of the command for a local service. */
export const environmentOf = ({ apiKey, sttBaseUrl, ttsBaseUrl }: LocalService["Type"]) => ({
  SPEECH_API_KEY: Redacted.value(apiKey),
  SPEECH_STT_BASE_URL: sttBaseUrl,
  SPEECH_TTS_BASE_URL: ttsBaseUrl
})

/** A console that records its output. */
export const recordingConsole = Effect.map(Console.consoleWith(Effect.succeed), (real) => {
  const stdout: Array<string> = []
  const stderr: Array<string> = []
  const log = (...parts: ReadonlyArray<unknown>) => void stdout.push(parts.join(" "))
  const error = (...parts: ReadonlyArray<unknown>) => void stderr.push(parts.join(" "))
  const console: Console.Console = {
    ...real,
    log: (...parts) => Effect.sync(() => log(...parts)),
    error: (...parts) => Effect.sync(() => error(...parts)),
    unsafe: Object.assign(Object.create(real.unsafe), { log, error })
  }
  return { console, printed: () => ({ stdout: stdout.join("\n"), stderr: stderr.join("\n") }) }
})

/** The exit codes of each command, as docs/command/index.md has them. */
const documentedCodes: ReadonlyMap<string, ReadonlyArray<number>> = (() => {
  const page = readFileSync(new URL("../../../docs/command/index.md", import.meta.url), "utf8")
  const [, rows = ""] = page.split(/^\| command +\| exit codes +\|$/m)
  return new Map(
    [...rows.matchAll(/^\| (`[^|]+`) +\|([ \d]+)\|$/gm)].flatMap(([, names = "", codes = ""]) =>
      [...names.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => [name, codes.trim().split(" ").map(Number)] as const)
    )
  )
})()

/** Standard output is closed, a defect, an interruption. */
const codesOfAll: ReadonlyArray<number> = [3, 70, 130]

/** Fails if the page does not have the exit code of a command. That of `speech run` is most often one of the program that it runs. */
const requireDocumented = (args: ReadonlyArray<string>, code: number): void => {
  const name = [args.slice(0, 2).join(" "), args[0] ?? ""].find((each) => documentedCodes.has(each))
  if (name === undefined || codesOfAll.includes(code) || documentedCodes.get(name)?.includes(code)) return
  throw new Error(`docs/command/index.md does not say that speech ${name} may end with ${code}.`)
}

/** Runs the command in this process, with an environment of its own. The result is its exit code, which the documents must have. */
export const runOn = (
  console: Console.Console,
  args: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>>
) =>
  speech(["node", "speech", ...args]).pipe(
    Effect.tap((code) => Effect.sync(() => requireDocumented(args, code))),
    Effect.withConsole(console),
    Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(environment))))
  )

/** {@link runOn}. Returns what the command printed. */
export const run = (args: ReadonlyArray<string>, environment: Readonly<Record<string, string>>) =>
  Effect.gen(function* () {
    const { console, printed } = yield* recordingConsole
    const code = yield* runOn(console, args, environment)
    return { code, ...printed() }
  })

/** {@link run} with the settings of the service. */
export const speechCommand = (...args: ReadonlyArray<string>) =>
  Effect.flatMap(LocalService, (service) => run(args, environmentOf(service)))

/** A folder, which is removed when the scope closes. */
export const temporaryFolder = Effect.flatMap(FileSystem.FileSystem, (fs) => fs.makeTempDirectoryScoped())

/** {@link temporaryFolder}, for stores and pieces, whose writes are synced. No program can be started in it. */
export const dataFolder = Effect.flatMap(FileSystem.FileSystem, (fs) =>
  fs.makeTempDirectoryScoped({ directory: temporaryRoot })
)

/** Gives the service these faults, until the scope closes or others replace them. */
export const setFaults = (...faults: ReadonlyArray<Fault>) =>
  Effect.flatMap(LocalService, (service) =>
    Effect.acquireRelease(service.faults.set(faults), () => service.faults.set([]))
  )

/** The settings of the service, which has these faults until the scope closes. */
export const serviceWith = (...faults: ReadonlyArray<Fault>) =>
  Effect.zipRight(setFaults(...faults), Effect.map(LocalService, environmentOf))

/** How many requests the service got. */
export const requestCount = Effect.flatMap(LocalService, ({ requests }) => Effect.map(requests, ({ length }) => length))

let spoken = 0
let onSpeak: (nth: number) => Effect.Effect<unknown> = () => Effect.void

/** Runs an effect before the service speaks the n-th text from now on, until the scope closes. */
export const onSpeaking = (chosen: number, effect: Effect.Effect<unknown>) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      spoken = 0
      onSpeak = (nth) => (nth === chosen ? effect : Effect.void)
    }),
    () => Effect.sync(() => (onSpeak = () => Effect.void))
  )

/** A local service whose voice is a tone for each text, which takes no time to speak. */
export const serviceOfTones = () => {
  const speak: VoiceService["speak"] = ({ text }) => {
    const pitch =
      0.2 + (Array.from(text, (letter) => letter.charCodeAt(0)).reduce((one, other) => one + other) % 997) / 2000
    const tone = Float32Array.from({ length: (text.length + 10) * 160 }, (_, at) => 0.3 * Math.sin(at * pitch))
    return Stream.fromEffect(Effect.suspend(() => Effect.as(onSpeak(++spoken), tone)))
  }
  const voices = [{ name: "default_female", languages: ["en", "hi"], sampleRate: 8000 }]
  const voice = Layer.succeed(Voice, { voices, speak })
  return LocalService.layerWithoutDependencies().pipe(
    Layer.provide([voice, KnownRecordings.layer(), NodeFileSystem.layer])
  )
}

export const telephony = { sampleRate: 8000, channels: 1, encoding: "pcm16" } as const

/** A WAV file of telephony. A sample follows from its place. */
export const recordingOf = (seconds: number, sampleAt: (at: number) => number = () => 0): Uint8Array =>
  Wav.encode(new Uint8Array(Int16Array.from({ length: seconds * 8000 }, (_, at) => sampleAt(at)).buffer), telephony)

/** Makes standard output a terminal, or a pipe, until the scope closes. */
export const terminal = (isTTY: boolean) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const before = process.stdout.isTTY
      process.stdout.isTTY = isTTY
      return before
    }),
    (before) => Effect.sync(() => Object.assign(process.stdout, { isTTY: before }))
  )

/** The rows of a table in text: a line for each, and ` | ` between its cells. */
export const rowsOf = <Row extends ReadonlyArray<string>>(table: string): ReadonlyArray<Row> =>
  table
    .trim()
    .split("\n")
    .map((line) => line.split("|").map((cell) => cell.trim()) as ReadonlyArray<string> as Row)
