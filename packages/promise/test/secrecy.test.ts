/** Looks for the key in everything that a program can print of a call, while the service quotes the key in every response. */

import type { ServerResponse } from "node:http"
import { createServer } from "node:http"
import { inspect } from "node:util"
import { startLoopback } from "effect-speech-test-support/loopback"
import { expect, it } from "vitest"
import { type ConnectOptions, connect, SpeechError } from "../src/index.js"
import { model } from "./service.js"

const secret = "topsecret-7f3c0f3e"
const key = `prefix.${secret}`

type Answer = (response: ServerResponse) => unknown

const words = JSON.stringify({ status: "error", error: `${key} is not valid`, message: `see ${secret}`, call_id: key })
const headers = { "x-request-id": key, "x-echo": key, "retry-after": key }
const success = JSON.stringify({ status: "success", text: key, call_id: key, aux_info: { note: key } })
const audio = { "x-sample-rate": "8000", "x-encoding": "pcm16", "x-request-id": key }

const answers: ReadonlyArray<Answer> = [
  ...[200, 302, 400, 401, 402, 403, 418, 429, 500, 502, 503].map(
    (status): Answer =>
      (response) =>
        response.writeHead(status, headers).end(words)
  ),
  (response) => response.writeHead(500).end(`<html>${key}</html>`),
  (response) => response.writeHead(200).end(success),
  (response) => response.writeHead(200, audio).end("\0".repeat(16)),
  (response) => response.writeHead(200, { "x-sample-rate": key, "x-encoding": key }).end(),
  (response) => response.destroy()
]

/** Everything that a program may print of a value. */
const printed = (value: unknown): ReadonlyArray<string> => {
  const texts = [inspect(value, { depth: 12, showHidden: true, getters: true }), JSON.stringify(value) ?? ""]
  if (!(value instanceof Error)) return texts
  const clone = structuredClone(value)
  return [
    ...texts,
    String(value),
    String(value.stack),
    inspect(clone, { depth: 12, showHidden: true }),
    JSON.stringify(clone)
  ]
}

it("the key is in no error, no result, no event and no warning, although the service quotes it", async () => {
  let next: Answer = () => undefined
  const { close, url } = await startLoopback(
    createServer((request, response) => {
      request.resume().once("end", () => next(response))
    })
  )
  const seen: Array<string> = []
  const note = (value: unknown) => void seen.push(...printed(value))
  const onWarning = (warning: Error) => note(warning)
  process.on("warning", onWarning)
  await using speech = connect({ apiKey: key, ttsBaseUrl: url, sttBaseUrl: url, retries: 0 })
  const onEvent = (event: unknown) => note(event)
  let failed = 0
  for (const answer of answers) {
    next = answer
    const calls = [
      () => speech.speak("hello", { onEvent }),
      () => speech.transcribe(new Uint8Array(100).fill(1), { model, aux: true, onEvent }),
      () => speech.speakLong("hello", { outage: 1 }),
      () => speech.speak("hello").response()
    ]
    for (const call of calls) {
      await Promise.resolve(call()).then(note, (error: unknown) => {
        expect(error).toBeInstanceOf(SpeechError)
        failed++
        note(error)
      })
    }
  }
  note(speech)
  process.off("warning", onWarning)
  await close()
  expect(failed).toBeGreaterThan(3 * (answers.length - 3))
  expect(seen.filter((text) => text.includes(secret)).map((text) => text.slice(0, 300))).toEqual([])
})

it("the key is in no error about an option", async () => {
  const seen: Array<string> = []
  const note = (error: unknown) => void seen.push(...printed(error))
  const attempts: ReadonlyArray<ConnectOptions> = [
    { apiKey: ` ${key}` },
    { apiKey: secret },
    { apiKey: key, ttsBaseUrl: `https://user:${secret}@host.example` },
    { apiKey: key, ttsBaseUrl: `https://host.example/?key=${secret}` },
    { apiKey: key, environment: { SPEECH_TTS_BASE_URL: `ftp://${secret}` } },
    { environment: { SPEECH_API_KEY: `${secret} `, SPEECH_TTS_BASE_URL: "https://host.example" } },
    { apiKey: () => Promise.reject(new Error(`vault: ${key}`)), ttsBaseUrl: "https://host.example" },
    { apiKey: () => `${secret} `, ttsBaseUrl: "https://host.example" }
  ]
  for (const options of attempts) {
    try {
      await connect(options).speak("hello")
    } catch (error) {
      expect(error).toBeInstanceOf(SpeechError)
      note(error)
    }
  }
  expect(seen.length).toBe(6 * attempts.length)
  expect(seen.filter((text) => text.includes(secret))).toEqual([])
})
