/** Recording to text. */
import type { ComponentChildren } from "preact"
import { useId, useRef, useState } from "preact/hooks"
import type { Transcript } from "../../../src/internal/console/messages.js"
import { Card } from "../Card.js"
import { Choice } from "../Choice.js"
import type { Fields } from "../code.js"
import { Form } from "../Form.js"
import { millis, percent, sentence } from "../format.js"
import { FailureNote, say } from "../notices.js"
import { Player } from "../player/Player.js"
import { teach, transcribe } from "../speech.js"
import { about, models } from "../state.js"
import { makeStore, useStore } from "../store.js"
import { useCall } from "../useCall.js"
import { Microphone } from "./Microphone.js"
import { modelNames, takesHotwords } from "./modelChoices.js"
import { OtherFields } from "./OtherFields.js"
import { showTry } from "./showTry.js"

const chosenModel = makeStore<string | undefined>(undefined)

/** The fields of an edited request that the form does not show. */
const otherFields = makeStore<Fields>({})

/** Phrases, separated by commas. */
const hotwords = makeStore("")

/** The field `hotwords` of a request, if the form has phrases. */
const hotwordsOf = (text: string): Fields => {
  const phrases = text.split(",").map((phrase) => phrase.trim())
  const given = phrases.filter((phrase) => phrase !== "").map((phrase) => ({ phrase }))
  return given.length === 0 ? {} : { hotwords: given }
}

/** Chooses the model and the other fields of a request, and puts the focus on the choice of a recording. */
export const editTranscription = ({ aux: _, model, transaction_id: __, ...others }: Fields): void => {
  if (typeof model === "string") chosenModel.set(model)
  otherFields.set(others)
  showTry("listen-file")
}

export const Listen = () => {
  const service = useStore(about)
  const chosen = useStore(chosenModel)
  const others = useStore(otherFields)
  const all = useStore(models)
  const phrases = useStore(hotwords)
  const names = modelNames(all)
  const model = chosen ?? (names.find(({ lang }) => lang === "hi") ?? names[0])?.name ?? ""
  const problem = hotwordsProblem(others, takesHotwords(all, model))
  const canBeTaught = service?.canBeTaught ?? true
  const [recording, setRecording] = useState<File>()
  const [transcript, setTranscript] = useState<Transcript>()
  const { busy, failure, make } = useCall()
  const latest = useRef<AbortController>(undefined)

  const listen = async (file: File) => {
    // The service then stops decoding the recording before, and does not bill it.
    latest.current?.abort()
    const own = new AbortController()
    latest.current = own
    setRecording(file)
    setTranscript(undefined)
    setTranscript(
      await make(
        () => transcribe(file, { ...(problem ? {} : hotwordsOf(phrases)), ...others, model, aux: true }, own.signal),
        () => own.signal.aborted
      )
    )
  }

  const beside = (
    <>
      <span class="quiet">recording to text</span>
      <span class="spring" />
      <Choice
        class="inline"
        label="Model"
        values={names.map(({ name }) => name)}
        value={model}
        onChange={chosenModel.set}
      />
    </>
  )

  return (
    <DropCard beside={beside} onFile={listen}>
      {!canBeTaught && <Hotwords problem={problem} value={phrases} />}
      <OtherFields fields={others} onRemove={() => otherFields.set({})} />
      <Microphone onRecording={(file) => void listen(file)} />
      <div aria-live="polite" aria-busy={busy}>
        {busy && <p class="quiet">Transcribing {recording?.name}…</p>}
        {failure && <FailureNote failure={failure} />}
        {transcript && <Result name={recording?.name} transcript={transcript} />}
      </div>
      {recording && transcript?.text === "" && canBeTaught && (
        <Teach key={transcript.transactionId} recording={recording} onTaught={() => void listen(recording)} />
      )}
      {recording ? (
        <>
          <Player
            recording={recording}
            fileName={recording.name}
            segments={transcript?.segments}
            label="the recording"
          />
          <button type="button" class="start" aria-busy={busy} onClick={() => void listen(recording)}>
            Transcribe again
          </button>
        </>
      ) : (
        <p class="empty">
          {canBeTaught
            ? "The service recognises what it has spoken and what you have taught it. To try it, press Speak, save the speech and drop the file here."
            : "You will see the text of a recording here. The recogniser understands speech by itself, so it can't be taught a recording."}
        </p>
      )}
    </DropCard>
  )
}

/** Why the form can't send hotwords. `undefined` if it can. */
const hotwordsProblem = (others: Fields, isTaken: boolean): string | undefined => {
  if (others.hotwords !== undefined) return "The edited request has its own."
  return isTaken ? undefined : "This model takes none."
}

const Hotwords = ({ problem, value }: { readonly problem: string | undefined; readonly value: string }) => {
  const id = useId()
  return (
    <div class="hotwords">
      <label class="field">
        <span>Hotwords, separated by commas</span>
        <input
          dir="auto"
          autocomplete="off"
          value={value}
          disabled={problem !== undefined}
          aria-describedby={id}
          onInput={(event) => hotwords.set(event.currentTarget.value)}
        />
      </label>
      <p id={id} class="quiet">
        {problem ?? "Phrases that the recognition prefers."}
      </p>
    </div>
  )
}

interface DropCardProps {
  readonly beside: ComponentChildren
  readonly onFile: (file: File) => Promise<void>
  readonly children: ComponentChildren
}

/** The card, on which a file can be dropped, and the button that chooses one. */
const DropCard = ({ beside, children, onFile }: DropCardProps) => {
  const service = useStore(about)
  const [over, setOver] = useState(false)
  const take = (files: FileList | null | undefined) => {
    const [file] = files ?? []
    if (file !== undefined) void onFile(file)
  }
  return (
    <Card
      class="listen"
      title="Listen"
      beside={beside}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={(event) => {
        if (!(event.relatedTarget instanceof Node && event.currentTarget.contains(event.relatedTarget))) setOver(false)
      }}
      onDrop={(event) => {
        event.preventDefault()
        setOver(false)
        take(event.dataTransfer?.files)
      }}
    >
      <label class="drop" data-over={over}>
        <span>
          Drop a recording here, or <span class="link">choose a file</span>
        </span>
        <span class="quiet">{service?.containers.join(", ") ?? "WAV, MP3, M4A, FLAC, OGG or WebM"}</span>
        <input
          id="listen-file"
          type="file"
          class="hidden"
          accept="audio/*,video/webm,.wav,.mp3,.m4a,.flac,.ogg,.webm"
          onChange={(event) => {
            take(event.currentTarget.files)
            // The same file can be chosen again.
            event.currentTarget.value = ""
          }}
        />
      </label>
      {children}
    </Card>
  )
}

interface ResultProps {
  /** The name of the recording's file. */
  readonly name: string | undefined
  readonly transcript: Transcript
}

const Result = ({ name, transcript: { confidence, notice, text, tookMillis, warnings } }: ResultProps) => (
  <>
    <p class="transcript" dir="auto">
      {text || <span class="quiet">Nothing was recognised.</span>}
    </p>
    <p class="quiet">
      <bdi>{name}</bdi>
      {confidence !== null && ` · confidence ${percent(confidence)}`}
      {` · took ${millis(tookMillis)}`}
    </p>
    {notice !== null && <p class="notice">{sentence(notice)}</p>}
    {warnings.map(({ message }) => (
      <p key={message} class="notice">
        {message}
      </p>
    ))}
  </>
)

const Teach = ({ onTaught, recording }: { readonly recording: File; readonly onTaught: () => void }) => {
  const [text, setText] = useState("")
  const { busy, failure, make, refuse } = useCall()
  const submit = async () => {
    if (text.trim() === "") return refuse("Write what is said in the recording.")
    const taught = await make(() => teach(recording, text.trim()))
    if (taught === undefined) return
    say("The service knows this recording now.")
    onTaught()
  }
  return (
    <Form class="teach" onSubmit={submit}>
      <label class="field">
        <span>What is said in this recording?</span>
        <textarea dir="auto" rows={2} value={text} onInput={(event) => setText(event.currentTarget.value)} />
      </label>
      {failure && <FailureNote failure={failure} />}
      <button type="submit" class="primary" aria-busy={busy}>
        Teach
      </button>
    </Form>
  )
}
