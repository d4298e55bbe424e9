/**
 * The tests of the phone line. They run against the exchanges in `exchanges`, without a network:
 *
 * `speech run --replay exchanges -- node --test app.test.js`
 */
import assert from "node:assert/strict"
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { after, test } from "node:test"
import { Wav } from "@effect-speech/audio-codec"
import { answer, close } from "./app.js"

after(close)

const call = readFileSync(new URL("call.wav", import.meta.url))
const silence = Wav.encode(new Uint8Array(8000), { sampleRate: 8000, channels: 1, encoding: "pcm16" })

/** @param {import("node:test").TestContext} t @param {Uint8Array} wav */
const note = (t, wav) => t.diagnostic(`${wav.length} bytes, SHA-256 ${createHash("sha256").update(wav).digest("hex")}`)

test("replies to a caller who asks for a parcel", async (t) => {
  const { heard, reply, wav } = await answer(call)
  assert.equal(heard, "Where is my parcel?")
  assert.equal(reply, "Your parcel comes today.")
  note(t, wav)
})

test("asks a caller again who said nothing", async (t) => {
  const { heard, reply, wav } = await answer(silence)
  assert.deepEqual([heard, reply], ["", "Sorry?"])
  note(t, wav)
})

test("replies with the default voice if the service lacks the chosen one", async (t) => {
  const { reply, wav } = await answer(call, "nobody")
  assert.equal(reply, "Your parcel comes today.")
  note(t, wav)
})
