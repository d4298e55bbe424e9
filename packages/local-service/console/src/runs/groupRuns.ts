/** Runs: the requests of one long text or one file of an archive, which have one parent or share an id. */
import type { JournalEntry } from "../../../src/Journal.js"
import { isFailed } from "../requests/outcome.js"

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

/** The runs of more than one request, and those of pieces. Latest first. */
export const runsOf = (entries: ReadonlyArray<JournalEntry>): ReadonlyArray<Run> => {
  const groups = new Map<string, Array<JournalEntry>>()
  for (const entry of entries) {
    const id = entry.parent ?? entry.id
    if (id === null) continue
    const group = groups.get(id)
    if (group === undefined) groups.set(id, [entry])
    else group.push(entry)
  }
  return [...groups]
    .flatMap(([id, group]) => {
      const [first] = group
      const latest = group.at(-1)
      if (first === undefined || latest === undefined) return []
      if (group.length === 1 && first.parent === undefined) return []
      return [
        {
          id,
          requests: group.length,
          pieces: new Set(group.map((entry) => entry.id)).size,
          failed: group.filter(isFailed).length,
          underWay: group.filter(({ outcome }) => outcome === "underWay").length,
          first,
          latest
        }
      ]
    })
    .sort((one, other) => other.latest.number - one.latest.number)
}
