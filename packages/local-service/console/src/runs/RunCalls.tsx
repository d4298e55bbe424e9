/** Calls of a run, each with a link to its latest request. */
import { useState } from "preact/hooks"
import { linkTo } from "../address.js"
import { duration, plural } from "../format.js"
import { billingOf } from "../requests/billing.js"
import { statusOf } from "../requests/outcome.js"
import { Words } from "../Words.js"
import type { RunCall } from "./groupRuns.js"
import { placeOf, wordsOfCall } from "./runText.js"

const shownAtFirst = 100
const shownMore = 400

const factsOf = ({ attempts, latest, piece, state }: RunCall): ReadonlyArray<string> =>
  [
    placeOf(piece?.startMillis, latest.audioMillis),
    latest.audioMillis === undefined ? "" : `${duration(latest.audioMillis)} of audio`,
    attempts.length > 1 ? plural(attempts.length, "attempt") : "",
    (state !== "busy" && billingOf(latest)) || ""
  ].filter((fact) => fact !== "")

interface RunCallRowProps {
  readonly call: RunCall
  /** Whether to say which file it is of. */
  readonly isNamed: boolean
}

const RunCallRow = ({ call, isNamed }: RunCallRowProps) => {
  const { latest, piece } = call
  const status = statusOf(latest)
  const file = isNamed ? (piece?.recording ?? latest.fileName) : undefined
  const number = piece && `piece ${piece.number}`
  const words = wordsOfCall(call)
  return (
    <li class="run-call">
      {!isNamed && <span class="run-number times">{piece?.number}</span>}
      <a class="run-words" href={linkTo("requests", [latest.number])}>
        <span class="hidden">
          Request {latest.number}, {status.word}:{" "}
        </span>
        {file === undefined ? (
          <Words {...words} />
        ) : (
          <>
            <bdi>{file}</bdi>
            {number && `, ${number}`}
          </>
        )}
      </a>
      <span class="run-facts">
        {file !== undefined && (
          <>
            <Words {...words} />
            {" · "}
          </>
        )}
        {factsOf(call).join(" · ")}
      </span>
      <span class="run-state" data-kind={status.kind} aria-hidden="true">
        {status.word}
      </span>
    </li>
  )
}

export interface RunCallsProps {
  readonly label: string
  readonly calls: ReadonlyArray<RunCall>
  /** Whether they are of several files. */
  readonly isMixed?: boolean
}

export const RunCalls = ({ calls, isMixed = false, label }: RunCallsProps) => {
  const [count, setCount] = useState(shownAtFirst)
  return (
    <>
      <ol class={isMixed ? "run-calls run-files" : "run-calls"} aria-label={label}>
        {calls.slice(0, count).map((call) => (
          <RunCallRow key={call.id} call={call} isNamed={isMixed} />
        ))}
      </ol>
      <More all={calls.length} shown={count} onMore={() => setCount(count + shownMore)} />
    </>
  )
}

export interface MoreProps {
  readonly all: number
  readonly shown: number
  readonly onMore: () => void
}

/** Shows further rows of a long list. */
export const More = ({ all, onMore, shown }: MoreProps) =>
  all <= shown ? null : (
    <button type="button" class="run-more" onClick={onMore}>
      Show {Math.min(shownMore, all - shown)} more of {all}
    </button>
  )
