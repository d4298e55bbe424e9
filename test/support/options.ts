import { type ParseArgsConfig, parseArgs } from "node:util"

/** Prints what is wrong with the options, and exits with status 2. */
export const refuseOptions = (problem: string): never => {
  console.error(problem)
  process.exit(2)
}

/** The options of a command. Exits with status 2 if one is unknown or has no value. */
export const readOptions = <const Options extends NonNullable<ParseArgsConfig["options"]>>(options: Options) => {
  try {
    return parseArgs({ options }).values
  } catch (error) {
    const known = Object.entries(options).map(([name, { type }]) =>
      type === "string" ? `--${name} VALUE` : `--${name}`
    )
    return refuseOptions(`${error instanceof Error ? error.message : error}\nOptions: ${known.join(", ")}.`)
  }
}
