// Plain JavaScript, over the built package: it runs unchanged on Node, Bun and Deno.
/** A smoke test of `@effect-speech/promise`. `check.ts` runs it, and reads the outcomes that it prints. */
import assert from "node:assert/strict"
import { createReadStream } from "node:fs"
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { connect, SpeechError } from "@effect-speech/promise"

/** @type {Omit<import("./smoke.js").Setting, "layer">} */
const setting = JSON.parse(process.argv[2] ?? "{}")

/** @param {string} method @param {string} path @param {unknown} [body] */
const platform = async (method, path, body) => {
  const response = await fetch(`${setting.platformUrl}/platform/api/${path}`, {
    method,
    headers: { "x-admin-token": setting.adminToken, "content-type": "application/json" },
    body: body === undefined ? null : JSON.stringify(body)
  })
  assert(response.ok, `${method} ${path}: ${response.status}`)
  return /** @type {{ readonly key: string }} */ (await response.json())
}

/** @param {import("@effect-speech/local-service/Faults").Fault} fault @param {() => Promise<void>} use */
const withFault = async (fault, use) => {
  await platform("PUT", "faults", [fault])
  await use().finally(() => platform("PUT", "faults", []))
}

/** No response of the silent server is still open. */
const noResponseIsOpen = async () => {
  for (let left = 100; left > 0; left--) {
    if ((await (await fetch(`${setting.scriptedUrl}/held`)).text()) === "0") return
    await new Promise((done) => setTimeout(done, 20))
  }
  throw new Error("A response is still open.")
}

/** A client of the local service with a new key. @param {import("@effect-speech/promise").ConnectOptions} [options] */
const client = async (options) => {
  const { key } = await platform("POST", "keys", { name: "smoke", confirm: true })
  return connect({
    apiKey: key,
    sttBaseUrl: setting.sttBaseUrl,
    ttsBaseUrl: setting.ttsBaseUrl,
    retries: 0,
    ...options
  })
}

/** A client of another server. @param {string} url @param {import("@effect-speech/promise").ConnectOptions} [options] */
const clientOf = (url, options) =>
  connect({ apiKey: "some.key", sttBaseUrl: url, ttsBaseUrl: url, retries: 0, ...options })

const text = "नमस्ते, आपके खाते में पाँच सौ रुपये हैं।"
const model = "hi-general-v2-8khz"
const silentUrl = `${setting.scriptedUrl}/silent`
const folder = await mkdtemp(join(tmpdir(), "promise-smoke-"))
const path = join(folder, "spoken.wav")
const noise = new Uint8Array(1000)

/** @param {PromiseLike<unknown>} call @param {string} tag @param {object} facts Some of its facts. */
const fails = async (call, tag, facts = {}) => {
  const error = await call.then(
    () => undefined,
    (reason) => reason
  )
  assert(error instanceof SpeechError, String(error))
  assert.equal(error.tag, tag)
  assert.deepEqual({ ...error.facts, ...facts }, error.facts)
}

const isTranscribed = async (/** @type {import("@effect-speech/promise").Recording} */ recording) => {
  const speech = await client()
  assert.equal((await speech.transcribe(recording, { model })).text, text)
}

/** @type {Record<string, () => Promise<void>>} */
const checks = {
  "a text becomes a file": async () => {
    const { durationMillis } = await (await client()).speak(text).toFile(path)
    assert(durationMillis > 1000)
  },
  "a text becomes bytes": async () => {
    const { bytes, format } = await (await client()).speak(text)
    assert.deepEqual(format, { sampleRate: 24000, channels: 1, encoding: "float32" })
    assert(bytes.byteLength > 96_000)
  },
  "a text becomes a response with its length": async () => {
    const response = await (await client()).speak(text).response()
    const length = Number(response.headers.get("content-length"))
    assert.equal((await response.arrayBuffer()).byteLength, length)
    assert(length > 96_000)
  },
  "a recording is transcribed from its path": () => isTranscribed(path),
  "a recording is transcribed from bytes": async () => isTranscribed(await readFile(path)),
  "a recording is transcribed from a Blob": async () => isTranscribed(new Blob([await readFile(path)])),
  "a recording is transcribed from a stream without a length": () => isTranscribed(createReadStream(path)),
  "a recording is sent with its length": async () => {
    assert.equal((await clientOf(setting.scriptedUrl).transcribe(path, { model })).text, "exact")
  },
  "a response ends with its reader": async () => {
    for await (const samples of clientOf(silentUrl).speak(text)) {
      assert(samples.byteLength > 0)
      break
    }
    await noResponseIsOpen()
  },
  "a wrong key is a TtsUnauthorized": () =>
    fails(clientOf(setting.ttsBaseUrl).speak(text), "TtsUnauthorized", { status: 401 }),
  "a refused connection of a text has its reason": () =>
    fails(clientOf(setting.refusedUrl).speak(text), "TtsConnectionFailed", { reason: "refused", sent: "nothing" }),
  "a refused connection of a recording has its reason": () =>
    fails(clientOf(setting.refusedUrl).transcribe(noise, { model }), "SttConnectionFailed", {
      reason: "refused",
      sent: "nothing"
    }),
  "a cut response has its reason": async () => {
    const speech = await client()
    await withFault({ operation: "synthesize", truncateAtByte: 100_000 }, () =>
      fails(speech.speak(text), "TtsConnectionFailed", { reason: "cut" })
    )
  },
  "a reset connection has its reason": async () => {
    const speech = await client()
    await withFault({ operation: "synthesize", reset: "answer" }, () =>
      fails(speech.speak(text), "TtsConnectionFailed", { reason: "reset" })
    )
  },
  "a redirect of a recording fails with its status": async () => {
    const speech = await client()
    await withFault({ status: 307, headers: { location: `${setting.scriptedUrl}/elsewhere` } }, () =>
      fails(speech.transcribe(noise, { model }), "SttUnexpectedStatus", { status: 307 })
    )
  },
  "a deadline ends a call": async () => {
    const speech = clientOf(silentUrl, { deadlines: { answer: "200 millis" } })
    await fails(speech.transcribe(noise, { model }), "SttDeadlineExceeded", { phase: "answer" })
    await noResponseIsOpen()
  },
  "an abort ends a call with its reason": async () => {
    const controller = new AbortController()
    const { signal } = controller
    const reason = new Error("The user left.")
    const call = clientOf(silentUrl).transcribe(noise, {
      model,
      signal,
      onEvent: ({ tag }) => tag === "Waiting" && setTimeout(() => controller.abort(reason), 100)
    })
    assert.equal(await call.catch((/** @type {unknown} */ error) => error), reason)
    await noResponseIsOpen()
  },
  "300 calls, 64 at once, succeed": async () => {
    const speech = clientOf(setting.scriptedUrl)
    const calls = Array.from({ length: 300 }, () => speech.transcribe(noise, { model }))
    for (const { text: heard } of await Promise.all(calls)) assert.equal(heard, "exact")
  },
  "a replaced key is read again": async () => {
    const keys = ["old.key"]
    const speech = await client({ apiKey: () => String(keys.shift()) })
    // Only the newest key of an account is accepted.
    keys.push((await platform("POST", "keys", { name: "smoke", confirm: true })).key)
    const { call } = await speech.speak(text)
    assert.deepEqual(
      call.attempts.map(({ status }) => status),
      [401, 200]
    )
  }
}

for (const [name, check] of Object.entries(checks)) {
  const late = new Promise((_, reject) => setTimeout(() => reject(new Error("It did not end.")), 15_000).unref())
  const problem = await Promise.race([check(), late]).then(
    () => null,
    (error) => `${error.name}: ${error.message}`
  )
  console.log(JSON.stringify({ name, problem }))
}
await rm(folder, { recursive: true })
const ended = performance.now()
// The process ends by itself: neither a connection nor a timer keeps it.
process.once("exit", () => {
  const problem = performance.now() - ended < 2000 ? null : "The process did not end by itself."
  console.log(JSON.stringify({ name: "the process ends by itself", problem }))
})
