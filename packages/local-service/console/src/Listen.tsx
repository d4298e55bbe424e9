/** Recording to text. */

import { useEffect, useId, useRef, useState } from "preact/hooks"
import type { Transcript } from "../../src/Console.js"
import { type Failure, sentence } from "./api.js"
import type { Fields } from "./code.js"
import { millis, percent, position } from "./format.js"
import { FailureNote, say } from "./notices.js"
import { Player } from "./Player.js"
import { teach, transcribe } from "./speech.js"
import { about } from "./state.js"
import { makeStore, useStore } from "./store.js"

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
  const [failure, setFailure] = useState<Failure>()
  const [busy, setBusy] = useState(false)
  const [over, setOver] = useState(false)
  const latest = useRef<AbortController>(undefined)
  const id = useId()

  const listen = async (file: File) => {
    // The service then stops decoding the recording before, and does not bill it.
    latest.current?.abort()
    const own = new AbortController()
    latest.current = own
    setRecording(file)
    setTranscript(undefined)
    setFailure(undefined)
    setBusy(true)
    const outcome = await transcribe(file, { ...others, model, aux: true }, own.signal)
    if (own.signal.aborted) return
    setBusy(false)
    if (outcome.ok) setTranscript(outcome.value)
    else setFailure(outcome.failure)
  }

  return (
    <section
      class="card listen"
      aria-labelledby={`${id}-title`}
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
        const [file] = event.dataTransfer?.files ?? []
        if (file !== undefined) void listen(file)
      }}
    >
      <div class="title">
        <h2 id={`${id}-title`}>Listen</h2>
        <span class="quiet">recording to text</span>
        <span class="spring" />
        <label class="inline">
          <span>Model</span>
          <select value={model} onChange={(event) => chosenModel.set(event.currentTarget.value)}>
            {(models.includes(model) ? models : [model, ...models]).map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
      </div>
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
            const [file] = event.currentTarget.files ?? []
            if (file !== undefined) void listen(file)
            // The same file can be chosen again.
            event.currentTarget.value = ""
          }}
        />
      </label>
      {Object.keys(others).length > 0 && (
        <p class="quiet">
          Also sent: <code>{JSON.stringify(others)}</code>{" "}
          <button type="button" onClick={() => otherFields.set({})}>
            Remove
          </button>
        </p>
      )}
      <Microphone onRecording={(file) => void listen(file)} />
      <div aria-live="polite" aria-busy={busy}>
        {busy && <p class="quiet">Transcribing {recording?.name}…</p>}
        {failure && <FailureNote failure={failure} />}
        {transcript && (
          <>
            <p class="transcript" dir="auto">
              {transcript.text || <span class="quiet">Nothing was recognised.</span>}
            </p>
            <p class="quiet">
              <bdi>{recording?.name}</bdi>
              {transcript.confidence !== null && ` · confidence ${percent(transcript.confidence)}`}
              {` · took ${millis(transcript.tookMillis)}`}
            </p>
            {transcript.notice !== null && <p class="notice">{sentence(transcript.notice)}</p>}
            {transcript.warnings.map(({ message }) => (
              <p key={message} class="notice">
                {message}
              </p>
            ))}
          </>
        )}
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
    </section>
  )
}

const Teach = ({ onTaught, recording }: { readonly recording: File; readonly onTaught: () => void }) => {
  const [text, setText] = useState("")
  const [failure, setFailure] = useState<Failure>()
  const [busy, setBusy] = useState(false)
  const submit = async () => {
    if (text.trim() === "") return setFailure({ message: "Write what is said in the recording." })
    setBusy(true)
    setFailure(undefined)
    const outcome = await teach(recording, text.trim())
    setBusy(false)
    if (!outcome.ok) return setFailure(outcome.failure)
    say("The service knows this recording now.")
    onTaught()
  }
  return (
    <form
      class="teach"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      <label class="field">
        <span>What is said in this recording?</span>
        <textarea dir="auto" rows={2} value={text} onInput={(event) => setText(event.currentTarget.value)} />
      </label>
      {failure && <FailureNote failure={failure} />}
      <button type="submit" class="primary" aria-busy={busy}>
        Teach
      </button>
    </form>
  )
}

/** Containers that browsers record, with the ending of the file's name. */
const recordingTypes = [
  ["audio/webm;codecs=opus", "webm"],
  ["audio/ogg;codecs=opus", "ogg"],
  ["audio/mp4", "m4a"]
] as const

const Microphone = ({ onRecording }: { readonly onRecording: (file: File) => void }) => {
  const recorder = useRef<MediaRecorder | undefined>(undefined)
  const [startedAt, setStartedAt] = useState<number>()
  const [seconds, setSeconds] = useState(0)
  const [problem, setProblem] = useState<string>()

  useEffect(() => {
    if (startedAt === undefined) return
    const ticking = setInterval(() => setSeconds((performance.now() - startedAt) / 1000), 200)
    return () => clearInterval(ticking)
  }, [startedAt])

  useEffect(
    () => () => {
      for (const track of recorder.current?.stream.getTracks() ?? []) track.stop()
    },
    []
  )

  const start = async () => {
    setProblem(undefined)
    const type = recordingTypes.find(([mime]) => globalThis.MediaRecorder?.isTypeSupported(mime))
    if (navigator.mediaDevices === undefined || type === undefined) {
      return setProblem("This browser does not record here. Open the page on this machine, at 127.0.0.1.")
    }
    try {
      const stream = await navigator.mediaDevices.getUserMedia({ audio: { channelCount: 1 } })
      const [mimeType, ending] = type
      const chunks: Array<Blob> = []
      const made = new MediaRecorder(stream, { mimeType })
      recorder.current = made
      made.addEventListener("dataavailable", ({ data }) => chunks.push(data))
      made.addEventListener("stop", () => {
        for (const track of stream.getTracks()) track.stop()
        setStartedAt(undefined)
        onRecording(new File(chunks, `microphone.${ending}`, { type: mimeType.split(";")[0] ?? mimeType }))
      })
      made.start()
      setSeconds(0)
      setStartedAt(performance.now())
    } catch {
      setProblem("The browser gave no access to a microphone. Allow it in the settings of this page, then try again.")
    }
  }

  return (
    <div class="microphone">
      {startedAt === undefined ? (
        <button type="button" onClick={() => void start()}>
          Record from the microphone
        </button>
      ) : (
        <button type="button" class="recording" onClick={() => recorder.current?.stop()}>
          Stop and transcribe <span class="times">{position(seconds)}</span>
        </button>
      )}
      {problem && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
    </div>
  )
}
