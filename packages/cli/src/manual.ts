/**
 * The manual page, from the declaration: roff with the macros of man(7).
 */
import { commandNames, commands, commonOptions, environment, exitStatuses, summary } from "./declaration.js"
import { explanation, groupsOf, signature, usage } from "./help.js"
import type { Command, Option } from "./option.js"

/** A text as roff prints it: a backslash and a dash are themselves, and other letters than ASCII are named. */
const roffOf = (text: string): string =>
  text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replace(/[^\x20-\x7e]/gu, (letter) => `\\[u${letter.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0")}]`)

/** A line of text. At its start, a dot or an apostrophe would be a request. */
const line = (text: string): string => roffOf(text).replace(/^[.']/, "\\&$&")

/** A word of a macro. */
const quoted = (text: string): string => `"${roffOf(text).replaceAll('"', "\\(dq")}"`

const tagged = (tag: string, text: string): string => `.TP\n.B ${quoted(tag)}\n${line(text)}`

const optionsOf = (options: ReadonlyArray<Option<unknown>>): string =>
  options.map((option) => tagged(signature(option), explanation(option))).join("\n")

const commandOf = (name: string, command: Command): string => {
  const { details, examples, operands, summary } = command
  return [
    `.SS ${quoted(usage(name, command))}`,
    line([summary, details].filter((text) => text !== undefined).join(" ")),
    ...(operands === undefined ? [] : [tagged(operands.name, operands.description)]),
    ...Array.from(groupsOf(command), ([heading, options]) => `.PP\n.I ${quoted(heading)}\n${optionsOf(options)}`),
    ".PP\n.I Examples\n.PP\n.nf\n.RS",
    ...examples.map(line),
    ".RE\n.fi"
  ].join("\n")
}

export const manual = (version: string): string =>
  [
    `.TH SPEECH 1 "" ${quoted(`speech ${version}`)} "User Commands"`,
    `.SH NAME\nspeech \\- ${line(summary.replace(/^./, (letter) => letter.toLowerCase()).replace(/\.$/, ""))}`,
    ".SH SYNOPSIS\n.B speech\n.I COMMAND\n[OPTIONS]",
    ".SH COMMANDS",
    ...commandNames.map((name) => commandOf(name, commands[name])),
    `.SH OPTIONS\nOptions of every command:\n${optionsOf(Object.values(commonOptions))}`,
    `.SH ENVIRONMENT\n${environment.map(([name, text]) => tagged(name, text)).join("\n")}`,
    `.SH "EXIT STATUS"\n${exitStatuses.map(([code, text]) => tagged(code, text)).join("\n")}`
  ].join("\n")
