/** Speaks a short sentence, to hear a voice. */
import * as TtsContract from "@effect-speech/tts/TtsContract"
import { useEffect, useRef } from "preact/hooks"
import { plural } from "../format.js"
import { speak } from "../speech.js"
import { about } from "../state.js"
import { useStore } from "../store.js"
import type { useCall } from "../useCall.js"
import type { Draft } from "./draft.js"
import { samples } from "./samples.js"

export interface SampleProps {
  readonly current: Draft
  readonly call: ReturnType<typeof useCall>
}

export const Sample = ({ call: { busy, make }, current: { lang, speed, voice } }: SampleProps) => {
  const service = useStore(about)
  const playing = useRef<HTMLAudioElement>(undefined)
  useEffect(() => () => playing.current?.pause(), [])
  const text = samples[lang]
  if (text === undefined) return null
  const price = plural(TtsContract.codePoints(text) * (service?.price.perCodePoint ?? 1), "credit")

  const hear = async () => {
    playing.current?.pause()
    const spoken = await make(() => speak({ text, lang, voice, speed, output_format: "24000:pcm16" }))
    if (spoken === undefined) return
    const address = URL.createObjectURL(spoken.audio)
    const audio = new Audio(address)
    playing.current = audio
    audio.addEventListener("pause", () => URL.revokeObjectURL(address), { once: true })
    await audio.play().catch(() => undefined)
  }

  return (
    <button type="button" aria-busy={busy} title={text} onClick={() => void hear()}>
      Hear the voice <span class="quiet">{price}</span>
    </button>
  )
}
