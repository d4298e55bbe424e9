/** The filter of the list of requests, which the address holds: `?q=ferry&only=failed,synthesis`. */

import type { JournalEntry } from "../../../src/Journal.js"
import type { Call } from "./calls.js"
import { isFailed, isInProgress, statusOf } from "./outcome.js"

const results = ["failed", "progress"] as const
const operations = ["synthesis", "transcription"] as const

export interface RequestFilter {
  /** Words that a request must hold: of its text, an id, a number, a status. */
  readonly text: string
  /** Default: any. */
  readonly result: (typeof results)[number] | undefined
  /** Default: both. */
  readonly operation: (typeof operations)[number] | undefined
}

export const noFilter: RequestFilter = { text: "", result: undefined, operation: undefined }

export const readFilter = (query: string): RequestFilter => {
  const parameters = new URLSearchParams(query)
  const only = (parameters.get("only") ?? "").split(",")
  return {
    text: parameters.get("q") ?? "",
    result: results.find((each) => only.includes(each)),
    operation: operations.find((each) => only.includes(each))
  }
}

/** The query of an address. A comma stays as it is, so that the address can be read. */
export const writeFilter = ({ operation, result, text }: RequestFilter): string => {
  const only = [result, operation].filter((each) => each !== undefined)
  return [
    ...(text === "" ? [] : [`q=${encodeURIComponent(text)}`]),
    ...(only.length === 0 ? [] : [`only=${only}`])
  ].join("&")
}

export const operationName = (operation: JournalEntry["operation"]): (typeof operations)[number] =>
  operation === "synthesize" ? "synthesis" : "transcription"

/** What a search reads of an entry, in lower case. */
interface SearchTexts {
  /** What was said and what was sent. */
  readonly text: string
  /** Ids, which any short number is a part of. */
  readonly ids: string
}

/** An entry is replaced when it changes, so its texts are made once. */
const madeTexts = new WeakMap<JournalEntry, SearchTexts>()

const textsOf = (entry: JournalEntry): SearchTexts => {
  const before = madeTexts.get(entry)
  if (before !== undefined) return before
  const { fault, fileName, id, keyId, operation, problem, request, transcript } = entry
  let text = `${operation}\n${operationName(operation)}\n${statusOf(entry).word}`
  let ids = `${id ?? ""}\n${keyId ?? ""}`
  for (const name in request) {
    const value = request[name]
    const written = typeof value === "object" ? JSON.stringify(value) : String(value)
    if (name === "transaction_id") ids += `\n${written}`
    else text += `\n${written}`
  }
  text += `\n${fault === undefined ? "" : "fault"}\n${problem ?? ""}\n${transcript ?? ""}\n${fileName ?? ""}`
  const texts = { text: text.toLowerCase(), ids: ids.toLowerCase() }
  madeTexts.set(entry, texts)
  return texts
}

/** Digits are the number of a request, a status, or a part of a text. Only a long row of them is a part of an id. */
const shortestDigitsOfId = 6

type Test = (entry: JournalEntry) => boolean

const holds = (word: string): Test => {
  if (/^#\d+$/.test(word)) return ({ number }) => number === Number(word.slice(1))
  if (/^[1-5]xx$/.test(word)) return ({ status }) => status !== null && Math.floor(status / 100) === Number(word[0])
  if (/^\d+$/.test(word) && word.length < shortestDigitsOfId) {
    const digits = Number(word)
    return (entry) => entry.number === digits || entry.status === digits || textsOf(entry).text.includes(word)
  }
  return (entry) => {
    const { ids, text } = textsOf(entry)
    return text.includes(word) || ids.includes(word)
  }
}

/** Whether a filter shows a call. `tests` are those of the words of its text. */
const isShown = ({ attempts, latest }: Call, { operation, result }: RequestFilter, tests: ReadonlyArray<Test>) =>
  (operation === undefined || operationName(latest.operation) === operation) &&
  (result === undefined || (result === "failed" ? isFailed(latest) : isInProgress(latest))) &&
  (tests.length === 0 || attempts.some((attempt) => tests.every((test) => test(attempt))))

/** The calls that a filter shows. */
export const filterCalls = (calls: ReadonlyArray<Call>, filter: RequestFilter): ReadonlyArray<Call> => {
  const tests = filter.text.toLowerCase().split(/\s+/).filter(Boolean).map(holds)
  if (tests.length === 0 && filter.operation === undefined && filter.result === undefined) return calls
  return calls.filter((call) => isShown(call, filter, tests))
}

/** How many calls have each result. */
export const countCalls = (calls: ReadonlyArray<Call>): { readonly failed: number; readonly progress: number } => {
  let failed = 0
  let progress = 0
  for (const { latest } of calls) {
    if (isInProgress(latest)) progress++
    else if (isFailed(latest)) failed++
  }
  return { failed, progress }
}
