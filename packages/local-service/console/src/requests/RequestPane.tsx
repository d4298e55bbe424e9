/** A request: what happened and why, and all that the service keeps of it. */

import * as SttContract from "@effect-speech/stt/SttContract"
import { useEffect, useRef } from "preact/hooks"
import type { RequestDetails } from "../../../src/internal/console/messages.js"
import type { JournalEntry } from "../../../src/Journal.js"
import { linkTo } from "../address.js"
import { took, when } from "../format.js"
import { FailureNote } from "../notices.js"
import { keys } from "../state.js"
import { useStore } from "../store.js"
import { Words } from "../Words.js"
import { Actions } from "./Actions.js"
import { Attempts } from "./Attempts.js"
import type { Call } from "./calls.js"
import { RequestPart, ResponsePart } from "./Exchange.js"
import { explain } from "./explain.js"
import { operationName } from "./filter.js"
import { statusOf } from "./outcome.js"
import { PieceLink } from "./PieceLink.js"
import { Recording } from "./Recording.js"
import { linkToPlace, type Place } from "./requestList.js"
import { pieceOf, subjectOf } from "./rowText.js"
import { useDetails } from "./useDetails.js"

export interface RequestPaneProps {
  readonly number: number
  /** All calls, whatever the filter shows. */
  readonly calls: ReadonlyArray<Call>
  readonly place: Place
}

export const RequestPane = ({ calls, number: own, place }: RequestPaneProps) => {
  const listed = calls.find(({ attempts }) => attempts.some((each) => each.number === own))
  const listedEntry = listed?.attempts.find((each) => each.number === own)
  const { details, failure, isGone } = useDetails(own, listedEntry)
  const entry = listedEntry ?? details?.entry
  const call: Call | undefined = listed ?? (entry && { attempts: [entry], first: entry, latest: entry })
  const back = linkToPlace({ ...place, open: undefined })
  const pane = useRef<HTMLElement>(null)
  useFocus(pane, own)
  return (
    <section class="request-pane" aria-label={`Request ${own}`} ref={pane} tabIndex={-1}>
      <a class="back" href={back}>
        <span aria-hidden="true">←</span> Requests
      </a>
      {entry === undefined || call === undefined ? (
        <header class="pane-head">
          <Missing own={own} isGone={isGone} />
          <Close back={back} />
        </header>
      ) : (
        <>
          <Head entry={entry} back={back} />
          <Why call={call} entry={entry} details={details} />
          <Actions entry={entry} details={details} filter={place.filter} />
          {call.attempts.length > 1 && <Attempts call={call} shown={own} filter={place.filter} />}
          {details && <Recording entry={entry} details={details} />}
          <RequestPart entry={entry} details={details} />
          <ResponsePart entry={entry} details={details} />
          {isGone && <p class="quiet">The service keeps the headers, bodies and audio of its latest requests only.</p>}
        </>
      )}
      {failure && !isGone && <FailureNote failure={failure} />}
    </section>
  )
}

/** On a narrow page, the pane takes the place of the list. */
const narrow = matchMedia("(max-width: 960px)")

/** The pane takes the focus if the element that had it is gone: the list of a narrow page, or a button of the pane before. */
const useFocus = (pane: { readonly current: HTMLElement | null }, own: number): void =>
  useEffect(() => {
    pane.current?.scrollTo(0, 0)
    if (narrow.matches || document.activeElement === document.body) pane.current?.focus({ preventScroll: true })
  }, [own])

const Missing = ({ isGone, own }: { readonly own: number; readonly isGone: boolean }) =>
  isGone ? (
    <h2>The journal has no request {own}. It keeps the latest thousand, and a reset or Clear empties it.</h2>
  ) : (
    <h2 class="quiet">Reading request {own}…</h2>
  )

const Close = ({ back }: { readonly back: string }) => (
  <a class="close" href={back} aria-keyshortcuts="Escape">
    <span class="hidden">Close</span>
    <span aria-hidden="true">×</span>
  </a>
)

const Head = ({ back, entry }: { readonly entry: JournalEntry; readonly back: string }) => {
  const { at, id, number: own, operation } = entry
  const subject = subjectOf(entry)
  const name = operationName(operation)
  const piece = pieceOf(entry)
  return (
    <header class="pane-head">
      <h2>{typeof subject === "string" ? <bdi>{subject}</bdi> : <Words {...subject} />}</h2>
      <Close back={back} />
      <p class="quiet">
        {name.charAt(0).toUpperCase() + name.slice(1)} {own} · {when(at)}
        {piece && (
          <>
            {" · "}
            <PieceLink piece={piece} />
          </>
        )}
        {id !== null && (
          <>
            {" · "}
            <code>{id}</code>
          </>
        )}
      </p>
    </header>
  )
}

interface WhyProps {
  readonly call: Call
  readonly entry: JournalEntry
  readonly details: RequestDetails | undefined
}

const Why = ({ call, details, entry }: WhyProps) => {
  const revoked = useStore(keys)?.archived ?? []
  const notice = details?.response?.headers.find(([name]) => name.toLowerCase() === noticeHeader)?.[1]
  const explanation = explain({ call, entry, fault: details?.fault ?? undefined, notice, revoked })
  const { kind, word } = statusOf(entry)
  if (explanation === undefined) {
    return (
      <p class="pane-result">
        <strong class="status" data-kind={kind}>
          {word}
        </strong>
        {entry.millis !== null && ` in ${took(entry.millis)}`}
      </p>
    )
  }
  return (
    <section class="why" data-kind={entry.transcript === "" ? "other" : kind} aria-label="What happened">
      <p>
        <strong class="status" data-kind={kind}>
          {word}
        </strong>{" "}
        <bdi>{explanation.headline}</bdi>
      </p>
      {explanation.sentences.length > 0 && (
        <p>
          {explanation.sentences.join(" ")}
          {explanation.isOfAccount && (
            <>
              {" "}
              <a href={linkTo("account")}>Open Account</a>
            </>
          )}
        </p>
      )}
    </section>
  )
}

const noticeHeader = SttContract.noticeHeader.toLowerCase()
