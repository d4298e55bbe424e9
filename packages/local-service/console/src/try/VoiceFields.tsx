/** The fields of a synthesis beside its text. */
import * as TtsContract from "@effect-speech/tts/TtsContract"
import { Choice } from "../Choice.js"
import { language, voice } from "../format.js"
import { models } from "../state.js"
import { useStore } from "../store.js"
import { change, changeLanguage, type Draft } from "./draft.js"
import { spokenLanguages, voicesFor } from "./modelChoices.js"

/** `24000:pcm16` becomes "24 kHz · pcm16". */
const formatName = (format: string): string => {
  const [rate, encoding] = format.split(":")
  return encoding === undefined ? format : `${Number(rate) / 1000} kHz · ${encoding}`
}

export const VoiceFields = ({ current }: { readonly current: Draft }) => {
  const all = useStore(models)
  return (
    <div class="options">
      <Choice
        class="field"
        label="Language"
        values={spokenLanguages(all)}
        name={language}
        value={current.lang}
        onChange={(lang) => changeLanguage(all, lang)}
      />
      <Choice
        class="field"
        label="Voice"
        values={voicesFor(all, current.lang)}
        name={voice}
        value={current.voice}
        onChange={(voice) => change({ voice })}
      />
      <Choice
        class="field"
        label="Format"
        values={TtsContract.outputFormats}
        name={formatName}
        value={current.output_format}
        onChange={(output_format) => change({ output_format })}
      />
      <label class="field">
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
