/**
 * Both clients from plain async code: a class with one runtime, whose methods return promises. A promise is rejected
 * with the tagged error itself.
 *
 * `pnpm example examples/promises.ts "a text" hello.wav`, with the variables that `pnpm speech serve` prints.
 */
import { Wav } from "@effect-speech/audio-codec"
import { AudioSource, SpeechToText, SttAudioUnreadable } from "@effect-speech/stt"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import { TextToSpeech, TtsInvalidRequest, TtsUnauthorized } from "@effect-speech/tts"
import { Cause, Effect, Exit, Layer, ManagedRuntime } from "effect"

const Live = Layer.provideMerge(Layer.merge(SpeechToText.layerFromEnv, TextToSpeech.layerFromEnv), NodeTransport.layer)

export class Speech {
  // The runtime builds the layer at the first call and keeps it, so all calls share connections and the retry budget.
  readonly #runtime = ManagedRuntime.make(Live)

  speak(text: string, path: string, signal?: AbortSignal): Promise<Wav.WavFile> {
    const writing = Effect.gen(function* () {
      const tts = yield* TextToSpeech
      return yield* Wav.writeFile(yield* tts.stream({ text, lang: "en" }), path)
    })
    return this.#run(Effect.scoped(writing), signal)
  }

  transcribe(path: string, signal?: AbortSignal): Promise<string> {
    const audio = AudioSource.fromPath(path)
    const call = Effect.flatMap(SpeechToText, (stt) => stt.transcribe({ audio, model: "en-general-v2-8khz" }))
    return this.#run(
      Effect.map(call, ({ text }) => text),
      signal
    )
  }

  close(): Promise<void> {
    return this.#runtime.dispose()
  }

  /**
   * Rejects with the error itself. `runPromise` alone rejects with a FiberFailure, which has the error in its cause.
   */
  async #run<A, E>(
    effect: Effect.Effect<A, E, Layer.Layer.Success<typeof Live>>,
    signal: AbortSignal | undefined
  ): Promise<A> {
    const exit = await this.#runtime.runPromiseExit(effect, signal && { signal })
    if (Exit.isSuccess(exit)) return exit.value
    signal?.throwIfAborted()
    throw Cause.squash(exit.cause)
  }
}

const [text = "Hello.", path = "hello.wav"] = process.argv.slice(2)
const speech = new Speech()
try {
  const { durationMillis } = await speech.speak(text, path, AbortSignal.timeout(60_000))
  console.log(`${durationMillis} ms, heard as: ${await speech.transcribe(path)}`)
} catch (error) {
  // A rejection has no type: handle the errors that you know, and rethrow the others.
  if (error instanceof TtsInvalidRequest) console.error(`${error._tag}: ${error.field} ${error.problem}`)
  else if (error instanceof TtsUnauthorized) console.error(`${error._tag}: billing ${error.call.billing}`)
  else if (error instanceof SttAudioUnreadable) console.error(`${error._tag}: ${error.source}`)
  else throw error
  process.exitCode = 1
} finally {
  await speech.close()
}
