// Plain JavaScript, over the built packages: it runs unchanged on Node, Bun and Deno.
/** A smoke test of both clients over one HttpClient layer. `check.ts` runs it, and reads the outcomes that it prints. */
import assert from "node:assert/strict"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as FileSystem from "@effect/platform/FileSystem"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Wav } from "@effect-speech/audio-codec"
import { AudioSource, SpeechToText } from "@effect-speech/stt"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import { TextToSpeech } from "@effect-speech/tts"
import { Cause, Deferred, Effect, Exit, Fiber, Layer, Redacted, Schedule, Stream } from "effect"

/**
 * @typedef {keyof typeof layers} Layer
 *
 * @typedef {Omit<import("effect-speech-test-support/serviceProcess").Ready, "apiKey"> & {
 *   readonly layer: Layer
 *   readonly scriptedUrl: string
 *   readonly refusedUrl: string
 * }} Setting The transcript of an upload to `scriptedUrl` is `exact` if it has a Content-Length, else `chunked`. A response at
 * `/silent` never ends, and `/held` returns the number of those. `refusedUrl` refuses connections.
 *
 * @typedef {object} Outcome
 * @property {string} name
 * @property {string | null} problem
 */

const layers = {
  "NodeTransport.layer": NodeTransport.layer,
  "NodeHttpClient.layerUndici": Layer.merge(NodeHttpClient.layerUndici, NodeFileSystem.layer),
  "NodeHttpClient.layer": Layer.merge(NodeHttpClient.layer, NodeFileSystem.layer),
  "FetchHttpClient.layer": Layer.merge(FetchHttpClient.layer, NodeFileSystem.layer)
}

/** @type {Setting} */
const setting = JSON.parse(process.argv[2] ?? "{}")

/** @param {string} method @param {string} path @param {unknown} [body] @returns {Effect.Effect<any>} */
const platform = (method, path, body) =>
  Effect.promise(async () => {
    const answer = await fetch(`${setting.platformUrl}/platform/api/${path}`, {
      method,
      headers: { "x-admin-token": setting.adminToken, "content-type": "application/json" },
      body: body === undefined ? null : JSON.stringify(body)
    })
    assert(answer.ok, `${method} ${path}: ${answer.status}`)
    return answer.json()
  })

/** @param {ReadonlyArray<import("@effect-speech/local-service/Faults").Fault>} faults */
const withFaults = (...faults) =>
  Effect.acquireRelease(platform("PUT", "faults", faults), () => platform("PUT", "faults", []))

/** No response of the silent server is still open. */
const noResponseIsOpen = Effect.promise(async () =>
  Number(await (await fetch(`${setting.scriptedUrl}/held`)).text())
).pipe(
  Effect.filterOrFail(
    (held) => held === 0,
    (held) => new Error(`${held} responses are still open.`)
  ),
  Effect.retry({ times: 100, schedule: Schedule.spaced("20 millis") })
)

const newKey = Effect.map(platform("POST", "keys", { name: "smoke", confirm: true }), ({ key }) => Redacted.make(key))

/** @param {Partial<import("@effect-speech/stt").SpeechToTextOptions & import("@effect-speech/tts").TextToSpeechOptions>} options */
const clients = (options) =>
  Layer.merge(
    SpeechToText.layer({ apiKey: Redacted.make("none.none"), baseUrl: setting.sttBaseUrl, retries: 0, ...options }),
    TextToSpeech.layer({ apiKey: Redacted.make("none.none"), baseUrl: setting.ttsBaseUrl, retries: 0, ...options })
  )

const text = "नमस्ते, आपके खाते में पाँच सौ रुपये हैं।"
const model = "hi-general-v2-8khz"

/** @param {AudioSource.AudioSource} audio */
const transcribe = (audio) => Effect.flatMap(SpeechToText, (stt) => stt.transcribe({ audio, model }))
const synthesize = Effect.flatMap(TextToSpeech, (tts) => tts.synthesize({ text }))

/** A WAV file of the sentence, which the service recognises. */
const spoken = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const path = `${yield* fs.makeTempDirectoryScoped()}/spoken.wav`
  const speech = yield* Effect.flatMap(TextToSpeech, (tts) => tts.stream({ text }))
  const { durationMillis } = yield* Wav.writeFile(speech, path)
  assert(durationMillis > 1000)
  return { path, bytes: yield* fs.readFile(path) }
})

/** @template A, E, R @param {Effect.Effect<A, E, R>} call @param {Record<string, unknown>} expected Some fields of its error. */
const fails = (call, expected) =>
  Effect.gen(function* () {
    const error = JSON.parse(JSON.stringify(yield* Effect.flip(call)))
    assert.deepEqual(Object.fromEntries(Object.keys(expected).map((field) => [field, error[field]])), expected)
  })

const silentUrl = `${setting.scriptedUrl}/silent`

const recorded = transcribe(AudioSource.fromBytes(new Uint8Array(1000)))
const redirected = withFaults({ status: 307, headers: { location: `${setting.scriptedUrl}/elsewhere` } })

/**
 * Gives the clients of an effect a new key and these options.
 *
 * @template A, E, R @param {Partial<Parameters<typeof clients>[0]>} options @param {Effect.Effect<A, E, R>} effect
 */
const withClients = (options, effect) =>
  Effect.flatMap(newKey, (apiKey) => Effect.provide(effect, clients({ apiKey, ...options })))

/** @typedef {SpeechToText | TextToSpeech | FileSystem.FileSystem | import("effect").Scope.Scope} Needs */
/** @type {Record<string, Effect.Effect<void, unknown, Needs | import("@effect/platform/HttpClient").HttpClient>>} */
const checks = {
  "a text becomes bytes": Effect.gen(function* () {
    const { bytes, format } = yield* synthesize
    assert.deepEqual({ ...format }, { sampleRate: 24000, channels: 1, encoding: "float32" })
    assert(bytes.byteLength > 96_000)
  }),
  "a text becomes a file, which is transcribed from its path": Effect.gen(function* () {
    const { path } = yield* spoken
    assert.equal((yield* transcribe(AudioSource.fromPath(path))).text, text)
  }),
  "a recording is transcribed from bytes": Effect.gen(function* () {
    const { bytes } = yield* spoken
    assert.equal((yield* transcribe(AudioSource.fromBytes(bytes))).text, text)
  }),
  "a recording is transcribed from a Blob": Effect.gen(function* () {
    const { bytes } = yield* spoken
    assert.equal((yield* transcribe(AudioSource.fromBlob(new Blob([Uint8Array.from(bytes)])))).text, text)
  }),
  "a recording is transcribed from a stream without a length": Effect.gen(function* () {
    const { path } = yield* spoken
    const fs = yield* FileSystem.FileSystem
    assert.equal((yield* transcribe(AudioSource.fromStream(fs.stream(path)))).text, text)
  }),
  "a recording is sent with its length": Effect.gen(function* () {
    const { path } = yield* spoken
    const sent = yield* withClients({ baseUrl: setting.scriptedUrl }, transcribe(AudioSource.fromPath(path)))
    assert.equal(sent.text, "exact")
  }),
  "a response ends with the scope of its stream": withClients(
    { baseUrl: silentUrl },
    Effect.gen(function* () {
      const speech = Effect.flatMap(TextToSpeech, (tts) => tts.stream({ text }))
      const beginning = Effect.flatMap(speech, ({ stream }) => Stream.runCollect(Stream.take(stream, 1)))
      assert.equal((yield* Effect.scoped(beginning)).length, 1)
      yield* noResponseIsOpen
    })
  ),
  "a wrong key is a TtsUnauthorized": Effect.provide(fails(synthesize, { _tag: "TtsUnauthorized" }), clients({})),
  "a refused connection of a text has its reason": withClients(
    { baseUrl: setting.refusedUrl },
    fails(synthesize, { _tag: "TtsConnectionFailed", reason: "refused", sent: "nothing" })
  ),
  "a refused connection of a recording has its reason": withClients(
    { baseUrl: setting.refusedUrl },
    fails(recorded, { _tag: "SttConnectionFailed", reason: "refused", sent: "nothing" })
  ),
  "a cut response has its reason": Effect.zipRight(
    withFaults({ operation: "synthesize", truncateAtByte: 100_000 }),
    fails(synthesize, { _tag: "TtsConnectionFailed", reason: "cut" })
  ),
  "a reset connection has its reason": Effect.zipRight(
    withFaults({ operation: "synthesize", reset: "answer" }),
    fails(synthesize, { _tag: "TtsConnectionFailed", reason: "reset" })
  ),
  "a redirect of a text fails with its status": Effect.zipRight(
    redirected,
    fails(synthesize, { _tag: "TtsUnexpectedStatus", status: 307 })
  ),
  "a redirect of a recording is not followed": Effect.gen(function* () {
    yield* redirected
    const { _tag } = yield* Effect.flip(recorded)
    assert.match(_tag, /^Stt(UnexpectedStatus|ConnectionFailed)$/)
  }),
  "a redirect of a recording fails with its status": Effect.zipRight(
    redirected,
    fails(recorded, { _tag: "SttUnexpectedStatus", status: 307 })
  ),
  "a deadline ends a call": withClients(
    { baseUrl: silentUrl, deadlines: { answer: "200 millis" } },
    Effect.zipRight(fails(recorded, { _tag: "SttDeadlineExceeded", phase: "answer" }), noResponseIsOpen)
  ),
  "an interruption ends a call": withClients(
    { baseUrl: silentUrl },
    Effect.gen(function* () {
      const isWaiting = yield* Deferred.make()
      const stt = yield* SpeechToText
      const call = yield* Effect.fork(
        stt.transcribe(
          { audio: AudioSource.fromBytes(new Uint8Array(1000)), model },
          { onEvent: ({ _tag }) => (_tag === "Waiting" ? Deferred.succeed(isWaiting, undefined) : Effect.void) }
        )
      )
      yield* Deferred.await(isWaiting)
      yield* Effect.sleep("100 millis")
      yield* Fiber.interrupt(call)
      yield* noResponseIsOpen
    })
  ),
  "a replaced key is read again": Effect.gen(function* () {
    let key = yield* newKey
    const replaced = Effect.zipRight(
      Effect.map(newKey, (next) => {
        key = next
      }),
      synthesize
    )
    const { call } = yield* Effect.provide(replaced, clients({ apiKey: Effect.sync(() => key) }))
    const statuses = call.attempts.map(({ status }) => status)
    assert.deepEqual(statuses, [401, 200])
  })
}

/** @param {unknown} problem */
const messageOf = (problem) => (problem instanceof Error ? `${problem.name}: ${problem.message}` : String(problem))

const run = Effect.forEach(Object.entries(checks), ([name, check]) =>
  Effect.gen(function* () {
    const exit = yield* withClients({}, check).pipe(
      Effect.scoped,
      Effect.timeoutFail({ duration: "15 seconds", onTimeout: () => new Error("It did not end.") }),
      Effect.exit
    )
    /** @type {Outcome} */
    const outcome = { name, problem: Exit.isSuccess(exit) ? null : messageOf(Cause.squash(exit.cause)) }
    console.log(JSON.stringify(outcome))
  })
).pipe(Effect.provide(layers[setting.layer]), Effect.timeout("3 minutes"))

await Effect.runPromise(run)
