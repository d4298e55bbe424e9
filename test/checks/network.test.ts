/** The short form of `pnpm verify network`. A call that breaks a law is noticed. */
import { connect, type Socket } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { SpeechToText } from "@effect-speech/stt"
import { TextToSpeech, type TextToSpeechOptions, TtsConnectionFailed } from "@effect-speech/tts"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { draw, kinds, type Schedule } from "../../checks/network/schedule.js"
import { makeServices, type Services } from "../../checks/network/services.js"
import { type Clients, runTrial, type Service, type TrialOptions } from "../../checks/network/trial.js"
import { httpClients } from "../support/httpClients.js"
import { temporaryFolder } from "../support/processes.js"

const sockets: Array<Socket> = []
const scope = Effect.runSync(Scope.make())
let services: Services
beforeAll(async () => {
  services = await Effect.runPromise(Scope.extend(makeServices(8, temporaryFolder("network-")), scope))
})
afterAll(async () => {
  await Effect.runPromise(Scope.close(scope, Exit.void))
  for (const socket of sockets) socket.destroy()
})

/** Three schedules of each kind. */
const count = 3 * kinds.length

it.live(
  `calls over ${count} networks that fail in different ways keep the laws`,
  () =>
    Effect.gen(function* () {
      const results: Array<Effect.Effect.Success<ReturnType<typeof runTrial>>> = []
      let next = 0
      const work = (service: Service) =>
        Effect.gen(function* () {
          while (next < count) results.push(yield* runTrial(draw(1, next++, { isSmall: true }), service, services))
        })
      yield* Effect.forEach(services.workers, work, { concurrency: "unbounded" })
      const broken = results.filter(({ violations }) => violations.length > 0)
      expect(broken.map(({ schedule, violations }) => [schedule.index, ...violations])).toEqual([])
      // The other outcomes depend on timing.
      expect(results.flatMap(({ happened }) => happened)).not.toEqual([])
      expect(results.flatMap(({ ended }) => ended.map(({ outcome }) => outcome))).toContain("value")
    }),
  120_000
)

it("seed and index determine a schedule", () => {
  expect(draw(3, 14)).toEqual(draw(3, 14))
  expect(draw(3, 14)).not.toEqual(draw(4, 14))
})

const always = { rank: 0, gapMillis: 0, interruptMillis: undefined } as const
const transcription = { ...always, operation: "transcribe", source: "bytes" } as const
const synthesis = {
  ...always,
  operation: "synthesize",
  samples: 1000,
  outputFormat: "8000:pcm16",
  share: 1,
  lateMillis: 0
} as const

/** One call over an undisturbed network, with deadlines of ten seconds. */
const plain: Schedule = {
  seed: 1,
  index: 0,
  kind: "nothing",
  layer: "recommended",
  calls: [synthesis],
  together: false,
  retries: 0,
  retryAmbiguous: false,
  concurrency: 64,
  deadlines: { uploadIdle: 10_000, answer: 10_000, downloadIdle: 10_000, total: undefined },
  fails: undefined,
  plans: { stt: [], tts: [] },
  isGentle: true
}

type Synthesize = TextToSpeech["Type"]["synthesize"]
type Speech = Effect.Effect.Success<ReturnType<Synthesize>>

const withSynthesis = (change: (synthesize: Synthesize) => Synthesize) => (clients: Clients) =>
  Layer.map(clients, (context) => {
    const tts = Context.get(context, TextToSpeech)
    return Context.add(context, TextToSpeech, { ...tts, synthesize: change(tts.synthesize) })
  })

const withSpeech = (change: (speech: Speech) => Speech) =>
  withSynthesis((synthesize) => (request) => Effect.map(synthesize(request), change))

const withTranscript = (text: string) => (clients: Clients) =>
  Layer.map(clients, (context) => {
    const { transcribe } = Context.get(context, SpeechToText)
    return Context.add(context, SpeechToText, {
      transcribe: (request) => Effect.map(transcribe(request), (transcription) => ({ ...transcription, text }))
    })
  })

const leavesSocket: TrialOptions["replaceClients"] = (clients, { tts }) =>
  Layer.tap(clients, () =>
    Effect.sync(() => {
      const socket = connect(Number(new URL(tts.url).port), "127.0.0.1")
      sockets.push(socket.on("error", () => undefined))
    })
  )

/** A service that reports its usage multiplied. */
const billing = (times: number, service: Service): Service => {
  const multiplied = Effect.map(service.accounts.usage, (all) =>
    all.map((each) => ({ ...each, units: times * each.units }))
  )
  return { ...service, accounts: { ...service.accounts, usage: multiplied } }
}

/** A client of synthesis with other options than the schedule says. */
const withOptions =
  (options: Partial<TextToSpeechOptions>): TrialOptions["replaceClients"] =>
  (clients, { tts }) =>
    Layer.merge(
      clients,
      Layer.suspend(() => {
        const { apiKey } = services.workers[0] as Service
        return TextToSpeech.layer({ apiKey, baseUrl: tts.url, ...options })
      }).pipe(Layer.provide(httpClients.recommended), Layer.orDie)
    )

interface Broken {
  readonly name: string
  readonly law: string
  readonly clients?: TrialOptions["replaceClients"]
  readonly schedule?: Partial<Schedule>
  readonly marginMillis?: number
  /** How often each call is billed. Default: once. */
  readonly times?: number
}

const flippedByte = { direction: "down", action: "flip", point: { message: 0, edge: "headEnd", offset: 10 } } as const
const sentNothing = ({ call, ...speech }: Speech): Speech => ({
  ...speech,
  call: { ...call, attempts: call.attempts.map((each) => ({ ...each, sent: "nothing" })) }
})

const broken: ReadonlyArray<Broken> = [
  {
    name: "never ends",
    law: "1: the synthesize did not end",
    clients: withSynthesis(() => () => Effect.never),
    marginMillis: 20
  },
  {
    name: "ends in a defect",
    law: "1: the synthesize ended in a defect: Error: broken",
    clients: withSynthesis(() => () => Effect.die(new Error("broken")))
  },
  {
    name: "fails without a reason",
    law: "1: the synthesize failed without a reason",
    clients: withSynthesis(() => () => new TtsConnectionFailed())
  },
  {
    name: "exceeds its deadline",
    law: "1: the synthesize ended [0-9]+ ms after its deadline",
    schedule: { deadlines: { uploadIdle: 1, answer: 1, downloadIdle: 1, total: undefined } },
    clients: withSynthesis(() => () => Effect.zipRight(Effect.sleep(900), new TtsConnectionFailed())),
    marginMillis: 200
  },
  { name: "leaves a socket", law: "2: 1 connections are open after the layer", clients: leavesSocket },
  {
    name: "leaves a fiber",
    law: "2: 1 fibers are left",
    clients: withSynthesis(
      (synthesize) => (request) => Effect.zipLeft(synthesize(request), Effect.forkDaemon(Effect.sleep("5 seconds")))
    )
  },
  {
    name: "accepts a changed byte",
    law: "3: the audio of the synthesize differs from that of its text",
    schedule: { plans: { stt: [], tts: [{ disturbances: [flippedByte] }] } }
  },
  {
    name: "accepts half of the audio",
    law: "3: 1000 of 2000 bytes of audio were accepted as complete",
    clients: withSpeech((speech) => ({ ...speech, bytes: speech.bytes.subarray(0, 1000) }))
  },
  {
    name: "returns the transcript of another call",
    law: '3: the transcript is "a recording of rank 1"',
    schedule: { calls: [transcription] },
    clients: withTranscript("a recording of rank 1")
  },
  { name: "is billed twice", law: "4: the synthesize was billed too often: billed 2 times", times: 2 },
  { name: "is not billed", law: "4: the synthesize was not billed: billed 0 times", times: 0 },
  {
    name: "reports that it was not billed",
    law: "4: the synthesize reports that it was not billed",
    clients: withSpeech(({ call, ...speech }) => ({ ...speech, call: { ...call, billing: "notBilled" } }))
  },
  {
    name: "sends more requests than it reports",
    law: "5: the synthesize: the service got 2 requests",
    clients: withSynthesis((synthesize) => (request) => Effect.zipRight(synthesize(request), synthesize(request)))
  },
  {
    name: "gives up on a gateway",
    law: "5: the synthesize: it gave up at the status 504",
    schedule: { fails: { status: 504, times: 3 }, retries: 1 },
    clients: withOptions({ retries: 0 })
  },
  {
    name: "does not wait for its turn",
    law: "6: 2 exchanges ran at once, not 1",
    schedule: {
      calls: [synthesis, { ...synthesis, rank: 1 }],
      together: true,
      concurrency: 1,
      plans: { stt: [], tts: [{ latencyMillis: 50 }, { latencyMillis: 50 }] }
    },
    clients: withOptions({ concurrency: 2 })
  },
  {
    name: "reports that it sent nothing",
    law: "5: the synthesize: 1 requests arrived completely",
    clients: withSpeech(sentNothing)
  }
]

describe("the laws", () => {
  it.live("hold over an undisturbed network", () =>
    Effect.gen(function* () {
      const schedule = { ...plain, calls: [synthesis, transcription] }
      const { violations } = yield* runTrial(schedule, services.workers[0] as Service, services)
      expect(violations).toEqual([])
    })
  )

  it.live.each(broken)("notice a call that $name", ({ clients, law, marginMillis, schedule, times = 1 }) =>
    Effect.gen(function* () {
      const service = billing(times, services.workers[0] as Service)
      const options = { replaceClients: clients, marginMillis, timeoutMillis: 50 }
      const { violations } = yield* runTrial({ ...plain, ...schedule }, service, services, options)
      expect(violations.join("\n")).toMatch(new RegExp(law))
    })
  )
})
