/**
 * A retry policy of one's own in place of the client's: `retries: 0` makes a call exactly one request, and each error
 * says whether another one may help.
 *
 * `pnpm example examples/ownRetryPolicy.ts`, with the variables that `pnpm speech serve` prints.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeTransport from "@effect-speech/transport/node"
import { TextToSpeech, type TtsError } from "@effect-speech/tts"
import { Config, Console, Duration, Effect, Schedule } from "effect"

const [text = "Hello.", lang = "en"] = process.argv.slice(2)

const OneRequestACall = TextToSpeech.layerConfig({
  apiKey: Config.redacted("SPEECH_API_KEY"),
  baseUrl: Config.string("SPEECH_TTS_BASE_URL"),
  retries: Config.succeed(0)
})

// Four more requests after 0.1 s, 0.2 s, 0.4 s and 0.8 s, each a little sooner or later, so that programs that failed
// together don't come back together; and none before the time that the service asks to be left alone.
const policy = Schedule.exponential("100 millis").pipe(
  Schedule.jittered,
  Schedule.intersect(Schedule.recurs(4)),
  Schedule.zipRight(Schedule.identity<TtsError>()),
  Schedule.modifyDelay(({ call }, delay) => Duration.max(delay, call.attempts.at(-1)?.retryAfterMillis ?? 0))
)

const program = Effect.gen(function* () {
  const tts = yield* TextToSpeech
  // Each repetition is a call of its own here: with an id of ours the service still sees that they belong together.
  const requestId = crypto.randomUUID()
  const speech = yield* tts.synthesize({ text, lang, requestId }).pipe(
    Effect.tapError((error) => Console.error(error.message)),
    // Not what would fail the same way, and not what was lost after all was sent, which may have been paid for.
    Effect.retry({ while: (error) => error.retryable, schedule: policy })
  )
  yield* Console.log(`${speech.durationMillis} ms of speech, request ${speech.requestId}`)
})

program.pipe(Effect.provide(OneRequestACall), Effect.provide(NodeTransport.layer), NodeRuntime.runMain)
