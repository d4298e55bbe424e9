/** What the clients did after each fault. */
import { useId, useState } from "preact/hooks"
import type { FaultedRequest, FaultSummary } from "../../../src/FaultedRequest.js"
import type { FaultRecord } from "../../../src/Faults.js"
import { linkTo } from "../address.js"
import { number, plural, when } from "../format.js"
import { FailureNote } from "../notices.js"
import { Table } from "../Table.js"
import { describeEffect } from "./describeFault.js"
import { reactionOf } from "./reaction.js"
import { latestOf, useReport } from "./useReport.js"

const shownAtFirst = 10

export const Report = ({ records }: { readonly records: ReadonlyArray<FaultRecord> }) => {
  const { failure, report } = useReport()
  const [shown, setShown] = useState(shownAtFirst)
  const id = useId()
  const total = report?.requests.length ?? 0
  if (records.length === 0 && total === 0) return null
  return (
    <section class="report" aria-labelledby={id}>
      <h2 id={id}>What your clients did</h2>
      {report === undefined && failure !== undefined && <FailureNote failure={failure} />}
      {report === undefined && failure === undefined && <p class="empty">Reading the report…</p>}
      {report !== undefined && total === 0 && (
        <p class="empty">No request has met a fault yet. Run your program: what it does after a fault appears here.</p>
      )}
      {report !== undefined && total > 0 && (
        <>
          <Summary summary={report.summary} total={total + report.leftOut} />
          <Requests requests={latestOf(report, shown)} faults={report.faults} />
          {total > shown && (
            <button type="button" onClick={() => setShown(shown * 4)}>
              Show {number(Math.min(total, shown * 4) - shown)} more
            </button>
          )}
        </>
      )}
    </section>
  )
}

const Summary = ({ summary, total }: { readonly summary: FaultSummary; readonly total: number }) => {
  const { gaveUp, gaveUpAtOnce } = summary
  const results: ReadonlyArray<readonly [count: number, words: string, kind?: "good" | "bad"]> = [
    [summary.retriedAndSucceeded, "retried and succeeded", "good"],
    [summary.retriedAndFailed, "retried and failed", "bad"],
    [summary.retriedAndUnderWay, "retried, in progress"],
    [gaveUpAtOnce, "gave up at once", "bad"],
    [gaveUp - gaveUpAtOnce, "gave up after retries", "bad"],
    [summary.delivered, "got the response"],
    [summary.underWay, "in progress"],
    [summary.notKnown, "not known"],
    [summary.retryAfterHonoured, "waited as Retry-After asked", "good"],
    [summary.retryAfterIgnored, "ignored Retry-After", "bad"]
  ]
  return (
    <ul class="tally" aria-label={`${plural(total, "request")} met a fault`}>
      <li>
        <strong>{number(total)}</strong> met a fault
      </li>
      {results.map(
        ([count, words, kind]) =>
          count > 0 && (
            <li key={words} data-kind={kind}>
              <strong>{number(count)}</strong> {words}
            </li>
          )
      )}
    </ul>
  )
}

const columns = [["Request"], ["Response"], ["What the client did"]] as const

interface RequestsProps {
  readonly requests: ReadonlyArray<FaultedRequest>
  readonly faults: ReadonlyArray<FaultRecord>
}

const Requests = ({ faults, requests }: RequestsProps) => (
  <Table class="reactions" caption="Requests that met a fault, latest first" columns={columns}>
    {requests.map((request) => (
      <Row key={request.number} request={request} fault={faults[request.fault - 1]} />
    ))}
  </Table>
)

const operations = { synthesize: "synthesis", transcribe: "transcription" } as const

const Row = ({ fault, request }: { readonly request: FaultedRequest; readonly fault: FaultRecord | undefined }) => {
  const { at, attempt, fault: number, next, number: own, operation, status } = request
  const { kind, words } = reactionOf(request)
  // The status itself is shown beside it.
  const effect = fault === undefined ? "" : describeEffect({ ...fault.fault, status: undefined, message: undefined })
  return (
    <tr>
      <td>
        <RequestLink number={own} />
        <span class="quiet">
          <span class="times">{when(at)}</span> {operations[operation]}
          {attempt > 1 && `, attempt ${attempt}`}
        </span>
      </td>
      <td>
        <strong class="response">{status ?? "none"}</strong>
        <span class="quiet">
          fault {number}
          {effect !== "" && <span class="wide-only"> · {effect}</span>}
        </span>
      </td>
      <td>
        <span class="reaction" data-kind={kind}>
          {words}
        </span>
        {next !== null && (
          <>
            {" "}
            <RequestLink number={next} />
          </>
        )}
      </td>
    </tr>
  )
}

const RequestLink = ({ number: own }: { readonly number: number }) => (
  <a href={linkTo("requests", [own])} aria-label={`Request ${own}`}>
    #{own}
  </a>
)
