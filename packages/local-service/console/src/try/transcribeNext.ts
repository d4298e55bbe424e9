import { makeStore } from "../store.js"
import { showTry } from "./showTry.js"

export interface Recording {
  readonly file: File
  /** The language that is spoken in it. */
  readonly lang: string
}

/** What Listen transcribes next. */
export const nextRecording = makeStore<Recording | undefined>(undefined)

/** Puts a recording into Listen, which transcribes it with a model of its language. */
export const transcribeNext = (file: File, lang: string): void => {
  nextRecording.set({ file, lang })
  showTry("listen", "listen-result")
}
