/** The form of a fault: its kinds, the fields of each, and the fault that they say. */
import * as Issue from "@effect-speech/transport/unstable/Issue"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { Fault } from "../../../src/Faults.js"

export const kinds = ["status", "delay", "cut", "reset", "malformed"] as const
export type Kind = (typeof kinds)[number]

export const kindNames: Readonly<Record<Kind, string>> = {
  status: "Status",
  delay: "Delay",
  cut: "Cut",
  reset: "Reset",
  malformed: "Malformed"
}

/** Which of the requests. */
export const choices = ["all", "every", "nth", "share"] as const
export type Choice = (typeof choices)[number]

/** What the fields hold, as text. */
export const emptyForm = {
  kind: "status" as Kind,
  status: "503",
  retryAfter: "",
  message: "",
  delaySeconds: "2",
  cutBy: "truncateAtByte",
  bytes: "20000",
  resetAt: "answer",
  malformed: "malformedHeader",
  body: "{",
  headers: "",
  operation: "",
  choice: "all" as Choice,
  every: "3",
  nth: "2",
  percent: "30",
  times: "",
  afterSeconds: "",
  forSeconds: ""
}
export type FormFields = typeof emptyForm
export type FieldName = keyof FormFields

export type FormResult =
  | { readonly fault: Fault }
  /** `field`: the one that is wrong, if it is one of the form. */
  | { readonly problem: string; readonly field?: FieldName }

/** The number in a field, in the fault's own unit. NaN, which no fault takes, if it holds none. */
const numberIn = (text: string, unit = 1): number => {
  const value = text.trim() === "" ? Number.NaN : Number(text.trim().replaceAll(",", ""))
  return unit === 1 ? value : Math.round(value * unit)
}

const optionalNumber = (text: string, unit = 1): number | undefined =>
  text.trim() === "" ? undefined : numberIn(text, unit)

const headersOf = (text: string): Record<string, string | null> =>
  Object.fromEntries(
    text
      .split("\n")
      .filter((line) => line.trim() !== "")
      .map((line) => {
        const [name = "", ...value] = line.split(":")
        return [name.trim(), value.join(":").trim() || null]
      })
  )

const effectOf = (form: FormFields): Record<string, unknown> => {
  switch (form.kind) {
    case "status": {
      const seconds = form.retryAfter.trim()
      return {
        status: numberIn(form.status),
        message: form.message.trim() || undefined,
        headers: seconds === "" ? undefined : { "Retry-After": seconds }
      }
    }
    case "delay":
      return { delayMillis: numberIn(form.delaySeconds, 1000) }
    case "cut":
      return { [form.cutBy]: numberIn(form.bytes) }
    case "reset":
      return { reset: form.resetAt }
    case "malformed":
      if (form.malformed === "body") return { body: form.body }
      return form.malformed === "headers" ? { headers: headersOf(form.headers) } : { malformedHeader: true }
  }
}

const whichOf = (form: FormFields): Record<string, unknown> => {
  const { choice } = form
  return {
    operation: form.operation || undefined,
    every: choice === "every" ? numberIn(form.every) : undefined,
    nth: choice === "nth" ? numberIn(form.nth) : undefined,
    probability: choice === "share" ? numberIn(form.percent) / 100 : undefined,
    times: optionalNumber(form.times),
    afterMillis: optionalNumber(form.afterSeconds, 1000),
    forMillis: optionalNumber(form.forSeconds, 1000)
  }
}

/** Where the form has a field of the fault under another name. */
const renamed: Readonly<Record<string, FieldName>> = {
  delayMillis: "delaySeconds",
  truncateAtByte: "bytes",
  stallAtByte: "bytes",
  probability: "percent",
  afterMillis: "afterSeconds",
  forMillis: "forSeconds"
}

const isFieldName = (name: string): name is FieldName => name in emptyForm

/** What each field takes, in the units of the form. */
const rules: Partial<Record<FieldName, string>> = {
  status: "Write a whole number from 200 to 599.",
  retryAfter: "Write a whole number of seconds, or nothing.",
  delaySeconds: "Write a number of seconds from 0 to 3,600.",
  bytes: "Write a whole number from 0.",
  headers: "Write one header a line, such as X-Sample-Rate: 1. A name alone removes the header.",
  every: "Write a whole number from 1.",
  nth: "Write a whole number from 1.",
  percent: "Write a number from 0 to 100.",
  times: "Write a whole number from 1, or nothing.",
  afterSeconds: "Write a number of seconds from 0, or nothing.",
  forSeconds: "Write a number of seconds above 0, or nothing."
}

/** The field whose text the fault would take, though it is not what the field is for. */
const unsuitableField = ({ headers, kind, malformed, retryAfter }: FormFields): FieldName | undefined => {
  if (kind === "status" && !/^\s*\d*\s*$/.test(retryAfter)) return "retryAfter"
  if (kind === "malformed" && malformed === "headers" && headers.trim() === "") return "headers"
  return undefined
}

const decode = Schema.decodeUnknownEither(Fault)

/** The fault of a form, or why there is none. */
export const faultOf = (form: FormFields): FormResult => {
  const unsuitable = unsuitableField(form)
  if (unsuitable !== undefined) return { field: unsuitable, problem: rules[unsuitable] ?? "" }
  const fields = Object.entries({ ...whichOf(form), ...effectOf(form) }).filter(([, value]) => value !== undefined)
  const decoded = decode(Object.fromEntries(fields))
  if (Either.isRight(decoded)) return { fault: decoded.right }
  const { field, problem } = Issue.first(decoded.left.issue)
  const name = field.split(".")[0] ?? ""
  const own = renamed[name] ?? (isFieldName(name) ? name : undefined)
  return own === undefined
    ? { problem: `The fault ${problem}.` }
    : { field: own, problem: rules[own] ?? `This ${problem}.` }
}
