/**
 * Plays a WAV file with a player of the system.
 */
import { spawn } from "node:child_process"
import { accessSync, constants, statSync } from "node:fs"
import { resolve as absolute, delimiter, join } from "node:path"
import { codeOrName } from "@effect-speech/common/SystemCode"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import { OutputFailed, refuse, type UsageError } from "./failure.js"

export interface Player {
  readonly name: string
  readonly path: string
  readonly args: (file: string) => ReadonlyArray<string>
  /** Whether it plays 16-bit samples alone. */
  readonly isForPcm16?: true
}

type Known = Omit<Player, "path">

const ffplay: Known = { name: "ffplay", args: (file) => ["-nodisp", "-autoexit", "-loglevel", "error", file] }

const powershell: Known = {
  name: "powershell",
  args: (file) => [
    "-NoProfile",
    "-Command",
    `(New-Object Media.SoundPlayer '${file.replaceAll("'", "''")}').PlaySync()`
  ],
  isForPcm16: true
}

/** The players to look for, the best first. */
const playersOf = (platform: NodeJS.Platform): ReadonlyArray<Known> => {
  if (platform === "win32") return [ffplay, powershell]
  if (platform === "darwin") return [{ name: "afplay", args: (file) => [file] }, ffplay]
  return [ffplay, { name: "paplay", args: (file) => [file] }, { name: "aplay", args: (file) => ["-q", file] }]
}

const isProgram = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

/** How long a player may take to end, before it is killed. */
const graceMillis = 1000

/** The first player in `PATH`. Fails with what to install if there is none for these samples. */
export const findPlayer = (
  outputFormat: string | undefined,
  platform: NodeJS.Platform = process.platform
): Effect.Effect<Player, UsageError> =>
  Effect.gen(function* () {
    const path = yield* Effect.orElseSucceed(Config.string("PATH"), () => "")
    const ending = platform === "win32" ? ".exe" : ""
    // An empty entry would be the working directory, which may be of a stranger.
    const folders = path.split(delimiter).filter((folder) => folder !== "")
    const found = playersOf(platform).flatMap((player) => {
      const place = folders.map((folder) => join(folder, `${player.name}${ending}`)).find(isProgram)
      return place === undefined ? [] : [{ ...player, path: place }]
    })
    const isPcm16 = outputFormat?.endsWith(":pcm16") === true
    const player = found.find(({ isForPcm16 }) => isForPcm16 !== true || isPcm16)
    if (player !== undefined) return player
    const names = playersOf(platform).map(({ name }) => name)
    return yield* refuse(
      found.length > 0
        ? "Nothing was sent: the player of Windows plays 16-bit samples only. Add --output-format 24000:pcm16, or install ffplay, which is part of FFmpeg."
        : `Nothing was sent: --play found no player. Install ffplay, which is part of FFmpeg${names.length > 1 ? ` (or ${names.filter((name) => name !== "ffplay").join(", ")})` : ""}.`
    )
  })

/** Plays a file to its end. An interruption ends the player, and waits until it has ended. */
export const play = ({ args, name, path }: Player, file: string): Effect.Effect<void, OutputFailed> =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      // A player would read a name such as `-x.wav` as an option, and `call:7.wav` as an address.
      const child = spawn(path, args(absolute(file)), { stdio: "ignore" })
      const ended = new Promise<string | undefined>((resolve) => {
        child.once("error", (error) => resolve(codeOrName(error)))
        child.once("exit", (code, signal) => resolve(code === 0 ? undefined : `${signal ?? `exit code ${code}`}`))
      })
      return { child, ended }
    }),
    ({ ended }) =>
      Effect.flatMap(
        Effect.promise(() => ended),
        (problem) =>
          problem === undefined
            ? Effect.void
            : new OutputFailed({
                message: `The audio is complete, but ${name} could not play it (${problem}). Check the sound of this machine, or keep the audio with --out FILE.`
              })
      ),
    ({ child, ended }) =>
      Effect.promise(() => {
        child.kill()
        const timer = setTimeout(() => child.kill("SIGKILL"), graceMillis)
        return ended.finally(() => clearTimeout(timer))
      })
  )
