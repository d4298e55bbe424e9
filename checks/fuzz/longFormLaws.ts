import { inspect } from "node:util"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { AudioDecoder, type AudioFormat, Pcm, PcmStream } from "@effect-speech/audio-codec"
import { LongSpeech, LongTranscription, PieceStore, Subtitles, WordErrors } from "@effect-speech/long-form"
import { SpeechToText } from "@effect-speech/stt"
import { TextToSpeech } from "@effect-speech/tts"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Layer from "effect/Layer"
import { changedSpeech } from "effect-speech-test-support/changedSpeech"
import { bytesOf, evenWords, requestOf, speak } from "../../packages/long-form/test/words.js"
import { anyString, bytesUpTo, json, oddNumber, weighted } from "./arbitraries.js"
import { law, type Topic } from "./law.js"

const check = (holds: boolean, ...facts: ReadonlyArray<unknown>): void => {
  if (!holds) throw new Error(inspect(facts, { depth: 6 }))
}

/** What a response replaces in the audio of a piece. */
interface OddAudio {
  readonly format?: AudioFormat.AudioFormat
  readonly bytes?: Uint8Array
}

const rate = weighted(
  [4, FastCheck.constantFrom(8000, 16_000, 22_050, 24_000, 44_100, 48_000)],
  [1, FastCheck.constantFrom(0, 1, 500, 7999, 48_001, 192_000, 999_999, 8000.5)],
  [1, oddNumber]
)
const encoding = weighted<AudioFormat.Encoding>(
  [4, FastCheck.constantFrom<Array<AudioFormat.Encoding>>("pcm16", "float32")],
  [3, FastCheck.constantFrom<Array<AudioFormat.Encoding>>("alaw", "pcm8", "float64")]
)
const floats = FastCheck.array(FastCheck.oneof(FastCheck.double({ min: -1, max: 1 }), oddNumber), { maxLength: 60 })
const oddAudio = weighted<OddAudio>(
  [4, FastCheck.constant({})],
  [
    3,
    FastCheck.record({
      format: FastCheck.record({
        sampleRate: rate,
        channels: weighted([6, FastCheck.constant(1)], [1, oddNumber]),
        encoding
      }),
      bytes: FastCheck.oneof(
        bytesUpTo(400),
        FastCheck.nat(4000).map((length) => new Uint8Array(4 * length)),
        floats.map((samples) => new Uint8Array(Float32Array.from(samples).buffer))
      )
    })
  ]
)

const sentences = ["Alpha one.", "Beta two.", "Gamma three.", "Delta four."]
const tone = TextToSpeech.layerTest({
  bytes: new Uint8Array(new Int16Array(800).fill(999).buffer),
  outputFormat: "8000:pcm16"
})

const oddSegment = FastCheck.record(
  {
    start: FastCheck.oneof(FastCheck.constantFrom<Array<unknown>>(0, 0.2, "0.3"), oddNumber, json),
    end: FastCheck.oneof(FastCheck.constantFrom<Array<unknown>>(0.4, 1, "0.9"), oddNumber, json),
    text: FastCheck.oneof(anyString, json),
    confidence: FastCheck.oneof(oddNumber, FastCheck.constant(0.5))
  },
  { requiredKeys: [] }
)
/** Words, with segments of them at valid times, or any segments. */
const oddTranscript = FastCheck.record({
  words: FastCheck.array(anyString, { maxLength: 5 }),
  confidence: oddNumber,
  segments: FastCheck.option(FastCheck.array(oddSegment, { maxLength: 5 }), { nil: undefined }),
  repeated: weighted([30, FastCheck.constant(1)], [1, FastCheck.constant(300)])
}).map(({ confidence, repeated, segments, words }) => {
  const all = Array.from({ length: repeated }, () => words).flat()
  const timed = all.map((text, index) => ({ start: index / all.length, end: (index + 1) / all.length, text }))
  return {
    text: all.join(" "),
    auxInfo: { confidence, segments_meta: (segments ?? timed) as ReadonlyArray<Record<string, unknown>> }
  }
})

const lettersOf = (text: string) =>
  text
    .normalize("NFKD")
    .toUpperCase()
    .normalize("NFKD")
    .replace(/[^\p{L}\p{N}]/gu, "")

const recording = speak(evenWords(6))

export const longFormLaws: Topic = Effect.succeed({
  "any audio of a service leads to an error or to joined audio, and a valid piece is paid once": law(
    30,
    FastCheck.asyncProperty(
      FastCheck.array(oddAudio, { minLength: 4, maxLength: 4 }),
      FastCheck.constantFrom(undefined, "8000:pcm16" as const, "24000:float32" as const),
      (odd, outputFormat) =>
        Effect.gen(function* () {
          const tts = yield* TextToSpeech
          const synthesize: typeof tts.synthesize = (request) =>
            Effect.map(tts.synthesize(request), (speech) =>
              changedSpeech(speech, odd[sentences.indexOf(request.text)] ?? {})
            )
          const options = { firstCodePoints: 13, maximumCodePoints: 14, concurrency: 2 }
          const speaking = Effect.gen(function* () {
            const speech = yield* LongSpeech.stream({ text: sentences.join(" "), outputFormat }, options)
            const bytes = yield* PcmStream.collect(speech)
            const { segments } = yield* speech.report
            check(Pcm.decode(bytes, speech.format.encoding).every(Number.isFinite), "a sample is not finite")
            check(
              segments.every(({ endMillis, startMillis }) => startMillis >= 0 && endMillis >= startMillis),
              segments
            )
          }).pipe(Effect.scoped, Effect.provideService(TextToSpeech, { ...tts, synthesize }), Effect.either)
          for (const outcome of [yield* speaking, yield* speaking]) {
            check(Either.isRight(outcome) || outcome.left._tag === "TtsInvalidResponse", outcome)
          }
          const sent = (yield* TextToSpeech.calls).map(({ text }) => text)
          for (const [index, sentence] of sentences.entries()) {
            const isValid = odd[index]?.format === undefined
            check(!isValid || sent.filter((text) => text === sentence).length <= 1, sent)
          }
        }).pipe(Effect.provide([tone, PieceStore.layerMemory]), Effect.runPromise)
    )
  ),

  "no transcript of a service is a defect, loses a word, or has a time that is none": law(
    30,
    FastCheck.asyncProperty(FastCheck.array(oddTranscript, { minLength: 1, maxLength: 3 }), async (answers) => {
      const answer = (request: Parameters<typeof bytesOf>[0]) =>
        answers[bytesOf(request).byteLength % answers.length] ?? {}
      const layer = Layer.mergeAll(
        SpeechToText.layerTest(answer),
        PieceStore.layerMemory,
        AudioDecoder.AudioDecoder.layerWav,
        NodeFileSystem.layer
      )
      const transcribe = LongTranscription.transcribe(requestOf(recording), { maximum: "1 second" })
      const [first, again] = await Effect.runPromise(Effect.provide(Effect.all([transcribe, transcribe]), layer))
      for (const { confidence, pieces, segments, text } of [first, again]) {
        check(lettersOf(segments.map((segment) => segment.text).join("")) === lettersOf(text), text, segments)
        check(confidence === undefined || (confidence >= 0 && confidence <= 1), confidence)
        let before = 0
        for (const { endMillis, startMillis } of segments) {
          check(startMillis >= before && endMillis >= startMillis && endMillis <= 3000, segments)
          before = startMillis
        }
        for (const piece of pieces) check(piece.confidence === undefined || Number.isFinite(piece.confidence), piece)
        check(Either.isRight(Subtitles.parse(Subtitles.toSrt(Subtitles.layout(segments)))), segments)
      }
      check(again.text === first.text && again.segments.length === first.segments.length, first, again)
      check(
        again.pieces.every(({ source }) => source === "kept"),
        again.pieces
      )
    })
  ),

  "the errors between any two texts are the same in both directions, and their words are paired in order": law(
    30,
    FastCheck.asyncProperty(FastCheck.array(anyString), FastCheck.array(anyString), async (one, other) => {
      const [said, heard] = [one.join(" "), other.join(" ")]
      const there = await Effect.runPromise(WordErrors.compare(said, heard))
      const back = await Effect.runPromise(WordErrors.compare(heard, said))
      check(there.words.errors === back.words.errors && there.characters.errors === back.characters.errors, there, back)
      const wordsOf = ({ pairs }: WordErrors.Comparison, side: "reference" | "heard") =>
        pairs.flatMap((pair) => (side in pair ? (pair as Record<typeof side, string>)[side] : [])).join(" ")
      check(wordsOf(there, "reference") === wordsOf(back, "heard"), there, back)
      check(wordsOf(there, "heard") === wordsOf(back, "reference"), there, back)
      const same = await Effect.runPromise(WordErrors.compare(said, said))
      check(same.words.errors === 0 && same.characters.errors === 0, same)
    })
  )
})
