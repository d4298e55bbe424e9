// @ts-check
// Plain JavaScript, as a user's program. Reads speech slowly, and prints how much memory that took beyond a short one.
import { setTimeout as sleep } from "node:timers/promises"
import { connect } from "@effect-speech/promise"

const [url = "", use = "speak", pieces = "1"] = process.argv.slice(2)
const speech = connect({ apiKey: "prefix.secret", ttsBaseUrl: url })

/** @param {number} count */
const textOf = (count) => Array.from({ length: count }, (_, index) => `Sentence ${10_000 + index}.`).join(" ")
const long = { firstCodePoints: 15, maximumCodePoints: 15 }
const open = () => (use === "speak" ? speech.speak("text") : speech.speakLong(textOf(Number(pieces)), long))

// The first call loads what all need.
for await (const _ of open()) break
let peak = 0
const before = process.memoryUsage.rss()
let bytes = 0
let chunks = 0
for await (const samples of open()) {
  bytes += samples.byteLength
  if (++chunks % 50 === 0) await sleep(1)
  if (chunks % 10 === 0) peak = Math.max(peak, process.memoryUsage.rss())
}
console.log(JSON.stringify({ bytes, grown: Math.max(0, peak - before) }))
