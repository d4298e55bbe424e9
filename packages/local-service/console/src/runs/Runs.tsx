/** The runs that the journal shows. */
import { useState } from "preact/hooks"
import { plural, time } from "../format.js"
import { Room } from "../Room.js"
import { showRequests } from "../requests/requestList.js"
import { requests } from "../state.js"
import { useStore } from "../store.js"
import { runsOf } from "./groupRuns.js"

const shownAtFirst = 10

export const Runs = () => {
  const entries = useStore(requests)
  const [all, setAll] = useState(false)
  const runs = runsOf(entries ?? [])
  const shown = all ? runs : runs.slice(0, shownAtFirst)
  return (
    <Room name="runs" title="Runs" beside={<span class="quiet">long texts and archives</span>}>
      {runs.length === 0 ? (
        <p class="empty">
          No runs yet. Speak a long text with LongSpeech, or run <code>speech archive</code>: the pieces of each text
          appear here together.
        </p>
      ) : (
        <ul class="plain">
          {shown.map((run) => (
            <li key={run.id} class="run">
              <button type="button" class="link" onClick={() => showRequests(run.id)}>
                {run.id}
              </button>
              <span class="quiet">
                {time(run.first.at)}–{time(run.latest.at)} · {plural(run.pieces, "piece")}
                {run.requests > run.pieces && ` · ${plural(run.requests, "request")}`}
                {run.underWay > 0 && ` · ${run.underWay} under way`}
              </span>
              {run.failed > 0 && <span class="badge bad">{run.failed} failed</span>}
            </li>
          ))}
        </ul>
      )}
      {runs.length > shown.length && (
        <button type="button" onClick={() => setAll(true)}>
          Show all {runs.length}
        </button>
      )}
    </Room>
  )
}
