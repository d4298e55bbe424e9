/** What a call that ends early waits for: the finalizers of the HttpClient, whichever it is. */
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { describe, expect, it } from "@effect/vitest"
import { AudioSource, SpeechToText, type SttError } from "@effect-speech/stt"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import { TextToSpeech, type TtsError } from "@effect-speech/tts"
import { Duration, Effect, Exit, Fiber, Layer, Redacted, Scope, Stream } from "effect"
import { scriptedServer } from "effect-speech-test-support/scriptedServer"

/** What has begun and what has ended, in a client whose finalizers take time. */
interface Seen {
  begun: number
  finalized: number
}

/** Adds finalizers, one after the other, to what a client does for a request. */
const finalizing =
  (seen: Seen, takes: Duration.DurationInput) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.acquireUseRelease(
      Effect.sync(() => seen.begun++),
      () => Effect.onInterrupt(effect, () => Effect.sleep(takes)),
      () =>
        Effect.delay(
          Effect.sync(() => seen.finalized++),
          takes
        )
    )

type MakeClient = (finalize: ReturnType<typeof finalizing>) => Layer.Layer<HttpClient.HttpClient>

const wrapped =
  (client: Layer.Layer<HttpClient.HttpClient>): MakeClient =>
  (finalize) =>
    Layer.effect(
      HttpClient.HttpClient,
      Effect.map(HttpClient.HttpClient, (given) => HttpClient.transform(given, finalize))
    ).pipe(Layer.provide(client))

/** None of these gets a response. */
const clients: Record<string, MakeClient> = {
  "an HttpClient of your own": (finalize) =>
    Layer.succeed(
      HttpClient.HttpClient,
      HttpClient.make(() => finalize(Effect.never))
    ),
  FetchHttpClient: wrapped(FetchHttpClient.layer),
  "NodeHttpClient.layer": wrapped(NodeHttpClient.layer),
  "NodeHttpClient.layerUndici": wrapped(NodeHttpClient.layerUndici),
  "NodeTransport.layer": wrapped(NodeTransport.layer)
}

const options = { apiKey: Redacted.make("prefix.secret"), retries: 0 }
const audio = AudioSource.fromBytes(new Uint8Array(100_000), { filename: "call.wav" })

/** Both operations over a client, against a server that never responds. */
const silent = (client: Layer.Layer<HttpClient.HttpClient>, answer?: Duration.DurationInput) =>
  Effect.gen(function* () {
    const { url: baseUrl } = yield* scriptedServer(() => undefined)
    const given = { ...options, baseUrl, deadlines: { answer, uploadIdle: answer } }
    return Layer.merge(SpeechToText.layer(given), TextToSpeech.layer(given)).pipe(
      Layer.provide([client, NodeFileSystem.layer])
    )
  })

const calls = {
  transcribe: Effect.flatMap(SpeechToText, (stt) => stt.transcribe({ audio, model: "hi-general-v2-8khz" })),
  synthesize: Effect.flatMap(TextToSpeech, (tts) => tts.synthesize({ text: "hello" })),
  stream: Effect.scoped(Effect.flatMap(TextToSpeech, (tts) => tts.stream({ text: "hello" })))
}

type Call = Effect.Effect<unknown, SttError | TtsError, SpeechToText | TextToSpeech>

const untilBegun = (seen: Seen) => Effect.repeat(Effect.sleep(5), { until: () => seen.begun > 0 })

const cases = Object.entries(clients).flatMap(([client, make]) =>
  Object.entries<Call>(calls).map(([operation, call]) => ({ client, make, operation, call }))
)

describe("a call that is interrupted", () => {
  it.scopedLive.each(cases)("waits for the finalizers of the client: $operation over $client", ({ call, make }) =>
    Effect.gen(function* () {
      const seen: Seen = { begun: 0, finalized: 0 }
      const live = yield* silent(make(finalizing(seen, "30 millis")))
      const fiber = yield* Effect.fork(Effect.provide(call, live))
      yield* untilBegun(seen)
      yield* Fiber.interrupt(fiber)
      expect(seen).toEqual({ begun: 1, finalized: 1 })
    })
  )

  it.scopedLive("does not wait for the response, even if the client can't be interrupted: its request is aborted", () =>
    Effect.gen(function* () {
      for (const client of [FetchHttpClient.layer, NodeHttpClient.layer, NodeHttpClient.layerUndici]) {
        const seen: Seen = { begun: 0, finalized: 0 }
        const uninterruptible: MakeClient = (finalize) =>
          wrapped(client)((effect) => finalize(Effect.uninterruptible(effect)))
        const live = yield* silent(uninterruptible(finalizing(seen, 0)))
        const fiber = yield* Effect.fork(Effect.provide(calls.synthesize, live))
        yield* untilBegun(seen)
        yield* Effect.sleep(50)
        yield* Fiber.interrupt(fiber)
        expect(seen.finalized).toBe(1)
      }
    })
  )

  it.scopedLive("waits however long they take, as all of Effect does", () =>
    Effect.gen(function* () {
      const seen: Seen = { begun: 0, finalized: 0 }
      const live = yield* silent(wrapped(FetchHttpClient.layer)(finalizing(seen, "700 millis")))
      const fiber = yield* Effect.fork(Effect.provide(calls.synthesize, live))
      yield* untilBegun(seen)
      yield* Fiber.interrupt(fiber)
      expect(seen.finalized).toBe(1)
    })
  )
})

describe("a call that exceeds a deadline", () => {
  it.scopedLive.each(cases)("waits for the finalizers of the client: $operation over $client", ({ call, make }) =>
    Effect.gen(function* () {
      const seen: Seen = { begun: 0, finalized: 0 }
      const live = yield* silent(make(finalizing(seen, "30 millis")), "50 millis")
      const error = yield* Effect.flip(Effect.provide(call, live))
      expect(error._tag).toMatch(/DeadlineExceeded$/)
      expect(seen).toEqual({ begun: 1, finalized: 1 })
    })
  )

  it.scopedLive("fails within a second of it, even if they never end", () =>
    Effect.gen(function* () {
      const own = HttpClient.make(() => Effect.ensuring(Effect.never, Effect.never))
      const live = yield* silent(Layer.succeed(HttpClient.HttpClient, own), "50 millis")
      const [elapsed, error] = yield* Effect.timed(Effect.flip(Effect.provide(calls.synthesize, live)))
      expect(error._tag).toBe("TtsDeadlineExceeded")
      expect(Duration.toMillis(elapsed)).toBeLessThan(5000)
    })
  )
})

describe("a stream of speech", () => {
  const headers = { "X-Sample-Rate": "8000", "X-Encoding": "pcm16" }
  /** A response that begins and never ends, whose body takes `takes` to be cancelled. */
  const endless = (seen: Seen, takes: number) => {
    const body = () =>
      new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(new Uint8Array(16)),
        pull: () => new Promise(() => seen.begun++),
        cancel: () =>
          Effect.runPromise(
            Effect.delay(
              Effect.sync(() => void seen.finalized++),
              takes
            )
          )
      })
    return Layer.succeed(
      HttpClient.HttpClient,
      HttpClient.make((request) =>
        Effect.succeed(HttpClientResponse.fromWeb(request, new Response(body(), { headers })))
      )
    )
  }
  const connect = (client: Layer.Layer<HttpClient.HttpClient>, downloadIdle: Duration.DurationInput = "1 minute") =>
    Effect.map(
      Layer.build(
        TextToSpeech.layer({ ...options, baseUrl: "https://host.example", deadlines: { downloadIdle } }).pipe(
          Layer.provide(client)
        )
      ),
      (context) => Effect.provide(TextToSpeech, context)
    ).pipe(Effect.flatten)

  it.scopedLive("whose scope closes waits for the body to be cancelled, also while another fiber reads it", () =>
    Effect.gen(function* () {
      const seen: Seen = { begun: 0, finalized: 0 }
      const tts = yield* connect(endless(seen, 30))
      const scope = yield* Scope.make()
      const speech = yield* Scope.extend(tts.stream({ text: "hello" }), scope)
      const reader = yield* Effect.fork(Stream.runDrain(speech.stream))
      yield* untilBegun(seen)
      yield* Effect.sleep(20)
      yield* Scope.close(scope, Exit.void)
      expect(seen.finalized).toBe(1)
      expect(Exit.isFailure(yield* Fiber.await(reader))).toBe(true)
    })
  )

  it.scopedLive("whose scope closes waits for the finalizers of a read in another fiber", () =>
    Effect.gen(function* () {
      const seen: Seen = { begun: 0, finalized: 0 }
      const stream = Stream.fromEffect(finalizing(seen, "30 millis")(Effect.never))
      const client = HttpClient.make((request) => {
        const response = HttpClientResponse.fromWeb(request, new Response(new Uint8Array(0), { headers }))
        return Effect.succeed(Object.create(response, { stream: { value: stream } }) as typeof response)
      })
      const tts = yield* connect(Layer.succeed(HttpClient.HttpClient, client))
      const scope = yield* Scope.make()
      const speech = yield* Scope.extend(tts.stream({ text: "hello" }), scope)
      yield* Effect.fork(Stream.runDrain(speech.stream))
      yield* untilBegun(seen)
      yield* Scope.close(scope, Exit.void)
      expect(seen).toEqual({ begun: 1, finalized: 1 })
    })
  )

  it.scopedLive("that exceeds a deadline waits for it too, and fails even if that never ends", () =>
    Effect.gen(function* () {
      for (const [takes, finalized] of [
        [30, 1],
        [60_000, 0]
      ] as const) {
        const seen: Seen = { begun: 0, finalized: 0 }
        const tts = yield* connect(endless(seen, takes), "50 millis")
        const reading = Effect.scoped(
          Effect.flatMap(tts.stream({ text: "hello" }), (speech) => Stream.runDrain(speech.stream))
        )
        const [elapsed, error] = yield* Effect.timed(Effect.flip(reading))
        expect(error).toMatchObject({ _tag: "TtsDeadlineExceeded", phase: "download" })
        expect(seen.finalized).toBe(finalized)
        expect(Duration.toMillis(elapsed)).toBeLessThan(5000)
      }
    })
  )
})
