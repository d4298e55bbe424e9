/**
 * What calls did and cost, as values: reports, warnings and transcriptions that are grouped, deduplicated, stored as JSON and read again. The
 * functions take the interfaces of the services, and run with the local service, with test doubles and with objects of its own.
 */
import { NodeRuntime } from "@effect/platform-node"
import { AudioFormat, PcmStream, Wav } from "@effect-speech/audio-codec"
import { LocalService } from "@effect-speech/local-service"
import {
  AudioSource,
  SpeechToText,
  type SpeechToTextService,
  SttError,
  SttUnavailable,
  SttWarning,
  Transcription,
  type TranscriptionRequest
} from "@effect-speech/stt"
import { CallReport } from "@effect-speech/transport"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import { type SynthesisRequest, TextToSpeech, type TextToSpeechService, TtsError, TtsWarning } from "@effect-speech/tts"
import {
  Array as Arr,
  Console,
  Data,
  Duration,
  Effect,
  Equal,
  Exit,
  HashMap,
  HashSet,
  Layer,
  Option,
  Schema
} from "effect"

export class CheckFailed extends Data.TaggedError("CheckFailed")<{ readonly message: string }> {}

const check = (holds: boolean, message: string) => (holds ? Effect.void : new CheckFailed({ message }))

/** A line of the ledger: what a call did, and what came of it. */
export class Entry extends Schema.TaggedClass<Entry>()("Entry", {
  call: CallReport.CallReport,
  result: Schema.Union(Transcription, AudioFormat.AudioFormat, SttError, TtsError),
  warnings: Schema.Data(Schema.Array(Schema.Union(SttWarning, TtsWarning)))
}) {}

export const Ledger = Schema.parseJson(Schema.Array(Entry))

export const transcribed = (stt: SpeechToTextService, request: TranscriptionRequest<never>) =>
  stt.transcribe(request).pipe(
    Effect.match({
      onFailure: (error) => new Entry({ call: error.call, result: error, warnings: Data.array([]) }),
      onSuccess: (result) => new Entry({ call: result.call, result, warnings: Data.array(result.warnings) })
    })
  )

export const synthesized = (tts: TextToSpeechService, request: SynthesisRequest) =>
  tts.synthesize(request).pipe(
    Effect.match({
      onFailure: (error) => new Entry({ call: error.call, result: error, warnings: Data.array([]) }),
      onSuccess: ({ call, format, warnings }) => new Entry({ call, result: format, warnings: Data.array(warnings) })
    })
  )

export const byBilling = (entries: ReadonlyArray<Entry>) => Arr.groupBy(entries, ({ call }) => call.billing)

export const warningsOf = (entries: ReadonlyArray<Entry>) =>
  HashSet.fromIterable(Arr.flatMap(entries, ({ warnings }) => warnings))

/** The number of calls with each sequence of statuses. */
export const statusesOf = (entries: ReadonlyArray<Entry>) =>
  Arr.reduce(entries, HashMap.empty<ReadonlyArray<Option.Option<number>>, number>(), (counts, { call }) =>
    HashMap.modifyAt(counts, Data.array(Arr.map(call.attempts, ({ status }) => Option.fromNullable(status))), (count) =>
      Option.some(Option.getOrElse(count, () => 0) + 1)
    )
  )

/** How long calls waited for their next attempt. */
export const delayOf = (entries: ReadonlyArray<Entry>) =>
  Arr.reduce(
    Arr.flatMap(entries, ({ call }) => call.attempts),
    Duration.zero,
    (sum, { delayMillis }) => Duration.sum(sum, Duration.millis(delayMillis))
  )

const stereo = { sampleRate: 8000, channels: 2, encoding: "pcm16" } as const

const quiet = Effect.map(PcmStream.collect(PcmStream.silence(stereo, "1 second")), (bytes) =>
  AudioSource.fromBytes(Wav.encode(bytes, stereo), { filename: "quiet.wav" })
)

/** The same calls with any pair of clients. */
export const calls = (stt: SpeechToTextService, tts: TextToSpeechService) =>
  Effect.gen(function* () {
    const audio = yield* quiet
    return yield* Effect.all([
      synthesized(tts, { text: "Platform two", lang: "en", outputFormat: "8000:pcm16" }),
      synthesized(tts, { text: " " }),
      transcribed(stt, { audio, model: "hi-general-v2-8khz" }),
      transcribed(stt, { audio, model: "en-general-v2-8khz", hotwords: [{ phrase: "route 66" }], parseNumber: true }),
      transcribed(stt, { audio, model: "xx-unknown" })
    ])
  })

const own: SpeechToTextService = {
  transcribe: ({ model, transactionId = "none" }) =>
    model.startsWith("xx-")
      ? Effect.fail(new SttUnavailable({ status: 503 }))
      : Effect.succeed(
          new Transcription({
            text: model,
            callId: "call-1",
            transactionId,
            warnings: [],
            call: new CallReport.CallReport({
              sentId: transactionId,
              attempts: [],
              billing: "notBilled",
              elapsedMillis: 0
            })
          })
        )
}

export const remote = Effect.gen(function* () {
  const service = yield* LocalService
  yield* service.faults.set([
    { operation: "synthesize", times: 1, status: 502 },
    { operation: "transcribe", nth: 2, times: 1, status: 500 }
  ])
  const [stt, tts] = yield* Effect.all([SpeechToText, TextToSpeech])
  const entries = yield* calls(stt, tts)

  const grouped = byBilling(entries)
  yield* check(grouped.billed?.length === 1, "the speech is billed")
  yield* check(grouped.notBilled?.length === 2, "refused calls are not billed")
  yield* check(grouped.unknown?.length === 2, "the billing of both transcriptions is unknown")

  const warnings = warningsOf(entries)
  const tags = HashSet.map(warnings, ({ _tag }) => _tag)
  yield* check(
    Equal.equals(
      tags,
      HashSet.make("MoreThanOneChannel", "NothingRecognised", "HotwordNotSpoken", "ParseNumberWithoutEffect")
    ),
    `the warnings are ${[...tags]}`
  )
  yield* check(HashSet.size(warnings) === 4, `there are ${HashSet.size(warnings)} different warnings`)

  const statuses = statusesOf(entries)
  const times = (...of: ReadonlyArray<number>) => HashMap.get(statuses, Data.array(of.map(Option.some)))
  yield* check(Equal.equals(times(502, 200), Option.some(1)), "the synthesis was sent again")
  yield* check(Equal.equals(times(500, 200), Option.some(1)), "and so was a transcription")
  yield* check(Equal.equals(times(), Option.some(1)), "a text of blanks was not sent")
  yield* check(Duration.greaterThan(delayOf(entries), Duration.zero), "the client waited in between")

  const stored = yield* Schema.encode(Ledger)(entries)
  const read = yield* Schema.decode(Ledger)(stored)
  const all = HashSet.fromIterable([...entries, ...read])
  yield* check(HashSet.size(all) === entries.length, `${HashSet.size(all)} entries are different, of ${entries.length}`)
  const reports = HashMap.fromIterable(Arr.map(read, (entry) => [entry.call, entry] as const))
  yield* check(
    entries.every(({ call }) => HashMap.has(reports, call)),
    "an entry is found by the report of its call"
  )
  return { entries, delay: delayOf(entries) }
})

/** The same calls with the doubles, and with a service that is an object. */
export const local = Effect.gen(function* () {
  const [stt, tts] = yield* Effect.all([SpeechToText, TextToSpeech])
  const doubled = yield* calls(stt, tts)
  const owned = yield* calls(own, tts)
  yield* check(
    doubled.every(({ result }) => !(result instanceof SttUnavailable)),
    "the double answers each request"
  )
  const failures = Arr.filter(
    Arr.map(owned, ({ result }) => result),
    Schema.is(SttError)
  )
  yield* check(failures.length === 1 && failures[0]?.category === "service", "the object fails for an unknown model")
  return doubled.length + owned.length
}).pipe(
  Effect.provide(
    Layer.merge(
      SpeechToText.layerTest("hello"),
      TextToSpeech.layerTest({ bytes: new Uint8Array(16_000), outputFormat: "8000:pcm16" })
    )
  )
)

export const layer = Layer.provideMerge(
  LocalService.layerClients,
  Layer.merge(LocalService.layer(), NodeTransport.layer)
)

export const program = Effect.gen(function* () {
  const { delay, entries } = yield* remote
  const others = yield* local
  const exit = yield* Effect.exit(Schema.decode(Ledger)("[{}]"))
  yield* check(Exit.isFailure(exit), "what is no ledger is not read")
  return { delay, entries: entries.length + others }
})

program.pipe(
  Effect.flatMap(({ delay, entries }) =>
    Console.log(`ok reports ${entries} entries, ${Duration.format(delay)} of delays`)
  ),
  Effect.provide(layer),
  NodeRuntime.runMain
)
