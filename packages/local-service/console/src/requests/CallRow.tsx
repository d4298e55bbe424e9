/** A call in the list: what happened in two lines. */
import { plural, took, when } from "../format.js"
import { Words } from "../Words.js"
import { type Call, tookMillis } from "./calls.js"
import { statusOf } from "./outcome.js"
import { PieceLink } from "./PieceLink.js"
import { factsOf, pieceOf, titleOf } from "./rowText.js"

export interface CallRowProps {
  readonly call: Call
  /** What identifies the row while the list changes. */
  readonly rowKey: number
  readonly isOpen: boolean
  /** Whether Tab reaches it. The arrow keys reach the others. */
  readonly isCurrent: boolean
  readonly href: string
  /** Distance from the top of the list, in pixels. */
  readonly top: number
  /** Its place in the list, counted from 1, and how many there are. */
  readonly position: number
  readonly size: number
  readonly onFocus: () => void
}

export const CallRow = ({ call, href, isCurrent, isOpen, onFocus, position, rowKey, size, top }: CallRowProps) => {
  const { attempts, latest } = call
  const status = statusOf(latest)
  const total = tookMillis(call)
  const factsId = `facts-${latest.number}`
  return (
    <li
      class="request"
      data-key={rowKey}
      data-open={isOpen}
      style={{ top: `${top}px` }}
      aria-setsize={size}
      aria-posinset={position}
    >
      <span class="status" data-kind={status.kind} aria-hidden="true">
        {status.word}
      </span>
      <a
        class="request-title"
        href={href}
        tabIndex={isCurrent ? 0 : -1}
        aria-current={isOpen ? "true" : undefined}
        aria-describedby={factsId}
        onFocus={onFocus}
      >
        <span class="hidden">
          Request {latest.number}, {status.word}:{" "}
        </span>
        <Words {...titleOf(latest)} />
      </a>
      <span class="request-took times">
        {attempts.length > 1 && `${plural(attempts.length, "attempt")} · `}
        {total !== undefined && took(total)}
      </span>
      <span class="request-facts" id={factsId}>
        {latest.fault !== undefined && <span class="fault-badge">fault</span>}
        <Facts call={call} isCurrent={isCurrent} />
      </span>
      <time class="request-time times" dateTime={latest.at}>
        {when(latest.at)}
      </time>
    </li>
  )
}

const Facts = ({ call, isCurrent }: Pick<CallRowProps, "call" | "isCurrent">) => {
  const piece = pieceOf(call.latest)
  const [operation, ...others] = factsOf(call)
  return (
    <>
      {operation}
      {piece && (
        <>
          {" · "}
          <PieceLink piece={piece} tabIndex={isCurrent ? 0 : -1} />
        </>
      )}
      {others.map((fact) => (
        <span key={fact}>
          {" · "}
          <bdi>{fact}</bdi>
        </span>
      ))}
    </>
  )
}
