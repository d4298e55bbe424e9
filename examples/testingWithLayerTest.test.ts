/**
 * Tests an app with the doubles of both clients: no network, no file, no service. The doubles check requests as the
 * clients do, so that a test does not pass with an invalid request.
 *
 * `pnpm vitest examples/testingWithLayerTest.test.ts`
 */
import { assert, it } from "@effect/vitest"
import { AudioSource, SpeechToText, SttCreditExhausted, SttForbidden, SttUnavailable } from "@effect-speech/stt"
import { TextToSpeech, TtsConnectionFailed } from "@effect-speech/tts"
import { Effect, Layer } from "effect"

/** The app: transcribes a caller, and replies with the transcript as speech. */
const answerCaller = (path: string) =>
  Effect.gen(function* () {
    const stt = yield* SpeechToText
    const tts = yield* TextToSpeech
    const { text } = yield* stt.transcribe({ audio: AudioSource.fromPath(path), model: "hi-general-v2-8khz" })
    const reply = text === "" ? "Sorry?" : `You said ${text}.`
    const { durationMillis } = yield* tts.synthesize({ text: reply, lang: "en", outputFormat: "8000:pcm16" })
    return `${reply} (${durationMillis} ms)`
  }).pipe(Effect.catchTag("SttCreditExhausted", () => Effect.succeed("no answer")))

/** A second of silence at 8 kHz in 16 bits. */
const audio = { bytes: new Uint8Array(16_000) }

it.effect("a caller hears what was understood", () =>
  Effect.gen(function* () {
    assert.strictEqual(yield* answerCaller("call.wav"), "You said namaste. (1000 ms)")
    // The requests of the app.
    assert.deepStrictEqual(yield* TextToSpeech.calls, [
      { text: "You said namaste.", lang: "en", outputFormat: "8000:pcm16" }
    ])
  }).pipe(Effect.provide([SpeechToText.layerTest("namaste"), TextToSpeech.layerTest(audio)]))
)

it.effect("each caller gets an answer of their own", () =>
  Effect.gen(function* () {
    const answers = yield* Effect.forEach(["call-1.wav", "silence.wav"], answerCaller)
    assert.deepStrictEqual(answers, ["You said call-1. (1000 ms)", "Sorry? (1000 ms)"])
    assert.strictEqual((yield* SpeechToText.calls).length, 2)
  }).pipe(
    Effect.provide([
      // The result can depend on the request.
      SpeechToText.layerTest((request) => (request.audio.filename === "silence.wav" ? "" : "call-1")),
      TextToSpeech.layerTest(audio)
    ])
  )
)

it.effect("a call is made again where this may help", () => {
  let asked = 0
  return Effect.gen(function* () {
    const patiently = Effect.retry(answerCaller("call.wav"), { times: 2, while: ({ retryable }) => retryable })
    assert.strictEqual(yield* patiently, "You said namaste. (1000 ms)")
    assert.strictEqual((yield* SpeechToText.calls).length, 2)
  }).pipe(
    Effect.provide([
      // The doubles do not retry: each result is one call.
      SpeechToText.layerTest(() => (++asked === 1 ? new SttUnavailable() : "namaste")),
      TextToSpeech.layerTest(audio)
    ])
  )
})

it.effect("an account out of credit gives no answer, and nothing is synthesized", () =>
  Effect.gen(function* () {
    assert.strictEqual(yield* answerCaller("call.wav"), "no answer")
    assert.deepStrictEqual(yield* TextToSpeech.calls, [])
  }).pipe(
    // Each error can be made without arguments.
    Effect.provide([SpeechToText.layerTest(new SttCreditExhausted()), TextToSpeech.layerTest(audio)])
  )
)

it.effect("what the app does not handle comes out of it", () => {
  const cut = new TtsConnectionFailed({ reason: "cut", sent: "all" })
  const failing = (doubles: Layer.Layer<SpeechToText | TextToSpeech>) =>
    Effect.map(Effect.flip(Effect.provide(answerCaller("call.wav"), doubles)), ({ _tag }) => _tag)
  return Effect.gen(function* () {
    const lostInTheMiddle = Layer.merge(
      SpeechToText.layerTest("namaste"),
      TextToSpeech.layerTest({ ...audio, failure: cut })
    )
    assert.strictEqual(yield* failing(lostInTheMiddle), "TtsConnectionFailed")
    const forbidden = Layer.merge(SpeechToText.layerTest(new SttForbidden()), TextToSpeech.layerTest(audio))
    assert.strictEqual(yield* failing(forbidden), "SttForbidden")
    // The double refuses a request that the client would refuse.
    const tooLong = Layer.merge(SpeechToText.layerTest("न".repeat(10_001)), TextToSpeech.layerTest(audio))
    assert.strictEqual(yield* failing(tooLong), "TtsInvalidRequest")
  })
})
