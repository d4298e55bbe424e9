/** The calls of a run in order, as a strip: what is done, what failed, what is in progress. */
import type { CallState, RunCall } from "./groupRuns.js"

const width = 240
const height = 8
const mostCells = 120
/** More cells stand without gaps: they would be all that one sees. */
const mostWithGaps = 30

/** A cell of several calls shows the one that matters most. */
const weights: Readonly<Record<CallState, number>> = { done: 0, busy: 1, failed: 2 }

const cellsOf = (calls: ReadonlyArray<RunCall>): ReadonlyArray<CallState> => {
  const count = Math.min(calls.length, mostCells)
  const cells: Array<CallState> = Array.from({ length: count }, () => "done")
  for (const [at, { state }] of calls.entries()) {
    const cell = Math.floor((at * count) / calls.length)
    if (weights[state] > weights[cells[cell] ?? "done"]) cells[cell] = state
  }
  return cells
}

/** The text beside it says the same. */
export const Strip = ({ calls }: { readonly calls: ReadonlyArray<RunCall> }) => {
  const cells = cellsOf(calls)
  const step = width / cells.length
  const gap = cells.length > mostWithGaps ? 0 : 2
  // What one looks for stays visible where a cell has less than a pixel.
  const widthOf = (state: CallState) => Math.max(step - gap, state === "done" ? 0 : 4).toFixed(1)
  const pathOf = (wanted: CallState) =>
    cells
      .map((state, at) =>
        state === wanted ? `M${(at * step).toFixed(1)} 0h${widthOf(wanted)}v${height}H${(at * step).toFixed(1)}z` : ""
      )
      .join("")
  return (
    <svg class="strip" viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
      {(["done", "busy", "failed"] as const).map((state) => {
        const path = pathOf(state)
        return path === "" ? null : <path key={state} data-state={state} d={path} />
      })}
    </svg>
  )
}
