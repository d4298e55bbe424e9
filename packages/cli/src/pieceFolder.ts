/**
 * What lies in a folder of pieces, and what of it a job removes. ARCHITECTURE.md has the states of a piece.
 */

/** The name of the piece in a file of a `PieceStore`. */
const piece = /^[0-9a-f]{64}\.(?:wav|json)$/

/** A file that a killed process was writing. Nobody reads it. */
const temporary = /^([0-9a-f]{64}\.(?:wav|json))\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.part$/

export const isTemporary = (name: string): boolean => temporary.test(name)

const claim = /^\.([0-9a-f]{64})\.job$/

/** A file in a folder that the command made, so that a later run may remove the folder. */
export const mark = ".made-by-speech"

/** The file that is locked while a command uses the folder. */
export const lockName = ".speech.lock"

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
  text.startsWith(firstLine) ? (text.match(/[0-9a-f]{64}\.(?:wav|json)/g) ?? []) : undefined

export interface Contents {
  /** The names of all regular files. */
  readonly files: ReadonlyArray<string>
  /** The names of everything else, such as folders. */
  readonly others: ReadonlyArray<string>
  /** The pieces that each unfinished job has written or used, by job. */
  readonly claims: ReadonlyMap<string, ReadonlyArray<string>>
}

/** The names of the pieces that are there. A folder with the name of a piece is none. */
export const piecesIn = ({ files }: Contents): ReadonlyArray<string> => files.filter((name) => piece.test(name))

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
export const endingOf = (contents: Contents, job: string, used: ReadonlySet<string>): Ending => {
  const { claims, files, others } = contents
  const ofOthers = new Set(Array.from(claims).flatMap(([other, names]) => (other === job ? [] : names)))
  const pieces = piecesIn(contents)
  const isRemoved = (name: string) => used.has(name) && !ofOthers.has(name)
  const left = new Set(pieces.filter((name) => !isRemoved(name)))
  const isVoid = (claimed: string) => !(claims.get(claimed) ?? []).some((name) => left.has(name))
  const isOwnTemporary = (name: string) => isRemoved(temporary.exec(name)?.[1] ?? "")
  const remove = files.filter((name) => (piece.test(name) ? isRemoved(name) : isOwnTemporary(name)))
  const isOfCommand = (name: string): boolean => {
    const claimant = jobOf(name)
    return claimant === undefined
      ? name === mark || name === lockName || isTemporary(name)
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
