/**
 * The local services for the trials. Each worker has its own service, so that its bill is known to the unit. They share a recogniser
 * that knows the recordings.
 */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as Pcm from "@effect-speech/audio-codec/Pcm"
import * as KnownRecordings from "@effect-speech/local-service/KnownRecordings"
import { LocalService } from "@effect-speech/local-service/LocalService"
import { Recogniser } from "@effect-speech/local-service/Recogniser"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { cannedVoice } from "effect-speech-test-support/cannedVoice"
import { chances } from "effect-speech-test-support/random"
import { noise } from "effect-speech-test-support/recordings"
import { teachable } from "effect-speech-test-support/teachable"

/**
 * The cost of a call is `radix ** rank`. A call has at most three attempts, so the digits of the sum in this radix say how often each
 * call was billed.
 */
export const radix = 4

/** Length of the text of a synthesis of rank 0, in code points. */
export const leastCodePoints = 16

/** The text of a synthesis: it begins with the number of samples of its speech, and its length is its cost. */
export const textOf = (rank: number, samples: number): string =>
  `${samples} `.padEnd(leastCodePoints * radix ** rank, "न")

/** The speech of a text: always the same noise. */
const speechOf = (text: string): Float32Array => {
  const length = Number.parseInt(text, 10)
  const next = chances(length + 31 * text.length)
  return Float32Array.from({ length }, () => next() - 0.5)
}

/** The audio of a text, as `8000:pcm16`. */
export const audioOf = (text: string): Uint8Array => Pcm.encode(speechOf(text), "pcm16").bytes

export interface KnownRecording {
  readonly text: string
  readonly bytes: Uint8Array
  readonly path: string
  readonly samples: Float32Array
}

/** Recordings by rank: 1, 4, 16 and 64 seconds long, which is their cost. The file of rank 1 is larger than the socket buffers. */
export const makeRecordings = (folder: string): ReadonlyArray<KnownRecording> =>
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
      for (const { samples, text } of recordings) yield* teachable(known).learn({ text, samples })
      return { ...known, knownRecordings: undefined }
    })
  ).pipe(Layer.provide(KnownRecordings.layer()))

export type Service = LocalService["Type"]

/** Starts so many services. */
export const makeServices = (
  count: number,
  recordings: ReadonlyArray<KnownRecording>
): Effect.Effect<ReadonlyArray<Service>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const recogniser = yield* Layer.build(taught(recordings))
    const service = LocalService.layerWithoutDependencies({ credits: 1e12 }).pipe(
      Layer.provide([
        cannedVoice(({ text }) => speechOf(text)),
        Layer.succeedContext(recogniser),
        NodeFileSystem.layer
      ]),
      Layer.orDie
    )
    const start = Effect.flatMap(Layer.build(Layer.fresh(service)), (context) => Effect.provide(LocalService, context))
    return yield* Effect.replicateEffect(start, count)
  })
