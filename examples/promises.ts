/**
 * Both clients in a program without Effect.
 *
 * `pnpm example examples/promises.ts "a text" hello.wav`, with the variables that `pnpm speech serve` prints.
 */
import { connect, isSpeakError, isTranscribeError } from "@effect-speech/promise"

const [text = "Hello.", path = "hello.wav"] = process.argv.slice(2)
const speech = connect()
const signal = AbortSignal.timeout(60_000)
try {
  const { durationMillis } = await speech.speak(text, { lang: "en", signal }).toFile(path)
  const heard = await speech.transcribe(path, { model: "en-general-v2-8khz", signal })
  console.log(`${durationMillis} ms, heard as: ${heard.text}`)
} catch (error) {
  if (isSpeakError(error) && error.tag === "TtsInvalidRequest") {
    console.error(`${error.tag}: ${error.facts.field} ${error.facts.problem}`)
  } else if (isSpeakError(error) || isTranscribeError(error)) {
    console.error(`${error.tag}: billing ${error.call.billing}`)
  } else throw error
  process.exitCode = 1
}
