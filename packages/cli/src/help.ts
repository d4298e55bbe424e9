/**
 * The help, from the declaration.
 */
import { commandNames, commands, commonOptions, summary } from "./declaration.js"
import type { Command, Option } from "./option.js"

/** An option as it is written: `-o, --out FILE`. */
export const signature = ({ name, short, value }: Option<unknown>): string =>
  `${short === undefined ? "" : `-${short}, `}--${name}${value === undefined ? "" : ` ${value}`}`

/** What an option does, with the values it takes and its default. */
export const explanation = (option: Option<unknown>): string =>
  [
    option.description,
    ...(option.choices === undefined ? [] : [`One of ${option.choices.join(", ")}.`]),
    ...(option.isRequired ? ["Required."] : []),
    ...(option.isRepeatable ? ["May be repeated."] : []),
    ...(option.default === undefined ? [] : [`Default: ${option.default}.`])
  ].join(" ")

const width = 98

const wrap = (text: string, columns: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  for (const word of text.split(" ")) {
    const last = lines.at(-1)
    if (last === undefined || last.length + 1 + word.length > columns) lines.push(word)
    else lines[lines.length - 1] = `${last} ${word}`
  }
  return lines
}

/** Two columns. The second is broken into lines. */
const table = (rows: ReadonlyArray<readonly [string, string]>): string => {
  const left = Math.max(...rows.map(([name]) => name.length))
  const lineBreak = `\n${" ".repeat(left + 4)}`
  return rows
    .map(([name, text]) => `  ${name.padEnd(left)}  ${wrap(text, width - left - 4).join(lineBreak)}`)
    .join("\n")
}

const optionTable = (options: Readonly<Record<string, Option<unknown>>>): string =>
  table(Object.values(options).map((option) => [signature(option), explanation(option)]))

/** The help of `speech`. */
export const rootHelp = (version: string): string =>
  [
    `speech ${version}: ${summary}`,
    "Usage\n  speech COMMAND …",
    `Commands\n${table(commandNames.map((name) => [name, commands[name].summary]))}`,
    `Options of every command\n${optionTable(commonOptions)}`,
    "The options of a command: speech help COMMAND"
  ].join("\n\n")

/** The help of commands that share their first word. */
export const groupHelp = (group: string): string => {
  const own = commandNames.filter((name) => name.startsWith(`${group} `))
  return [
    `Usage\n  speech ${group} COMMAND …`,
    `Commands\n${table(own.map((name) => [name, commands[name].summary]))}`,
    `The options of a command: speech ${group} COMMAND --help`
  ].join("\n\n")
}

/** The help of one command. */
export const commandHelp = (name: string, { examples, operands, options, summary }: Command): string =>
  [
    `speech ${name}: ${summary}`,
    `Examples\n${examples.map((example) => `  $ ${example}`).join("\n")}`,
    ...(operands === undefined ? [] : [`Arguments\n${table([[operands.name, operands.description]])}`]),
    `Options\n${optionTable(options)}`,
    "Options of every command: speech --help"
  ].join("\n\n")
