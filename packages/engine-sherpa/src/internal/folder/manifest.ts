/**
 * `model.json`: what a person says about a model, when its files do not.
 */
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { type Found, refuse } from "./found.js"

/** The part of a file in a model, with the field of `model.json`. */
export const roles = ["model", "encoder", "decoder", "joiner", "tokens", "voices", "bpeVocab"] as const

export type Role = (typeof roles)[number]

/** `__proto__` is no key of a plain object. */
const namePattern = /^(?!__proto__$)[\p{L}\p{M}\p{N}._:+@-]{1,100}$/u

/** What a name of a model, of a voice or of an alias may be, as it follows the field in a sentence. */
export const nameRule = "must have 1 to 100 letters, digits or . _ : + @ -, and no space, and must not be __proto__"

export const isName = (name: string): boolean => namePattern.test(name)

const rule = (problem: string) => ({ message: () => ({ message: problem, override: true }) })

const Name = Schema.String.annotations(rule(nameRule)).pipe(Schema.pattern(namePattern, rule(nameRule)))

const codeRule = 'must be a code of two or three small letters, such as "hi"'
const Language = Schema.String.annotations(rule(codeRule)).pipe(Schema.pattern(/^[a-z]{2,3}$/, rule(codeRule)))

const integer = (from: number, to: number) => {
  const problem = `must be a whole number from ${from} to ${to}`
  return Schema.Number.annotations(rule(problem)).pipe(
    Schema.int(rule(problem)),
    Schema.between(from, to, rule(problem))
  )
}

const pathRule = "must be the path of a file in the folder, without .., such as onnx/model.onnx"

const isInside = (path: string): boolean =>
  path.split(/[/\\]/).every((part) => part !== "" && part !== "." && part !== "..") && !/^[a-z]:/i.test(path)

const InnerPath = Schema.String.annotations(rule(pathRule)).pipe(Schema.filter(isInside, rule(pathRule)))

const list = <A, I>(item: Schema.Schema<A, I>) =>
  Schema.NonEmptyArray(item).annotations({ message: () => "must be a list with at least one value" })

const Manifest = Schema.Struct({
  /** Default: the name of the folder. */
  name: Schema.optional(Name),
  /** Of Whisper and other models of many languages: those to offer. */
  languages: Schema.optional(list(Language)),
  /** The speaker of each voice. The names `default_female` and `default_male` make it the default of its languages. */
  voices: Schema.optional(Schema.Record({ key: Name, value: integer(0, 99_999) })),
  licence: Schema.optional(Schema.String.annotations(rule("must be a text"))),
  /** Threads of the machine that the model uses. */
  numThreads: Schema.optional(integer(1, 256)),
  /** Further names. Those of a model of several languages begin with the language: `hi-calls`. */
  aliases: Schema.optional(list(Name)),
  /** Files whose names do not say what they are, by {@link roles}. */
  files: Schema.optional(
    Schema.partial(
      Schema.Struct(Object.fromEntries(roles.map((role) => [role, InnerPath])) as Record<Role, typeof InnerPath>)
    )
  )
})

export interface Manifest extends Schema.Schema.Type<typeof Manifest> {}

const decode = Schema.decodeUnknownEither(Manifest, { onExcessProperty: "error" })

const example = '{"languages": ["hi"]}'

const sentence = (field: string, problem: string) => `model.json can't be used: ${field} ${problem}.`

/** Reads the text of a `model.json`. The error is a sentence that names the field. */
export const parseManifest = (text: string): Found<Manifest> => {
  let value: unknown
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ""))
  } catch {
    return refuse(sentence("it", `must be a JSON object, such as ${example}`))
  }
  return Either.mapLeft(decode(value), ({ issue }) => {
    const [first] = ParseResult.ArrayFormatter.formatIssueSync(issue)
    const field = (first?.path ?? []).map(String).join(".")
    if (field === "") return sentence("it", `must be a JSON object, such as ${example}`)
    if (first?._tag !== "Unexpected") return sentence(field, first?.message ?? "is not valid")
    // The keys of `voices` are names.
    const [known] = first.path
    if (known === "voices") return sentence(field, nameRule)
    const fields = known === "files" ? roles : Object.keys(Manifest.fields)
    return sentence(field, `is not a known field; use ${fields.join(", ")}`)
  })
}
