/**
 * What lies in a folder of pieces, and what of it a job removes. ARCHITECTURE.md has the states of a piece.
 */
import { PieceStore } from "@effect-speech/long-form/PieceStore"
import * as Option from "effect/Option"
import { lockName } from "./fileLock.js"

const claim = /^\.([0-9a-f]{64})\.job$/

/** A file in a folder that the command made, so that a later run may remove the folder. */
export const mark = ".made-by-speech"

/** The first line of a claim. A file without it is none of ours. */
const firstLine = "Pieces that an unfinished job of speech needs:\n"

export const claimName = (job: string): string => `.${job}.job`

/** The job whose claim has this file name. `undefined`: it is no claim. */
export const jobOf = (name: string): string | undefined => claim.exec(name)?.[1]

export const writeClaim = (pieces: Iterable<string>): string => [firstLine, ...pieces].join("\n")

/** What a job that needs a further piece appends to its claim. */
export const extendClaim = (name: string, isFirst: boolean): string => `${isFirst ? firstLine : ""}\n${name}`

/** The pieces of a claim. A killed process may have written a part of a line. `undefined`: the file is no claim. */
export const readClaim = (text: string): ReadonlyArray<string> | undefined =>
  text.startsWith(firstLine) ? text.split("\n").filter(PieceStore.isPieceName) : undefined

export interface Contents {
  /** The names of all regular files. */
  readonly files: ReadonlyArray<string>
  /** The names of everything else, such as folders. */
  readonly others: ReadonlyArray<string>
  /** The pieces that each unfinished job has written or used, by job. */
  readonly claims: ReadonlyMap<string, ReadonlyArray<string>>
}

export interface Ending {
  /** Names of files to remove. */
  readonly remove: ReadonlyArray<string>
  /** What the claim of the job has from now on. Empty: it is removed. */
  readonly claim: ReadonlyArray<string>
  /** The pieces that stay. */
  readonly left: ReadonlyArray<string>
  /** Those that another unfinished job has. */
  readonly claimed: ReadonlyArray<string>
  /** Whether nothing is left that the command did not write for itself. */
  readonly isEmpty: boolean
}

/**
 * What a job removes at its end. `used` are the pieces that it wrote or found in this run; after a failure it removes none, so
 * pass none. A piece that another unfinished job has written or used stays for that job.
 */
export const endingOf = ({ claims, files, others }: Contents, job: string, used: ReadonlySet<string>): Ending => {
  const ofOthers = new Set(Array.from(claims).flatMap(([other, names]) => (other === job ? [] : names)))
  const isRemoved = (name: string) => used.has(name) && !ofOthers.has(name)
  // A folder with the name of a piece is none.
  const left = new Set(files.filter((name) => PieceStore.isPieceName(name) && !isRemoved(name)))
  const isVoid = (claimed: string) => !(claims.get(claimed) ?? []).some((name) => left.has(name))
  const isOwnTemporary = (name: string) => Option.exists(PieceStore.pieceOfTemporary(name), isRemoved)
  const remove = files.filter((name) => (PieceStore.isPieceName(name) ? isRemoved(name) : isOwnTemporary(name)))
  const isOfCommand = (name: string): boolean => {
    const claimant = jobOf(name)
    return claimant === undefined
      ? name === mark || name === lockName || Option.isSome(PieceStore.pieceOfTemporary(name))
      : claims.has(claimant) && isVoid(claimant)
  }
  return {
    remove,
    claim: (claims.get(job) ?? []).filter((name) => left.has(name) && !used.has(name)),
    left: [...left],
    claimed: [...left].filter((name) => ofOthers.has(name)),
    isEmpty: others.length === 0 && files.every((name) => remove.includes(name) || isOfCommand(name))
  }
}
