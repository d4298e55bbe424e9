/** What the ids and the filename of a request say of the run that it belongs to. */
import type { JournalEntry } from "../../../src/Journal.js"

export interface Identity {
  /** Which run. It is the last part of the run's address. */
  readonly run: string
  /** Which text or recording of the run. */
  readonly file: string
  /** Which call: its attempts have the same id. */
  readonly call: string
  readonly piece?: PieceIdentity | undefined
  /** When it began, or got its response: milliseconds since 1970. */
  readonly activeAt: number
}

export interface PieceIdentity {
  /** Counts from 1. */
  readonly number: number
  /** Name of the whole recording, without its extension. */
  readonly recording?: string | undefined
  /** Where it starts in the recording, in milliseconds. */
  readonly startMillis?: number | undefined
}

/** Ids of an archive and of the pieces of a recording: UUIDs of version 8. Their first 12 digits are those of the run. */
const derived = /^([\da-f]{8})-([\da-f]{4})-8[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/i
const digitsOfRun = (id: string): string | undefined => {
  const [, first, second] = derived.exec(id) ?? []
  return first === undefined ? undefined : `${first}-${second}`.toLowerCase()
}

/** The pieces of one recording share their first 18 characters, which the files of an archive do not. */
const recordingDigits = 18

/** As `LongTranscription` names the file of a piece. */
const pieceFile = /^(.+)\.piece-([1-9]\d*)-at-(\d+)\.wav$/s

/** A larger number at the end of an id is a date or a count of the client's own. */
const mostPieces = 99_999

type Ids = Omit<Identity, "activeAt">

const ofSynthesis = ({ id, parent }: JournalEntry): Ids | undefined => {
  if (id === null) return undefined
  const number = parent === undefined ? Number.NaN : Number(id.slice(parent.length + 1))
  const isPiece = parent !== undefined && number <= mostPieces
  const file = isPiece ? parent : id
  const run = digitsOfRun(file) ?? (isPiece ? parent : undefined)
  return run === undefined ? undefined : { run, file, call: id, piece: isPiece ? { number } : undefined }
}

const ofTranscription = ({ fileName, request }: JournalEntry): Ids | undefined => {
  const id = request?.transaction_id
  if (typeof id !== "string") return undefined
  const run = digitsOfRun(id)
  if (run === undefined) return undefined
  const [, recording, number, startMillis] = pieceFile.exec(fileName ?? "") ?? []
  return recording === undefined
    ? { run, file: id, call: id }
    : {
        run,
        file: `${id.slice(0, recordingDigits)} ${recording}`,
        call: id,
        piece: { number: Number(number), recording, startMillis: Number(startMillis) }
      }
}

/** An entry is replaced when it changes, so it is read once. */
const known = new WeakMap<JournalEntry, Identity | "none">()

/** `undefined` if nothing says that the request belongs to a run. */
export const identify = (entry: JournalEntry): Identity | undefined => {
  let found = known.get(entry)
  if (found === undefined) {
    const ids = entry.operation === "synthesize" ? ofSynthesis(entry) : ofTranscription(entry)
    found = ids === undefined ? "none" : { ...ids, activeAt: Date.parse(entry.at) + (entry.millis ?? 0) }
    known.set(entry, found)
  }
  return found === "none" ? undefined : found
}
