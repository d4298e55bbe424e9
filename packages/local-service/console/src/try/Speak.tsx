/** Text to speech. */
import * as Issue from "@effect-speech/transport/unstable/Issue"
import * as TtsContract from "@effect-speech/tts/TtsContract"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { useEffect, useId, useRef, useState } from "preact/hooks"
import type { Model } from "../../../src/Models.js"
import { Card } from "../Card.js"
import { Choice } from "../Choice.js"
import { CopyButtons } from "../CopyButtons.js"
import type { Fields } from "../code.js"
import { Form } from "../Form.js"
import { language, millis, number, plural, voice } from "../format.js"
import { FailureNote } from "../notices.js"
import { Player } from "../player/Player.js"
import { type Spoken, speak } from "../speech.js"
import { about, models } from "../state.js"
import { makeStore, useStore } from "../store.js"
import { useCall } from "../useCall.js"
import { spokenLanguages, voicesFor } from "./modelChoices.js"
import { OtherFields } from "./OtherFields.js"
import { showTry } from "./showTry.js"

interface Draft {
  readonly text: string
  readonly lang: string
  readonly voice: string
  readonly output_format: string
  readonly speed: number
  /** The fields of an edited request that the form does not show. */
  readonly others: Fields
}

/** Texts to begin with, by their language. */
const beginnings: Readonly<Record<string, string>> = {
  hi: "नमस्ते, यह सेवा इसी मशीन पर चल रही है।",
  en: "Hello, this service runs on this machine."
}

const draft = makeStore<Draft>({
  text: beginnings[TtsContract.defaultLang] ?? "",
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
  showTry("speak-text")
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

const change = (changes: Partial<Draft>) => draft.update((before) => ({ ...before, ...changes }))

/** If no voice speaks the language of the text to begin with, begins with a language that one speaks. */
const beginWith = (all: ReadonlyArray<Model> | undefined): void => {
  const languages = spokenLanguages(all)
  const { lang, text } = draft.get()
  const first = languages.includes("en") ? "en" : languages[0]
  if (first === undefined || languages.includes(lang) || text !== beginnings[lang]) return
  const [voice] = voicesFor(all, first)
  change({ lang: first, text: beginnings[first] ?? "", ...(voice === undefined ? {} : { voice }) })
}

export const Speak = () => {
  const current = useStore(draft)
  const [spoken, setSpoken] = useState<Spoken>()
  const { busy, failure, make } = useCall()
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
    if (made === undefined) return
    setSpoken(made)
    setTried(false)
  }

  const beside = (
    <>
      <span class="quiet">text to speech</span>
      <span class="spring" />
      <CopyButtons call={{ operation: "synthesize", request: fields }} name="the call" />
    </>
  )

  return (
    <Card class="speak" title="Speak" beside={beside}>
      <Form onSubmit={submit}>
        <TextField current={current} problem={tried ? problem : undefined} onSubmit={submit} />
        <VoiceFields current={current} />
        <OtherFields fields={current.others} onRemove={() => change({ others: {} })} />
        <button type="submit" class="primary" aria-busy={busy} aria-keyshortcuts="Control+Enter">
          {busy ? "Speaking…" : "Speak"} <kbd>Ctrl ⏎</kbd>
        </button>
      </Form>
      {failure && <FailureNote failure={failure} />}
      {spoken ? (
        <Speech spoken={spoken} />
      ) : (
        <p class="empty">Write a text and press Speak. You will hear it and see its waveform here.</p>
      )}
    </Card>
  )
}

interface DraftProps {
  readonly current: Draft
}

interface TextFieldProps extends DraftProps {
  /** The rule that the fields break. That of a text which is too long is shown in any case. */
  readonly problem: string | undefined
  readonly onSubmit: () => Promise<void>
}

const TextField = ({ current, onSubmit, problem }: TextFieldProps) => {
  const service = useStore(about)
  const id = useId()
  const units = TtsContract.codePoints(current.text)
  const isTooLong = units > TtsContract.maximumCodePoints
  const shownProblem = isTooLong ? problemOf(fieldsOf(current)) : problem
  return (
    <>
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
            void onSubmit()
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
    </>
  )
}

const VoiceFields = ({ current }: DraftProps) => {
  const all = useStore(models)
  const voices = voicesFor(all, current.lang)
  const changeLanguage = (lang: string) => {
    const [first, ...others] = voicesFor(all, lang)
    const isSpoken = first === current.voice || others.includes(current.voice)
    change({ lang, voice: isSpoken ? current.voice : (first ?? current.voice) })
  }
  return (
    <div class="fields">
      <Choice
        class="field"
        label="Language"
        values={spokenLanguages(all)}
        name={language}
        value={current.lang}
        onChange={changeLanguage}
      />
      <Choice
        class="field"
        label="Voice"
        values={voices}
        name={voice}
        value={current.voice}
        onChange={(voice) => change({ voice })}
      />
      <Choice
        class="field"
        label="Format"
        values={TtsContract.outputFormats}
        value={current.output_format}
        onChange={(output_format) => change({ output_format })}
      />
      <label class="field grow">
        <span>Speed {current.speed.toFixed(2)}×</span>
        <input
          type="range"
          min={TtsContract.speedRange.minimum}
          max={TtsContract.speedRange.maximum}
          step={0.05}
          value={current.speed}
          onInput={(event) => change({ speed: event.currentTarget.valueAsNumber })}
        />
      </label>
    </div>
  )
}

const Speech = ({ spoken }: { readonly spoken: Spoken }) => (
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
)
