/** How the codec is compared with libraries and programs. */
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { at, bar, median, megabytes, ratio, table } from "effect-speech-test-support/report"
import { interleave, millisOf, resultsOf } from "../../support/interleave.js"

/** A resampler: returns the output that a block completes. */
export type Push = (samples: Float32Array) => Float32Array

interface Contestant {
  readonly name: string
  /** The timed work. */
  readonly run: () => unknown
  /** Runs before each run, untimed. */
  readonly before?: (() => void) | undefined
}

interface Options {
  readonly rounds: number
  /** A contestant that has run for this long skips the other rounds, after one that counts. Default: 4 seconds. */
  readonly maximumMillis?: number
  readonly unit: string
  /** The speed in that unit, from the milliseconds of a run. */
  readonly speed: (milliseconds: number) => number
}

/** Times all contestants in turn, after a round that warms up, and prints a table. Returns the median by name, in milliseconds. */
export const compare = async (
  contestants: ReadonlyArray<Contestant>,
  { maximumMillis = 4000, rounds, speed, unit }: Options
) => {
  const sides = contestants.map(({ before, name, run }) => ({
    name,
    run: () => {
      before?.()
      return millisOf(run)
    }
  }))
  const all = await interleave(sides, { rounds, maximumMillis, warmUp: true })
  const ours = median(at(all, 0).results)
  table([
    ["", "median", "fastest", "runs", unit, "time / ours"],
    ...all.map(({ name, results }) => {
      const middle = median(results)
      return [
        ...[name, `${middle.toFixed(1)} ms`, `${Math.min(...results).toFixed(1)} ms`],
        ...[`${results.length}`, speed(middle).toFixed(0), ratio(middle, ours)]
      ]
    })
  ])
  return (name: string) => median(resultsOf(all, name))
}

/** Runs a program to its end, without yielding. Returns what it printed. */
export const execute = (command: string, ...parameters: ReadonlyArray<string>): string => {
  const { error, status, stderr, stdout } = spawnSync(command, parameters, { encoding: "utf8" })
  if (error !== undefined) throw error
  if (status !== 0) throw new Error(`${command} ended with ${status}: ${stderr}`)
  return stdout
}

/** Runs a case of `case.js` in a new process. Returns its peak memory, in bytes. */
export const executeCase = (...parameters: ReadonlyArray<string>): number =>
  Number(execute(process.execPath, fileURLToPath(new URL("case.js", import.meta.url)), ...parameters))

/** Prints the bar for the peak memory of a process. */
export const checkMemory = (peak: number) => bar("less than 100 MB of memory", peak < 100e6, megabytes(peak))

/** The versions of sox and ffmpeg, as far as they are installed. */
export const programVersions = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [["sox", "--version"] as const, ["ffmpeg", "-version"] as const].flatMap(([command, flag]) => {
      const { error, stdout } = spawnSync(command, [flag], { encoding: "utf8" })
      const version = /\d+(\.\d+)+\S*/.exec(stdout ?? "")?.[0]
      return error === undefined && version !== undefined ? [[command, version]] : []
    })
  )
