/**
 * The local services for the trials. Each worker has its own service, so that its bill is known to the unit. They share a recogniser
 * that knows the recordings. One more service is never disturbed and gives the expected audio.
 */
import { writeFileSync } from "node:fs"
import { Agent } from "node:http"
import { join } from "node:path"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as Pcm from "@effect-speech/audio-codec/Pcm"
import { LocalService } from "@effect-speech/local-service/LocalService"
import { Recogniser } from "@effect-speech/local-service/Recogniser"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { cannedVoice } from "effect-speech-test-support/cannedVoice"
import { send } from "effect-speech-test-support/plainHttp"
import { chances } from "effect-speech-test-support/random"
import { noise } from "effect-speech-test-support/recordings"
import type { SynthesisCall } from "./schedule.js"

/**
 * The cost of a call is `radix ** rank`. A call has at most three attempts, so the digits of the sum in this radix say how often each
 * call was billed.
 */
export const radix = 4

/** Length of the text of a synthesis of rank 0, in code points. */
export const leastCodePoints = 16

/** The text of a call. It begins with the number of samples of its speech, and differs by rank and length. */
export const textOf = ({ rank, samples }: Pick<SynthesisCall, "rank" | "samples">): string => {
  const head = `${samples} `
  return head + "न".repeat(leastCodePoints * radix ** rank - head.length)
}

const seedOf = (text: string): number => [...text].reduce((sum, letter) => Math.imul(sum, 31) + letter.charCodeAt(0), 7)

const spoken = new Map<string, Float32Array>()

/** The speech of a text: always the same noise. */
const noiseOf = (text: string): Float32Array => {
  const known = spoken.get(text)
  if (known !== undefined) return known
  const next = chances(seedOf(text))
  const samples = Float32Array.from({ length: Number.parseInt(text, 10) }, () => next() - 0.5)
  spoken.set(text, samples)
  return samples
}

export interface KnownRecording {
  readonly text: string
  readonly bytes: Uint8Array
  readonly path: string
  readonly samples: Float32Array
}

/** Recordings by rank: 1, 4, 16 and 64 seconds long, which is their cost. The file of rank 1 is larger than the socket buffers. */
const makeRecordings = (folder: string): ReadonlyArray<KnownRecording> =>
  [0, 1, 2, 3].map((rank) => {
    const plain = noise(16_000 * radix ** rank)
    const bytes = rank === 1 ? padded(plain, 4_000_000) : plain
    const path = join(folder, `${rank}.wav`)
    writeFileSync(path, bytes)
    return { text: `a recording of rank ${rank}`, bytes, path, samples: Pcm.decode(plain.subarray(44), "pcm16") }
  })

/** Adds a JUNK chunk before the audio. */
const padded = (wav: Buffer, byteLength: number): Buffer => {
  const chunk = Buffer.alloc(8 + byteLength)
  chunk.write("JUNK")
  chunk.writeUInt32LE(byteLength, 4)
  const file = Buffer.concat([wav.subarray(0, 36), chunk, wav.subarray(36)])
  file.writeUInt32LE(file.length - 8, 4)
  return file
}

/** A recogniser that knows the recordings and learns nothing else: synthesized speech would replace them. */
const taught = (recordings: ReadonlyArray<KnownRecording>) =>
  Layer.effect(
    Recogniser,
    Effect.gen(function* () {
      const known = yield* Recogniser
      for (const { samples, text } of recordings) yield* known.learn({ text, samples })
      return { ...known, learn: () => Effect.void }
    })
  ).pipe(Layer.provide(Recogniser.layerKnownRecordings()))

export interface Services {
  readonly recordings: ReadonlyArray<KnownRecording>
  /** One service per worker. */
  readonly workers: ReadonlyArray<LocalService["Type"]>
  /** The audio of a text over an undisturbed network. */
  readonly audioOf: (text: string, outputFormat: SynthesisCall["outputFormat"]) => Promise<Uint8Array>
}

/** Starts the services. Their files are in `folder`. */
export const makeServices = (count: number, folder: string): Effect.Effect<Services, never, Scope.Scope> =>
  Effect.gen(function* () {
    const recordings = makeRecordings(folder)
    const recogniser = yield* Layer.build(taught(recordings))
    const service = LocalService.layerWithoutDependencies({ credits: 1e12 }).pipe(
      Layer.provide([cannedVoice(({ text }) => noiseOf(text)), Layer.succeedContext(recogniser), NodeFileSystem.layer]),
      Layer.orDie
    )
    const start = Effect.flatMap(Layer.build(Layer.fresh(service)), (context) => Effect.provide(LocalService, context))
    const undisturbed = yield* start
    const workers = yield* Effect.all(Array.from({ length: count }, () => start))

    const known = new Map<string, Promise<Uint8Array>>()
    const ask = async (text: string, outputFormat: string) => {
      const { bytes, status } = await send(`${undisturbed.ttsBaseUrl}/tts/bytes`, {
        headers: { "x-api-key": Redacted.value(undisturbed.apiKey), "content-type": "application/json" },
        body: [JSON.stringify({ text, output_format: outputFormat })],
        // A pooled connection may be closing.
        agent: new Agent()
      })
      if (status !== 200) throw new Error(`The undisturbed service answered ${status}: ${bytes}`)
      return bytes
    }
    return {
      recordings,
      workers,
      audioOf: (text, outputFormat) => {
        const name = `${outputFormat} ${text}`
        const audio = known.get(name) ?? ask(text, outputFormat)
        known.set(name, audio)
        return audio
      }
    }
  })
