/** Recording to text. */
import type { ComponentChildren } from "preact"
import { useRef, useState } from "preact/hooks"
import type { Transcript } from "../../src/internal/console/messages.js"
import { sentence } from "./api.js"
import { Card } from "./Card.js"
import { Choice } from "./Choice.js"
import type { Fields } from "./code.js"
import { Form } from "./Form.js"
import { millis, percent } from "./format.js"
import { Microphone } from "./Microphone.js"
import { FailureNote, say } from "./notices.js"
import { OtherFields } from "./OtherFields.js"
import { Player } from "./Player.js"
import { teach, transcribe } from "./speech.js"
import { about } from "./state.js"
import { makeStore, useStore } from "./store.js"
import { useCall } from "./useCall.js"

const chosenModel = makeStore<string | undefined>(undefined)

/** The fields of an edited request that the form does not show. */
const otherFields = makeStore<Fields>({})

/** Chooses the model and the other fields of a request, and puts the focus on the choice of a recording. */
export const editTranscription = ({ aux: _, model, transaction_id: __, ...others }: Fields): void => {
  if (typeof model === "string") chosenModel.set(model)
  otherFields.set(others)
  const chooser = document.getElementById("listen-file")
  chooser?.scrollIntoView({ block: "center" })
  chooser?.focus()
}

export const Listen = () => {
  const service = useStore(about)
  const chosen = useStore(chosenModel)
  const others = useStore(otherFields)
  const models = service?.models.map(({ name }) => name) ?? []
  const model = chosen ?? models.find((name) => name.startsWith("hi-")) ?? models[0] ?? ""
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
        () => transcribe(file, { ...others, model, aux: true }, own.signal),
        () => own.signal.aborted
      )
    )
  }

  const beside = (
    <>
      <span class="quiet">recording to text</span>
      <span class="spring" />
      <Choice class="inline" label="Model" values={models} value={model} onChange={chosenModel.set} />
    </>
  )

  return (
    <DropCard beside={beside} onFile={listen}>
      <OtherFields fields={others} onRemove={() => otherFields.set({})} />
      <Microphone onRecording={(file) => void listen(file)} />
      <div aria-live="polite" aria-busy={busy}>
        {busy && <p class="quiet">Transcribing {recording?.name}…</p>}
        {failure && <FailureNote failure={failure} />}
        {transcript && <Result name={recording?.name} transcript={transcript} />}
      </div>
      {recording && transcript?.text === "" && (
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
          The service recognises what it has spoken and what you have taught it. To try it, press Speak, save the speech
          and drop the file here.
        </p>
      )}
    </DropCard>
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
