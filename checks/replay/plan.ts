/** The requests of both operations that are recorded and replayed: some of them equal, some refused, some that fail by a fault. */
import { copyFileSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Wav from "@effect-speech/audio-codec/Wav"
import type { Fault } from "@effect-speech/local-service/Faults"
import { root } from "effect-speech-test-support/processes"
import { chances } from "effect-speech-test-support/random"
import { noise } from "effect-speech-test-support/recordings"
import { at } from "effect-speech-test-support/report"
import type { Request, Synthesis, Transcription } from "./client.js"

const containers = join(root, "packages/audio-decoder/test/recordings")

const words = [
  "platform",
  "two",
  "नमस्ते",
  "गाड़ी",
  "twenty five",
  "late",
  "\u{1f682}",
  "e\u0301",
  "“quoted”",
  "a/b\\c",
  "it's"
]

const outputFormats = (["8000", "16000", "24000"] as const).flatMap((rate) =>
  (["pcm16", "float32"] as const).map((encoding) => `${rate}:${encoding}` as const)
)

/**
 * Writes recordings into a folder: noise in WAV files of both encodings and of several rates, and files of other containers. Those
 * with a text beside them are known to the service.
 */
export const writeRecordings = (folder: string): ReadonlyArray<string> => {
  for (const [index, seconds] of [0.3, 0.5, 0.8, 1, 1.3, 1.7].entries()) {
    const rate = at([8000, 16_000, 44_100], index % 3)
    const bytes = noise(2 * Math.round(seconds * rate)).subarray(44)
    const encoding = index % 2 === 0 ? "pcm16" : "float32"
    const samples = encoding === "pcm16" ? bytes : floatsOf(bytes)
    writeFileSync(join(folder, `noise${index}.wav`), Wav.encode(samples, { sampleRate: rate, channels: 1, encoding }))
    writeFileSync(join(folder, `noise${index}.txt`), `Twenty five trains, number ${index}.`)
  }
  for (const name of readdirSync(containers).filter((each) => each.startsWith("cat."))) {
    copyFileSync(join(containers, name), join(folder, name))
  }
  writeFileSync(join(folder, "broken.bin"), noise(4000).subarray(0, 40))
  writeFileSync(join(folder, "cat.txt"), "A cat.")
  return readdirSync(folder)
    .filter((name) => !name.endsWith(".txt"))
    .toSorted()
    .map((name) => join(folder, name))
}

const floatsOf = (pcm16: Buffer): Uint8Array => {
  const floats = new Float32Array(pcm16.length / 2)
  for (let index = 0; index < floats.length; index++) floats[index] = pcm16.readInt16LE(2 * index) / 0x8000
  return new Uint8Array(floats.buffer)
}

/** Random requests of both operations in turn. A fifth of them are equal to an earlier one but for their ids. */
export const planRequests = (
  count: number,
  recordings: ReadonlyArray<string>,
  seed: number
): ReadonlyArray<Request> => {
  const chance = chances(seed)
  const below = (limit: number) => Math.floor(chance() * limit)
  const pick = <A>(values: ReadonlyArray<A>): A => at(values, below(values.length))
  const maybe = <A>(probability: number, value: () => A): A | undefined =>
    chance() < probability ? value() : undefined

  const synthesis = (): Synthesis => ({
    operation: "synthesize",
    text: Array.from({ length: 1 + below(4) }, () => pick(words)).join(" "),
    // The service has no voice nobody, and no language xx.
    lang: pick(["en", "hi", "hi", "en", "en", "en", "en", "xx"]),
    voice: maybe(0.5, () => pick(["default_male", "default_female", "nobody"])),
    outputFormat: pick(outputFormats),
    speed: maybe(0.3, () => 0.5 + below(30) / 10),
    numStep: maybe(0.2, () => 1 + below(100)),
    // The service takes only text.
    g2pOverrides: maybe(0.2, () => ({ [pick(words)]: pick(["plˈat", "tˈuː", "tˈuː", ["b", below(10), { a: null }]]) }))
  })
  const transcription = (): Transcription => ({
    operation: "transcribe",
    path: pick(recordings),
    model: pick(["en-general-v2-8khz", "hi-general-v2-8khz", "en-banking-v2-8khz", "en-general-v2-8khz", "none"]),
    aux: maybe(0.4, () => chance() < 0.8),
    parseNumber: maybe(0.3, () => true),
    hotwords: maybe(0.4, () =>
      Array.from({ length: 1 + below(3) }, () => ({ phrase: pick(words), score: maybe(0.5, () => below(40) / 10) }))
    )
  })

  const requests: Array<Request> = []
  for (let index = 0; index < count; index++) {
    const repeated = index > 10 ? maybe(0.2, () => pick(requests)) : undefined
    requests.push(repeated ?? (index % 2 === 0 ? synthesis() : transcription()))
  }
  return requests
}

/**
 * Each status of the contract, some that a gateway has, and bodies that are no JSON of the contract, at chosen requests. Those that
 * happen once are followed by a retry that succeeds.
 */
export const faults: ReadonlyArray<Fault> = (["transcribe", "synthesize"] as const).flatMap((operation) => {
  const statuses = operation === "transcribe" ? [400, 401, 402, 403, 500, 503] : [400, 401, 500, 502]
  const at = (nth: number, fault: Fault): Fault => ({ operation, nth, times: 1, ...fault })
  return [
    ...statuses.map((status, index) =>
      at(10 + 12 * index, { status, message: `fault ${index} of "${operation}" \u20ac` })
    ),
    at(90, { status: 503, headers: { "Retry-After": "0" } }),
    at(95, { status: 429, headers: { "Retry-After": "1" }, body: "<h1>Too many requests</h1>\n" }),
    at(100, { status: 504, body: "" }),
    at(105, { status: 500, body: '{ "error" : "not as JSON.stringify writes it" }' }),
    at(110, { status: 500, body: '{"error":"as it writes it","b":1,"a":{"z":1,"10":2}}' }),
    at(115, {
      body: '{"status":"success","text":"a fault"',
      headers: { "Content-Type": "application/json; charset=utf-8" }
    }),
    at(120, { headers: { "X-Sample-Rate": null, "X-Audio-Duration-Ms": "abc" } })
  ]
})
