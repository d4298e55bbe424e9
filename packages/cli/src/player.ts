/**
 * Plays a WAV file with a player of the system.
 */
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { delimiter, join } from "node:path"
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

/** The first player in `PATH`. Fails with what to install if there is none for these samples. */
export const findPlayer = (
  outputFormat: string | undefined,
  platform: NodeJS.Platform = process.platform
): Effect.Effect<Player, UsageError> =>
  Effect.gen(function* () {
    const path = yield* Effect.orElseSucceed(Config.string("PATH"), () => "")
    const ending = platform === "win32" ? ".exe" : ""
    const found = playersOf(platform).flatMap((player) => {
      const places = path.split(delimiter).map((folder) => join(folder, `${player.name}${ending}`))
      const place = places.find((each) => existsSync(each))
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
      const child = spawn(path, args(file), { stdio: "ignore" })
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
        return ended
      })
  )
