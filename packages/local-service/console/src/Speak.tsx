/** Text to speech. */

import * as Issue from "@effect-speech/transport/Issue"
import * as TtsContract from "@effect-speech/tts/TtsContract"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { useId, useRef, useState } from "preact/hooks"
import type { Failure } from "./api.js"
import { CopyButtons } from "./CopyButtons.js"
import type { Fields } from "./code.js"
import { language, millis, number, plural, voice } from "./format.js"
import { FailureNote } from "./notices.js"
import { Player } from "./Player.js"
import { type Spoken, speak } from "./speech.js"
import { about } from "./state.js"
import { makeStore, useStore } from "./store.js"

interface Draft {
  readonly text: string
  readonly lang: string
  readonly voice: string
  readonly output_format: string
  readonly speed: number
  /** The fields of an edited request that the form does not show. */
  readonly others: Fields
}

const draft = makeStore<Draft>({
  text: "नमस्ते, यह सेवा इसी मशीन पर चल रही है।",
  lang: TtsContract.defaultLang,
  voice: TtsContract.defaultVoice,
  output_format: "24000:pcm16",
  speed: 1,
  others: {}
})

/** Puts the fields of a request into the form, and the focus on its text. */
export const editSpeech = ({ text, lang, voice, output_format, speed, ...others }: Fields): void => {
  const string = (value: unknown, otherwise: string) => (typeof value === "string" ? value : otherwise)
  draft.set({
    text: string(text, ""),
    lang: string(lang, TtsContract.defaultLang),
    voice: string(voice, TtsContract.defaultVoice),
    output_format: string(output_format, TtsContract.defaultOutputFormat),
    speed: typeof speed === "number" ? speed : 1,
    others: Object.fromEntries(Object.entries(others).filter(([, value]) => !isEmpty(value)))
  })
  const field = document.getElementById("speak-text")
  field?.scrollIntoView({ block: "center" })
  field?.focus()
}

const isEmpty = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Object.keys(value).length === 0

const fieldsOf = ({ others, ...fields }: Draft): Fields => ({ ...others, ...fields })

const decode = Schema.decodeUnknownEither(TtsContract.SynthesisBody)

/** The rule of the contract that the fields break, as a sentence. */
const problemOf = (fields: Fields): string | undefined =>
  Either.match(decode(fields), {
    onLeft: ({ issue }) => {
      const { field, problem } = Issue.first(issue)
      return `${field} ${problem}`
    },
    onRight: () => undefined
  })

export const Speak = () => {
  const service = useStore(about)
  const current = useStore(draft)
  const [spoken, setSpoken] = useState<Spoken>()
  const [failure, setFailure] = useState<Failure>()
  const [busy, setBusy] = useState(false)
  const [tried, setTried] = useState(false)
  const calls = useRef(0)
  const id = useId()

  const fields = fieldsOf(current)
  const problem = problemOf(fields)
  const units = TtsContract.codePoints(current.text)
  const isTooLong = units > TtsContract.maximumCodePoints
  const shownProblem = tried || isTooLong ? problem : undefined
  const change = (changes: Partial<Draft>) => draft.update((before) => ({ ...before, ...changes }))

  const submit = async () => {
    setTried(true)
    if (problem !== undefined) return document.getElementById("speak-text")?.focus()
    const own = ++calls.current
    setBusy(true)
    setFailure(undefined)
    const outcome = await speak(fields)
    if (own !== calls.current) return
    setBusy(false)
    if (outcome.ok) {
      setSpoken(outcome.value)
      setTried(false)
    } else setFailure(outcome.failure)
  }

  return (
    <section class="card speak" aria-labelledby={`${id}-title`}>
      <div class="title">
        <h2 id={`${id}-title`}>Speak</h2>
        <span class="quiet">text to speech</span>
        <span class="spring" />
        <CopyButtons call={{ operation: "synthesize", request: fields }} name="the call" />
      </div>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          void submit()
        }}
      >
        <label class="field">
          <span>Text</span>
          <textarea
            id="speak-text"
            dir="auto"
            rows={4}
            value={current.text}
            lang={current.lang}
            aria-invalid={shownProblem !== undefined}
            aria-describedby={`${id}-count ${id}-problem`}
            onInput={(event) => change({ text: event.currentTarget.value })}
            onKeyDown={(event) => {
              if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return
              event.preventDefault()
              void submit()
            }}
          />
        </label>
        <p id={`${id}-count`} class="quiet" data-over={isTooLong}>
          {number(units)} of {number(TtsContract.maximumCodePoints)} code points · costs{" "}
          {plural(units * (service?.price.perCodePoint ?? 1), "credit")}
        </p>
        <p id={`${id}-problem`} class="problem" aria-live="polite">
          {shownProblem}
        </p>
        <div class="fields">
          <div class="field">
            <label for={`${id}-language`}>Language</label>
            <Choices
              id={`${id}-language`}
              values={service?.languages ?? []}
              value={current.lang}
              name={language}
              onChange={(lang) => change({ lang })}
            />
          </div>
          <div class="field">
            <label for={`${id}-voice`}>Voice</label>
            <Choices
              id={`${id}-voice`}
              values={service?.voices ?? []}
              value={current.voice}
              name={voice}
              onChange={(voice) => change({ voice })}
            />
          </div>
          <div class="field">
            <label for={`${id}-format`}>Format</label>
            <Choices
              id={`${id}-format`}
              values={TtsContract.outputFormats}
              value={current.output_format}
              name={(format) => format}
              onChange={(output_format) => change({ output_format })}
            />
          </div>
          <label class="field grow">
            <span>Speed {current.speed.toFixed(2)}×</span>
            <input
              type="range"
              min={0.25}
              max={4}
              step={0.05}
              value={current.speed}
              onInput={(event) => change({ speed: event.currentTarget.valueAsNumber })}
            />
          </label>
        </div>
        {Object.keys(current.others).length > 0 && (
          <p class="quiet">
            Also sent: <code>{JSON.stringify(current.others)}</code>{" "}
            <button type="button" onClick={() => change({ others: {} })}>
              Remove
            </button>
          </p>
        )}
        <button type="submit" class="primary" aria-busy={busy} aria-keyshortcuts="Control+Enter">
          {busy ? "Speaking…" : "Speak"} <kbd>Ctrl ⏎</kbd>
        </button>
      </form>
      {failure && <FailureNote failure={failure} />}
      {spoken ? (
        <>
          <Player recording={spoken.audio} fileName="speech.wav" label="the speech" autoplay />
          <p class="quiet" role="status">
            {spoken.tookMillis !== undefined && `Took ${millis(spoken.tookMillis)}. `}
            {spoken.requestId && (
              <>
                Request <code>{spoken.requestId}</code>
              </>
            )}
          </p>
        </>
      ) : (
        <p class="empty">Write a text and press Speak. You will hear it and see its waveform here.</p>
      )}
    </section>
  )
}

interface ChoicesProps {
  readonly id: string
  readonly values: ReadonlyArray<string>
  readonly value: string
  readonly name: (value: string) => string
  readonly onChange: (value: string) => void
}

/** A select that also shows a value which the service does not list, as an edited request may have. */
const Choices = ({ id, name, onChange, value, values }: ChoicesProps) => (
  <select id={id} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
    {(values.includes(value) ? values : [value, ...values]).map((each) => (
      <option key={each} value={each}>
        {name(each)}
      </option>
    ))}
  </select>
)
