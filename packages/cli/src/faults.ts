/**
 * Reads the faults of a file.
 */
import { Fault } from "@effect-speech/local-service/Faults"
import * as Issue from "@effect-speech/transport/unstable/Issue"
import { type AnyNode, type DocumentNode, parse, type ValueNode } from "@humanwhocodes/momoa"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { type InputFailed, refuse, type UsageError } from "./failure.js"
import { readText } from "./readText.js"

const unknownField = "is not a known field"
const asList = Issue.strictly(Schema.Array(Fault), unknownField)
const asObject = Issue.strictly(Schema.Struct({ faults: Schema.Array(Fault) }), unknownField)

/** A rule that the file breaks, and the path of the field in its JSON. */
interface Broken {
  readonly path: ReadonlyArray<string>
  readonly problem: string
}

/** Reads a JSON file: a list of faults, or an object that has it as `faults`. An error names the fault, its field and the line. */
export const readFaults = (file: string): Effect.Effect<ReadonlyArray<Fault>, InputFailed | UsageError> =>
  Effect.gen(function* () {
    // `-` is a file of this name: standard input is that of the command.
    const text = yield* readText(file === "-" ? "./-" : file)
    const document = yield* Effect.try({
      try: () => parse(text, { mode: "json" }),
      catch: (error) => notJson(file, error)
    })
    const repeated = repeatedIn(document.body, [])
    if (repeated !== undefined) return yield* refuseLine(file, document, repeated)
    return yield* Either.mapLeft(decode(JSON.parse(text), document.body.type), (broken) =>
      refuseLine(file, document, broken)
    )
  })

const decode = (value: unknown, type: ValueNode["type"]): Either.Either<ReadonlyArray<Fault>, Broken> => {
  if (type !== "Array" && type !== "Object") {
    return Either.left({ path: [], problem: "must be a list of faults, or an object with the list as faults" })
  }
  const decoded = type === "Array" ? asList(value) : Either.map(asObject(value), ({ faults }) => faults)
  return Either.mapLeft(decoded, ({ field, problem }) => ({ path: field.split("."), problem }))
}

const notJson = (file: string, error: unknown): UsageError => {
  const { column, line } = Object.assign({ line: 1, column: 1 }, error)
  return refuse(
    `${file}, line ${line}, column ${column}: this is not JSON. Look for a missing or superfluous comma, quote or bracket.`
  )
}

/** JSON takes the last of two members of the same name, which is hardly what was meant. */
const repeatedIn = (node: ValueNode, path: ReadonlyArray<string>): Broken | undefined => {
  if (node.type === "Array") return firstOf(node.elements, ({ value }, at) => repeatedIn(value, [...path, String(at)]))
  if (node.type !== "Object") return undefined
  const names = new Set<string>()
  return firstOf(node.members, (member) => {
    const name = nameOf(member.name)
    const inner = [...path, name]
    if (names.has(name)) return { path: inner, problem: "is given twice" }
    names.add(name)
    return repeatedIn(member.value, inner)
  })
}

const firstOf = <A, B>(values: ReadonlyArray<A>, find: (value: A, at: number) => B | undefined): B | undefined => {
  for (const [at, value] of values.entries()) {
    const found = find(value, at)
    if (found !== undefined) return found
  }
  return undefined
}

const nameOf = (name: { readonly type: string; readonly value?: string; readonly name?: string }): string =>
  name.value ?? name.name ?? ""

const refuseLine = (file: string, document: DocumentNode, { path, problem }: Broken): UsageError =>
  refuse(`${file}, line ${lineOf(document.body, path)}: ${subjectOf(path)} ${problem}.`)

/** `fault 2: status`, for the path `1.status`, also below `faults`. */
const subjectOf = (path: ReadonlyArray<string>): string => {
  const [first = "", ...rest] = path[0] === "faults" ? path.slice(1) : path
  if (/^\d+$/.test(first)) return `fault ${Number(first) + 1}${rest.length === 0 ? "" : `: ${rest.join(".")}`}`
  return first === "" || first === "request" ? "it" : first
}

/** The line of the node at the end of a path, or of the last one on it that is there. */
const lineOf = (start: ValueNode, path: ReadonlyArray<string>): number => {
  let [node, line] = [start, start.loc.start.line]
  for (const name of path) {
    const next: AnyNode | undefined =
      node.type === "Array"
        ? node.elements[Number(name)]
        : node.type === "Object"
          ? node.members.findLast((member) => nameOf(member.name) === name)
          : undefined
    if (next === undefined || !("value" in next)) break
    line = next.loc.start.line
    node = next.value as ValueNode
  }
  return line
}
