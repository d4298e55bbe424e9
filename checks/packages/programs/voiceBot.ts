/**
 * A voice bot speaks an answer on a telephone line. A prompt from a WAV file and a pause come before the answer, which is
 * converted while it arrives: mu-law at 8 kHz, in frames of 20 ms. The same frames are sent and recorded. A caller hangs up in the
 * middle of an answer, and audio that outlives the layer of its client says so.
 */

import assert from "node:assert/strict"
import { FileSystem } from "@effect/platform"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { AudioFormat, Pcm, PcmStream, Telephony, Wav } from "@effect-speech/audio-codec"
import { LocalService } from "@effect-speech/local-service"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import { TextToSpeech } from "@effect-speech/tts"
import { Chunk, Console, Effect, Layer, Queue, Schedule, Stream } from "effect"

const frameBytes = 160
const muLawSilence = 0xff
const long = "One sentence after another. ".repeat(200)

/** Frames of exactly 20 ms; the last one is filled with silence. */
export const inFrames = <E, R>(bytes: Stream.Stream<Uint8Array, E, R>) =>
  bytes.pipe(
    Stream.concat(Stream.succeed("end" as const)),
    Stream.mapAccum(new Uint8Array(0), (rest, chunk) => {
      if (chunk === "end") {
        const last = new Uint8Array(frameBytes).fill(muLawSilence)
        last.set(rest)
        return [new Uint8Array(0), rest.length === 0 ? [] : [last]]
      }
      const all = new Uint8Array(rest.length + chunk.length)
      all.set(rest)
      all.set(chunk, rest.length)
      const whole = Math.floor(all.length / frameBytes)
      const frames = Array.from({ length: whole }, (_, index) =>
        all.slice(index * frameBytes, (index + 1) * frameBytes)
      )
      return [all.slice(whole * frameBytes), frames]
    }),
    Stream.mapConcat((frames) => frames)
  )

export const onTheLine = <E, R>(audio: PcmStream.PcmStream<E, R>) => {
  const format = new AudioFormat.AudioFormat({ ...Telephony.format, encoding: "mulaw" })
  return Pcm.decodeStream(audio).pipe(Pcm.encodeStream(format), PcmStream.mapStream(inFrames))
}

export const program = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const service = yield* LocalService
  const tts = yield* TextToSpeech
  const folder = yield* fs.makeTempDirectoryScoped()
  const promptFile = yield* tts
    .synthesize({ text: "Thank you for calling.", lang: "en", outputFormat: "16000:pcm16" })
    .pipe(Effect.flatMap(Wav.writeFile(`${folder}/prompt.wav`)))

  const line = yield* Queue.unbounded<Uint8Array>()
  const prompt = yield* Telephony.readFile(promptFile.path)
  const speech = yield* tts.stream({ text: "Your train leaves at nine from platform two.", lang: "en" })
  const answer = Telephony.telephony(speech).pipe(PcmStream.trim(), PcmStream.fade())
  const call = PcmStream.concat([prompt, PcmStream.silence(Telephony.format, "250 millis"), answer])
  const sent = onTheLine(call).pipe(PcmStream.tap((frame) => Queue.offer(line, frame)))
  const recording = yield* Wav.writeFile(sent, `${folder}/call.wav`)

  const frames = Chunk.toReadonlyArray(yield* Queue.takeAll(line))
  assert.ok(frames.every((frame) => frame.length === frameBytes))
  assert.equal(recording.durationMillis, frames.length * 20)
  assert.equal(recording.format.encoding, "mulaw")
  assert.ok(recording.durationMillis > promptFile.durationMillis + 250)
  assert.equal((yield* speech.call).billing, "billed")
  const hungUp = yield* Effect.gen(function* () {
    const answer = yield* tts.stream({ text: long, lang: "en" })
    const heard = yield* onTheLine(Telephony.telephony(answer)).stream.pipe(Stream.take(50), Stream.runCount)
    return { heard, call: answer.call }
  }).pipe(Effect.scoped)
  assert.equal(hungUp.heard, 50)
  assert.equal((yield* hungUp.call).billing, "unknown")
  yield* Effect.repeat(service.requests, {
    until: (all) => all.at(-1)?.outcome === "abandoned",
    schedule: Schedule.spaced("10 millis")
  }).pipe(Effect.timeout("10 seconds"))

  const ownLayer = TextToSpeech.layer({ apiKey: service.apiKey, baseUrl: service.ttsBaseUrl })
  const tooLate = yield* Effect.flatMap(TextToSpeech, ({ stream }) => stream({ text: long, lang: "en" })).pipe(
    Effect.provide(Layer.provide(ownLayer, Layer.fresh(NodeTransport.layer))),
    Effect.flatMap(PcmStream.collect),
    Effect.flip
  )
  assert.ok(tooLate._tag === "TtsConnectionFailed" && tooLate.reason === "closed", tooLate.message)
  assert.match(tooLate.message, /Keep the layer open/u)
  yield* Console.log(`ok voiceBot ${frames.length} frames, ${AudioFormat.describe(recording.format)}`)
})

export const live = LocalService.layerClients.pipe(
  Layer.provideMerge(Layer.merge(LocalService.layer(), NodeTransport.layer))
)

program.pipe(Effect.scoped, Effect.provide(live), NodeRuntime.runMain)
