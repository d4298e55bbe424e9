/** What takes a moment in a new process, in turn. */
import { execFileSync } from "node:child_process"
import { median, spread, table, whole } from "../../../test/support/report.js"

export interface Contestant {
  readonly name: string
  /** Does it once, in a new process, and gives the milliseconds. */
  readonly run: () => number
}

export const roundsOf = (quick: boolean) => (quick ? 3 : 15)

/**
 * All in turn, round after round, so that what else the machine does meets them alike; the first round fills the caches.
 * Tells the times, and gives their medians.
 */
export const race = (header: string, rounds: number, contestants: ReadonlyArray<Contestant>) => {
  const results = contestants.map(({ name, run }) => ({ name, run, times: [] as Array<number> }))
  for (let round = 0; round <= rounds; round++) {
    console.error(`${header}, round ${round} of ${rounds}`)
    for (const { run, times } of results) {
      const time = run()
      if (round > 0) times.push(time)
    }
  }
  table([
    [header, "median, ms", "least to most"],
    ...results.map(({ name, times }) => [name, whole(median(times)), spread(times, whole)])
  ])
}

/** A process of plain Node, until it has ended. */
export const command = (name: string, parameters: ReadonlyArray<string>): Contestant => ({
  name,
  run: () => {
    const began = performance.now()
    execFileSync(process.execPath, parameters, { stdio: ["ignore", "pipe", "inherit"] })
    return performance.now() - began
  }
})

/** Imports, one after another, in a process that has imported nothing else: from the first to the last. */
export const imports = (name: string, specifiers: ReadonlyArray<string>, cwd: string): Contestant => {
  const script = `const began = performance.now()
    ${specifiers.map((specifier) => `await import(${JSON.stringify(specifier)})`).join("\n")}
    process.stdout.write(String(performance.now() - began), () => process.exit())`
  return {
    name,
    run: () => Number(execFileSync(process.execPath, ["--input-type=module", "--eval", script], { cwd }))
  }
}
