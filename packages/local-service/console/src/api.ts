/** The calls of the page to the service, which the session's cookie authorises. */
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { CallFailed } from "../../src/internal/console/messages.js"
import { sentence } from "./format.js"
import { makeStore } from "./store.js"

/** Why a call failed, as a program would get it. */
export interface CallFailure {
  /** The tag of the error. Absent if the platform itself refused the call. */
  readonly tag?: string | undefined
  readonly message: string
  readonly requestId?: string | null | undefined
}

export type Outcome<A> =
  | { readonly ok: true; readonly value: A }
  | { readonly ok: false; readonly status: number | undefined; readonly failure: CallFailure }

/** Whether the service accepts the calls of the page. `undefined`: not known yet. */
export const signedIn = makeStore<boolean | undefined>(undefined)

export interface CallOptions {
  readonly json?: unknown
  readonly body?: Blob
  readonly signal?: AbortSignal | undefined
}

const FailureBody = Schema.parseJson(Schema.Union(CallFailed, Schema.Struct({ error: Schema.String })))
const decodeFailure = Schema.decodeUnknownEither(FailureBody)

/** Calls the service, and gives its response if its status is one of success. */
export const send = async (method: string, path: string, options: CallOptions = {}): Promise<Outcome<Response>> => {
  const { body = null, json, signal = null } = options
  const type = json === undefined ? body && "application/octet-stream" : "application/json"
  try {
    const response = await fetch(path, {
      method,
      credentials: "same-origin",
      redirect: "error",
      headers: type === null ? {} : { "Content-Type": type },
      body: json === undefined ? body : JSON.stringify(json),
      signal
    })
    if (response.ok) return { ok: true, value: response }
    if (response.status === 401 && path.startsWith("platform/")) signedIn.set(false)
    return { ok: false, status: response.status, failure: toFailure(response.status, await response.text()) }
  } catch {
    return {
      ok: false,
      status: undefined,
      failure: { message: "The service did not respond. Check that it is still running, then try again." }
    }
  }
}

const toFailure = (status: number, body: string): CallFailure =>
  Either.match(decodeFailure(body), {
    onLeft: () => ({ message: `The service responded with status ${status}.` }),
    onRight: (read) => ("error" in read ? { message: sentence(read.error) } : read)
  })

/** Calls the service, and decodes the JSON of its response. */
export const call = async <A, I>(
  method: string,
  path: string,
  schema: Schema.Schema<A, I>,
  options?: CallOptions
): Promise<Outcome<A>> => {
  const sent = await send(method, path, options)
  if (!sent.ok) return sent
  const unreadable = { message: "The service sent a response that this page cannot read. Reload the page." }
  try {
    return Either.match(Schema.decodeUnknownEither(schema)(await sent.value.json()), {
      onLeft: (): Outcome<A> => ({ ok: false, status: sent.value.status, failure: unreadable }),
      onRight: (value) => ({ ok: true, value })
    })
  } catch {
    return { ok: false, status: sent.value.status, failure: unreadable }
  }
}
