/** A run in the list: what it is and how it stands, in two lines. */
import { useMemo } from "preact/hooks"
import { linkTo } from "../address.js"
import { when } from "../format.js"
import { Words } from "../Words.js"
import type { Run } from "./groupRuns.js"
import { activity, factsOf, standing, titleOf } from "./runText.js"
import { Strip } from "./Strip.js"

export interface RunRowProps {
  readonly run: Run
  readonly isOpen: boolean
  /** In milliseconds since 1970. */
  readonly now: number
}

export const RunRow = ({ isOpen, now, run }: RunRowProps) => {
  const facts = factsOf(run, now)
  const current = activity(run, now)
  const words = [current, ...facts].join()
  // Most runs do not change from one event to the next.
  return useMemo(() => {
    const state = standing(run)
    const factsId = `run-facts-${run.first.number}`
    return (
      <li class="run" data-open={isOpen}>
        <span class="run-state" data-kind={state.kind}>
          {state.words}
        </span>
        <a
          class="run-title"
          href={linkTo("runs", [run.id])}
          aria-current={isOpen ? "true" : undefined}
          aria-describedby={factsId}
        >
          <Words {...titleOf(run)} />
        </a>
        <span class="run-activity">{current}</span>
        <Strip calls={run.calls} />
        <span class="run-facts" id={factsId}>
          {facts.join(" · ")}
        </span>
        <span class="run-times times">
          {when(run.first.at)}–{when(run.latest.at)}
        </span>
      </li>
    )
  }, [run, isOpen, words])
}
