// Plain JavaScript: no compiler adds to the CPU time and memory that are measured.
/** The client for programs without Effect, as its package has it. */
import { connect } from "@effect-speech/promise"
import * as Contract from "../contract.js"
import { ofPromise } from "./operation.js"

const { key: apiKey, lang, model, outputFormat, recording, text } = Contract

/** @param {string} url */
export const speak = (url) => {
  const speech = connect({ apiKey, ttsBaseUrl: url })
  const call = async () => (await speech.speak(text, { lang, outputFormat })).bytes
  return ofPromise(call, Contract.checkAudio, speech.close)
}

/** @param {string} url */
export const transcribe = (url) => {
  const speech = connect({ apiKey, sttBaseUrl: url })
  const call = async () => (await speech.transcribe(recording, { model })).text
  return ofPromise(call, Contract.checkTranscript, speech.close)
}
