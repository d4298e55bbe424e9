/** The runs of the journal, and the one that the address names. */
import { address } from "../address.js"
import { requests } from "../state.js"
import { useStore } from "../store.js"
import { makeGrouping, type Run } from "./groupRuns.js"
import { titleOf } from "./runText.js"

const group = makeGrouping()
let grouped: { readonly entries: unknown; readonly runs: ReadonlyArray<Run> } | undefined

/** `undefined` until the journal is read. */
export const useRuns = (): ReadonlyArray<Run> | undefined => {
  const entries = useStore(requests)
  if (entries === undefined) return undefined
  if (grouped?.entries !== entries) grouped = { entries, runs: group(entries) }
  return grouped.runs
}

/** What the address names: the id of a run, or the name of one, as the link of a piece has it. */
export const useNamedRun = (): string | undefined => {
  const { path, room } = useStore(address)
  return room === "runs" ? path[0] : undefined
}

/** Of runs with the same name the latest. */
export const findRun = (runs: ReadonlyArray<Run>, name: string): Run | undefined =>
  runs.find(({ id }) => id === name) ?? runs.find((run) => titleOf(run).text === name)
