/**
 * The doubles of both Effect clients, with the answers of a program without Effect.
 */
import { errorName, systemCode } from "@effect-speech/common/SystemCode"
import * as TypedArrays from "@effect-speech/common/TypedArrays"
import * as AudioSource from "@effect-speech/stt/AudioSource"
import * as SpeechToText from "@effect-speech/stt/SpeechToText"
import { SttAudioUnreadable, SttError } from "@effect-speech/stt/SttError"
import type { Transcription as EffectTranscription } from "@effect-speech/stt/Transcription"
import type { TranscriptionRequest } from "@effect-speech/stt/TranscriptionRequest"
import { validate } from "@effect-speech/stt/unstable/Request"
import * as TextToSpeech from "@effect-speech/tts/TextToSpeech"
import { SpeechStreamError, TtsError } from "@effect-speech/tts/TtsError"
import * as Cause from "effect/Cause"
import * as Chunk from "effect/Chunk"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { SpeechError } from "../SpeechError.js"
import type { TestAnswers, TestAudio, TestSpeechClient, TranscribeRequest } from "../TestAnswers.js"
import type { Transcription } from "../Transcription.js"
import type { Calls } from "./calls.js"
import { toServiceError, withTag, withTags } from "./describeError.js"
import { type CallSite, invalidOption } from "./errors.js"
import { makeTransport, type Services } from "./services.js"

/** The doubles, and what they received. */
export interface TestServices {
  readonly services: Services
  readonly received: TestSpeechClient["calls"]
  readonly clear: () => void
}

/** @throws SpeechError for a name that is no operation. */
export const makeTestServices = (answers: TestAnswers, calls: Calls, site: CallSite): TestServices => {
  const given: unknown = answers
  if (!Predicate.isRecord(given)) throw invalidOption("answers", "must be an object", site)
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(examples, name))
  if (unknown !== undefined) throw invalidOption(unknown, "is not an operation; give speak or transcribe", site)
  const speaking = build(
    TextToSpeech.TextToSpeech.layerTest((request) =>
      Effect.flatMap(answerTo("speak", answers.speak, request, isTtsError), toAudio)
    )
  )
  const transcribing = build(
    SpeechToText.SpeechToText.layerTest((request) =>
      Effect.flatMap(answerTo("transcribe", answers.transcribe, requestOf(request), isSttError), toTranscript)
    )
  )
  const spoken = Context.get(speaking, TextToSpeech.TextToSpeechCalls)
  const transcribed = Context.get(transcribing, SpeechToText.SpeechToTextCalls)
  const { close, transport } = makeTransport(calls)
  return {
    services: {
      deadlines: undefined,
      textToSpeech: Effect.succeed(Context.get(speaking, TextToSpeech.TextToSpeech)),
      speechToText: Effect.succeed(withReading(Context.get(transcribing, SpeechToText.SpeechToText))),
      files: transport,
      close
    },
    received: {
      get speak() {
        return Effect.runSync(spoken.all)
      },
      get transcribe() {
        return Effect.runSync(transcribed.all).map(requestOf)
      }
    },
    clear: () => Effect.runSync(Effect.zipRight(spoken.clear, transcribed.clear))
  }
}

const build = <A>(layer: Layer.Layer<A>): Context.Context<A> => Effect.runSync(Effect.scoped(Layer.build(layer)))

const isTtsError = Schema.is(TtsError)
const isSttError = Schema.is(SttError)

/** An answer of each operation, for a program that gives none. */
const examples = {
  speak: "{ speak: { bytes: new Uint8Array(48_000) } }",
  transcribe: '{ transcribe: "the transcript" }'
} as const

type Operation = keyof typeof examples

/** A mistake in a test. It is no error that the service could cause. */
const mistake = (problem: string): Effect.Effect<never> => Effect.die(new Error(`connectTest: ${problem}.`))

type Answering<Request, Answer> = (request: Request) => Answer | SpeechError | Promise<Answer | SpeechError>

/** The answer to a request. Its error is as the service would cause it. */
const answerTo = <Request, Answer, E>(
  operation: Operation,
  given:
    | Answer
    | SpeechError
    | ((request: Request) => Answer | SpeechError | Promise<Answer | SpeechError>)
    | undefined,
  request: Request,
  isError: (error: unknown) => error is E
): Effect.Effect<Answer, E> => {
  if (given === undefined) {
    return mistake(`${operation} was called, and there is no answer for it; give one, such as ${examples[operation]}`)
  }
  const failWith = (error: SpeechError): Effect.Effect<never, E> => {
    const failure: unknown = toServiceError(error)
    // An error without a counterpart, such as `ClientClosed`, is the rejection itself.
    if (failure === undefined) return Effect.die(error)
    return isError(failure) ? Effect.fail(failure) : mistake(`${operation} never fails with ${error.tag}`)
  }
  return Effect.tryPromise({
    try: async () => (typeof given === "function" ? (given as Answering<Request, Answer>)(request) : given),
    catch: (error) => error
  }).pipe(
    Effect.catchAll((error) => (error instanceof SpeechError ? Effect.succeed(error) : Effect.die(error))),
    Effect.flatMap((answer) => {
      if (answer instanceof SpeechError) return failWith(answer)
      // Any other error rejects the call as itself, also if it is given and not thrown.
      return answer instanceof Error ? Effect.die(answer) : Effect.succeed(answer as Answer)
    })
  )
}

const isStreamError = Schema.is(SpeechStreamError)

const toAudio = (answer: TestAudio): Effect.Effect<TextToSpeech.TestAudio> => {
  const given: Partial<TestAudio> | null | undefined = answer
  if (!(given?.bytes instanceof Uint8Array)) return mistake(`an answer for speak is like ${examples.speak}`)
  const { bytes, failure, outputFormat } = answer
  if (failure === undefined) return Effect.succeed({ bytes, outputFormat })
  const error: unknown = toServiceError(failure)
  return isStreamError(error)
    ? Effect.succeed({ bytes, outputFormat, failure: error })
    : mistake(`${failure.tag} can't be the error of audio that has begun`)
}

const toTranscript = (
  answer: string | Partial<Transcription>
): Effect.Effect<string | Partial<EffectTranscription>> => {
  if (typeof answer === "string") return Effect.succeed(answer)
  if (typeof answer !== "object" || answer === null)
    return mistake(`an answer for transcribe is like ${examples.transcribe}`)
  const { call, warnings, ...parts } = answer
  const transcription: object = {
    ...parts,
    ...(warnings === undefined ? {} : { warnings: warnings.map(withTag) }),
    ...(call === undefined ? {} : { call: withTags(call) })
  }
  // The double makes the classes of these objects.
  return Effect.succeed(transcription as Partial<EffectTranscription>)
}

/** The double opens no recording, but a stream is read and an empty recording is refused, as by the client. */
const withReading = (double: SpeechToText.SpeechToTextService): SpeechToText.SpeechToTextService => ({
  transcribe: (request, options) =>
    Effect.flatMap(validate(request), (valid) =>
      Effect.flatMap(inMemory(valid.audio), (audio) => double.transcribe({ ...valid, audio }, options))
    )
})

const inMemory = <R>(
  audio: AudioSource.AudioSource<R>
): Effect.Effect<AudioSource.AudioSource<R>, SttAudioUnreadable> => {
  const { filename: source } = audio
  const empty = Effect.fail(new SttAudioUnreadable({ source, problem: "it is empty" }))
  switch (audio._tag) {
    case "Path":
      return Effect.succeed(audio)
    case "Bytes":
      return audio.bytes.byteLength === 0 ? empty : Effect.succeed(audio)
    case "Blob":
      return audio.blob.size === 0 ? empty : Effect.succeed(audio)
    case "Stream":
      // The streams of this package require nothing.
      return Stream.runCollect(Stream.provideContext(audio.stream, Context.empty() as Context.Context<R>)).pipe(
        Effect.catchAllCause((cause) => {
          const error = Cause.squash(cause)
          const problem = `its stream failed (${errorName(error)})`
          return Effect.fail(new SttAudioUnreadable({ source, problem, code: systemCode(error) }))
        }),
        Effect.flatMap((parts) =>
          inMemory(
            AudioSource.fromBytes(TypedArrays.concat(Chunk.toReadonlyArray(parts), Uint8Array), { filename: source })
          )
        )
      )
  }
}

const requestOf = ({ audio, ...fields }: TranscriptionRequest): TranscribeRequest => ({
  recording: recordingOf(audio),
  filename: audio.filename,
  ...fields
})

const recordingOf = (audio: AudioSource.AudioSource): TranscribeRequest["recording"] => {
  switch (audio._tag) {
    case "Path":
      return audio.path
    case "Blob":
      return audio.blob
    case "Bytes":
      return audio.bytes
    case "Stream":
      throw new Error("A stream is read before.")
  }
}
