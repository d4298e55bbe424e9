// @ts-check
// Plain JavaScript, as a user's program. Makes calls that end in each way, prints when the last has ended, and does nothing else.
import { connect } from "@effect-speech/promise"

const [url = "", count = "1000"] = process.argv.slice(2)
const speech = connect({ apiKey: "prefix.secret", ttsBaseUrl: url, sttBaseUrl: url, retries: 0 })
const model = "hi-general-v2-8khz"

/** @type {ReadonlyArray<() => Promise<unknown>>} */
const ways = [
  async () => speech.speak("whole"),
  async () => {
    for await (const _ of speech.speak("half read")) break
  },
  async () => (await speech.speak("a response").response()).body?.cancel(),
  async () => {
    const started = speech.speak("started, and left")
    await started.start()
    for await (const _ of started) break
  },
  async () => void speech.speak("never used"),
  async () => speech.speak("").catch(() => undefined),
  () => speech.transcribe("/nowhere.wav", { model }).catch(() => undefined),
  () => speech.transcribe(new Uint8Array(10_000).fill(1), { model }),
  () =>
    speech.transcribe(new Uint8Array(10_000).fill(1), { model, signal: AbortSignal.timeout(3) }).catch(() => undefined),
  async () => speech.speak("too slow", { deadlines: { answer: 5 } }).catch(() => undefined),
  async () => speech.speakLong("One. Two. Three.", { firstCodePoints: 5, maximumCodePoints: 6 })
]

let next = 0
const worker = async () => {
  for (let index = next++; index < Number(count); index = next++) await ways[index % ways.length]?.()
}
await Promise.all(Array.from({ length: 16 }, worker))
console.log(JSON.stringify({ endedAt: Date.now() }))
