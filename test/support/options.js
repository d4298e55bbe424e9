/** The options of a command, which ends with status 2 where nothing is to be done with them. */
import { parseArgs } from "node:util"

/** @param {string} problem @returns {never} */
export const refuseOptions = (problem) => {
  console.error(problem)
  process.exit(2)
}

/**
 * @template {NonNullable<import("node:util").ParseArgsConfig["options"]>} Options
 * @param {Options} options
 */
export const readOptions = (options) => {
  try {
    return parseArgs({ options }).values
  } catch (error) {
    const known = Object.entries(options).map(([name, { type }]) =>
      type === "string" ? `--${name} VALUE` : `--${name}`
    )
    return refuseOptions(`${error instanceof Error ? error.message : error}\nThere are ${known.join(", ")}.`)
  }
}
