import type { IncomingMessage } from "node:http"
import type { Fault } from "../../Faults.js"
import type { HideKey } from "./hideKey.js"
import { shortText } from "./shortenFields.js"

/** The body of a request, as it is sent again. */
export type KeptBody = KeptJson | KeptForm

export interface KeptJson {
  readonly _tag: "Json"
  readonly bytes: Uint8Array
}

export interface KeptForm {
  readonly _tag: "Form"
  /** In the order of the form. */
  readonly fields: ReadonlyArray<readonly [name: string, value: string]>
  readonly file: FormFile | undefined
}

/** The file of a form, without its bytes. */
export interface FormFile {
  /** `undefined`: the form has no name for it. */
  readonly fileName: string | undefined
  readonly mediaType: string
  /** How many fields are before it. */
  readonly fieldsBefore: number
}

type HeaderList = ReadonlyArray<readonly [name: string, value: string]>

export interface RequestHead {
  readonly method: string
  readonly path: string
  readonly headers: HeaderList
}

export interface KeptResponse {
  readonly status: number
  readonly headers: HeaderList
  /** The text of the body. `undefined`: the body is no text. */
  readonly body: string | undefined
}

/** What the journal knows of a request beside its entry. */
export interface Details {
  readonly head: RequestHead
  /** `undefined`: it was not read. */
  readonly body: KeptBody | undefined
  /** `undefined`: none was sent. */
  readonly response: KeptResponse | undefined
  /** The fault that it met. */
  readonly fault: Fault | undefined
  /** Whether the headers and the bodies are gone, because the journal has no room for more. */
  readonly isForgotten: boolean
  /** Whether the key of the request was in its body, and was removed. */
  readonly hadKey: boolean
}

/** In the name of a header or a query parameter whose value is a secret. */
const secretName = /key|token|secret|auth|password|cookie/i

const hidden = "(hidden)"

/** The method, the path and the headers of a request, without secrets. */
export const headOf = ({ method = "", rawHeaders, url = "" }: IncomingMessage, hide: HideKey): RequestHead => {
  const headers: Array<readonly [string, string]> = []
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string
    const value = rawHeaders[at + 1] as string
    headers.push([name, secretName.test(name) ? hidden : hide(value)])
  }
  return { method, path: hide(hideInQuery(url)), headers }
}

const hideInQuery = (url: string): string => {
  const at = url.indexOf("?") + 1
  if (at === 0) return url
  const parameters = url
    .slice(at)
    .split("&")
    .map((parameter) => {
      const [name = ""] = new URLSearchParams(parameter).keys()
      const valueAt = parameter.indexOf("=") + 1
      return valueAt > 0 && secretName.test(name) ? parameter.slice(0, valueAt) + hidden : parameter
    })
  return url.slice(0, at) + parameters.join("&")
}

export const arrived = (head: RequestHead): Details => ({
  head,
  body: undefined,
  response: undefined,
  fault: undefined,
  isForgotten: false,
  hadKey: false
})

export const withoutKey = ({ body, headers, status }: KeptResponse, hide: HideKey): KeptResponse => ({
  status,
  headers: headers.map(([name, value]) => [name, hide(value)]),
  body: body === undefined ? undefined : hide(body)
})

/** The same fault, unless it has the key. */
export const hideInFault = (fault: Fault, hide: HideKey): Fault => {
  const json = JSON.stringify(fault)
  const safe = hide(json)
  return safe === json ? fault : JSON.parse(safe)
}

/** The same body, unless it has the key. */
export const hideInBody = (body: KeptBody, hide: HideKey): KeptBody => {
  if (body._tag === "Json") {
    const text = Buffer.from(body.bytes.buffer, body.bytes.byteOffset, body.bytes.byteLength).toString("latin1")
    const safe = hide(text)
    return safe === text ? body : { _tag: "Json", bytes: Buffer.from(safe, "latin1") }
  }
  const fields = body.fields.map(([name, value]) => [hide(name), hide(value)] as const)
  const fileName = body.file?.fileName === undefined ? undefined : hide(body.file.fileName)
  const isSame =
    fileName === body.file?.fileName &&
    fields.every(([name, value], at) => name === body.fields[at]?.[0] && value === body.fields[at]?.[1])
  return isSame ? body : { _tag: "Form", fields, file: body.file && { ...body.file, fileName } }
}

const lengthOf = (headers: HeaderList): number =>
  headers.reduce((sum, [name, value]) => sum + name.length + value.length, 0)

/** In bytes, about. A character has two. */
export const sizeOf = ({ body, head, response }: Pick<Details, "head" | "body" | "response">): number => {
  const texts = head.path.length + lengthOf(head.headers)
  const ofResponse = response === undefined ? 0 : lengthOf(response.headers) + (response.body?.length ?? 0)
  const form = body?._tag === "Form" ? lengthOf(body.fields) : 0
  const json = body?._tag === "Json" ? body.bytes.length : 0
  return 2 * (texts + ofResponse + form) + json
}

/** In characters, of a path that is kept without its headers. */
const longestPath = 200

/** The same, without its headers and its bodies, and with the beginning of its path. */
export const withoutTexts = ({ fault, hadKey, head, response }: Details): Details => ({
  head: { ...head, path: shortText(head.path, longestPath), headers: [] },
  body: undefined,
  response: response && { status: response.status, headers: [], body: undefined },
  fault,
  isForgotten: true,
  hadKey
})
