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
import { type Command, Invalid, type Option, suchAs } from "./option.js"
import { suggest, suggestRelated } from "./suggest.js"
import { plainView } from "./terminal.js"

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
      Array.from(readable.values(), ({ name, value }) => [name, { type: value === undefined ? "boolean" : "string" }])
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
  const positionals = tokens.filter((token) => token.kind === "positional")
  const words = positionals.map(({ value }) => value)
  const group = groupNames.find((each) => each === words[0])
  const nameLength = group === undefined ? 1 : 2
  const name = words.length === 0 ? undefined : words.slice(0, nameLength).join(" ")
  const operands = words.slice(nameLength)
  const command = commandOf(name)
  const json = written.some(
    (arg, index) =>
      /^--json(=|$)/.test(arg) ||
      // For an archive it is the format of files.
      (group === undefined && (arg === "--format=json" || (arg === "--format" && written[index + 1] === "json")))
  )

  const print = (text: string): Printed => ({ _tag: "Printed", stream: "stdout", text, code: ExitCode.done })
  if (args.length === 0 || written.includes("--help") || written.includes("-h")) {
    if (command !== undefined) {
      return print(commandHelp(name ?? "", command, { all: written.includes("--all"), view }))
    }
    return print(group === undefined ? rootHelp(version(), view) : groupHelp(group, view))
  }

  const result = ((): Printed | Run | Refusal => {
    const given = new Map<string, ReadonlyArray<string>>()
    for (const token of tokens) {
      if (token.kind !== "option") continue
      const refusal = checkOption(token, args, command, given.has(token.name))
      if (refusal !== undefined) return refusal
      given.set(token.name, [...(given.get(token.name) ?? []), token.value ?? ""])
    }
    const firstValue = (option: string) => given.get(option)?.[0]
    if (given.has("version")) return print(version())
    if (given.has("all")) return new Refusal("--all is for --help.")
    const shell = firstValue("completions")
    if (shell !== undefined) return print(completionScript(shell as Shell))
    if (name === undefined) {
      return given.size === (given.has("log-level") ? 1 : 0)
        ? print(rootHelp(version(), view))
        : new Refusal(`Give a command: ${firstWords.join(", ")}.`)
    }
    if (name === group) return new Refusal(`Give a command of ${group}: ${secondWords(group).join(", ")}.`)
    if (command === undefined) return unknownCommand(name, group)
    const misplaced = [...given.keys()].find((key) => ownOption(command, key) === undefined)
    if (misplaced !== undefined) return misplacedOption(misplaced, name, command)
    const refused = checkOperands(name, command, operands, positionals[nameLength]?.index === terminator + 1)
    if (refused !== undefined) return refused
    const values: Record<string, unknown> = { operands }
    for (const [key, option] of Object.entries({ ...command.options, ...command.former })) {
      const value = option.read(given.get(option.name) ?? [])
      if (value instanceof Invalid) return new Refusal(`--${option.name} ${value.rule}.`)
      values[key] = value
    }
    // Each value has the type that `read` of its option returns, which `Values` states.
    return { _tag: "Run", name, given: values, json, logLevel: firstValue("log-level") } as unknown as Run
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

const ownOption = (command: Command, name: string) => readBy(command).find((option) => option.name === name)

const checkOption = (
  token: OptionToken,
  args: ReadonlyArray<string>,
  command: Command | undefined,
  isRepeated: boolean
): Refusal | undefined => {
  const { inlineValue, name, rawName, value } = token
  const known = rawName === `--${name}` ? readable.get(name) : undefined
  if (known === undefined) return unknownOption(rawName, args[token.index] ?? "", command)
  const option = command === undefined ? known : ownOption(command, name)
  // The caller refuses an option of another command.
  if (option === undefined) return undefined
  if (isRepeated && !option.isRepeatable) return new Refusal(`${rawName} is given more than once.`)
  if (option.value === undefined) return value === undefined ? undefined : new Refusal(`${rawName} takes no value.`)
  if (value === "") return new Refusal(`${rawName} must not be empty.`)
  if (value === undefined) return new Refusal(`${rawName} needs a value${suchAs(option)}.`)
  if (isNotUtf8(value)) {
    return new Refusal(
      option.completes === undefined
        ? `${rawName} is not valid UTF-8. Check the encoding of your terminal or script.`
        : `${rawName} is not valid UTF-8, so its ${option.completes} can't be opened. Use a name in UTF-8.`
    )
  }
  if (!inlineValue && value.startsWith("--")) {
    const isOption = value === "--" || allOptions.has(value.slice(2))
    return new Refusal(
      `${rawName} needs a value${isOption ? `${suchAs(option)}.` : `. If the value begins with dashes, write ${rawName}=${option.value}.`}`
    )
  }
  if (option.choices !== undefined && !option.choices.includes(value)) {
    return new Refusal(`${rawName} must be one of ${option.choices.join(", ")}.`)
  }
  return undefined
}

/** Options that a new user tries. They are settings of the environment. */
const settings = [
  { name: /key|token/i, advice: "Set SPEECH_API_KEY in the environment: other users can see a command line." },
  { name: /url|endpoint/i, advice: "Set SPEECH_STT_BASE_URL and SPEECH_TTS_BASE_URL in the environment." }
]

const unknownOption = (rawName: string, arg: string, command: Command | undefined): Refusal => {
  const known = (command === undefined ? [...allOptions.values()] : optionsOf(command)).map(({ name }) => `--${name}`)
  const shown = /^(-\w|--[A-Za-z][\w-]*)$/.test(rawName) ? rawName : "That"
  const sentence = `${shown} is not an option here.`
  // `-out` is read as `-o -u -t`.
  const word = /^-[^-]/.test(arg) ? `-${arg.replace(/=.*/s, "")}` : rawName
  const operand = command?.operands?.name.replace("…", "")
  if (operand !== undefined && word === `--${operand.toLowerCase()}`) {
    return new Refusal(`${sentence} Give ${operand} without it.`)
  }
  const meant = suggest(word, known)
  if (meant !== undefined) return new Refusal(`${sentence} Did you mean ${meant}?`)
  const setting = settings.find(({ name }) => name.test(word))
  if (setting !== undefined) return new Refusal(`${sentence} ${setting.advice}`)
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
  const meant = suggest(word, group === undefined ? [...known, "--help", "--version"] : known)
  const of = group === undefined ? "" : ` of ${group}`
  return new Refusal(
    meant === undefined
      ? `There is no such command${of}. The commands are ${known.join(", ")}.`
      : `${word} is not a command${of}. Did you mean ${meant}?`
  )
}

const misplacedOption = (option: string, name: string, command: Command): Refusal => {
  const own = optionsOf(command).map((each) => `--${each.name}`)
  const meant = suggestRelated(option, own)
  if (meant !== undefined) return new Refusal(`--${option} is not an option here. Did you mean ${meant}?`)
  const owners = commandNames.filter((each) => optionsOf(commands[each]).some((known) => known.name === option))
  return new Refusal(`--${option} is not an option of ${name}, but of ${new Intl.ListFormat("en").format(owners)}.`)
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
  if (given.length < operands.min) return new Refusal(`Give at least one ${operands.name.replace("…", "")}.`)
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
