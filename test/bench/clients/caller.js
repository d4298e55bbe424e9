/**
 * One client that makes small synthesis calls, as a process of its own: `node caller.js NAME URL WARMUP CALLS`. Prints
 * what the calls took.
 *
 * Each client imports its modules itself, so that none carries the heap of another.
 */

import { at } from "../../support/report.js"
import { choose } from "./harness.js"
import { checkAudio, concurrency, key, lang, outputFormat, text } from "./wire.js"

/**
 * @typedef {(count: number) => Promise<unknown>} Caller Makes so many calls, some at a time.
 *
 * @typedef {object} Calls
 * @property {number} cpuMicros User and system, of this process.
 * @property {number} wallMillis
 */

const body = JSON.stringify({ text, lang, output_format: outputFormat })
const headers = { "content-type": "application/json", "x-api-key": key }

/** @param {() => Promise<{ readonly byteLength: number }>} call @returns {Caller} */
const pool = (call) => (count) => {
  let left = count
  const worker = async () => {
    while (left-- > 0) checkAudio(await call())
  }
  return Promise.all(Array.from({ length: concurrency }, worker))
}

/**
 * @template R
 * @param {import("effect/Layer").Layer<R, unknown>} layer
 * @param {import("effect/Effect").Effect<{ readonly byteLength: number }, unknown, R>} call
 * @param {{ readonly tracing: boolean }} options
 * @returns {Promise<Caller>}
 */
const fibers = async (layer, call, { tracing }) => {
  const [Effect, ManagedRuntime] = await Promise.all([import("effect/Effect"), import("effect/ManagedRuntime")])
  const runtime = ManagedRuntime.make(layer)
  const checked = Effect.map(call, checkAudio)
  return (count) =>
    runtime.runPromise(
      Effect.withTracerEnabled(
        Effect.forEach(Array(count), () => checked, { concurrency, discard: true }),
        tracing
      )
    )
}

/** @param {string} url @param {{ readonly tracing: boolean }} options */
const ours = async (url, options) => {
  const [{ TextToSpeech }, NodeTransport, Effect, Layer, Redacted] = await Promise.all([
    import("@effect-speech/tts/TextToSpeech"),
    import("@effect-speech/transport/node"),
    import("effect/Effect"),
    import("effect/Layer"),
    import("effect/Redacted")
  ])
  const layer = TextToSpeech.layer({ apiKey: Redacted.make(key), baseUrl: url })
  const call = Effect.flatMap(TextToSpeech, (tts) =>
    Effect.map(tts.synthesize({ text, lang, outputFormat }), ({ bytes }) => bytes)
  )
  return fibers(Layer.provide(layer, NodeTransport.layer), call, options)
}

/**
 * The least that a program does which calls the service through Effect's client: the key, the body, the four headers,
 * the bytes. It makes no request id, checks no audio, and knows no deadline.
 *
 * @param {string} url
 * @param {{ readonly scoped: boolean, readonly tracing: boolean }} options
 */
const bare = async (url, { scoped, tracing }) => {
  const [HttpClient, HttpClientRequest, HttpClientResponse, NodeHttpClient, Effect, Redacted, Schema] =
    await Promise.all([
      import("@effect/platform/HttpClient"),
      import("@effect/platform/HttpClientRequest"),
      import("@effect/platform/HttpClientResponse"),
      import("@effect/platform-node/NodeHttpClient"),
      import("effect/Effect"),
      import("effect/Redacted"),
      import("effect/Schema")
    ])
  const apiKey = Redacted.make(key)
  const decodeHeaders = HttpClientResponse.schemaHeaders(
    Schema.Struct({
      "x-sample-rate": Schema.NumberFromString.pipe(Schema.int()),
      "x-encoding": Schema.Literal("pcm16", "float32"),
      "x-audio-duration-ms": Schema.NumberFromString,
      "x-request-id": Schema.String
    })
  )
  const request = Effect.sync(() =>
    HttpClientRequest.post(`${url}/tts/bytes`).pipe(
      HttpClientRequest.setHeader("X-API-Key", Redacted.value(apiKey)),
      HttpClientRequest.bodyUnsafeJson({ text, lang, output_format: outputFormat })
    )
  )
  /** @param {import("@effect/platform/HttpClientResponse").HttpClientResponse} response */
  const read = (response) => Effect.zipRight(decodeHeaders(response), response.arrayBuffer)

  // Without a scope an answer that is not read is let go when it is collected as garbage, so that nothing leaks in
  // either; with one it is let go at once, as ours is.
  const call = Effect.flatMap(HttpClient.HttpClient, (client) =>
    scoped
      ? Effect.scoped(Effect.flatMap(Effect.flatMap(request, HttpClient.withScope(client).execute), read))
      : Effect.flatMap(Effect.flatMap(request, client.execute), read)
  )
  return fibers(NodeHttpClient.layerUndici, call, { tracing })
}

/** @type {Record<string, (url: string) => Caller | Promise<Caller>>} */
const callers = {
  ours: (url) => ours(url, { tracing: false }),
  "ours-tracing": (url) => ours(url, { tracing: true }),
  bare: (url) => bare(url, { scoped: false, tracing: false }),
  "bare-scoped": (url) => bare(url, { scoped: true, tracing: false }),
  "bare-tracing": (url) => bare(url, { scoped: false, tracing: true }),
  undici: async (url) => {
    // Of the version that Effect's client uses.
    const { Agent, request } = await import("@effect/platform-node/Undici")
    const dispatcher = new Agent()
    return pool(async () => {
      const answer = await request(`${url}/tts/bytes`, { method: "POST", headers, body, dispatcher })
      return answer.body.arrayBuffer()
    })
  },
  fetch: (url) =>
    pool(async () => {
      const answer = await fetch(`${url}/tts/bytes`, { method: "POST", headers, body })
      return answer.arrayBuffer()
    }),
  openai: async (url) => pool((await import("./peers/openai.js")).speech({ key, text, url })),
  deepgram: async (url) => pool((await import("./peers/deepgram.js")).speech({ key, sampleRate: 24_000, text, url }))
}

const url = at(process.argv, 3)
const call = await choose(callers, at(process.argv, 2))(url)
await call(Number(at(process.argv, 4)))

const cpu = process.cpuUsage()
const start = performance.now()
await call(Number(at(process.argv, 5)))
const wallMillis = performance.now() - start
const { system, user } = process.cpuUsage(cpu)

/** @type {Calls} */
const calls = { cpuMicros: user + system, wallMillis }
process.stdout.write(JSON.stringify(calls), () => process.exit())
