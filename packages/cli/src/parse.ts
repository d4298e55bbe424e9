/**
 * Turns the arguments of a process into an action: a text to print, a refusal, or a command with its values.
 *
 * `node:util` splits the arguments by the declaration. This module refuses what is misspelt, repeated, without a value,
 * or not of the command.
 */
import { createRequire } from "node:module"
import { parseArgs } from "node:util"
import * as Printable from "@effect-speech/common/Printable"
import { completionScript } from "./completions.js"
import {
  allOptions,
  type CommandName,
  commandNames,
  commandOf,
  commands,
  firstWords,
  type Given,
  groupNames,
  type LogLevel,
  optionsOf,
  readBy,
  type Shell,
  secondWords
} from "./declaration.js"
import * as ExitCode from "./exitCode.js"
import { commandHelp, groupHelp, rootHelp } from "./help.js"
import { manual } from "./manual.js"
import { type Command, Invalid, type Option, suchAs } from "./option.js"
import { commandHabit, optionHabit, suggest, suggestRelated } from "./suggest.js"
import { plainView, type View } from "./terminal.js"

/** A text that the arguments alone decide. */
export interface Printed {
  readonly _tag: "Printed"
  readonly stream: "stdout" | "stderr"
  readonly text: string
  readonly code: number
}

/** A command to run. */
export interface Invocation<Name extends CommandName> {
  readonly _tag: "Run"
  readonly name: Name
  readonly given: Given<Name>
  readonly json: boolean
  /** Without notes and progress. */
  readonly quiet: boolean
  readonly logLevel: LogLevel | undefined
}

export type Run = { [Name in CommandName]: Invocation<Name> }[CommandName]

/** A wrong use of the command, as a sentence. It never holds a value: that may be the key. */
class Refusal {
  readonly sentence: string
  constructor(sentence: string) {
    this.sentence = sentence
  }
}

const readable: ReadonlyMap<string, Option<unknown>> = new Map(
  [...commandNames.map((each) => readBy(commands[each])), [...allOptions.values()]]
    .flat()
    .map((each) => [each.name, each])
)

const split = (args: ReadonlyArray<string>) =>
  parseArgs({
    args: [...args],
    options: Object.fromEntries(
      Array.from(readable.values(), ({ name, short, value }) => [
        name,
        { type: value === undefined ? "boolean" : "string", ...(short === undefined ? {} : { short }) }
      ])
    ),
    // The strict mode of `node:util` gives no suggestion.
    strict: false,
    allowPositionals: true,
    tokens: true
  }).tokens

type OptionToken = Extract<ReturnType<typeof split>[number], { readonly kind: "option" }>

const version = (): string =>
  (createRequire(import.meta.url)("@effect-speech/cli/package.json") as { readonly version: string }).version

/** Reads the arguments that follow the name of the program. */
export const parse = (args: ReadonlyArray<string>, view = plainView): Printed | Run => {
  const terminator = args.indexOf("--")
  const written = terminator === -1 ? args : args.slice(0, terminator)
  const tokens = split(args)
  const { asksHelp, positionals } = withoutHelp(tokens.filter((token) => token.kind === "positional"))
  const words = positionals.map(({ value }) => value)
  const group = groupNames.find((each) => each === words[0])
  const nameLength = group === undefined ? 1 : 2
  const name = words.length === 0 ? undefined : words.slice(0, nameLength).join(" ")
  const operands = words.slice(nameLength)
  const command = commandOf(name)
  const isWrittenToFiles = written.some((arg) => /^--out-dir(=|$)/.test(arg))
  const json = written.some(
    (arg, index) =>
      /^--json(=|$)/.test(arg) ||
      // For an archive, and with --out-dir, it is the format of files.
      (group === undefined &&
        !isWrittenToFiles &&
        (arg === "--format=json" || (arg === "--format" && written[index + 1] === "json")))
  )

  const helpOptions = { all: written.includes("--all"), man: written.includes("--man"), view }
  if (args.length === 0 || written.includes("--help") || written.includes("-h")) {
    return printHelp(name, group, helpOptions)
  }

  const result = ((): Printed | Run | Refusal => {
    const given = new Map<string, ReadonlyArray<string>>()
    for (const token of tokens) {
      if (token.kind !== "option") continue
      const refusal = checkOption(token, args, { name, command }, given.has(token.name))
      if (refusal !== undefined) return refusal
      given.set(token.name, [...(given.get(token.name) ?? []), token.value ?? ""])
    }
    const firstValue = (option: string) => given.get(option)?.[0]
    if (asksHelp) {
      const isKnown = name === undefined || name === group || command !== undefined
      return isKnown ? printHelp(name, group, helpOptions) : unknownCommand(name, group)
    }
    if (given.has("version") || name === "version") return print(version())
    const ofHelp = ["all", "man"].find((option) => given.has(option))
    if (ofHelp !== undefined) return new Refusal(`--${ofHelp} is for --help.`)
    const shell = firstValue("completions")
    if (shell !== undefined) return print(completionScript(shell as Shell))
    if (name === undefined) {
      return given.size === (given.has("log-level") ? 1 : 0)
        ? print(rootHelp(version(), view))
        : new Refusal(
            `Give a command: ${firstWords.join(", ")}.${given.has("verbose") ? " --version prints the version." : ""}`
          )
    }
    if (name === group) return new Refusal(`Give a command of ${group}: ${secondWords(group).join(", ")}.`)
    if (command === undefined) return unknownCommand(name, group)
    const misplaced = [...given.keys()].find((key) => ownOption(command, key) === undefined)
    if (misplaced !== undefined) return misplacedOption(misplaced, name, command)
    const [quiet, verbose] = [given.has("quiet"), given.has("verbose")]
    if (verbose && (quiet || given.has("log-level"))) {
      return new Refusal(`--verbose is --log-level debug: leave it out, or ${quiet ? "--quiet" : "--log-level"}.`)
    }
    const lacking = lackingBoth(command, operands, given)
    if (lacking !== undefined) return lacking
    const refused = checkOperands(name, command, operands, positionals[nameLength]?.index === terminator + 1)
    if (refused !== undefined) return refused
    const values: Record<string, unknown> = { operands }
    for (const [key, option] of Object.entries({ ...command.options, ...command.former })) {
      const isSpared = option.unless !== undefined && given.has(option.unless) && !given.has(option.name)
      const value = isSpared ? undefined : option.read(given.get(option.name) ?? [])
      if (value instanceof Invalid) return new Refusal(`--${option.name} ${value.rule}.`)
      values[key] = value
    }
    // Each value has the type that `read` of its option returns, which `Values` states.
    const logLevel = firstValue("log-level") ?? (verbose ? "debug" : quiet ? "error" : undefined)
    return { _tag: "Run", name, given: values, json, quiet, logLevel } as unknown as Run
  })()

  if (!(result instanceof Refusal)) return result
  const helpOf = command === undefined ? group : name
  const message = `${result.sentence} See speech ${helpOf === undefined ? "" : `${helpOf} `}--help.`
  return {
    _tag: "Printed",
    stream: json ? "stdout" : "stderr",
    text: Printable.line(
      json ? JSON.stringify({ error: { _tag: "UsageError", message } }) : `speech: ${message} [UsageError]`
    ),
    code: ExitCode.invalid
  }
}

/** The words of a line without `help`, which is written before a command or in place of the second word of one. */
const withoutHelp = <Positional extends { readonly value: string }>(positionals: ReadonlyArray<Positional>) => {
  const [first, second] = positionals
  const place =
    first?.value === "help" ? 0 : groupNames.some((each) => each === first?.value) && second?.value === "help" ? 1 : -1
  return { asksHelp: place !== -1, positionals: positionals.filter((_, at) => at !== place) }
}

const print = (text: string): Printed => ({ _tag: "Printed", stream: "stdout", text, code: ExitCode.done })

/** The help of a command, of a group, or of all. */
const printHelp = (
  name: string | undefined,
  group: string | undefined,
  options: { readonly all: boolean; readonly man: boolean; readonly view: View }
): Printed => {
  if (options.man) return print(manual(version()))
  const command = commandOf(name)
  if (command !== undefined) return print(commandHelp(name ?? "", command, options))
  return print(group === undefined ? rootHelp(version(), options.view) : groupHelp(group, options.view))
}

const ownOption = (command: Command, name: string) => readBy(command).find((option) => option.name === name)

/** The command of a line: its name, and what it is declared to be, if there is such a command. */
interface Place {
  readonly name: string | undefined
  readonly command: Command | undefined
}

/** Other programs take a second one for more of the same, so it is no mistake. */
const repeatedSwitches: ReadonlySet<string> = new Set(["quiet", "verbose"])

const checkOption = (
  token: OptionToken,
  args: ReadonlyArray<string>,
  place: Place,
  isRepeated: boolean
): Refusal | undefined => {
  const { command } = place
  const { inlineValue, name, rawName, value } = token
  const found = readable.get(name)
  const known = rawName === `--${name}` || rawName === `-${found?.short}` ? found : undefined
  if (known === undefined) return unknownOption(rawName, args[token.index] ?? "", place)
  // `-out` is read as `-o ut`.
  if (inlineValue && rawName !== `--${name}`) return new Refusal(`Put a space after ${rawName}, or write --${name}.`)
  const option = command === undefined ? known : ownOption(command, name)
  // The caller refuses an option of another command.
  if (option === undefined) return undefined
  if (isRepeated && !option.isRepeatable && !repeatedSwitches.has(name))
    return new Refusal(`--${name} is given more than once.`)
  if (option.value === undefined) return value === undefined ? undefined : new Refusal(`${rawName} takes no value.`)
  if (value === "") return new Refusal(`${rawName} must not be empty.`)
  if (value === undefined) return new Refusal(`${rawName} needs a value${suchAs(option)}.`)
  if (isNotUtf8(value)) {
    return new Refusal(
      option.completes !== "file" && option.completes !== "folder"
        ? `${rawName} is not valid UTF-8. Check the encoding of your terminal or script.`
        : `${rawName} is not valid UTF-8, so its ${option.completes} can't be opened. Use a name in UTF-8.`
    )
  }
  if (!inlineValue && value.startsWith("--")) {
    const isOption = value === "--" || allOptions.has(value.slice(2))
    return new Refusal(
      `${rawName} needs a value${isOption ? `${suchAs(option)}.` : `. If the value begins with dashes, write --${name}=${option.value}.`}`
    )
  }
  if (option.choices !== undefined && !option.choices.includes(value)) {
    return new Refusal(`${rawName} must be one of ${option.choices.join(", ")}.`)
  }
  return undefined
}

const unknownOption = (rawName: string, arg: string, { command, name }: Place): Refusal => {
  const known = (command === undefined ? [...allOptions.values()] : optionsOf(command)).map(({ name }) => `--${name}`)
  const shown = /^(-\w|--[A-Za-z][\w-]*)$/.test(rawName) ? rawName : "That"
  const sentence = `${shown} is not an option here.`
  // `-out` is read as `-o -u -t`.
  const word = /^-[^-]/.test(arg) ? `-${arg.replace(/=.*/s, "")}` : rawName
  const operand = command?.operands?.name.replace("…", "")
  if (operand !== undefined && word === `--${operand.toLowerCase()}`) {
    return new Refusal(`${sentence} Give ${operand} without it.`)
  }
  const habit = optionHabit(word, name, known)
  if (habit !== undefined) return new Refusal(`${sentence} ${habit}`)
  const meant = suggest(word, known)
  if (meant !== undefined) return new Refusal(`${sentence} Did you mean ${meant}?`)
  return new Refusal(
    /^-[^-]|\s/.test(arg) ? `${sentence} An argument that begins with a dash goes last, after --.` : sentence
  )
}

/** Node reads bytes that are not UTF-8 as U+FFFD. What was meant is lost: it would be spoken, sent or created wrong. */
const isNotUtf8 = (value: string): boolean => value.includes("\ufffd")

/** The word is shown only if it is nearly a command. */
const unknownCommand = (name: string, group: string | undefined): Refusal => {
  const word = group === undefined ? name : name.slice(group.length + 1)
  const known = group === undefined ? firstWords : secondWords(group)
  const habit = group === undefined ? commandHabit(word) : undefined
  if (habit !== undefined) return new Refusal(`${word} is not a command. ${habit}`)
  const meant = suggest(word, group === undefined ? [...known, "help", "version"] : known)
  const of = group === undefined ? "" : ` of ${group}`
  return new Refusal(
    meant === undefined
      ? `There is no such command${of}. The commands are ${known.join(", ")}.`
      : `${word} is not a command${of}. Did you mean ${meant}?`
  )
}

const misplacedOption = (option: string, name: string, command: Command): Refusal => {
  const own = optionsOf(command).map((each) => `--${each.name}`)
  const habit = optionHabit(`--${option}`, name, own)
  if (habit !== undefined) return new Refusal(`--${option} is not an option of ${name}. ${habit}`)
  const meant = suggestRelated(option, own)
  if (meant !== undefined) return new Refusal(`--${option} is not an option here. Did you mean ${meant}?`)
  const owners = commandNames.filter((each) => optionsOf(commands[each]).some((known) => known.name === option))
  return new Refusal(`--${option} is not an option of ${name}, but of ${new Intl.ListFormat("en").format(owners)}.`)
}

/** Refuses a line that lacks the operand and an option. One example shows both. */
const lackingBoth = (
  { examples: [example], operands, options }: Command,
  written: ReadonlyArray<string>,
  given: ReadonlyMap<string, unknown>
): Refusal | undefined => {
  if (operands === undefined || operands.followDashes === true || written.length > 0) return undefined
  const { min, name, standardInput } = operands
  // An option may give the operand instead.
  const instead = standardInput?.startsWith("--") === true ? standardInput.slice(2).split(" ")[0] : undefined
  if (instead === undefined ? min === 0 : given.has(instead)) return undefined
  const missing = Object.values(options).filter(
    (option) =>
      option.isRequired && !given.has(option.name) && !(option.unless !== undefined && given.has(option.unless))
  )
  if (missing.length === 0) return undefined
  const names = [name.replace("…", ""), ...missing.map((option) => `--${option.name}`)]
  return new Refusal(`Give ${new Intl.ListFormat("en").format(names)}, such as: ${example}.`)
}

const checkOperands = (
  name: string,
  { operands, options }: Command,
  given: ReadonlyArray<string>,
  areAfterDashes: boolean
): Refusal | undefined => {
  if (operands === undefined) {
    return given.length === 0 ? undefined : new Refusal(`${name} takes only options.`)
  }
  if (operands.followDashes === true && !(areAfterDashes && given[0] !== "")) {
    return new Refusal(`Give the command after --: speech ${name} -- ${operands.name.replace("…", "")}.`)
  }
  if (given.length < operands.min) {
    const instead = operands.standardInput === undefined ? "" : `, or ${operands.standardInput} for standard input`
    return new Refusal(`Give at least one ${operands.name.replace("…", "")}${instead}.`)
  }
  // If a file has such a name, the error of opening it says so.
  if (operands.completes !== "file" && given.some(isNotUtf8)) {
    const advice = "textFile" in options ? ", or give the text in a file: --text-file FILE" : ""
    return new Refusal(
      `${operands.name.replace("…", "")} is not valid UTF-8. Check the encoding of your terminal or script${advice}.`
    )
  }
  return given.length > operands.max
    ? new Refusal(`${name} takes one ${operands.name}. ${operands.several ?? ""}`.trimEnd())
    : undefined
}
