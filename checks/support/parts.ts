/** The options of a check, and its parts: `--only` names some of them, with commas between. */
import { readOptions, refuseOptions } from "effect-speech-test-support/options"
import { exitStatus } from "effect-speech-test-support/report"

/** `--only`, `--quick` and `--seed`. */
export const readPartOptions = () => {
  const { seed, ...options } = readOptions({
    only: { type: "string" },
    quick: { type: "boolean", default: false },
    seed: { type: "string", default: "1" }
  })
  return { ...options, seed: integerOf("--seed", seed) }
}

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
