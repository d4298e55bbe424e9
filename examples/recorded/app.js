/**
 * A phone line: it transcribes what a caller says, and replies with speech.
 */
import { connect, isSpeakError } from "@effect-speech/promise"

const service = connect()

/** @param {Uint8Array} recording @param {string} [voice] Default: the default voice, also if the service lacks this one. */
export const answer = async (recording, voice) => {
  const hotwords = [{ phrase: "parcel" }]
  const { text: heard } = await service.transcribe(recording, { model: "en-general-v2-8khz", hotwords })
  const reply = heard === "" ? "Sorry?" : "Your parcel comes today."
  const options = /** @type {const} */ ({ lang: "en", outputFormat: "8000:pcm16" })
  const speech = await service.speak(reply, { ...options, voice }).then(undefined, (error) => {
    if (isSpeakError(error) && error.tag === "TtsBadRequest") return service.speak(reply, options)
    throw error
  })
  return { heard, reply, wav: speech.wav() }
}
