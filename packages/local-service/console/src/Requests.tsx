/** The journal: each request, live, with its replay and its code. */
import { useEffect, useId, useRef, useState } from "preact/hooks"
import type { JournalEntry } from "../../src/Journal.js"
import type { Failure } from "./api.js"
import { CopyButtons } from "./CopyButtons.js"
import { dateAndTime, millis, number, plural, time } from "./format.js"
import { editTranscription } from "./Listen.js"
import { phase } from "./live.js"
import { FailureNote } from "./notices.js"
import { Player } from "./Player.js"
import { editSpeech } from "./Speak.js"
import { replayProblem, sentRecording, speak, transcribe } from "./speech.js"
import { requests } from "./state.js"
import { makeStore, useStore } from "./store.js"

/** The page draws this many requests at once. */
const pageSize = 50

const filter = makeStore("")

/** Shows the requests that hold a text. */
export const showRequests = (text: string): void => {
  filter.set(text)
  document.getElementById("requests")?.scrollIntoView()
  document.getElementById("requests-filter")?.focus({ preventScroll: true })
}

/** The number of the open request, which the address holds: `#/requests/12`. */
const openFromAddress = (): number | undefined => {
  const [, digits] = /^#\/requests\/(\d{1,15})$/.exec(location.hash) ?? []
  return digits === undefined ? undefined : Number(digits)
}

const useOpenRequest = (): number | undefined => {
  const [open, setOpen] = useState(openFromAddress)
  useEffect(() => {
    const read = () => setOpen(openFromAddress())
    window.addEventListener("hashchange", read)
    return () => window.removeEventListener("hashchange", read)
  }, [])
  return open
}

const toggle = (entry: number, isOpen: boolean): void => {
  location.hash = isOpen ? "#/requests" : `#/requests/${entry}`
}

/** The words of an entry, for the filter. An entry is replaced when it changes, so they are made once. */
const words = new WeakMap<JournalEntry, string>()
const wordsOf = (entry: JournalEntry): string => {
  let made = words.get(entry)
  if (made === undefined) {
    const { id, number, operation, outcome, request, status } = entry
    made = [number, operation, outcome, status, id, request && JSON.stringify(request)].join(" ").toLowerCase()
    words.set(entry, made)
  }
  return made
}

const matches = (entries: ReadonlyArray<JournalEntry>, text: string): ReadonlyArray<JournalEntry> => {
  const wanted = text.toLowerCase().split(/\s+/).filter(Boolean)
  if (wanted.length === 0) return entries
  return entries.filter((entry) => wanted.every((word) => wordsOf(entry).includes(word)))
}

/** The text of a synthesis, or the model of a transcription. */
const summaryOf = ({ operation, request }: JournalEntry): string => {
  const value = operation === "synthesize" ? request?.text : request?.model
  return typeof value === "string" ? value : ""
}

export const Requests = () => {
  const entries = useStore(requests)
  const current = useStore(phase)
  const text = useStore(filter)
  const open = useOpenRequest()
  const [page, setPage] = useState(0)
  const field = useRef<HTMLInputElement>(null)
  const shownFor = useRef<number | undefined>(undefined)
  const id = useId()

  useEffect(() => {
    const focusFilter = (event: KeyboardEvent) => {
      const { target } = event
      const isTyping =
        target instanceof HTMLElement &&
        (target.isContentEditable || target.matches("textarea, select, input:not([type=checkbox], [type=range])"))
      if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return
      if (document.querySelector("dialog[open]") !== null) return
      event.preventDefault()
      field.current?.focus()
    }
    document.addEventListener("keydown", focusFilter)
    return () => document.removeEventListener("keydown", focusFilter)
  }, [])

  useEffect(() => setPage(0), [text])

  const found = [...matches(entries ?? [], text)].reverse()
  const lastPage = Math.max(0, Math.ceil(found.length / pageSize) - 1)

  // A link to a request shows the page of the list that holds it, once.
  useEffect(() => {
    if (open === undefined || entries === undefined || shownFor.current === open) return
    const index = found.findIndex((entry) => entry.number === open)
    if (index < 0) return
    if (Math.floor(index / pageSize) !== page) return setPage(Math.floor(index / pageSize))
    const isFirst = shownFor.current === undefined
    shownFor.current = open
    // At the top of the window the row stays where it is when what is above it arrives.
    if (isFirst) document.getElementById(`request-${open}`)?.scrollIntoView({ block: "start" })
  })

  const from = Math.min(page, lastPage) * pageSize
  const shown = found.slice(from, from + pageSize)
  const isUnknown = open !== undefined && entries !== undefined && !entries.some((entry) => entry.number === open)

  return (
    <section class="card requests" id="requests" aria-labelledby={`${id}-title`}>
      <div class="title">
        <h2 id={`${id}-title`}>Requests</h2>
        <span class="phase" role="status" data-phase={current}>
          {current}
        </span>
        <span class="spring" />
        <label class="inline">
          <span>Filter</span>
          <input
            id="requests-filter"
            ref={field}
            type="search"
            placeholder="Press /"
            aria-keyshortcuts="/"
            value={text}
            onInput={(event) => {
              filter.set(event.currentTarget.value)
            }}
            onKeyDown={(event) => {
              if (event.key === "Escape") filter.set("")
            }}
          />
        </label>
      </div>
      {isUnknown && (
        <p class="notice">The journal has no request {open}. It keeps the latest requests, and a reset empties it.</p>
      )}
      {entries === undefined ? (
        <p class="empty">Reading the requests…</p>
      ) : found.length === 0 ? (
        <p class="empty">
          {entries.length === 0
            ? "No requests yet. Press Speak, or run your program with the address and the key that speech serve printed."
            : `No request holds “${text}”. Clear the filter to see all ${number(entries.length)}.`}
        </p>
      ) : (
        <>
          <table>
            <caption class="hidden">Requests, latest first</caption>
            <thead>
              <tr>
                <th scope="col">#</th>
                <th scope="col" class="wide-only">
                  Time
                </th>
                <th scope="col" class="wide-only">
                  Operation
                </th>
                <th scope="col">Text or model</th>
                <th scope="col">Status</th>
                <th scope="col" class="wide-only end">
                  Took
                </th>
              </tr>
            </thead>
            <tbody>
              {shown.map((entry) => (
                <Row key={entry.number} entry={entry} isOpen={entry.number === open} />
              ))}
            </tbody>
          </table>
          {found.length > pageSize && (
            <nav class="pages" aria-label="Pages of requests">
              <button type="button" aria-disabled={from === 0} onClick={() => from > 0 && setPage(from / pageSize - 1)}>
                Newer
              </button>
              <span class="quiet">
                {number(from + 1)}–{number(from + shown.length)} of {number(found.length)}
              </span>
              <button
                type="button"
                aria-disabled={from / pageSize >= lastPage}
                onClick={() => from / pageSize < lastPage && setPage(from / pageSize + 1)}
              >
                Older
              </button>
            </nav>
          )}
        </>
      )}
      <p class="hidden" aria-live="polite">
        {text !== "" && `${plural(found.length, "request")} found`}
      </p>
    </section>
  )
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

const Row = ({ entry, isOpen }: { readonly entry: JournalEntry; readonly isOpen: boolean }) => {
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
            <Details entry={entry} />
          </td>
        </tr>
      )}
    </>
  )
}

const outcomes = { underWay: "under way", answered: undefined, faulted: "faulted", abandoned: "abandoned" } as const

const Status = ({ entry: { outcome, status } }: { readonly entry: JournalEntry }) => (
  <span class="status" data-good={status !== null && status < 400}>
    {status}
    {outcomes[outcome] && <span class="badge">{outcomes[outcome]}</span>}
  </span>
)

interface Replayed {
  readonly failure?: Failure
  readonly audio?: Blob
  readonly text?: string
  readonly note?: string
}

const Details = ({ entry }: { readonly entry: JournalEntry }) => {
  const { at, id, keyId, millis: took, number: own, operation, parent, request, status } = entry
  const [busy, setBusy] = useState(false)
  const [result, setResult] = useState<Replayed>()
  const chooser = useRef<HTMLInputElement>(null)
  const problem = replayProblem(entry)
  const problemId = useId()

  const replay = async (chosen?: File) => {
    if (request === null || problem !== undefined || busy) return
    if (operation === "synthesize") {
      setBusy(true)
      const outcome = await speak(request)
      setBusy(false)
      return setResult(
        outcome.ok
          ? { audio: outcome.value.audio, note: `Spoken again in ${millis(outcome.value.tookMillis)}.` }
          : { failure: outcome.failure }
      )
    }
    const recording = chosen ?? sentRecording(request.transaction_id)
    if (recording === undefined) return chooser.current?.click()
    setBusy(true)
    const outcome = await transcribe(recording, request)
    setBusy(false)
    setResult(
      outcome.ok
        ? {
            text: outcome.value.text || "Nothing was recognised.",
            note: `Transcribed again in ${millis(outcome.value.tookMillis)}.`
          }
        : { failure: outcome.failure }
    )
  }

  const edit = () => {
    if (request === null) return
    if (operation === "synthesize") editSpeech(request)
    else editTranscription(request)
  }

  return (
    <div class="details">
      {request !== null && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a long request scrolls with the keyboard.
        <section tabIndex={0} aria-label={`Fields of request ${own}`}>
          <pre>{JSON.stringify(request, undefined, 2)}</pre>
        </section>
      )}
      <dl class="facts">
        <dt>Answer</dt>
        <dd>
          {status === null ? "none" : `status ${status}`}
          {outcomes[entry.outcome] && `, ${outcomes[entry.outcome]}`}
          {took !== null && `, after ${millis(took)}`}
        </dd>
        <dt>Arrived</dt>
        <dd>{dateAndTime(at)}</dd>
        <dt>Id</dt>
        <dd>
          <code>{id ?? "none"}</code>
        </dd>
        <dt>Key</dt>
        <dd>
          <code>{keyId ?? "none accepted"}</code>
        </dd>
        {parent !== undefined && (
          <>
            <dt>Run</dt>
            <dd>
              <button type="button" class="link" onClick={() => showRequests(parent)}>
                {parent}
              </button>
            </dd>
          </>
        )}
      </dl>
      {request !== null && (
        <div class="actions">
          <button
            type="button"
            aria-busy={busy}
            disabled={problem !== undefined}
            aria-describedby={problem && problemId}
            onClick={() => void replay()}
          >
            {busy ? "Replaying…" : "Replay"}
          </button>
          <button type="button" disabled={problem !== undefined} aria-describedby={problem && problemId} onClick={edit}>
            Edit and replay
          </button>
          {!entry.shortened && (
            <CopyButtons
              call={{ operation, request }}
              name={`request ${own}`}
              fileName={sentRecording(request.transaction_id)?.name}
            />
          )}
        </div>
      )}
      {problem && (
        <p class="quiet" id={problemId}>
          {problem}
        </p>
      )}
      {operation === "transcribe" &&
        request !== null &&
        problem === undefined &&
        sentRecording(request.transaction_id) === undefined && (
          <p class="quiet">
            The service does not keep recordings. To replay this request, choose its recording again.
            <input
              ref={chooser}
              type="file"
              hidden
              aria-label="Recording to send again"
              onChange={(event) => {
                const [file] = event.currentTarget.files ?? []
                if (file !== undefined) void replay(file)
              }}
            />
          </p>
        )}
      <div aria-live="polite">
        {result?.failure && <FailureNote failure={result.failure} />}
        {result?.text && (
          <p class="transcript" dir="auto">
            {result.text}
          </p>
        )}
        {result?.note && <p class="quiet">{result.note}</p>}
      </div>
      {result?.audio && (
        <Player
          recording={result.audio}
          fileName={`request-${own}.wav`}
          label={`the replay of request ${own}`}
          autoplay
        />
      )}
    </div>
  )
}
