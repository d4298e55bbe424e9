/**
 * Your own retry policy: a `Schedule` as the option `retries`. It gets each error that a retry may help, and decides how many
 * retries there are, and after which delays. The client still decides what may be retried: no error that would recur, and no
 * response that was lost, since it may be billed. It waits as long as the service asks for by Retry-After, too.
 *
 * `pnpm example examples/ownRetryPolicy.ts`, with the variables that `pnpm speech serve` prints.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import { TextToSpeech, type TtsError } from "@effect-speech/tts"
import { Config, Console, Effect, Schedule } from "effect"

const [text = "Hello.", lang = "en"] = process.argv.slice(2)

// Four retries, after 0.1 s, 0.2 s, 0.4 s and 0.8 s, with jitter, so that programs that failed together do not retry together.
const retries = Schedule.exponential("100 millis").pipe(
  Schedule.jittered,
  Schedule.intersect(Schedule.recurs(4)),
  Schedule.tapInput((error: TtsError) => Console.error(error.message))
)

const live = TextToSpeech.layerConfig({
  apiKey: Config.redacted("SPEECH_API_KEY"),
  baseUrl: Config.string("SPEECH_TTS_BASE_URL"),
  retries: Config.succeed(retries)
})

const program = Effect.gen(function* () {
  const tts = yield* TextToSpeech
  const speech = yield* tts.synthesize({ text, lang })
  yield* Console.log(`${speech.durationMillis} ms of speech, request ${speech.requestId}`)
})

program.pipe(Effect.provide(live), Effect.provide(NodeTransport.layer), NodeRuntime.runMain)
