import * as Schema from "effect/Schema"
import { Account, Key, Keys, Usage } from "../../Accounts.js"
import { FaultRecord } from "../../Faults.js"
import { JournalEntry } from "../../Journal.js"
import { failures, type Json, json, schemaOf } from "./openApiParts.js"
import { AccountChanges, FaultList, NewKey, Reset, Scopes } from "./platformRequests.js"

export const PlatformFailure = Schema.Struct({ error: Schema.String })

const CreatedKey = Schema.Struct({ ...Key.fields, key: Schema.String })

interface Described {
  readonly id: string
  readonly summary: string
  readonly body?: Json
  readonly success: Readonly<Record<number, Json>>
  readonly causes?: Readonly<Record<number, string>>
  /** Whether it is open to everybody. Default: false. */
  readonly open?: boolean
}

type Methods = Readonly<Partial<Record<"get" | "post" | "put" | "patch", Described>>>

const ok = <A, I>(description: string, schema: Schema.Schema<A, I>): Readonly<Record<number, Json>> => ({
  200: { description, content: json(schemaOf(schema)) }
})

const body = <A, I>(schema: Schema.Schema<A, I>, required = true): Json => ({
  required,
  content: json(schemaOf(schema))
})

const keyCauses = { 404: "There is no key of this id.", 409: "The key of this id is revoked." }

/** Every path of the platform, with its methods in the order in which an Allow header has them. */
const described: Readonly<Record<string, Methods>> = {
  "/": {
    get: {
      id: "page",
      summary: "What this is, for people",
      open: true,
      success: { 200: { description: "A page.", content: { "text/html": {} } } }
    }
  },
  "/openapi.json": {
    get: {
      id: "openApi",
      summary: "This document",
      open: true,
      success: { 200: { description: "OpenAPI 3.1.", content: json({ type: "object", required: ["openapi"] }) } }
    }
  },
  "/platform/api/account": {
    get: { id: "account", summary: "The account", success: ok("The account.", Account) },
    patch: {
      id: "changeAccount",
      summary: "Change the state or the credit",
      body: body(AccountChanges),
      success: ok("The account as it is now.", Account)
    }
  },
  "/platform/api/keys": {
    get: { id: "keys", summary: "The active key and the archived ones", success: ok("The keys.", Keys) },
    post: {
      id: "createKey",
      summary: "Create a key, which revokes the active one at once",
      body: body(NewKey),
      success: { 201: { description: "The key, shown this once.", content: json(schemaOf(CreatedKey)) } },
      causes: { 409: "A key is active, and its end is not confirmed." }
    }
  },
  "/platform/api/keys/{id}/revoke": {
    post: { id: "revokeKey", summary: "Revoke a key", success: ok("The keys.", Keys), causes: keyCauses }
  },
  "/platform/api/keys/{id}": {
    patch: {
      id: "changeKey",
      summary: "Change what a key is for",
      body: body(Scopes),
      success: ok("The key.", Key),
      causes: keyCauses
    }
  },
  "/platform/api/usage": {
    get: { id: "usage", summary: "What was used, the latest day first", success: ok("Usage.", Schema.Array(Usage)) }
  },
  "/platform/api/faults": {
    get: {
      id: "faults",
      summary: "The failures that are asked for",
      success: ok("Faults.", Schema.Array(FaultRecord))
    },
    put: {
      id: "setFaults",
      summary: "Ask for failures, in place of those before",
      body: body(FaultList),
      success: ok("Faults.", Schema.Array(FaultRecord))
    }
  },
  "/platform/api/requests": {
    get: {
      id: "requests",
      summary: "The latest thousand requests of both operations, the oldest first",
      success: ok("Requests.", Schema.Array(JournalEntry))
    }
  },
  "/platform/api/reset": {
    post: {
      id: "reset",
      summary: "Begin anew, as at the start",
      body: body(Reset, false),
      success: { 204: { description: "Done." } }
    }
  }
}

const bodyCauses = {
  400: "The body breaks a rule: the message names the field. Or the request is malformed.",
  415: "The body is not application/json, or has a Content-Encoding."
}

const toOperation = ({ body, causes, id, open = false, success, summary }: Described, allow: string): Json => ({
  operationId: id,
  summary,
  security: open ? [] : [{ adminToken: [] }],
  ...(body === undefined ? {} : { requestBody: body }),
  responses: {
    ...success,
    ...failures(
      {
        ...(open ? {} : { 401: "X-Admin-Token is missing or wrong." }),
        ...(body === undefined ? {} : bodyCauses),
        ...causes
      },
      { content: json(schemaOf(PlatformFailure)), allow }
    )
  }
})

const id = { name: "id", in: "path", required: true, description: "Of the key.", schema: { type: "string" } }

/** The platform's API is our own: the contract names what it does and not how. */
export const platformPaths = (): Json =>
  Object.fromEntries(
    Object.entries(described).map(([path, methods]) => {
      const allow = Object.keys(methods).join(", ").toUpperCase()
      const operations = Object.entries(methods).map(([method, each]) => [method, toOperation(each, allow)])
      return [path, { ...(path.includes("{id}") ? { parameters: [id] } : {}), ...Object.fromEntries(operations) }]
    })
  )
