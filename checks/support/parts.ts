/** The options of a check, and its parts: `--only` names some of them, with commas between. */
import { refuseOptions } from "effect-speech-test-support/options"
import { exitStatus } from "effect-speech-test-support/report"

/** Runs the parts that `only` names, or all. Sets the exit status by their bars. */
export const runParts = async (parts: Readonly<Record<string, () => unknown>>, only: string | undefined) => {
  const names = Object.keys(parts)
  const chosen = only?.split(",") ?? names
  if (chosen.some((name) => !names.includes(name))) refuseOptions(`--only takes some of ${names.join(", ")}.`)
  for (const name of chosen) await parts[name]?.()
  process.exitCode = exitStatus()
}

/** The integer of an option. Exits with status 2 if it is none, or below `least`. */
export const integerOf = (option: string, value: string | number, least = Number.MIN_SAFE_INTEGER): number => {
  const number = Number(value)
  if (Number.isSafeInteger(number) && number >= least) return number
  return refuseOptions(`${option} takes an integer${least >= 0 ? ` of at least ${least}` : ""}.`)
}
