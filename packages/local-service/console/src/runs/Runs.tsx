/** The runs that the journal shows, and the one that the address names. */
import { useEffect, useState } from "preact/hooks"
import { linkTo, show } from "../address.js"
import { phase } from "../live.js"
import { Room } from "../Room.js"
import { useStore } from "../store.js"
import { useRoomKeys } from "../useRoomKeys.js"
import type { Run } from "./groupRuns.js"
import { More } from "./RunCalls.js"
import { NoRun, RunPane } from "./RunPane.js"
import { RunRow } from "./RunRow.js"
import { findRun, useNamedRun, useRuns } from "./runState.js"

const tickMillis = 5000

/** The time, in milliseconds since 1970, every few seconds. */
const useNow = (): number => {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), tickMillis)
    return () => clearInterval(timer)
  }, [])
  return now
}

export const Runs = () => {
  const runs = useRuns()
  const name = useNamedRun()
  const current = useStore(phase)
  // A request may have begun since the last tick.
  const now = Math.max(useNow(), runs?.[0]?.activeAt ?? 0)
  const open = runs === undefined || name === undefined ? undefined : findRun(runs, name)
  useRoomKeys({ onLeave: () => show(linkTo("runs")) })
  return (
    <Room
      name="runs"
      title="Runs"
      beside={
        <span class="phase" role="status" data-phase={current}>
          {current}
        </span>
      }
    >
      <div class="run-frame" data-open={name !== undefined}>
        <div class="run-list">
          {runs === undefined ? (
            <p class="quiet">Reading the requests…</p>
          ) : runs.length === 0 ? (
            <Empty />
          ) : (
            <RunList runs={runs} open={open} now={now} />
          )}
        </div>
        {open !== undefined && <RunPane run={open} now={now} />}
        {open === undefined && name !== undefined && runs !== undefined && <NoRun name={name} />}
      </div>
    </Room>
  )
}

const runsAtFirst = 300

interface RunListProps {
  readonly runs: ReadonlyArray<Run>
  readonly open: Run | undefined
  readonly now: number
}

const RunList = ({ now, open, runs }: RunListProps) => {
  const [count, setCount] = useState(runsAtFirst)
  return (
    <>
      <ul class="run-rows" aria-label="Runs, the latest first">
        {runs.slice(0, count).map((run) => (
          <RunRow key={run.id} run={run} isOpen={run === open} now={now} />
        ))}
      </ul>
      <More all={runs.length} shown={count} onMore={() => setCount(count + runsAtFirst)} />
    </>
  )
}

const Empty = () => (
  <div class="run-empty">
    <p>
      No runs yet. The pieces of a long text, of a long recording, and the files of an archive appear here together:
    </p>
    <ul>
      <li>
        <code>speech synthesize --text-file book.txt --out book.wav</code>
      </li>
      <li>
        <code>speech transcribe meeting.mp3 --long --model hi-general-v2-8khz</code>
      </li>
      <li>
        <code>speech archive run calls --model hi-general-v2-8khz --out transcripts</code>
      </li>
    </ul>
    <p class="quiet">A single call is no run, also if it was sent again: it is in Requests.</p>
  </div>
)
