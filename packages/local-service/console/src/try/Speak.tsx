/** Text to speech. */
import * as TtsContract from "@effect-speech/tts/TtsContract"
import { useEffect, useId, useRef, useState } from "preact/hooks"
import { CopyButtons } from "../CopyButtons.js"
import { Form } from "../Form.js"
import { number, plural, took } from "../format.js"
import { FailureNote } from "../notices.js"
import { Player } from "../player/Player.js"
import { type Spoken, speak } from "../speech.js"
import { about, models } from "../state.js"
import { useStore } from "../store.js"
import { useCall } from "../useCall.js"
import { CallFailureNote } from "./CallFailureNote.js"
import { beginWith, change, type Draft, draft, fieldsOf, problemOf } from "./draft.js"
import { Half } from "./Half.js"
import { hintOf } from "./languageHint.js"
import { OtherFields } from "./OtherFields.js"
import { RequestLink } from "./RequestLink.js"
import { Sample } from "./Sample.js"
import { transcribeNext } from "./transcribeNext.js"
import { VoiceFields } from "./VoiceFields.js"

/** What was spoken, and its language. */
interface Result extends Spoken {
  readonly lang: string
}

export const Speak = () => {
  const current = useStore(draft)
  const [result, setResult] = useState<Result>()
  const { busy, failure, make } = useCall()
  const sample = useCall()
  const [tried, setTried] = useState(false)
  const calls = useRef(0)
  const fields = fieldsOf(current)
  const problem = problemOf(fields)
  const all = useStore(models)
  useEffect(() => beginWith(all), [all])

  const submit = async () => {
    setTried(true)
    if (problem !== undefined) return document.getElementById("speak-text")?.focus()
    const own = ++calls.current
    const made = await make(
      () => speak(fields),
      () => own !== calls.current
    )
    if (made === undefined) {
      // The speech of an earlier call is not what this one made.
      if (own === calls.current) setResult(undefined)
      return
    }
    setResult({ ...made, lang: current.lang })
    setTried(false)
  }

  return (
    <Half
      name="speak"
      summary="text to speech"
      beside={<CopyButtons call={{ operation: "synthesize", request: fields }} name="the call" />}
    >
      <Form onSubmit={submit}>
        <TextField current={current} problem={tried ? problem : undefined} onSubmit={submit} />
        <VoiceFields current={current} />
        <div class="action">
          <button type="submit" class="primary" aria-busy={busy} aria-keyshortcuts="Control+Enter">
            {busy ? "Speaking…" : "Speak"} <kbd>Ctrl ⏎</kbd>
          </button>
          <Sample current={current} call={sample} />
          <OtherFields fields={current.others} onRemove={() => change({ others: {} })} />
        </div>
      </Form>
      <div class="result">
        {failure && <CallFailureNote failure={failure} operation="synthesize" />}
        {sample.failure && <FailureNote failure={sample.failure} />}
        {result ? (
          <Speech result={result} />
        ) : (
          failure === undefined && <p class="hint">You hear your text and see its waveform here.</p>
        )}
      </div>
    </Half>
  )
}

interface TextFieldProps {
  readonly current: Draft
  /** The rule that the fields break. That of a text which is too long is shown in any case. */
  readonly problem: string | undefined
  readonly onSubmit: () => Promise<void>
}

const TextField = ({ current, onSubmit, problem }: TextFieldProps) => {
  const service = useStore(about)
  const id = useId()
  const units = TtsContract.codePoints(current.text)
  const isTooLong = units > TtsContract.maximumCodePoints
  const hint = hintOf(current.text, current.lang)
  return (
    <div class="input">
      <label class="field">
        <span>Text</span>
        <textarea
          id="speak-text"
          dir="auto"
          rows={4}
          value={current.text}
          lang={current.lang}
          aria-invalid={isTooLong || problem !== undefined}
          aria-describedby={`${id}-count ${id}-problem`}
          onInput={(event) => change({ text: event.currentTarget.value })}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return
            event.preventDefault()
            void onSubmit()
          }}
        />
      </label>
      <p id={`${id}-count`} class="quiet" data-over={isTooLong}>
        {number(units)} of {number(TtsContract.maximumCodePoints)} code points · costs{" "}
        {plural(units * (service?.price.perCodePoint ?? 1), "credit")}
      </p>
      <p id={`${id}-problem`} class="problem" aria-live="polite">
        {isTooLong ? (
          <>
            The text of a request has at most {number(TtsContract.maximumCodePoints)} code points. For a longer one, run{" "}
            <code>speech synthesize --text-file FILE</code>.
          </>
        ) : (
          problem
        )}
        {!isTooLong && problem === undefined && hint && <span class="quiet">{hint}</span>}
      </p>
    </div>
  )
}

const Speech = ({ result: { audio, lang, requestId, tookMillis } }: { readonly result: Result }) => (
  <>
    <Player recording={audio} fileName="speech.wav" label="the speech" autoplay>
      <button type="button" onClick={() => transcribeNext(new File([audio], "speech.wav", { type: audio.type }), lang)}>
        Transcribe this
      </button>
    </Player>
    <p class="quiet" role="status">
      {tookMillis !== undefined && `Took ${took(tookMillis)} · `}
      {requestId && <RequestLink id={requestId} />}
    </p>
  </>
)
