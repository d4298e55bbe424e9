import * as JSONSchema from "effect/JSONSchema"
import type * as Schema from "effect/Schema"

/** Where the two operations are: the document has them, and so has the page. */
/** What of a service its document tells. */
export interface Described extends BaseUrls {
  readonly models: ReadonlyArray<string>
  readonly languages: ReadonlyArray<string>
  readonly voices: ReadonlyArray<string>
}

export interface BaseUrls {
  readonly sttBaseUrl: string
  readonly ttsBaseUrl: string
}

export type Json = Readonly<Record<string, unknown>>

/** The JSON Schema of what a schema takes, whole: OpenAPI 3.1 speaks the 2020-12 of it. */
export const schemaOf = <A, I>(schema: Schema.Schema<A, I>, additional: "strict" | "allow" = "strict"): unknown => {
  const definitions: Record<string, JSONSchema.JsonSchema7> = {}
  const made = JSONSchema.fromAST(schema.ast, {
    definitions,
    target: "jsonSchema2020-12",
    additionalPropertiesStrategy: additional
  })
  // The identifiers, titles and descriptions are Effect's own ("an integer"), and say nothing here.
  const plain = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(plain)
    if (typeof value !== "object" || value === null) return value
    const { $ref, ...rest } = value as Json
    const kept = Object.entries(rest).filter(
      ([name, each]) => !(["$id", "title", "description"].includes(name) && typeof each === "string")
    )
    const own = Object.fromEntries(kept.map(([name, each]) => [name, plain(each)]))
    if (typeof $ref !== "string") return own
    return { ...(plain(definitions[$ref.slice("#/$defs/".length)]) as Json), ...own }
  }
  return plain(made)
}

export const json = (schema: unknown): Json => ({ "application/json": { schema } })

/** What is wrong with the HTTP of a request, before anybody looks at what it asks for. */
const protocol: Readonly<Record<number, string>> = {
  400: "It is not a request of HTTP/1.1, has no Host header or several, or ends early. Our choice.",
  408: "The head of the request, or more of its body, did not come in time. Our choice.",
  413: "The body, or a part of it, is too large. Our choice.",
  417: "It expects something else than 100-continue. Our choice.",
  421: "The Host header names another service. Our choice.",
  431: "The headers are larger than 16 KiB. Our choice.",
  500: "Unexpected failure of the service."
}

export interface Failures {
  /** What they look like. */
  readonly content: Json
  readonly headers?: Json | undefined
  /** The methods that a path takes, as the Allow header of a 405 has them. */
  readonly allow: string
}

/** The responses that are failures: those of any request, and those of the operation, each with its cause. */
export const failures = (
  causes: Readonly<Record<number, string>>,
  { allow, content, headers = {} }: Failures
): Readonly<Record<string, Json>> => {
  const described = { ...protocol, 405: "The path takes other methods. Our choice.", ...causes }
  return Object.fromEntries(
    Object.entries(described).map(([status, description]) => [
      status,
      {
        description,
        headers: status === "405" ? { ...headers, Allow: required({ type: "string", const: allow }) } : headers,
        content
      }
    ])
  )
}

/** A header that is always there. */
export const required = (schema: unknown, description?: string): Json => ({
  required: true,
  schema,
  ...(description === undefined ? {} : { description })
})
