/**
 * The arguments of a process, read before the parser sees them. It takes an option that is misspelt, given twice or without
 * a value for a file or a text, and so would send what nobody meant; in one form of all that people write, it does not.
 */
import { parseArgs } from "node:util"
import * as AutoCorrect from "@effect/cli/AutoCorrect"
import * as CliConfig from "@effect/cli/CliConfig"
import type { KnownOption } from "./help.js"
import { standardStream } from "./options.js"

const tokensOf = (args: ReadonlyArray<string>, known: ReadonlyArray<KnownOption>) =>
  parseArgs({
    args: [...args],
    options: Object.fromEntries(
      known.map(({ name, takesValue }) => [name, { type: takesValue ? "string" : "boolean" }] as const)
    ),
    strict: false,
    allowPositionals: true,
    tokens: true
  }).tokens

type Token = ReturnType<typeof tokensOf>[number]
type OptionToken = Extract<Token, { readonly kind: "option" }>

const operandsOf = (tokens: ReadonlyArray<Token>): ReadonlyArray<string> =>
  tokens.flatMap((token) => (token.kind === "positional" ? token.value : []))

/** The first word that is neither an option nor the value of one. */
export const commandOf = (args: ReadonlyArray<string>, known: ReadonlyArray<KnownOption>): string | undefined =>
  operandsOf(tokensOf(args, known))[0]

/** Never with the value: it may be the key, which no option takes. */
const unknownProblem = (
  { index, rawName }: OptionToken,
  args: ReadonlyArray<string>,
  known: ReadonlyArray<KnownOption>
): string => {
  const isAlike = (name: string) =>
    AutoCorrect.levensteinDistance(`--${name}`, rawName, CliConfig.defaultConfig) * 3 < rawName.length
  const alike = known.find(({ name }) => isAlike(name))
  if (alike !== undefined) return `${rawName} is no option here. Did you mean --${alike.name}?`
  return /^-[^-]|\s/.test(args[index] ?? "")
    ? `${rawName} is no option here. What begins with a dash and is none goes last, after --.`
    : `${rawName} is no option here.`
}

/** What is wrong with the options, if something is. */
export const optionProblem = (args: ReadonlyArray<string>, known: ReadonlyArray<KnownOption>): string | undefined => {
  const seen = new Set<string>()
  for (const token of tokensOf(args, known)) {
    if (token.kind !== "option") continue
    const { inlineValue, name, rawName, value } = token
    const option = known.find((each) => each.name === name && rawName === `--${name}`)
    if (option === undefined) return unknownProblem(token, args, known)
    if (seen.has(name) && !option.mayBeRepeated) return `${rawName} is given more than once.`
    seen.add(name)
    // It would wait for ever for keys that nobody can press.
    if (name === "wizard" && process.stdin.isTTY !== true) return "--wizard asks a person: it needs a terminal."
    if (!option.takesValue) {
      if (value !== undefined) return `${rawName} takes no value.`
      continue
    }
    if (value === "") return `${rawName} must not be empty.`
    const isOption = !inlineValue && (value === "--" || known.some((each) => value === `--${each.name}`))
    if (value === undefined || isOption) return `${rawName} needs a value.`
    if (option.choices !== undefined && !option.choices.includes(value)) {
      return `${rawName} must be one of ${option.choices.join(", ")}.`
    }
  }
  return undefined
}

/**
 * The same arguments in an order: the options of every command that have a value, the command, its options, then what is
 * no option.
 */
export const inOneForm = (args: ReadonlyArray<string>, known: ReadonlyArray<KnownOption>): ReadonlyArray<string> => {
  const tokens = tokensOf(args, known)
  const first = new Set(known.flatMap((option) => (option.ofEveryCommand && option.takesValue ? option.name : [])))
  const options = (areFirst: boolean) =>
    tokens.flatMap((token) => {
      if (token.kind !== "option" || first.has(token.name) !== areFirst) return []
      return token.value === undefined ? token.rawName : [token.rawName, token.value]
    })
  const [command, ...operands] = operandsOf(tokens)
  return [
    ...options(true),
    ...(command === undefined ? [] : [command]),
    ...options(false),
    ...(operands.length === 0 ? [] : ["--", ...operands])
  ].map((argument) => (argument === "-" ? standardStream : argument))
}
