/**
 * The tests of the phone line. They run against the exchanges in `exchanges`, without a network:
 *
 * `speech run --replay exchanges -- node --test app.test.js`
 */
import assert from "node:assert/strict"
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { test } from "node:test"
import { answer } from "./app.js"

const call = readFileSync(new URL("caller/call.wav", import.meta.url))
/** As long as the call, with its header. */
const silence = Buffer.concat([call.subarray(0, 44), Buffer.alloc(call.length - 44)])

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
