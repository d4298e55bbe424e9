/** Recording to text. */
import { useEffect, useRef, useState } from "preact/hooks"
import type { Transcript } from "../../../src/internal/console/messages.js"
import { Player } from "../player/Player.js"
import { SubtitleButtons } from "../player/SubtitleButtons.js"
import { transcribe } from "../speech.js"
import { about, models } from "../state.js"
import { useStore } from "../store.js"
import { useCall } from "../useCall.js"
import { CallFailureNote } from "./CallFailureNote.js"
import { DropZone, useDrop } from "./DropZone.js"
import { Half } from "./Half.js"
import { Microphone } from "./Microphone.js"
import { modelFor, modelNames, modelOf, takesHotwords } from "./modelChoices.js"
import { OtherFields } from "./OtherFields.js"
import { RecognitionFields } from "./RecognitionFields.js"
import { chosenModel, hotwords, hotwordsOf, hotwordsProblem, otherFields, telephony } from "./recognition.js"
import { Teach } from "./Teach.js"
import { Transcription } from "./Transcription.js"
import { nextRecording } from "./transcribeNext.js"

export const Listen = () => {
  const canBeTaught = useStore(about)?.canBeTaught ?? true
  const chosen = useStore(chosenModel)
  const others = useStore(otherFields)
  const all = useStore(models)
  const model = modelOf(all, chosen)
  const problem = hotwordsProblem(others, takesHotwords(all, model))
  const { busy, failure, listen, recording, transcript } = useTranscription()
  const isReadable = recording !== undefined && recording.size > 0 && failure?.tag !== "SttAudioUnreadable"
  const again = () => recording && void listen(recording)
  const { attributes, over } = useDrop((file) => void listen(file))
  const lang = modelNames(all).find(({ name }) => name === model)?.lang

  return (
    <Half name="listen" summary="recording to text" {...attributes}>
      <DropZone over={over} recording={recording} onFile={(file) => void listen(file)} />
      <RecognitionFields model={model} problem={problem} />
      <div class="action">
        <button
          type="button"
          class="primary"
          aria-busy={busy}
          onClick={() => (recording ? again() : document.getElementById("listen-file")?.click())}
        >
          {busy ? "Transcribing…" : recording ? "Transcribe again" : "Transcribe a file"}
        </button>
        <Microphone onRecording={(file) => void listen(file)} />
        <OtherFields fields={others} onRemove={() => otherFields.set({})} />
      </div>
      <div class="result" id="listen-result" tabIndex={-1}>
        <div aria-live="polite" aria-busy={busy} class="result">
          {busy && <p class="hint">Transcribing {recording?.name}…</p>}
          {failure && <CallFailureNote failure={failure} operation="transcribe" />}
          {transcript && recording && (
            <Transcription name={recording.name} lang={lang} transcript={transcript} onAgain={again} />
          )}
        </div>
        {recording && transcript?.text === "" && canBeTaught && (
          <Teach key={transcript.transactionId} recording={recording} onTaught={again} />
        )}
        {recording === undefined ? (
          <Hint canBeTaught={canBeTaught} />
        ) : (
          isReadable && <Recording recording={recording} transcript={transcript} />
        )}
      </div>
    </Half>
  )
}

/** The recording, its transcript, and the call that makes it. */
const useTranscription = () => {
  const [recording, setRecording] = useState<File>()
  const [transcript, setTranscript] = useState<Transcript>()
  const { busy, failure, make, refuse } = useCall()
  const latest = useRef<AbortController>(undefined)
  const next = useStore(nextRecording)

  const listen = async (file: File) => {
    // The service then stops decoding the recording before, and does not bill it.
    latest.current?.abort()
    const own = new AbortController()
    latest.current = own
    setRecording(file)
    setTranscript(undefined)
    if (file.size === 0) return refuse("This file is empty. Choose another one.")
    setTranscript(
      await make(
        () => transcribe(file, fieldsNow(), own.signal),
        () => own.signal.aborted
      )
    )
  }

  useEffect(() => {
    if (next === undefined) return
    nextRecording.set(undefined)
    chosenModel.set(modelFor(models.get(), chosenModel.get(), next.lang))
    void listen(next.file)
  }, [next])

  return { busy, failure, listen, recording, transcript }
}

/** The fields of the form at this moment. */
const fieldsNow = () => {
  const all = models.get()
  const model = modelOf(all, chosenModel.get())
  const others = otherFields.get()
  const phrases = hotwordsProblem(others, takesHotwords(all, model)) ? {} : hotwordsOf(hotwords.get())
  return { ...phrases, ...others, model, aux: true, telephony: telephony.get() }
}

interface RecordingProps {
  readonly recording: File
  readonly transcript: Transcript | undefined
}

const Recording = ({ recording, transcript }: RecordingProps) => (
  <Player recording={recording} fileName={recording.name} segments={transcript?.segments} label="the recording">
    {transcript !== undefined && transcript.segments.length > 0 && (
      <SubtitleButtons fileName={recording.name} segments={transcript.segments} />
    )}
  </Player>
)

const Hint = ({ canBeTaught }: { readonly canBeTaught: boolean }) => (
  <p class="hint">
    {canBeTaught
      ? "The service recognises what it has spoken and what you have taught it. To try it, press Speak, and then Transcribe this."
      : "You will see the text of a recording here. The recogniser understands speech by itself, so it can't be taught a recording."}
  </p>
)
