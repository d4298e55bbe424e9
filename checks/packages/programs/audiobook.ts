/**
 * Makes an audiobook of a text in Hindi and English: the price first, then one WAV file with its chapters. The first run is interrupted
 * while it speaks, finishes what it has sent, and the second run sends only the rest.
 */
import { FileSystem, Path } from "@effect/platform"
import { NodeRuntime } from "@effect/platform-node"
import { Wav } from "@effect-speech/audio-codec"
import { LocalService } from "@effect-speech/local-service"
import { LongSpeech, Passages, PieceStore } from "@effect-speech/long-form"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import { Array as Arr, Cause, Chunk, Console, Data, Deferred, Duration, Effect, Exit, Fiber, Layer, Ref } from "effect"

export class CheckFailed extends Data.TaggedError("CheckFailed")<{ readonly message: string }> {}

const check = (holds: boolean, message: string) => (holds ? Effect.void : new CheckFailed({ message }))

const chapters = [
  { title: "पहला अध्याय", text: "स्टेशन पर एक पुरानी घड़ी है। वह हर शाम रुक जाती है। कोई नहीं जानता क्यों।" },
  {
    title: "Chapter two",
    text: "The station master wound it every morning. He never asked why it stopped. Nobody did."
  },
  { title: "तीसरा अध्याय", text: "एक दिन एक लड़की आई। उसने घड़ी की ओर देखा, और वह चल पड़ी। सब चुप थे।" },
  { title: "Chapter four", text: "Since that day the trains are on time. The girl has never been seen again." }
]

const book = chapters.map(({ text, title }) => `${title}\n\n${text}`).join("\n\n")

const options: LongSpeech.Options = {
  maximumCodePoints: 60,
  firstCodePoints: 40,
  concurrency: 2,
  pauses: { paragraph: "1 second", sentence: Duration.millis(300) }
}

export const request: LongSpeech.Request = {
  text: Passages.byScript(book),
  outputFormat: "8000:pcm16",
  requestId: "clock"
}

/** The titles with the time at which each is spoken. */
export const chaptersOf = ({ segments }: LongSpeech.Report) =>
  chapters.map(({ title }) => {
    const startIndex = book.indexOf(title)
    const start = segments.find((segment) => segment.startIndex >= startIndex)
    return { title, start: Duration.millis(start?.startMillis ?? 0) }
  })

const spokenUntil = (seen: (event: LongSpeech.Event) => Effect.Effect<void>, path: string) =>
  LongSpeech.writeFile(request, path, { ...options, gracePeriod: "20 seconds", onEvent: seen })

export const program = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const { join } = yield* Path.Path
  const folder = yield* fs.makeTempDirectoryScoped()
  const file = join(folder, "clock.wav")
  const service = yield* LocalService
  const before = yield* service.accounts.account
  yield* service.faults.set([{ operation: "synthesize", delayMillis: 150 }])

  const plan = yield* LongSpeech.plan(request, options)
  yield* check(plan.cost <= plan.codePoints && plan.pieces >= chapters.length, `the plan is ${plan.pieces} pieces`)

  return yield* Effect.gen(function* () {
    const third = yield* Deferred.make<void>()
    const first = yield* Effect.fork(
      spokenUntil(
        (event) =>
          event._tag === "Started" && event.number === 3
            ? Effect.asVoid(Deferred.succeed(third, undefined))
            : Effect.void,
        file
      )
    )
    yield* Deferred.await(third)
    const exit = yield* Fiber.interrupt(first)
    yield* check(Exit.isFailure(exit) && Cause.isInterruptedOnly(exit.cause), "the first run was interrupted")
    yield* check(!(yield* fs.exists(file)), "there is no part of a file")
    const paidFirst = yield* service.requests
    yield* check(
      paidFirst.every(({ outcome, status }) => outcome !== "abandoned" && status === 200),
      "what was in flight was finished"
    )

    const events = yield* Ref.make(Chunk.empty<LongSpeech.Event>())
    const spoken = yield* spokenUntil((event) => Ref.update(events, Chunk.append(event)), file)
    const all = yield* service.requests
    const tags = Arr.groupBy(yield* Ref.get(events), ({ _tag }) => _tag)
    const kept = tags.Kept?.length ?? 0
    const sent = tags.Done?.length ?? 0

    yield* check(kept === paidFirst.length, `${kept} pieces were kept of ${paidFirst.length}`)
    yield* check(sent === all.length - paidFirst.length, `${sent} pieces were sent`)
    yield* check(
      all.every(({ parent }) => parent === "clock"),
      "each request has the id of the book"
    )
    const after = yield* service.accounts.account
    yield* check(
      before.credits - after.credits === plan.cost,
      `it cost ${before.credits - after.credits}, not ${plan.cost}`
    )

    const { format, byteLength } = yield* Effect.scoped(Wav.readFile(file))
    yield* check(byteLength === spoken.dataLength && format.sampleRate === 8000, "the file is whole")
    const marks = chaptersOf(spoken.report)
    yield* check(
      Arr.zip(marks, marks.slice(1)).every(([one, next]) => Duration.lessThan(one.start, next.start)),
      "the chapters are in order"
    )
    return { plan, kept, sent, marks, duration: Duration.millis(spoken.durationMillis) }
  }).pipe(Effect.provide(PieceStore.layerFolder(join(folder, "pieces"))))
}).pipe(Effect.scoped)

export const layer = Layer.provideMerge(
  LocalService.layerClients,
  Layer.mergeAll(LocalService.layer({ credits: 10_000 }), NodeTransport.layer, Path.layer)
)

program.pipe(
  Effect.flatMap(({ duration, kept, marks, plan, sent }) =>
    Console.log(
      `ok audiobook ${plan.cost} code points, ${kept} pieces kept and ${sent} sent, ${Duration.format(duration)}: ${marks
        .map(({ start, title }) => `${title} ${Duration.format(start)}`)
        .join(", ")}`
    )
  ),
  Effect.provide(layer),
  NodeRuntime.runMain
)
