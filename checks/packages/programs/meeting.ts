/**
 * Transcribes the recording of a meeting in pieces: one transcript with its segments, subtitles as SRT and WebVTT, and who spoke how long,
 * by the times of the segments. A second run of the same recording sends nothing.
 */
import { FileSystem, Path } from "@effect/platform"
import { NodeRuntime } from "@effect/platform-node"
import { PcmStream, Wav } from "@effect-speech/audio-codec"
import { AudioDecoder } from "@effect-speech/audio-codec/AudioDecoder"
import { LocalService } from "@effect-speech/local-service"
import { LongTranscription, PieceStore, Subtitles } from "@effect-speech/long-form"
import { AudioSource } from "@effect-speech/stt"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import { TextToSpeech } from "@effect-speech/tts"
import {
  Array as Arr,
  Console,
  Data,
  Duration,
  Effect,
  Equal,
  HashMap,
  Layer,
  Option,
  Order,
  Ref,
  Schema
} from "effect"

export class CheckFailed extends Data.TaggedError("CheckFailed")<{ readonly message: string }> {}

const check = (holds: boolean, message: string) => (holds ? Effect.void : new CheckFailed({ message }))

const said = [
  { speaker: "Meera", text: "Good morning, everybody. Let us begin with the budget." },
  { speaker: "Arun", text: "The numbers of the third quarter are ready." },
  { speaker: "Meera", text: "Then please send them to all of us before Friday." },
  { speaker: "Arun", text: "I will. There is one more thing." },
  { speaker: "Meera", text: "We have five minutes left. Go ahead." }
]

const format = { sampleRate: 8000, channels: 1, encoding: "pcm16" } as const

/** Speaks the meeting into one file, with a pause after each turn. */
export const record = (path: string) =>
  Effect.gen(function* () {
    const tts = yield* TextToSpeech
    const turns = yield* Effect.forEach(
      said,
      ({ speaker, text }) =>
        tts.synthesize({
          text,
          lang: "en",
          voice: speaker === "Arun" ? "default_male" : "default_female",
          outputFormat: "8000:pcm16"
        }),
      { concurrency: 2 }
    )
    const parts = Arr.flatMap(turns, (turn) => [turn, PcmStream.silence(format, "2 seconds")])
    yield* Wav.writeFile(PcmStream.concat([PcmStream.silence(format, "1 second"), ...parts]), path)
  })

export interface Turn {
  readonly speaker: string
  readonly start: Duration.Duration
  readonly length: Duration.Duration
}

/** The part of the meeting that a segment is. */
export const turnOf = ({ endMillis, startMillis, text }: LongTranscription.Segment): Option.Option<Turn> =>
  Option.map(
    Arr.findFirst(said, (turn) => turn.text.includes(text)),
    ({ speaker }) => ({
      speaker,
      start: Duration.millis(startMillis),
      length: Duration.millis(endMillis - startMillis)
    })
  )

export const timesOf = (segments: ReadonlyArray<LongTranscription.Segment>) =>
  Arr.reduce(
    Arr.filterMap(segments, turnOf),
    HashMap.empty<string, Duration.Duration>(),
    (times, { length, speaker }) =>
      HashMap.modifyAt(times, speaker, (time) =>
        Option.some(
          Duration.sum(
            Option.getOrElse(time, () => Duration.zero),
            length
          )
        )
      )
  )

const transcribed = (path: string, onEvent: (event: LongTranscription.Event) => Effect.Effect<void>) =>
  LongTranscription.transcribe(
    { audio: AudioSource.fromPath(path), model: "en-general-v2-8khz" },
    { maximum: "8 seconds", concurrency: 2, onEvent, gracePeriod: "5 seconds" }
  )

export const program = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const { join } = yield* Path.Path
  const folder = yield* fs.makeTempDirectoryScoped()
  const recording = join(folder, "meeting.wav")
  yield* record(recording)

  const service = yield* LocalService
  const kept = yield* Ref.make(0)
  const count = (event: LongTranscription.Event) =>
    event._tag === "Kept" ? Ref.update(kept, (number) => number + 1) : Effect.void
  const requests = Effect.map(
    service.requests,
    Arr.filter(({ operation }) => operation === "transcribe")
  )

  const transcript = yield* transcribed(recording, count)
  yield* check((yield* Ref.get(kept)) === 0, "nothing was kept before")
  const sent = Arr.filter(transcript.pieces, ({ source }) => source === "sent")
  yield* check((yield* requests).length === sent.length, "each piece that is not silent was sent once")
  yield* check(sent.length > 1, "the recording was cut")
  yield* check(transcript.warnings.length === 0, `no warnings: ${transcript.warnings.map(({ message }) => message)}`)
  yield* check(
    transcript.text === said.map(({ text }) => text).join(" "),
    `the transcript has all that was said: ${transcript.text}`
  )
  yield* check(
    transcript.segments.every(({ times }) => times === "service"),
    "the service measured each time"
  )

  const cues = Subtitles.layout(transcript.segments, { maximum: "4 seconds", clustersPerLine: 32 })
  const srt = Subtitles.toSrt(cues)
  const vtt = Subtitles.toVtt(cues)
  yield* fs.writeFileString(join(folder, "meeting.srt"), srt)
  yield* fs.writeFileString(join(folder, "meeting.vtt"), vtt)
  yield* check(
    Arr.getEquivalence(Equal.equivalence<Subtitles.Cue>())(yield* Subtitles.parse(srt), yield* Subtitles.parse(vtt)),
    "both files have the same cues"
  )

  const turns = Arr.filterMap(transcript.segments, turnOf)
  yield* check(turns.length === transcript.segments.length, "each segment has a speaker")
  yield* check(
    Arr.zip(turns, turns.slice(1)).every(([one, next]) =>
      Order.lessThanOrEqualTo(Duration.Order)(Duration.sum(one.start, one.length), next.start)
    ),
    "the segments follow each other"
  )

  const stored = yield* Schema.encode(Schema.parseJson(LongTranscription.Transcript))(transcript)
  const read = yield* Schema.decode(Schema.parseJson(LongTranscription.Transcript))(stored)
  yield* check(Equal.equals(read, transcript), "the transcript is read as it was stored")

  const again = yield* transcribed(recording, count)
  yield* check((yield* Ref.get(kept)) === sent.length, "all was kept")
  yield* check((yield* requests).length === sent.length, "nothing was sent again")
  yield* check(again.text === transcript.text, "the transcript is the same")
  yield* check(
    Arr.getEquivalence(Equal.equivalence<LongTranscription.Segment>())(again.segments, transcript.segments),
    "and so are its segments"
  )
  return { transcript, cues, times: timesOf(transcript.segments) }
}).pipe(Effect.scoped)

export const layer = Layer.provideMerge(
  Layer.mergeAll(LocalService.layerClients, AudioDecoder.layerWav, PieceStore.layerMemory),
  Layer.mergeAll(LocalService.layer(), NodeTransport.layer, Path.layer)
)

program.pipe(
  Effect.flatMap(({ cues, times, transcript }) =>
    Console.log(
      `ok meeting ${transcript.pieces.length} pieces, ${transcript.segments.length} segments, ${cues.length} cues, ${Arr.map(
        HashMap.toEntries(times),
        ([speaker, time]) => `${speaker} ${Duration.format(time)}`
      ).join(", ")}`
    )
  ),
  Effect.provide(layer),
  NodeRuntime.runMain
)
