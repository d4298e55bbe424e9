/**
 * The help, from the declaration.
 */
import { commandGroups, commandNames, commands, commonOptions, summary } from "./declaration.js"
import type { Command, Option } from "./option.js"
import { plainView, type View } from "./terminal.js"

/** An option as it is written: `-o, --out FILE`. */
export const signature = ({ name, short, value }: Option<unknown>): string =>
  `${short === undefined ? "" : `-${short}, `}--${name}${value === undefined ? "" : ` ${value}`}`

/** What an option does, with the values it takes and its default. */
export const explanation = (option: Option<unknown>): string =>
  [
    option.description,
    ...(option.choices === undefined ? [] : [`One of ${option.choices.join(", ")}.`]),
    ...(option.isRequired ? [option.unless === undefined ? "Required." : `Required without --${option.unless}.`] : []),
    ...(option.isRepeatable ? ["May be repeated."] : []),
    ...(option.default === undefined ? [] : [`Default: ${option.default}.`])
  ].join(" ")

/** Breaks a text at its spaces, and a word that is too long after its commas. */
const wrap = (text: string, columns: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  for (const word of text.split(" ")) {
    const parts = word.length > columns ? word.split(/(?<=,)/) : [word]
    for (const [index, part] of parts.entries()) {
      const last = lines.at(-1)
      const joined = last === undefined ? undefined : `${last}${index === 0 ? " " : ""}${part}`
      if (joined === undefined || joined.length > columns) lines.push(part)
      else lines[lines.length - 1] = joined
    }
  }
  return lines
}

type Rows = ReadonlyArray<readonly [name: string, text: string]>

/** A longer name has a line of its own, so that the texts beside the others stay wide. */
const widestName = 24

const widthOf = (rows: Rows): number =>
  Math.max(...rows.map(([name]) => name.length).filter((length) => length <= widestName), 8)

/** The least width of two columns. */
const leastOfTwo = 60

/** Two columns, or texts below their names if the lines are narrow. The texts are broken into lines. */
const table = (rows: Rows, { columns }: View, left = widthOf(rows)): string => {
  if (columns < leastOfTwo) {
    return rows
      .map(
        ([name, text]) =>
          `  ${name}\n${wrap(text, columns - 6)
            .map((line) => `      ${line}`)
            .join("\n")}`
      )
      .join("\n")
  }
  const indent = " ".repeat(left + 4)
  return rows
    .map(([name, text]) => {
      const lines = wrap(text, columns - left - 4).join(`\n${indent}`)
      return name.length > left ? `  ${name}\n${indent}${lines}` : `  ${name.padEnd(left)}  ${lines}`
    })
    .join("\n")
}

const section = (title: string, body: string, view: View): string => `${view.heading(title)}\n${body}`

const rowsOf = (options: ReadonlyArray<Option<unknown>>): Rows =>
  options.map((option) => [signature(option), explanation(option)])

const paragraph = (text: string, { columns }: View): string => wrap(text, columns).join("\n")

/** The help of `speech`. */
export const rootHelp = (version: string, view = plainView): string => {
  const rows = commandNames.map((name) => [name, commands[name].summary] as const)
  return [
    `speech ${version}: ${summary}`,
    section("Usage", "  speech COMMAND [OPTIONS]\n  speech COMMAND --help", view),
    ...commandGroups.map(([title, names]) =>
      section(
        title,
        table(
          rows.filter(([name]) => names.includes(name)),
          view,
          widthOf(rows)
        ),
        view
      )
    ),
    section("Options of every command", table(rowsOf(Object.values(commonOptions)), view), view)
  ].join("\n\n")
}

/** The help of commands that share their first word. */
export const groupHelp = (group: string, view = plainView): string => {
  const own = commandNames.filter((name) => name.startsWith(`${group} `))
  return [
    section("Usage", `  speech ${group} COMMAND [OPTIONS]`, view),
    section(
      "Commands",
      table(
        own.map((name) => [name, commands[name].summary]),
        view
      ),
      view
    ),
    `Help with a command: speech ${group} COMMAND --help`
  ].join("\n\n")
}

/** How a command is written, with what it requires. */
export const usage = (name: string, { oneOf, operands, options }: Command): string => {
  const needed = Object.values(options).filter(({ isRequired }) => isRequired)
  const operand = operands === undefined ? "" : operands.min === 0 ? `[${operands.name}]` : operands.name
  const written = [...(oneOf === undefined ? [] : [oneOf]), ...needed.map(({ name, value }) => `--${name} ${value}`)]
  return [
    "speech",
    name,
    ...(operands?.followDashes === true ? [...written, "[OPTIONS] --", operand] : [operand, ...written, "[OPTIONS]"])
  ]
    .filter((word) => word !== "")
    .join(" ")
}

/** The options of a command under their headings, in the order of the declaration. */
export const groupsOf = ({ options }: Command): ReadonlyMap<string, ReadonlyArray<Option<unknown>>> => {
  const groups = new Map<string, Array<Option<unknown>>>()
  for (const option of Object.values(options)) {
    const { group = "Options" } = option
    groups.set(group, [...(groups.get(group) ?? []), option])
  }
  return groups
}

const mostUsed = ({ mostUsed, options }: Command): ReadonlyArray<Option<unknown>> =>
  (mostUsed ?? Object.keys(options)).flatMap((key) => options[key] ?? [])

/** The help of one command: what it does, how it begins, and its most used options. `all`: every option, and every example. */
export const commandHelp = (name: string, command: Command, { all = false, view = plainView } = {}): string => {
  const { details, examples, operands, options, summary } = command
  const groups = all ? [...groupsOf(command)] : [["Options", mostUsed(command)] as const]
  const hidden = Object.keys(options).length - groups.flatMap(([, options]) => options).length
  const left = widthOf(groups.flatMap(([, options]) => rowsOf(options)))
  return [
    paragraph([summary, ...(details === undefined ? [] : [details])].join(" "), view),
    section("Usage", `  ${usage(name, command)}`, view),
    section("Examples", (all ? examples : examples.slice(0, 2)).map((example) => `  $ ${example}`).join("\n"), view),
    ...(operands === undefined
      ? []
      : [section("Arguments", table([[operands.name, operands.description]], view), view)]),
    ...groups.map(([title, options]) => section(title, table(rowsOf(options), view, left), view)),
    [
      ...(hidden === 0 ? [] : [`All ${Object.keys(options).length} options: speech ${name} --help --all`]),
      "Options of every command: speech --help"
    ].join("\n")
  ].join("\n\n")
}
