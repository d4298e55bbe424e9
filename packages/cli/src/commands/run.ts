/**
 * `speech run`: runs a command with the settings of a local service, and ends the service with it.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { constants } from "node:os"
import { isatty } from "node:tty"
import { codeOrName } from "@effect-speech/common/SystemCode"
import * as Effect from "effect/Effect"
import type { Given } from "../declaration.js"
import { AlreadyReported, CommandNotStarted, refuse } from "../failure.js"
import { reportingFaults } from "../faultsReport.js"
import { note } from "../message.js"
import { startService } from "../service.js"

const forwarded = ["SIGINT", "SIGTERM", "SIGHUP"] as const

/** A terminal sends Ctrl-C to the command too. A second signal would end most programs at once. */
const isSentByTerminal = (signal: NodeJS.Signals): boolean => signal === "SIGINT" && [0, 1, 2].some((fd) => isatty(fd))

/**
 * Gives the signals of this process to the command: they would end the service before it. Call the result to
 * restore the listeners of this process. A signal without a listener is lost, so the new listener is added first.
 */
const forwardSignals = (child: ChildProcess): (() => void) => {
  const forward = (signal: NodeJS.Signals): void => {
    if (!isSentByTerminal(signal)) child.kill(signal)
  }
  const others = forwarded.flatMap((signal) => process.listeners(signal).map((listener) => [signal, listener] as const))
  for (const signal of forwarded) process.on(signal, forward)
  for (const [signal, listener] of others) process.off(signal, listener)
  return () => {
    for (const [signal, listener] of others) process.on(signal, listener)
    for (const signal of forwarded) process.off(signal, forward)
  }
}

const notStarted = (program: string, error: unknown): CommandNotStarted => {
  const code = codeOrName(error)
  return code === "ENOENT"
    ? new CommandNotStarted({ code: 127, message: `The command ${program} was not found: check its name and PATH.` })
    : new CommandNotStarted({ code: 126, message: `The command ${program} can't be run (${code}).` })
}

/** A command with the streams of this process. It ends with the scope. */
const start = ([program = "", ...args]: ReadonlyArray<string>, variables: Readonly<Record<string, string>>) =>
  Effect.acquireRelease(
    Effect.try({
      try: () => {
        const child = spawn(program, args, { stdio: "inherit", env: { ...process.env, ...variables } })
        const restoreSignals = forwardSignals(child)
        const ended = new Promise<Effect.Effect<number, CommandNotStarted>>((resolve) => {
          child.once("error", (error) => resolve(notStarted(program, error)))
          child.once("exit", (code, signal) =>
            resolve(Effect.succeed(code ?? 128 + (signal === null ? 0 : constants.signals[signal])))
          )
        })
        return { child, ended, restoreSignals }
      },
      catch: (error) => notStarted(program, error)
    }),
    ({ child, ended, restoreSignals }) =>
      Effect.promise(() => {
        restoreSignals()
        child.kill()
        return ended
      })
  )

export const run = (given: Given<"run">) =>
  Effect.gen(function* () {
    const {
      adminToken,
      apiKey = process.env.SPEECH_API_KEY,
      faults,
      platformUrl,
      problems,
      sttBaseUrl,
      ttsBaseUrl
    } = yield* startService(given)
    if (apiKey === undefined) {
      return yield* refuse(
        "The active key of --data-dir is not in its file api-key. Set SPEECH_API_KEY to it, or give --new-key."
      )
    }
    yield* note(...problems)
    const variables = {
      SPEECH_STT_BASE_URL: sttBaseUrl,
      SPEECH_TTS_BASE_URL: ttsBaseUrl,
      SPEECH_API_KEY: apiKey,
      SPEECH_PLATFORM_URL: platformUrl,
      SPEECH_ADMIN_TOKEN: adminToken
    }
    yield* Effect.gen(function* () {
      const { ended } = yield* start(given.operands, variables)
      const code = yield* Effect.flatten(Effect.promise(() => ended))
      if (code !== 0) return yield* new AlreadyReported({ code })
    }).pipe(Effect.scoped, reportingFaults(given, faults))
  }).pipe(Effect.scoped)
