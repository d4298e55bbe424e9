// Plain JavaScript: no compiler adds to the CPU time and memory that are measured.
/** What grows: each function measures one size, in a process of its own. */
import { setTimeout } from "node:timers/promises"
import * as AudioSource from "@effect-speech/stt/AudioSource"
import { SpeechToText } from "@effect-speech/stt/SpeechToText"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import { collect, collectedFootprint } from "effect-speech-test-support/footprint"
import { peakMemory, resetPeakMemory } from "effect-speech-test-support/memory"
import { send } from "effect-speech-test-support/plainHttp"
import { cpuMicrosOf } from "../../support/serve.js"
import { speak as speakBare } from "../clients/bare.js"
import { speak as speakOurs } from "../clients/ours.js"
import { key, model, recording } from "../contract.js"

/** @typedef {{ readonly cpuMicros: number, readonly memory: number }} Cost Memory in bytes. */

/** @param {number} count */
const times = (count) => () => count-- > 0

/**
 * The CPU time of a synthesis while many run, and the memory of each while all of them wait for a response.
 *
 * @param {"ours" | "bare"} client
 * @param {string} url
 * @param {number} concurrency
 */
const calls = async (client, url, concurrency) => {
  /** @param {string} to */
  const start = (to) =>
    client === "ours"
      ? speakOurs(to, "NodeTransport.layer", { concurrency })
      : speakBare(to, "NodeHttpClient.layerUndici")
  const operation = await start(url)
  await operation.repeat(concurrency, times(3000 + concurrency))
  const count = Math.max(4000, 2 * concurrency)
  const cpuMicros = (await cpuMicrosOf(() => operation.repeat(concurrency, times(count)))) / count
  await operation.close()

  const held = await start(`${url}/hold`)
  const before = await collectedFootprint()
  const waiting = held.repeat(concurrency, times(concurrency))
  const isUnderWay = async () => Number((await send(`${url}/held`, { method: "GET" })).bytes.toString()) === concurrency
  while (!(await isUnderWay())) await setTimeout(50)
  const memory = ((await collectedFootprint()).held - before.held) / concurrency
  await send(`${url}/release`, {})
  await waiting
  await held.close()
  return { cpuMicros, memory }
}

/** @param {string} url */
const transcriber = (url) =>
  ManagedRuntime.make(
    Layer.provide(SpeechToText.layer({ apiKey: Redacted.make(key), baseUrl: url }), NodeTransport.layer)
  )

/** @param {Omit<import("@effect-speech/stt/TranscriptionRequest").TranscriptionRequest, "audio" | "model">} [options] */
const transcription = (options) =>
  Effect.flatMap(SpeechToText, (stt) => stt.transcribe({ audio: AudioSource.fromBytes(recording), model, ...options }))

/** A word of letters for a number: a digit is not spoken. @param {number} number */
const wordOf = (number) => [...String(number)].map((digit) => "abcdefghij"[Number(digit)]).join("")

/** @param {"ours"} _ @param {string} url @param {number} count */
const hotwords = async (_, url, count) => {
  const runtime = transcriber(url)
  const call = transcription({
    hotwords: Array.from({ length: count }, (_, number) => ({ phrase: `word ${wordOf(number)}`, score: 2.5 }))
  })
  const repeated = Math.max(3, Math.ceil(2000 / count))
  await runtime.runPromise(Effect.replicateEffect(call, repeated, { discard: true }))
  const cpuMicros = await cpuMicrosOf(() =>
    runtime.runPromise(Effect.replicateEffect(call, repeated, { discard: true }))
  )
  await runtime.dispose()
  return { cpuMicros: cpuMicros / repeated, memory: 0 }
}

/** @param {"ours" | "JSON.parse"} reader @param {string} url @param {number} count */
const segments = async (reader, url, count) => {
  const runtime = transcriber(`${url}/segments/${count}`)
  /** @type {Record<typeof reader, () => Promise<any>>} */
  const readers = {
    ours: async () => (await runtime.runPromise(transcription({ aux: true }))).auxInfo,
    "JSON.parse": async () => {
      const { bytes } = await send(`${url}/segments/${count}/api/transcribe`, { body: [recording] })
      return JSON.parse(bytes.toString()).aux_info
    }
  }
  const read = async () => {
    const { segments_meta: found } = await readers[reader]()
    if (found.length !== count) throw new Error(`${found.length} of ${count} segments.`)
  }
  await read()
  collect()
  resetPeakMemory()
  const idle = process.memoryUsage.rss()
  const repeated = Math.ceil(100_000 / count)
  const cpuMicros = await cpuMicrosOf(async () => {
    for (let time = 0; time < repeated; time++) await read()
  })
  await runtime.dispose()
  return { cpuMicros: cpuMicros / repeated, memory: peakMemory() - idle }
}

const measures = { calls, hotwords, segments }

/** @param {keyof typeof measures} name @param {ReadonlyArray<any>} parameters @returns {Promise<unknown>} */
export const measure = (name, ...parameters) =>
  /** @type {(...parameters: ReadonlyArray<any>) => Promise<unknown>} */ (measures[name])(...parameters)
