/**
 * The help of the command, on one screen: the parser's own takes seven lines for each option.
 */
import * as CliConfig from "@effect/cli/CliConfig"
import * as CommandDescriptor from "@effect/cli/CommandDescriptor"
import type * as HelpDoc from "@effect/cli/HelpDoc"
import type * as Span from "@effect/cli/HelpDoc/Span"

interface Section {
  readonly title: string
  readonly paragraphs: ReadonlyArray<string>
  readonly definitions: ReadonlyArray<readonly [name: string, description: string]>
}

interface AnyCommand {
  readonly descriptor: CommandDescriptor.Command<unknown>
}

/** What a document holds, under its headings. */
const sectionsOf = (document: HelpDoc.HelpDoc): ReadonlyArray<Section> => {
  const sections: Array<{
    readonly title: string
    readonly paragraphs: Array<string>
    readonly definitions: Array<readonly [string, string]>
  }> = []
  const visit = (part: HelpDoc.HelpDoc): void => {
    switch (part._tag) {
      case "Sequence":
        visit(part.left)
        visit(part.right)
        return
      case "Header":
        sections.push({ title: textOf(part.value), paragraphs: [], definitions: [] })
        return
      case "Paragraph":
        sections.at(-1)?.paragraphs.push(textOf(part.value))
        return
      case "DescriptionList":
        for (const [name, description] of part.definitions) {
          sections.at(-1)?.definitions.push(definition(textOf(name).trim(), paragraphsOf(description)))
        }
        return
      default:
        return
    }
  }
  visit(document)
  return sections
}

const paragraphsOf = (document: HelpDoc.HelpDoc): ReadonlyArray<string> => {
  if (document._tag === "Sequence") return [...paragraphsOf(document.left), ...paragraphsOf(document.right)]
  return document._tag === "Paragraph" ? [textOf(document.value)] : []
}

const textOf = (span: Span.Span): string => {
  switch (span._tag) {
    case "Text":
    case "URI":
      return span.value
    case "Sequence":
      return textOf(span.left) + textOf(span.right)
    default:
      return textOf(span.value)
  }
}

/** Before our own words the parser says what kind of value it is, and after them whether it may be left out. */
const definition = (
  name: string,
  [kind = "", words = "", ...rest]: ReadonlyArray<string>
): readonly [string, string] => {
  const required = rest.length === 0 && !name.startsWith("[") ? " Required." : ""
  const choices = name.includes(" | ") ? ` ${kind}.` : ""
  const shown = name.includes(" | ") ? name.replace(/ .*/, " CHOICE") : name.replace(/[<>()]/g, "").replace(" 1+", "…")
  return [shown, `${words}${choices}${required}`]
}

/** Two columns, of which the second is broken into lines. */
const columns = (rows: ReadonlyArray<readonly [string, string]>): string => {
  const left = Math.max(...rows.map(([name]) => name.length))
  const between = `\n${" ".repeat(left + 4)}`
  return rows
    .map(([name, description]) => `  ${name.padEnd(left)}  ${broken(description, 96 - left).join(between)}`)
    .join("\n")
}

const broken = (text: string, width: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  for (const word of text.split(" ")) {
    const last = lines.at(-1)
    if (last === undefined || last.length + 1 + word.length > width) lines.push(word)
    else lines[lines.length - 1] = `${last} ${word}`
  }
  return lines
}

export const nameOf = (command: AnyCommand): string =>
  Array.from(CommandDescriptor.getNames(command.descriptor))[0] ?? ""
const documentOf = (command: AnyCommand) =>
  sectionsOf(CommandDescriptor.getHelp(command.descriptor, CliConfig.defaultConfig))
const section = (sections: ReadonlyArray<Section>, title: string) => sections.find((each) => each.title === title)

/** An option as the help tells of it. */
export interface KnownOption {
  /** Without its dashes. */
  readonly name: string
  readonly takesValue: boolean
  readonly mayBeRepeated: boolean
  readonly ofEveryCommand: boolean
  /** The values there are, where they are few. */
  readonly choices: ReadonlyArray<string> | undefined
}

/** The options of every command, and of this one if it is one. */
export const knownOptions = (
  root: AnyCommand,
  subcommands: ReadonlyArray<AnyCommand>,
  asked: string | undefined
): ReadonlyArray<KnownOption> =>
  [root, ...subcommands.filter((each) => nameOf(each) === asked)].flatMap((command) =>
    (section(documentOf(command), "OPTIONS")?.definitions ?? []).flatMap(([shown, description]) => {
      const name = /--([\w-]+)/.exec(shown)?.[1]
      if (name === undefined) return []
      return {
        name,
        takesValue: /^--\S+ \S/.test(shown),
        mayBeRepeated: shown.endsWith("..."),
        ofEveryCommand: command === root,
        choices: /One of the following: (.+?)\./.exec(description)?.[1]?.split(", ")
      }
    })
  )

/** Of the whole, or of one of its subcommands. */
export const help = (
  root: AnyCommand,
  subcommands: ReadonlyArray<AnyCommand>,
  asked: string | undefined,
  version: string
): string => {
  const command = subcommands.find((each) => nameOf(each) === asked)
  const common = section(documentOf(root), "OPTIONS")?.definitions ?? []
  if (command === undefined) {
    const rows = subcommands.map(
      (each) => [nameOf(each), section(documentOf(each), "DESCRIPTION")?.paragraphs[0] ?? ""] as const
    )
    return [
      `speech ${version}: ${section(documentOf(root), "DESCRIPTION")?.paragraphs[0] ?? ""}`,
      `Usage\n  speech COMMAND …`,
      `Commands\n${columns(rows)}`,
      `Options of every command\n${columns(common)}`
    ].join("\n\n")
  }
  const sections = documentOf(command)
  const [what, ...examples] = section(sections, "DESCRIPTION")?.paragraphs ?? []
  const given = section(sections, "ARGUMENTS")?.definitions ?? []
  const own = (section(sections, "OPTIONS")?.definitions ?? []).filter(
    ([name]) => !common.some(([each]) => each === name)
  )
  return [
    `speech ${nameOf(command)}: ${what}`,
    ...(examples.length === 0 ? [] : [`Examples\n${examples.join("\n")}`]),
    ...(given.length === 0 ? [] : [`Arguments\n${columns(given)}`]),
    `Options\n${columns(own)}`,
    "What every command takes besides: speech --help"
  ].join("\n\n")
}
