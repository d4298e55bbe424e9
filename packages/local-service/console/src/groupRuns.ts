/** Runs: the requests of one long text or one file of an archive, which share an id. */
import type { JournalEntry } from "../../src/Journal.js"

export interface Run {
  readonly id: string
  readonly requests: number
  /** Different pieces, by their ids. */
  readonly pieces: number
  readonly failed: number
  readonly underWay: number
  /** Number of the first and the latest request. */
  readonly first: JournalEntry
  readonly latest: JournalEntry
}

/** A piece of a long text has the id of the run, a dot and its number, such as `book.007`. */
const pieceOf = /^(.+)\.\d{3,}$/s

/** The id of the run that a request belongs to, if its own id says so. */
export const parentOf = ({ id }: JournalEntry): string | undefined => (id === null ? undefined : pieceOf.exec(id)?.[1])

/** The runs of more than one request, and those whose ids are numbered. Latest first. */
export const runsOf = (entries: ReadonlyArray<JournalEntry>): ReadonlyArray<Run> => {
  const groups = new Map<string, Array<JournalEntry>>()
  for (const entry of entries) {
    if (entry.id === null) continue
    const id = parentOf(entry) ?? entry.id
    const group = groups.get(id)
    if (group === undefined) groups.set(id, [entry])
    else group.push(entry)
  }
  return [...groups]
    .flatMap(([id, group]) => {
      const [first] = group
      const latest = group.at(-1)
      if (first === undefined || latest === undefined) return []
      if (group.length === 1 && parentOf(first) === undefined) return []
      return [
        {
          id,
          requests: group.length,
          pieces: new Set(group.map((entry) => entry.id)).size,
          failed: group.filter(({ outcome, status }) => outcome !== "underWay" && (status === null || status >= 400))
            .length,
          underWay: group.filter(({ outcome }) => outcome === "underWay").length,
          first,
          latest
        }
      ]
    })
    .sort((one, other) => other.latest.number - one.latest.number)
}
