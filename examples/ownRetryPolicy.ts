/**
 * Your own retry policy instead of that of the client. With `retries: 0` a call is exactly one request, and each error
 * says whether a retry may help.
 *
 * `pnpm example examples/ownRetryPolicy.ts`, with the variables that `pnpm speech serve` prints.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import { TextToSpeech, type TtsError } from "@effect-speech/tts"
import { Config, Console, Duration, Effect, Schedule } from "effect"

const [text = "Hello.", lang = "en"] = process.argv.slice(2)

const OneRequestACall = TextToSpeech.layerConfig({
  apiKey: Config.redacted("SPEECH_API_KEY"),
  baseUrl: Config.string("SPEECH_TTS_BASE_URL"),
  retries: Config.succeed(0)
})

// Four retries, after 0.1 s, 0.2 s, 0.4 s and 0.8 s, with jitter, so that programs that failed together do not retry
// together. None starts before the time that the service sends in Retry-After.
const policy = Schedule.exponential("100 millis").pipe(
  Schedule.jittered,
  Schedule.intersect(Schedule.recurs(4)),
  Schedule.zipRight(Schedule.identity<TtsError>()),
  Schedule.modifyDelay(({ call }, delay) => Duration.sum(delay, call.attempts.at(-1)?.retryAfterMillis ?? 0))
)

const program = Effect.gen(function* () {
  const tts = yield* TextToSpeech
  // Each retry is a separate call here. With your own id, the service can still see that they belong together.
  const requestId = crypto.randomUUID()
  const speech = yield* tts.synthesize({ text, lang, requestId }).pipe(
    Effect.tapError((error) => Console.error(error.message)),
    // `retryable` is false for errors that would recur, and for responses that were lost, since those may be billed.
    Effect.retry({ while: (error) => error.retryable, schedule: policy })
  )
  yield* Console.log(`${speech.durationMillis} ms of speech, request ${speech.requestId}`)
})

program.pipe(Effect.provide(OneRequestACall), Effect.provide(NodeTransport.layer), NodeRuntime.runMain)
