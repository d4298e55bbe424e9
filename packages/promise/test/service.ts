/**
 * A local service in this process, and clients of it without Effect.
 */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import type { Fault } from "@effect-speech/local-service/Faults"
import * as KnownRecordings from "@effect-speech/local-service/KnownRecordings"
import { LocalService } from "@effect-speech/local-service/LocalService"
import { type ConnectOptions, connect, SpeechError } from "@effect-speech/promise"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import { noiseOf } from "effect-speech-test-support/cannedSpeech"
import { cannedVoice } from "effect-speech-test-support/cannedVoice"
import { afterAll, afterEach, beforeAll } from "vitest"

const sampleRate = 8000

/** A model that the service has. */
export const model = "hi-general-v2-8khz"

const layer = LocalService.layerWithoutDependencies().pipe(
  Layer.provide([
    cannedVoice(({ text }) => noiseOf(text), { sampleRate }),
    KnownRecordings.layer(),
    NodeFileSystem.layer
  ])
)

/** Starts a service for the tests of a file. It speaks noise that depends on the text, and recognises what it spoke. */
export const startService = () => {
  const scope = Effect.runSync(Scope.make())
  let service: Context.Tag.Service<LocalService> | undefined
  const handle = () => {
    if (service === undefined) throw new Error("The service has not started.")
    return service
  }
  beforeAll(async () => {
    service = Context.get(await Effect.runPromise(Layer.buildWithScope(layer, scope)), LocalService)
  })
  afterEach(() => Effect.runPromise(handle().reset()))
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

  const options = (): ConnectOptions => ({
    apiKey: Redacted.value(handle().apiKey),
    ttsBaseUrl: handle().ttsBaseUrl,
    sttBaseUrl: handle().sttBaseUrl
  })
  return {
    options,
    /** A client, which fails at once where a test makes it fail. */
    connect: (more: ConnectOptions = {}) => connect({ ...options(), retries: { firstDelay: 1 }, ...more }),
    faults: (...faults: ReadonlyArray<Fault>) => Effect.runPromise(handle().faults.set(faults)),
    requests: () => Effect.runPromise(handle().requests)
  }
}

/** All bytes of a stream or an iterable. */
export const bytesOf = async (chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> => {
  const all: Array<Uint8Array> = []
  for await (const chunk of chunks) all.push(chunk)
  return new Uint8Array(Buffer.concat(all))
}

/** What a promise is rejected with, if it is an error of this package. */
export const errorOf = async (promise: PromiseLike<unknown>): Promise<SpeechError> => {
  const error: unknown = await promise.then(
    () => new Error("It did not fail."),
    (error: unknown) => error
  )
  if (error instanceof SpeechError) return error
  throw error
}

/** Waits for a condition. The time limit of the test ends it. */
export const until = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 1))
}
