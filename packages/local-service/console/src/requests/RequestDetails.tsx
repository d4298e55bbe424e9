/** The facts of a request, its replay and its code. */
import { useId, useRef, useState } from "preact/hooks"
import type { JournalEntry } from "../../../src/Journal.js"
import type { CallFailure } from "../api.js"
import { CopyButtons } from "../CopyButtons.js"
import type { Fields } from "../code.js"
import { dateAndTime, millis } from "../format.js"
import { FailureNote } from "../notices.js"
import { Player } from "../player/Player.js"
import { replayProblem, sentRecording, speak, transcribe } from "../speech.js"
import { editSpeech } from "../try/draft.js"
import { editTranscription } from "../try/recognition.js"
import { showRequests } from "./requestList.js"

interface EntryProps {
  readonly entry: JournalEntry
}

export const outcomes = {
  underWay: "under way",
  answered: undefined,
  faulted: "faulted",
  abandoned: "abandoned"
} as const

export const RequestDetails = ({ entry }: EntryProps) => {
  const { number: own, request } = entry
  return (
    <div class="details">
      {request !== null && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a long request scrolls with the keyboard.
        <section tabIndex={0} aria-label={`Fields of request ${own}`}>
          <pre>{JSON.stringify(request, undefined, 2)}</pre>
        </section>
      )}
      <Facts entry={entry} />
      <Replay entry={entry} />
    </div>
  )
}

const Facts = ({ entry: { at, id, keyId, millis: took, outcome, parent, status } }: EntryProps) => (
  <dl class="facts">
    <dt>Answer</dt>
    <dd>
      {status === null ? "none" : `status ${status}`}
      {outcomes[outcome] && `, ${outcomes[outcome]}`}
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
)

interface Replayed {
  readonly failure?: CallFailure
  readonly audio?: Blob
  readonly text?: string
  readonly note?: string
}

const speakAgain = async (request: Fields): Promise<Replayed> => {
  const outcome = await speak(request)
  if (!outcome.ok) return { failure: outcome.failure }
  return { audio: outcome.value.audio, note: `Spoken again in ${millis(outcome.value.tookMillis)}.` }
}

const transcribeAgain = async (recording: File, request: Fields): Promise<Replayed> => {
  const outcome = await transcribe(recording, request)
  if (!outcome.ok) return { failure: outcome.failure }
  const { text, tookMillis } = outcome.value
  return { text: text || "Nothing was recognised.", note: `Transcribed again in ${millis(tookMillis)}.` }
}

const Replay = ({ entry }: EntryProps) => {
  const { number: own, operation, request } = entry
  const [busy, setBusy] = useState(false)
  const [result, setResult] = useState<Replayed>()
  const chooser = useRef<HTMLInputElement>(null)
  const problem = replayProblem(entry)
  const problemId = useId()
  if (request === null) return <p class="quiet">{problem}</p>
  const recording = sentRecording(request.transaction_id)
  const isSpeech = operation === "synthesize"
  const needsRecording = !isSpeech && recording === undefined

  const replay = async (sent: File | undefined) => {
    if (problem !== undefined || busy) return
    if (!isSpeech && sent === undefined) return chooser.current?.click()
    setBusy(true)
    const replayed = isSpeech || sent === undefined ? await speakAgain(request) : await transcribeAgain(sent, request)
    setBusy(false)
    setResult(replayed)
  }

  const unable = { disabled: problem !== undefined, "aria-describedby": problem && problemId }
  return (
    <>
      <div class="actions">
        <button type="button" aria-busy={busy} {...unable} onClick={() => void replay(recording)}>
          {busy ? "Replaying…" : "Replay"}
        </button>
        <button type="button" {...unable} onClick={() => (isSpeech ? editSpeech : editTranscription)(request)}>
          Edit and replay
        </button>
        {!entry.shortened && (
          <CopyButtons call={{ operation, request }} name={`request ${own}`} fileName={recording?.name} />
        )}
      </div>
      {problem && (
        <p class="quiet" id={problemId}>
          {problem}
        </p>
      )}
      {needsRecording && problem === undefined && (
        <p class="quiet">
          The service does not keep recordings. To replay this request, choose its recording again.
          <input
            ref={chooser}
            type="file"
            hidden
            aria-label="Recording to send again"
            onChange={(event) => void replay(event.currentTarget.files?.[0])}
          />
        </p>
      )}
      <Result own={own} result={result} />
    </>
  )
}

const Result = ({ own, result }: { readonly own: number; readonly result: Replayed | undefined }) => (
  <>
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
  </>
)
