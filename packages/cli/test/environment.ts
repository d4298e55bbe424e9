import type { LocalService } from "@effect-speech/local-service"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
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

/** Runs the command in this process, with an environment of its own, and keeps what it prints. */
export const run = (args: ReadonlyArray<string>, environment: Record<string, string>) =>
  Effect.gen(function* () {
    const { console, printed } = yield* recordingConsole
    const code = yield* speech(["node", "speech", ...args]).pipe(
      Effect.withConsole(console),
      Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(environment))))
    )
    return { code, ...printed() }
  })
