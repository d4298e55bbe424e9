/** The two lines of a call in the list: what happened, and its facts. */
import type { JournalEntry } from "../../../src/Journal.js"
import { duration, number, plural, sentence, voice } from "../format.js"
import { identify } from "../runs/identify.js"
import { billingOf } from "./billing.js"
import type { Call } from "./calls.js"
import { operationName } from "./filter.js"
import { isCut, isFailed, isInProgress } from "./outcome.js"

export interface Title {
  readonly text: string
  /** Language of the text. `undefined`: English, or not known. */
  readonly lang: string | undefined
  /** `spoken`: words that were recognised, which stand in quotes. `none`: nothing is known. */
  readonly kind: "sent" | "spoken" | "problem" | "none"
}

const stringOf = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined)

/** The names of models begin with their language. */
const languageOfModel = (model: unknown): string | undefined => /^([a-z]{2,3})-/.exec(stringOf(model) ?? "")?.[1]

/** The language of what was said. */
export const languageOf = ({ operation, request }: JournalEntry): string | undefined =>
  operation === "synthesize" ? stringOf(request?.lang) : languageOfModel(request?.model)

/** What a request is about: its text, its transcript or its file. */
export const subjectOf = (entry: JournalEntry): string | Title => {
  const content = contentOf(entry)
  if (content !== undefined && content.kind !== "none") return content
  return entry.fileName ?? `Request ${entry.number}`
}

/** The text, the transcript or the file of a request. */
const contentOf = (entry: JournalEntry): Title | undefined => {
  const lang = languageOf(entry)
  const { fileName, request, transcript } = entry
  const text = stringOf(request?.text)
  if (text !== undefined) return { text, lang, kind: "sent" }
  if (stringOf(transcript) !== undefined) return { text: transcript ?? "", lang, kind: "spoken" }
  if (transcript === "") return { text: "Nothing was recognised", lang: undefined, kind: "none" }
  return fileName === undefined ? undefined : { text: fileName, lang: undefined, kind: "sent" }
}

const fields = new Set([
  ...["text", "lang", "voice", "output_format", "speed", "num_step", "g2p_overrides"],
  ...["model", "transaction_id", "audio_file", "aux", "parse_number", "hotwords"]
])

/** The message of a response as a sentence. The name of a field stays as it is. */
export const problemSentence = (problem: string): string => {
  const [, first = ""] = /^(\w+)\b/.exec(problem) ?? []
  return fields.has(first) ? problem.charAt(0) + sentence(problem).slice(1) : sentence(problem)
}

/** The message of a fault that has none of its own. */
const messageOfFault = "this failure is an injected fault"

/** A refusal is what happened. After any other failure, the text says which call it was. */
const leadsWithProblem = ({ fault, problem, status }: JournalEntry): boolean =>
  problem !== undefined && fault === undefined && status !== null && status < 500

export const titleOf = (entry: JournalEntry): Title => {
  const content = contentOf(entry)
  const { problem } = entry
  if (problem !== undefined && (content === undefined || leadsWithProblem(entry))) {
    return { text: problemSentence(problem).replace(/\.$/, ""), lang: undefined, kind: "problem" }
  }
  if (content !== undefined) return content
  return {
    text: isInProgress(entry) ? "Receiving the request" : "The request was not read",
    lang: undefined,
    kind: "none"
  }
}

/** Text of a second line is cut here: the style sheet shows less. */
const shownCharacters = 80

const shorten = (text: string): string => (text.length > shownCharacters ? `${text.slice(0, shownCharacters)}…` : text)

export interface Piece {
  /** The long text or the recording. */
  readonly whole: string
  readonly number: number
  /** The last part of the address of its run. `undefined` if its ids do not say it. */
  readonly run: string | undefined
}

/** Which piece of a long text or of a long recording a request is. */
export const pieceOf = (entry: JournalEntry): Piece | undefined => {
  const { fileName, parent } = entry
  const { piece, run } = identify(entry) ?? {}
  if (parent !== undefined) return piece && { whole: parent, number: piece.number, run }
  const [, whole, digits] = /^(.+)\.piece-(\d+)\b/.exec(fileName ?? "") ?? []
  return whole === undefined ? undefined : { whole, number: Number(digits), run }
}

const refusals: Readonly<Record<NonNullable<JournalEntry["refusal"]>, string>> = {
  unknownKey: "unknown key",
  accountNotActive: "account not active",
  missingScope: "scope off",
  noCredit: "too little credit"
}

const refusalOf = ({ refusal, refusedKeyId }: JournalEntry): string | undefined => {
  if (refusal === "unknownKey" && refusedKeyId !== undefined) return "revoked key"
  return refusal && refusals[refusal]
}

const work: Readonly<Record<JournalEntry["operation"], string>> = { synthesize: "speaking", transcribe: "recognising" }

/** The facts of a call, the most important first. Those of its run are a link of their own. */
export const factsOf = ({ latest }: Call): ReadonlyArray<string> => {
  const { fault, fileName, operation, problem, request } = latest
  const title = titleOf(latest)
  const content = contentOf(latest)
  return [
    operationName(operation),
    // The title of a refused synthesis has no reason.
    operation === "synthesize" && refusalOf(latest),
    isInProgress(latest) && fault === undefined && request !== null && work[operation],
    title.kind !== "problem" && problem !== messageOfFault && problem,
    isCut(latest) && `${number(latest.sentBytes ?? 0)} of ${number(latest.totalBytes ?? 0)} bytes sent`,
    title.kind === "problem" && content !== undefined && content.kind === "sent" && shorten(content.text),
    title.kind !== "problem" && content?.text !== fileName && pieceOf(latest) === undefined && fileName,
    ...(operation === "synthesize" ? synthesisFacts(latest) : transcriptionFacts(latest)),
    !isInProgress(latest) && billingOf(latest)
  ].filter((fact) => typeof fact === "string" && fact !== "") as ReadonlyArray<string>
}

const synthesisFacts = (entry: JournalEntry) => {
  const { audioMillis, request } = entry
  const text = stringOf(request?.text)
  const name = stringOf(request?.voice)
  return [
    stringOf(request?.lang),
    // The default voice of a language is seldom what one looks for.
    name !== undefined && name !== "default_female" && voice(name),
    text !== undefined && plural(Array.from(text).length, "code point"),
    audioMillis !== undefined && !isFailed(entry) && `${duration(audioMillis)} of audio`
  ]
}

const transcriptionFacts = ({ audioMillis, request }: JournalEntry) => [
  audioMillis !== undefined && duration(audioMillis),
  stringOf(request?.model)
]
