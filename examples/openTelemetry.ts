/**
 * Traces, metrics and logs of all calls to an OpenTelemetry collector, by Effect's own exporter: one layer, and no SDK.
 * A call is a span `speech.synthesize` or `speech.transcribe` with the id that the service knows it by, and each of its
 * requests a span `speech.attempt` with the status. None of it holds a text, a transcript or the key.
 *
 * `pnpm example examples/openTelemetry.ts`, with the variables that `pnpm speech serve` prints. Any collector that takes
 * OTLP over HTTP will do, such as Jaeger's; without one the program runs all the same, and ends a few seconds later. A
 * program that has an OpenTelemetry SDK already takes `NodeSdk` of the same package, and that SDK's exporter.
 */
import * as Otlp from "@effect/opentelemetry/Otlp"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Wav } from "@effect-speech/audio-codec"
import { AudioSource, SpeechToText } from "@effect-speech/stt"
import * as NodeTransport from "@effect-speech/transport/node"
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
  const audio = AudioSource.fromBytes(Wav.encode(format, bytes))
  const { text } = yield* stt.transcribe({ audio, model: "en-general-v2-8khz" })
  yield* Console.log(text)
  const span = yield* Effect.currentSpan
  yield* Console.log(`trace ${span.traceId}`)
}).pipe(
  // A span of yours holds those of the calls. What you annotate is yours to choose: the text is better left out.
  Effect.withSpan("announce", { attributes: { platform: 2 } })
)

// The clients stand inside: what they measured last is sent when the outer layer closes.
program.pipe(
  Effect.provide([SpeechToText.layerFromEnv, TextToSpeech.layerFromEnv]),
  Effect.provide(Telemetry),
  Effect.provide(NodeTransport.layer),
  NodeRuntime.runMain
)
