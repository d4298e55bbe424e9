/**
 * Options and operands of a command: how they are written, described and read. The declaration of the command is made of
 * these, and loads nothing else.
 */

/** The rule that a value breaks, as it follows the name of the option: `must be a number`. */
export class Invalid {
  readonly rule: string
  constructor(rule: string) {
    this.rule = rule
  }
}

/** Reads the text of one value. */
export type Read<A> = (text: string) => A | Invalid

/** Names that a service offers. */
export type NameKind = "models" | "languages" | "voices"

interface Details {
  /** What follows "Default:". */
  readonly default?: string
  /** All values, if they are few. */
  readonly choices?: ReadonlyArray<string>
  /** A value that works, for the refusal of a command that lacks it. */
  readonly example?: string
  /** What a shell completes: files, or the names that `speech models` and `speech voices` listed. Default: `choices`. */
  readonly completes?: "file" | "folder" | NameKind
  /** One letter, as in `-o FILE`. The same option has the same letter in each command. */
  readonly short?: string
}

/** An option of a command. */
export interface Option<A> extends Details {
  /** Without its dashes. */
  readonly name: string
  /** The value's name in the help, such as `FILE`. A switch has none. */
  readonly value: string | undefined
  /** One or two sentences. */
  readonly description: string
  readonly isRequired: boolean
  /** The name of an option with which this one is not required. */
  readonly unless?: string
  readonly isRepeatable: boolean
  /** The heading above it in `--help --all`. Default: `Options`. */
  readonly group?: string
  /** Reads all values given; there are none if the option is absent. */
  readonly read: (values: ReadonlyArray<string>) => A | Invalid
}

/** The arguments that are not options, such as the files to transcribe. */
export interface Operands {
  readonly name: string
  readonly description: string
  readonly min: number
  readonly max: number
  readonly completes?: "file" | "command"
  /** How standard input is given instead, such as `-`. */
  readonly standardInput?: string
  /** What to do instead of giving several. */
  readonly several?: string
  /** Whether they come after `--`, because they have options of their own. */
  readonly followDashes?: true
}

/** What a command is declared to be. */
export interface Command {
  /** What the command does: one sentence, in the imperative. */
  readonly summary: string
  /** What else you must know before the first use: one sentence or two. */
  readonly details?: string
  /** Examples, the most useful first. `--help` has the first two. */
  readonly examples: ReadonlyArray<string>
  readonly operands?: Operands
  /** What the usage shows of options of which one is required. */
  readonly oneOf?: string
  /** The options. Each key is the name of the value in the code. An option that sets a field of a request has the name of the field. */
  readonly options: Readonly<Record<string, Option<unknown>>>
  /** The keys of at most ten options, the most useful first: those of `--help`. Default: all options. */
  readonly mostUsed?: ReadonlyArray<string>
  /** Options of earlier versions: they are read, and neither described nor completed. */
  readonly former?: Readonly<Record<string, Option<unknown>>>
}

/** Puts options under a heading of `--help --all`. */
export const group = <const Options extends Command["options"]>(heading: string, options: Options): Options =>
  // Each option keeps its type: the heading is one more field.
  Object.fromEntries(
    Object.entries(options).map(([key, option]) => [key, { ...option, group: heading }])
  ) as unknown as Options

/** An option without a value. */
export const flag = (
  written: `--${string}`,
  description: string,
  details: Pick<Details, "short"> = {}
): Option<boolean> => ({
  name: written.slice(2),
  value: undefined,
  description,
  ...details,
  isRequired: false,
  isRepeatable: false,
  read: (values) => values.length > 0
})

/** An option with a value, as it is written: `--out FILE`. */
type Written = `--${string} ${string}`

const namesOf = (written: Written): Pick<Option<unknown>, "name" | "value"> => {
  const [name = "", value] = written.slice(2).split(" ")
  return { name, value }
}

/** The end of a sentence that asks for an option. */
export const suchAs = ({ example, name }: Pick<Option<unknown>, "name" | "example">): string =>
  example === undefined ? "" : `, such as --${name} ${example}`

export const required = <A>(written: Written, read: Read<A>, description: string, details: Details = {}): Option<A> => {
  const names = namesOf(written)
  return {
    ...names,
    description,
    ...details,
    isRequired: true,
    isRepeatable: false,
    read: ([text]) =>
      text === undefined ? new Invalid(`is required${suchAs({ ...details, name: names.name })}`) : read(text)
  }
}

/** An option that is required if another one, which has no value, is absent. */
export const unless = <A>(other: string, option: Option<A>): Option<A | undefined> => ({ ...option, unless: other })

export const optional = <A>(
  written: Written,
  read: Read<A>,
  description: string,
  details: Details = {}
): Option<A | undefined> => ({
  ...namesOf(written),
  description,
  ...details,
  isRequired: false,
  isRepeatable: false,
  read: ([text]) => (text === undefined ? undefined : read(text))
})

export const text: Read<string> = (given) => given

export const repeatable = <A>(written: Written, read: Read<A>, description: string): Option<ReadonlyArray<A>> => ({
  ...namesOf(written),
  description,
  isRequired: false,
  isRepeatable: true,
  read: (values) => {
    const found: Array<A> = []
    for (const value of values.map(read)) {
      if (value instanceof Invalid) return value
      found.push(value)
    }
    return found
  }
})

export const number =
  (
    rule: { readonly above?: number; readonly from?: number; readonly to?: number; readonly integer?: boolean } = {}
  ): Read<number> =>
  (given) => {
    const value = given.trim() === "" ? Number.NaN : Number(given)
    const isValid =
      !Number.isNaN(value) &&
      (rule.integer !== true || Number.isInteger(value)) &&
      (rule.above === undefined || value > rule.above) &&
      (rule.from === undefined || value >= rule.from) &&
      (rule.to === undefined || value <= rule.to)
    const kind = rule.integer === true ? "a whole number" : "a number"
    const above = rule.above === undefined ? "" : ` above ${rule.above}`
    const from = rule.from === undefined ? "" : ` from ${rule.from}`
    const to = rule.to === undefined ? "" : ` to ${rule.to}`
    return isValid ? value : new Invalid(`must be ${kind}${above}${from}${to}`)
  }

/** A value, or the word `none`. */
export const orNone =
  <A>(read: Read<A>): Read<A | "none"> =>
  (given) => {
    if (given === "none") return given
    const value = read(given)
    return value instanceof Invalid ? new Invalid(`${value.rule}, or none`) : value
  }

export const choice =
  <const A extends string>(choices: ReadonlyArray<A>): Read<A> =>
  (given) =>
    choices.find((each) => each === given) ?? new Invalid(`must be one of ${choices.join(", ")}`)

/** An option that takes one of a few values. */
export const oneOf = <const A extends string>(
  written: Written,
  choices: ReadonlyArray<A>,
  description: string,
  details: Details = {}
): Option<A | undefined> => optional(written, choice(choices), description, { ...details, choices })

export const jsonObject: Read<Readonly<Record<string, unknown>>> = (given) => {
  const refused = new Invalid("must be a JSON object")
  try {
    const value: unknown = JSON.parse(given)
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : refused
  } catch {
    return refused
  }
}

/** Reads `NAME=VALUE,…`: each of the names at most once. A value has no comma. */
export const pairs =
  <const Name extends string>(names: ReadonlyArray<Name>): Read<Partial<Record<Name, string>>> =>
  (given) => {
    const found: Partial<Record<Name, string>> = {}
    for (const part of given.split(",")) {
      const [, written = "", value = ""] = /^\s*(\w+)\s*=\s*(.*?)\s*$/s.exec(part) ?? []
      const name = names.find((each) => each === written)
      if (name === undefined || value === "") {
        return new Invalid(`must be NAME=VALUE, separated by commas. The names are ${names.join(", ")}`)
      }
      if (name in found) return new Invalid(`has ${name} more than once`)
      found[name] = value
    }
    return found
  }
