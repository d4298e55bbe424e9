/** Runs a schedule with the real clients against a real service, and checks the laws. */
import type { LocalService } from "@effect-speech/local-service/LocalService"
import { SpeechToText } from "@effect-speech/stt/SpeechToText"
import { TextToSpeech } from "@effect-speech/tts/TextToSpeech"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import * as Supervisor from "effect/Supervisor"
import { untilZero } from "effect-speech-test-support/faultyServer"
import { httpClients } from "effect-speech-test-support/httpClients"
import { chances } from "effect-speech-test-support/random"
import { refusedAddress } from "effect-speech-test-support/refusedAddress"
import { type Ended, type Proxies, runCall } from "./calls.js"
import { type Evidence, violationsOf } from "./laws.js"
import { type Disturbance, makeProxy, type TcpProxy } from "./proxy.js"
import type { Schedule } from "./schedule.js"
import type { Services } from "./services.js"

type Service = LocalService["Type"]

/** Time that a call may exceed its deadlines, in milliseconds: a machine may be busy. */
const marginMillis = 10_000
/** Time to wait for connections and fibers to end, in milliseconds. */
const timeoutMillis = 60_000

export interface TrialResult extends Evidence {
  /** The violations of the laws, each with the number of its law. */
  readonly violations: ReadonlyArray<string>
  readonly happened: ReadonlyArray<Disturbance>
}

/** Runs one schedule. */
export const runTrial = (schedule: Schedule, service: Service, services: Services): Effect.Effect<TrialResult> =>
  Effect.gen(function* () {
    const key = Redacted.value(service.apiKey)
    const before = yield* readAccount(service)
    const { fails } = schedule
    const faults = (["transcribe", "synthesize"] as const).map((operation) => ({ operation, ...fails }))
    yield* service.faults.set(fails === undefined ? [] : faults)
    const supervisor = yield* Supervisor.track
    const seen = yield* Effect.gen(function* () {
      const chance = chances(schedule.index)
      const proxies: Proxies = {
        stt: yield* makeProxy(service.sttBaseUrl, schedule.plans.stt, chance),
        tts: yield* makeProxy(service.ttsBaseUrl, schedule.plans.tts, chance)
      }
      const both = [proxies.stt, proxies.tts]
      const sum = (of: (proxy: TcpProxy) => number) => Effect.sync(() => of(proxies.stt) + of(proxies.tts))
      const refused = schedule.kind === "refused" ? yield* refusedAddress : undefined
      const urls = { stt: refused ?? proxies.stt.url, tts: refused ?? proxies.tts.url }

      const [ended, busy] = yield* makeCalls(schedule, services, proxies).pipe(
        Effect.tap(() =>
          Effect.sync(() => {
            for (const proxy of both) proxy.drain()
          })
        ),
        Effect.zip(
          untilZero(
            sum((proxy) => proxy.busy()),
            timeoutMillis
          )
        ),
        Effect.provide(clientsOf(schedule, urls, key)),
        Effect.withRandom(Random.make(`${schedule.seed} ${schedule.index}`)),
        Effect.supervised(supervisor)
      )
      const open = yield* untilZero(
        // The pool of fetch belongs to the process and outlives the layer.
        sum((proxy) => (schedule.layer === "fetch" ? proxy.busy() : proxy.open())),
        timeoutMillis
      )
      const fibers = yield* untilZero(
        Effect.map(supervisor.value, (alive) => alive.length),
        timeoutMillis
      )
      // The service closes its side after the client. Over fetch, some connections stay.
      const held = sum((proxy) => (schedule.layer === "fetch" ? 0 : proxy.attached()))
      const attached = open > 0 ? 0 : yield* untilZero(held, timeoutMillis)
      return { both, ended, left: { busy, open, fibers, attached } }
    }).pipe(Effect.scoped)

    const underWay = yield* untilZero(
      Effect.map(service.requests, (entries) => entries.filter(({ outcome }) => outcome === "underWay").length),
      timeoutMillis
    )
    const judge = Effect.gen(function* () {
      const after = yield* readAccount(service)
      const evidence: Evidence = {
        schedule,
        ended: seen.ended,
        exchanges: seen.both.flatMap((proxy) => proxy.exchanges()),
        atOnce: Math.max(...seen.both.map((proxy) => proxy.mostAtOnce())),
        journal: after.journal.filter(({ number }) => number > before.latest),
        billedUnits: {
          synthesize: after.synthesize - before.synthesize,
          transcribe: after.transcribe - before.transcribe
        },
        left: { ...seen.left, underWay },
        key
      }
      const violations = yield* Effect.promise(() => violationsOf(evidence, services, marginMillis))
      return { ...evidence, violations, happened: seen.both.flatMap(({ happened }) => happened) }
    })
    // The service notices a closed connection a moment later. Only then is the bill final.
    let result = yield* Effect.zipRight(Effect.sleep("10 millis"), judge)
    for (let waited = 0; waited < 5000 && result.violations.length > 0; waited += 50) {
      result = yield* Effect.zipRight(Effect.sleep(50), judge)
    }
    return result
  })

const makeCalls = (schedule: Schedule, services: Services, proxies: Proxies) =>
  Effect.suspend(() => {
    const setting = { firstAt: performance.now(), marginMillis }
    return Effect.forEach(
      schedule.calls,
      ({ gapMillis }, at): Effect.Effect<Ended, never, SpeechToText | TextToSpeech> =>
        Effect.zipRight(Effect.sleep(gapMillis), runCall(schedule, at, services, proxies, setting)),
      { concurrency: schedule.together ? "unbounded" : 1 }
    )
  })

/** The billed units by operation, and the journal. */
const readAccount = ({ accounts, requests }: Service) =>
  Effect.gen(function* () {
    const usage = yield* accounts.usage
    const journal = yield* requests
    const unitsOf = (operation: "synthesize" | "transcribe") =>
      usage.filter((each) => each.operation === operation).reduce((sum, { units }) => sum + units, 0)
    return {
      synthesize: unitsOf("synthesize"),
      transcribe: unitsOf("transcribe"),
      journal,
      latest: journal.at(-1)?.number ?? 0
    }
  })

const clientsOf = (
  { concurrency, deadlines, layer, retries, retryAmbiguous }: Schedule,
  urls: Readonly<Record<"stt" | "tts", string>>,
  key: string
) => {
  const { total, ...phases } = deadlines
  const options = {
    apiKey: Redacted.make(key),
    deadlines: total === undefined ? phases : deadlines,
    retries,
    retryAmbiguous,
    concurrency
  }
  return Layer.merge(
    SpeechToText.layer({ ...options, baseUrl: urls.stt }),
    TextToSpeech.layer({ ...options, baseUrl: urls.tts })
  ).pipe(Layer.provide(httpClients[layer]), Layer.orDie)
}
