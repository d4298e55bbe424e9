/**
 * The local services that the tries run against. Each line of tries has one of its own, so that what is billed is known to the
 * unit; they share a recogniser that knows the recordings. One more is never disturbed, and says how a text sounds.
 */
import { writeFileSync } from "node:fs"
import { Agent } from "node:http"
import { join } from "node:path"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { LocalService } from "@effect-speech/local-service/LocalService"
import { Recogniser } from "@effect-speech/local-service/Recogniser"
import { Voice } from "@effect-speech/local-service/Voice"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { chances } from "../../test/support/random.js"
import { noise } from "../../test/support/recordings.js"
import { send } from "../../test/support/serviceProcess.js"
import type { SynthesisCall } from "./schedule.js"

/**
 * What a call costs is a power of this, by its rank: the sum then tells how often each was billed, as its digits do. A call is
 * made three times at most.
 */
export const radix = 4

/** Of a synthesis of rank 0, in code points. */
export const leastCodePoints = 16

/** It says how many samples it is to become, and is another for each rank and length. */
export const textOf = ({ rank, samples }: Pick<SynthesisCall, "rank" | "samples">): string => {
  const head = `${samples} `
  return head + "न".repeat(leastCodePoints * radix ** rank - head.length)
}

const seedOf = (text: string): number => [...text].reduce((sum, letter) => Math.imul(sum, 31) + letter.charCodeAt(0), 7)

const spoken = new Map<string, Float32Array>()

/** The noise that a text is, always the same. */
const noiseOf = (text: string): Float32Array => {
  const known = spoken.get(text)
  if (known !== undefined) return known
  const next = chances(seedOf(text))
  const samples = Float32Array.from({ length: Number.parseInt(text, 10) }, () => next() - 0.5)
  spoken.set(text, samples)
  return samples
}

const cannedVoice = Layer.succeed(Voice, {
  languages: ["hi"],
  voices: ["default_female"],
  sampleRate: 8000,
  speak: ({ text }) => Stream.sync(() => noiseOf(text))
})

export interface KnownRecording {
  readonly text: string
  readonly bytes: Uint8Array
  readonly path: string
  readonly samples: Float32Array
}

/** By rank: 1, 4, 16 and 64 seconds long, as each costs. That of rank 1 is more than a connection holds. */
const makeRecordings = (folder: string): ReadonlyArray<KnownRecording> =>
  [0, 1, 2, 3].map((rank) => {
    const plain = noise(16_000 * radix ** rank)
    const bytes = rank === 1 ? padded(plain, 4_000_000) : plain
    const path = join(folder, `${rank}.wav`)
    writeFileSync(path, bytes)
    return { text: `a recording of rank ${rank}`, bytes, path, samples: samplesOf(plain) }
  })

/** With a chunk that nobody listens to before the audio. */
const padded = (wav: Buffer, byteLength: number): Buffer => {
  const chunk = Buffer.alloc(8 + byteLength)
  chunk.write("JUNK")
  chunk.writeUInt32LE(byteLength, 4)
  const file = Buffer.concat([wav.subarray(0, 36), chunk, wav.subarray(36)])
  file.writeUInt32LE(file.length - 8, 4)
  return file
}

/** Of a WAV file of 16 bits with nothing but its audio. */
const samplesOf = (wav: Buffer): Float32Array =>
  Float32Array.from({ length: (wav.length - 44) / 2 }, (_, at) => wav.readInt16LE(44 + 2 * at) / 0x8000)

/** It learns nothing more, or what is spoken meanwhile would take the place of what it is to know. */
const taught = (recordings: ReadonlyArray<KnownRecording>) =>
  Layer.effect(
    Recogniser,
    Effect.gen(function* () {
      const known = yield* Recogniser
      for (const { samples, text } of recordings) yield* known.learn({ text, samples: Stream.make(samples) })
      return { ...known, learn: ({ samples }) => Stream.runDrain(samples) }
    })
  ).pipe(Layer.provide(Recogniser.layerKnownRecordings()))

export interface Services {
  readonly recordings: ReadonlyArray<KnownRecording>
  /** One for each line. */
  readonly lines: ReadonlyArray<LocalService["Type"]>
  /** The audio of a text over a network that does nothing to it. */
  readonly audioOf: (text: string, outputFormat: SynthesisCall["outputFormat"]) => Promise<Uint8Array>
}

/** In a folder of their own, until the scope closes. */
export const makeServices = (count: number, folder: string): Effect.Effect<Services, never, Scope.Scope> =>
  Effect.gen(function* () {
    const recordings = makeRecordings(folder)
    const recogniser = yield* Layer.build(taught(recordings))
    const service = LocalService.layerWithoutDependencies({ credits: 1e12 }).pipe(
      Layer.provide([cannedVoice, Layer.succeedContext(recogniser), NodeFileSystem.layer]),
      Layer.orDie
    )
    const start = Effect.flatMap(Layer.build(Layer.fresh(service)), (context) => Effect.provide(LocalService, context))
    const undisturbed = yield* start
    const lines = yield* Effect.all(Array.from({ length: count }, () => start))

    const known = new Map<string, Promise<Uint8Array>>()
    const ask = async (text: string, outputFormat: string) => {
      const { bytes, status } = await send(`${undisturbed.ttsBaseUrl}/tts/bytes`, {
        headers: { "x-api-key": Redacted.value(undisturbed.apiKey), "content-type": "application/json" },
        body: [JSON.stringify({ text, output_format: outputFormat })],
        // A connection that is kept may just be closing.
        agent: new Agent()
      })
      if (status !== 200) throw new Error(`The undisturbed service answered ${status}: ${bytes}`)
      return bytes
    }
    return {
      recordings,
      lines,
      audioOf: (text, outputFormat) => {
        const name = `${outputFormat} ${text}`
        const audio = known.get(name) ?? ask(text, outputFormat)
        known.set(name, audio)
        return audio
      }
    }
  })
