/**
 * Names the fields of a request as the command does: by the option or the operand that sets them.
 */
import { commandNames, commands } from "./declaration.js"

/** The option that sets each field of a request, or the operand. */
const optionNames: ReadonlyMap<string, string> = new Map([
  ["text", "TEXT"],
  ["source", "SOURCE"],
  ["pieceMillis", "--piece-minutes"],
  ["callsPerSecond", "--rate"],
  ["directory", "--out"],
  ...commandNames.flatMap((name) =>
    Object.entries(commands[name].options).map(([field, option]) => [field, `--${option.name}`] as const)
  )
])

/** The option that sets a field of a request, such as `--hotword (number 1, score)` for `hotwords.0.score`. */
export const describeField = (path: string): string => {
  const [field = "", ...rest] = path.split(".")
  const option = optionNames.get(field.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()))
  if (option === undefined) return path
  const inside = rest.map((part) => (/^\d+$/.test(part) ? `number ${Number(part) + 1}` : part))
  return inside.length === 0 ? option : `${option} (${inside.join(", ")})`
}
