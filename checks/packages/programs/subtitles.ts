/**
 * Subtitles without a service: cues made from timed texts, laid out, written and parsed, compared as values, kept in a set, shifted by a
 * duration, and an error of a file that is none.
 */
import { NodeRuntime } from "@effect/platform-node"
import { Subtitles } from "@effect-speech/long-form"
import { Array as Arr, Console, Data, Duration, Effect, Either, Equal, HashSet, Option, pipe, Schema } from "effect"

export class CheckFailed extends Data.TaggedError("CheckFailed")<{ readonly message: string }> {}

const check = (holds: boolean, message: string) => (holds ? Effect.void : new CheckFailed({ message }))

export const cue = (start: Duration.DurationInput, end: Duration.DurationInput, text: string) =>
  new Subtitles.Cue({ startMillis: Duration.toMillis(start), endMillis: Duration.toMillis(end), text })

export const spoken = [
  cue("0 seconds", "3 seconds", "नमस्ते, आप कैसे हैं?"),
  cue("3 seconds", "15 seconds", "मैं ठीक हूँ। आज मौसम बहुत अच्छा है। चलिए, नदी के किनारे घूमने चलते हैं, और वहाँ चाय पीते हैं।"),
  cue(Duration.seconds(15), Duration.minutes(0.3), "Let's go & see <the river>.")
]

/** When a cue is shown, and for how long. */
export const shown = ({ endMillis, startMillis }: Subtitles.Cue) => ({
  at: Duration.millis(startMillis),
  length: Duration.millis(endMillis - startMillis)
})

export const shift = (by: Duration.DurationInput) => (cues: ReadonlyArray<Subtitles.Cue>) =>
  Arr.map(cues, ({ endMillis, startMillis, text }) =>
    cue(Duration.sum(Duration.millis(startMillis), by), Duration.sum(Duration.millis(endMillis), by), text)
  )

export const sameCues = Arr.getEquivalence(Equal.equivalence<Subtitles.Cue>())

export const Track = Schema.parseJson(Schema.Struct({ lang: Schema.String, cues: Schema.Array(Subtitles.Cue) }))

export const program = Effect.gen(function* () {
  const cues = pipe(
    spoken,
    Subtitles.layout({ maximum: "5 seconds", clustersPerLine: 30, minimum: Duration.seconds(1) })
  )
  yield* check(
    sameCues(cues, Subtitles.layout(spoken, { maximum: 5000, clustersPerLine: 30, minimum: "1 second" })),
    "both forms"
  )
  yield* check(cues.length > spoken.length, "the long text was divided")
  yield* check(
    cues.every((one) => Duration.lessThanOrEqualTo(shown(one).length, "5 seconds")),
    "no cue is shown for longer than 5 seconds"
  )

  const srt = yield* Subtitles.parse(Subtitles.toSrt(cues))
  const vtt = yield* Subtitles.parse(Subtitles.toVtt(cues))
  yield* check(sameCues(srt, cues) && sameCues(vtt, cues), "what was written is read")

  const set = HashSet.fromIterable([...cues, ...srt, ...vtt])
  yield* check(HashSet.size(set) === cues.length, `the set has ${HashSet.size(set)} cues`)
  yield* check(HashSet.has(set, cue(Duration.zero, "3 seconds", "नमस्ते, आप कैसे हैं?")), "a cue of my own is found in it")

  const later = shift("1 minute")(cues)
  yield* check(
    HashSet.size(HashSet.intersection(set, HashSet.fromIterable(later))) === 0,
    "a shifted cue is another one"
  )
  yield* check(
    Option.exists(Arr.head(later), (first) => Duration.equals(shown(first).at, "1 minute")),
    "the first is shown after a minute"
  )
  yield* check(sameCues(shift(Duration.zero)(cues), cues), "a shift by nothing changes nothing")

  const stored = yield* Schema.encode(Track)({ lang: "hi", cues })
  const { cues: read } = yield* Schema.decode(Track)(stored)
  yield* check(sameCues(read, cues), "a track is read as it was stored")

  const none = Subtitles.parse("1\n00:00:00,000 --> half past ten\nHello")
  const line = Either.match(none, { onLeft: (error) => error.line, onRight: () => 0 })
  yield* check(line === 2, `the error is in line ${line}`)
  const recovered = yield* none.pipe(
    Effect.catchTag("SubtitlesError", ({ message }) => Effect.succeed([cue("0 seconds", "1 second", message)]))
  )
  yield* check(recovered.length === 1, "an error is handled by its tag")

  const total = Arr.reduce(cues, Duration.zero, (sum, one) => Duration.sum(sum, shown(one).length))
  return { cues, total }
})

program.pipe(
  Effect.flatMap(({ cues, total }) =>
    Console.log(`ok subtitles ${cues.length} cues, shown for ${Duration.format(total)}`)
  ),
  NodeRuntime.runMain
)
