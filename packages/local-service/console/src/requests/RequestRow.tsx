/** A request in the list, and its details when it is open. */
import { useEffect, useState } from "preact/hooks"
import type { JournalEntry } from "../../../src/Journal.js"
import { millis, time } from "../format.js"
import { outcomes, RequestDetails } from "./RequestDetails.js"
import { toggle } from "./requestList.js"

/** The text of a synthesis, or the model of a transcription. */
const summaryOf = ({ operation, request }: JournalEntry): string => {
  const value = operation === "synthesize" ? request?.text : request?.model
  return typeof value === "string" ? value : ""
}

const narrow = matchMedia("(max-width: 720px)")
const columns = { narrow: 3, wide: 6 }

/** The number of columns that the style sheet shows. */
const useColumns = (): number => {
  const [isNarrow, setNarrow] = useState(narrow.matches)
  useEffect(() => {
    const read = () => setNarrow(narrow.matches)
    narrow.addEventListener("change", read)
    return () => narrow.removeEventListener("change", read)
  }, [])
  return isNarrow ? columns.narrow : columns.wide
}

export const RequestRow = ({ entry, isOpen }: { readonly entry: JournalEntry; readonly isOpen: boolean }) => {
  const { at, millis: took, number: own, operation } = entry
  const shownColumns = useColumns()
  return (
    <>
      <tr
        id={`request-${own}`}
        class="row"
        data-open={isOpen}
        onClick={(event) => {
          if (event.target instanceof Element && event.target.closest("a") === null) toggle(own, isOpen)
        }}
      >
        <td>
          <a
            href={isOpen ? "#/requests" : `#/requests/${own}`}
            aria-expanded={isOpen}
            aria-label={`Request ${own}, ${operation}`}
          >
            {own}
          </a>
        </td>
        <td class="wide-only times">{time(at)}</td>
        <td class="wide-only">{operation}</td>
        <td class="summary">
          <bdi>{summaryOf(entry) || <span class="narrow-only quiet">{operation}</span>}</bdi>
        </td>
        <td>
          <Status entry={entry} />
        </td>
        <td class="wide-only end times">{millis(took)}</td>
      </tr>
      {isOpen && (
        <tr class="opened">
          <td colSpan={shownColumns}>
            <RequestDetails entry={entry} />
          </td>
        </tr>
      )}
    </>
  )
}

const Status = ({ entry: { outcome, status } }: { readonly entry: JournalEntry }) => (
  <span class="status" data-good={status !== null && status < 400}>
    {status}
    {outcomes[outcome] && <span class="badge">{outcomes[outcome]}</span>}
  </span>
)
