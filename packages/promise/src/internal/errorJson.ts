/**
 * Recognises the data of an error that comes from another process or worker.
 */
import type { CallReport } from "../Call.js"
import type { Category, SpeechErrorJson } from "../ErrorFacts.js"

type ErrorData = Omit<SpeechErrorJson, "name"> & { readonly stack: string | undefined }

const categories: Readonly<Record<Category, true>> = {
  request: true,
  recording: true,
  account: true,
  service: true,
  connection: true,
  file: true
}

/** The data of an error: of its clone, whose `cause` has them, or of its JSON. */
export const readJson = (value: unknown): ErrorData | undefined => {
  if (!isObject(value) || typeof value.message !== "string") return undefined
  const { category, facts, tag, call, retryable } = isObject(value.cause) ? value.cause : value
  if (typeof tag !== "string" || typeof retryable !== "boolean" || !isObject(facts) || !isCallReport(call))
    return undefined
  if (!isCategory(category)) return undefined
  const stack = typeof value.stack === "string" ? value.stack : undefined
  return { message: value.message, stack, tag, category, retryable, facts, call }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isCategory = (value: unknown): value is Category => typeof value === "string" && Object.hasOwn(categories, value)

const isCallReport = (value: unknown): value is CallReport & Readonly<Record<string, unknown>> =>
  isObject(value) &&
  typeof value.sentId === "string" &&
  typeof value.billing === "string" &&
  Array.isArray(value.attempts)
