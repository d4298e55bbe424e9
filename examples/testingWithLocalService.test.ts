/**
 * Tests an app against the local service, over real HTTP. It has a voice, an account that can run out of credit, and
 * failures on demand. Use it for what a double can't test, such as retries, billing, and real speech.
 *
 * `pnpm vitest examples/testingWithLocalService.test.ts`
 */
import * as FileSystem from "@effect/platform/FileSystem"
import { assert, layer } from "@effect/vitest"
import { Wav } from "@effect-speech/audio-codec"
import { LocalService } from "@effect-speech/local-service"
import { AudioSource, SpeechToText } from "@effect-speech/stt"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import { TextToSpeech } from "@effect-speech/tts"
import { Effect, Layer } from "effect"

/** The app: transcribes a caller, and replies with the transcript as speech. */
const answerCaller = (path: string) =>
  Effect.gen(function* () {
    const [stt, tts] = yield* Effect.all([SpeechToText, TextToSpeech])
    const { text } = yield* stt.transcribe({ audio: AudioSource.fromPath(path), model: "hi-general-v2-8khz" })
    const reply = text === "" ? "Sorry?" : `You said ${text}.`
    yield* Wav.writeFile(
      yield* tts.stream({ text: reply, lang: "en", outputFormat: "8000:pcm16" }),
      `${path}.reply.wav`
    )
    return reply
  }).pipe(
    Effect.scoped,
    Effect.catchTag("SttCreditExhausted", () => Effect.succeed("no answer"))
  )

/** A caller says something. The local service recognises what it has synthesized itself, or was taught. */
const caller = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const tts = yield* TextToSpeech
  const path = `${yield* fs.makeTempDirectoryScoped()}/call.wav`
  yield* Wav.writeFile(yield* tts.synthesize({ text: "नमस्ते", lang: "hi" }), path)
  return path
})

const TestLive = LocalService.layerClients.pipe(
  Layer.provideMerge(Layer.merge(LocalService.layer(), NodeTransport.layer))
)

// Live clock: with a TestClock, a retry would wait for TestClock.adjust.
layer(TestLive, { excludeTestServices: true })("the app", (it) => {
  it.scoped("says back what a caller said", () =>
    Effect.gen(function* () {
      const path = yield* caller
      assert.strictEqual(yield* answerCaller(path), "You said नमस्ते.")
      const fs = yield* FileSystem.FileSystem
      assert.isAbove(Number((yield* fs.stat(`${path}.reply.wav`)).size), 8000)
    })
  )

  it.scoped("answers although the service fails once, and is charged once", () =>
    Effect.gen(function* () {
      const { accounts, faults, requests, reset } = yield* LocalService
      yield* reset()
      const path = yield* caller
      yield* faults.set([{ operation: "transcribe", times: 1, status: 503 }])
      yield* answerCaller(path)
      assert.deepStrictEqual(
        (yield* requests).map(({ operation, status }) => `${operation} ${status}`),
        ["synthesize 200", "transcribe 503", "transcribe 200", "synthesize 200"]
      )
      const usage = yield* accounts.usage
      assert.strictEqual(usage.find(({ operation }) => operation === "transcribe")?.calls, 1)
    })
  )

  it.scoped("gives no answer when the account is out of credit", () =>
    Effect.gen(function* () {
      const { accounts, reset } = yield* LocalService
      yield* reset()
      const path = yield* caller
      yield* accounts.setAccount({ credits: 0 })
      assert.strictEqual(yield* answerCaller(path), "no answer")
    })
  )
})
