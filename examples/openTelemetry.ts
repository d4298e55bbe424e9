/**
 * Traces, metrics and logs of all calls to an OpenTelemetry collector, by Effect's own exporter: one layer, and no SDK.
 * A call is a span `speech.synthesize` or `speech.transcribe` with the id that was sent to the service. Each attempt is
 * a span `speech.attempt` with the status. No span holds a text, a transcript or the key. The histogram
 * `speech.client.operation.duration` counts the calls by operation, error and service. A retry is logged at the level Debug, which Effect
 * drops unless you add `Logger.withMinimumLogLevel(LogLevel.Debug)`.
 *
 * `pnpm example examples/openTelemetry.ts`, with the variables that `pnpm speech serve` prints. Use any collector that
 * accepts OTLP over HTTP, such as that of Jaeger. Without a collector the program also works, but ends a few seconds
 * later. If your program has an OpenTelemetry SDK, use `NodeSdk` of the same package with the exporter of that SDK.
 */
import * as Otlp from "@effect/opentelemetry/Otlp"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Wav } from "@effect-speech/audio-codec"
import { AudioSource, SpeechToText } from "@effect-speech/stt"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import { TextToSpeech } from "@effect-speech/tts"
import { Config, Console, Effect, Layer } from "effect"

const Telemetry = Layer.unwrapEffect(
  Effect.map(
    Config.string("OTEL_EXPORTER_OTLP_ENDPOINT").pipe(Config.withDefault("http://127.0.0.1:4318")),
    (baseUrl) => Otlp.layerJson({ baseUrl, resource: { serviceName: "announcements", serviceVersion: "1.0.0" } })
  )
)

const program = Effect.gen(function* () {
  const tts = yield* TextToSpeech
  const stt = yield* SpeechToText
  const { bytes, format } = yield* tts.synthesize({ text: "Platform two.", lang: "en" })
  const audio = AudioSource.fromBytes(Wav.encode(bytes, format))
  const { text } = yield* stt.transcribe({ audio, model: "en-general-v2-8khz" })
  yield* Console.log(text)
  const span = yield* Effect.currentSpan
  yield* Console.log(`trace ${span.traceId}`)
}).pipe(
  // Your own span is the parent of the spans of the calls. Do not annotate it with the text.
  Effect.withSpan("announce", { attributes: { platform: 2 } })
)

// The telemetry layer is the outer one, so that it sends the last measurements after the clients have closed.
program.pipe(
  Effect.provide([SpeechToText.layerFromEnv, TextToSpeech.layerFromEnv]),
  Effect.provide(Telemetry),
  Effect.provide(NodeTransport.layer),
  NodeRuntime.runMain
)
