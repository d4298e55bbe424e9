import * as JSONSchema from "effect/JSONSchema"
import type * as Schema from "effect/Schema"
import type { BaseUrls } from "../console/page.js"
import type { Offers } from "../options.js"

/** The values of a running service that its OpenAPI document states. */
export interface ServiceDescription extends BaseUrls, Offers {}

/** A keyword of our own in the schema of a field: the language, or the languages, of each value. */
export const languagesKeyword = "x-languages"

export type Json = Readonly<Record<string, unknown>>

/** The JSON Schema (2020-12, as OpenAPI 3.1 uses it) of the encoded side of a schema, with all references inlined. */
export const schemaOf = <A, I>(schema: Schema.Schema<A, I>, additional: "strict" | "allow" = "strict"): unknown => {
  const definitions: Record<string, JSONSchema.JsonSchema7> = {}
  const made = JSONSchema.fromAST(schema.ast, {
    definitions,
    target: "jsonSchema2020-12",
    additionalPropertiesStrategy: additional
  })
  return inlineReferences(made, definitions)
}

/** Inlines all references, and removes the identifiers, titles and descriptions of Effect itself, such as "an integer". */
export const inlineReferences = (value: unknown, definitions: Readonly<Record<string, unknown>>): unknown => {
  if (Array.isArray(value)) return value.map((each) => inlineReferences(each, definitions))
  if (typeof value !== "object" || value === null) return value
  const { $ref, ...rest } = withoutAllOf(value as Json)
  const isEffects = (name: string) =>
    name === "$id" || (typeof rest.title === "string" && /^(title|description)$/.test(name))
  const kept = Object.entries(rest).filter(([name]) => !isEffects(name))
  const own = Object.fromEntries(kept.map(([name, each]) => [name, inlineReferences(each, definitions)]))
  if (typeof $ref !== "string") return own
  const definition = definitions[$ref.slice($ref.lastIndexOf("/") + 1)]
  return { ...(inlineReferences(definition, definitions) as Json), ...own }
}

/** A reference with a description is in an `allOf` of its own. */
const withoutAllOf = (schema: Json): Json => {
  const { allOf, ...rest } = schema
  const isReference = Array.isArray(allOf) && allOf.length === 1 && "$ref" in allOf[0]
  return isReference ? { ...allOf[0], ...rest } : schema
}

export const json = (schema: unknown): Json => ({ "application/json": { schema } })

/** The failures of HTTP itself, which any request can meet. */
const protocol: Readonly<Record<number, string>> = {
  400: "The request is not valid HTTP/1.1, has no Host header or several, or ends early. Our choice.",
  408: "The headers, or the next bytes of the body, did not arrive in time. Our choice.",
  413: "The body or a part of it is too large. Our choice.",
  417: "The Expect header has a value other than 100-continue. Our choice.",
  421: "The Host header names another service. Our choice.",
  431: "The headers are larger than 16 KiB. Our choice.",
  500: "The service failed unexpectedly."
}

export interface FailureResponse {
  /** The content of each failure response. */
  readonly content: Json
  readonly headers?: Json | undefined
  /** The value of the Allow header of 405. */
  readonly allow: string
  /** The statuses that can have a Retry-After header. */
  readonly retryable?: ReadonlyArray<number> | undefined
}

/** The failure responses of an operation: those that any request can meet, and those in `causes`. */
export const failures = (
  causes: Readonly<Record<number, string>>,
  { allow, content, headers = {}, retryable = [] }: FailureResponse
): Readonly<Record<string, Json>> => {
  const described = { ...protocol, 405: "The path does not accept this method. Our choice.", ...causes }
  return Object.fromEntries(
    Object.entries(described).map(([status, description]) => [
      status,
      {
        description,
        headers: {
          ...headers,
          ...(status === "405" && { Allow: required({ type: "string", const: allow }) }),
          ...(retryable.includes(Number(status)) && { "Retry-After": retryAfter })
        },
        content
      }
    ])
  )
}

const retryAfter: Json = {
  schema: { type: "integer", minimum: 1 },
  description: "When to try again, in seconds. Our choice."
}

/** A header that every response has. */
export const required = (schema: unknown, description?: string): Json => ({
  required: true,
  schema,
  ...(description === undefined ? {} : { description })
})
