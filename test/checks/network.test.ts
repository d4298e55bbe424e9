/** The short form of `pnpm verify network`. A call that breaks a law is noticed. */
import { mkdtempSync, rmSync } from "node:fs"
import { connect, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { SpeechToText } from "@effect-speech/stt"
import { TextToSpeech, TtsConnectionFailed } from "@effect-speech/tts"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import {
  draw,
  kinds,
  type Schedule,
  type SynthesisCall,
  type TranscriptionCall
} from "../../checks/network/schedule.js"
import { makeServices, type Services } from "../../checks/network/services.js"
import { type Clients, runTrial, type Service, type TrialOptions } from "../../checks/network/trial.js"

const folder = mkdtempSync(join(tmpdir(), "network-"))
const scope = Effect.runSync(Scope.make())
let services: Services
beforeAll(async () => {
  services = await Effect.runPromise(Scope.extend(makeServices(8, folder), scope))
})
afterAll(async () => {
  await Effect.runPromise(Scope.close(scope, Exit.void))
  rmSync(folder, { recursive: true })
})

/** Three schedules of each kind. */
const count = 3 * kinds.length

it.live(
  `calls over ${count} networks that fail in different ways keep the laws`,
  () =>
    Effect.gen(function* () {
      let next = 0
      const work = (service: Service) =>
        Effect.gen(function* () {
          const results = []
          while (next < count) results.push(yield* runTrial(draw(1, next++, { isSmall: true }), service, services))
          return results
        })
      const results = (yield* Effect.forEach(services.workers, work, { concurrency: "unbounded" })).flat()
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

const synthesis: SynthesisCall = {
  operation: "synthesize",
  rank: 0,
  gapMillis: 0,
  interruptMillis: undefined,
  samples: 1000,
  outputFormat: "8000:pcm16",
  share: 1,
  lateMillis: 0
}
const transcription: TranscriptionCall = {
  operation: "transcribe",
  rank: 0,
  gapMillis: 0,
  interruptMillis: undefined,
  source: "bytes"
}

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
  deadlines: { uploadIdle: 10_000, answer: 10_000, downloadIdle: 10_000, total: undefined },
  failsFirst: false,
  plans: { stt: [], tts: [] },
  isGentle: true
}

/** Replaces `synthesize` of the clients. */
const withSynthesis =
  (change: (tts: TextToSpeech["Type"]) => TextToSpeech["Type"]) =>
  (clients: Clients): Clients =>
    Layer.map(clients, (context) => Context.add(context, TextToSpeech, change(Context.get(context, TextToSpeech))))

const withTranscript = (text: string) => (clients: Clients) =>
  Layer.map(clients, (context) => {
    const stt = Context.get(context, SpeechToText)
    const transcribe: typeof stt.transcribe = (request) =>
      Effect.map(stt.transcribe(request), (answer) => ({ ...answer, text }))
    return Context.add(context, SpeechToText, { transcribe })
  })

/** A service that reports its usage multiplied. */
const billing =
  (times: number) =>
  (service: Service): Service => ({
    ...service,
    accounts: {
      ...service.accounts,
      usage: Effect.map(service.accounts.usage, (usage) =>
        usage.map((each) => ({ ...each, units: times * each.units }))
      )
    }
  })

const sockets: Array<Socket> = []
afterAll(() => {
  for (const socket of sockets) socket.destroy()
})

describe("the laws", () => {
  it.live("hold over an undisturbed network", () =>
    Effect.gen(function* () {
      const schedule = { ...plain, calls: [synthesis, transcription] }
      const { violations } = yield* runTrial(schedule, services.workers[0] as Service, services)
      expect(violations).toEqual([])
    })
  )

  it.live.each<{
    readonly name: string
    readonly law: string
    readonly schedule?: Partial<Schedule>
    readonly replaceClients?: TrialOptions["replaceClients"]
    readonly marginMillis?: number
    readonly times?: number
  }>([
    {
      name: "never ends",
      law: "1: the synthesize did not end",
      replaceClients: withSynthesis((tts) => ({ ...tts, synthesize: () => Effect.never })),
      marginMillis: 20
    },
    {
      name: "ends in a defect",
      law: "1: the synthesize ended in a defect: Error: broken",
      replaceClients: withSynthesis((tts) => ({ ...tts, synthesize: () => Effect.die(new Error("broken")) }))
    },
    {
      name: "fails without a reason",
      law: "1: the synthesize failed without a reason",
      replaceClients: withSynthesis((tts) => ({ ...tts, synthesize: () => new TtsConnectionFailed() }))
    },
    {
      name: "exceeds its deadline",
      law: "1: the synthesize ended [0-9]+ ms after its deadline",
      schedule: { deadlines: { uploadIdle: 1, answer: 1, downloadIdle: 1, total: undefined } },
      replaceClients: withSynthesis((tts) => ({
        ...tts,
        synthesize: () => Effect.zipRight(Effect.sleep(900), new TtsConnectionFailed())
      })),
      marginMillis: 200
    },
    {
      name: "leaves a socket",
      law: "2: 1 connections are open after the layer",
      replaceClients: (clients, { tts }) =>
        Layer.tap(clients, () =>
          Effect.sync(() => {
            const socket = connect(Number(new URL(tts.url).port), "127.0.0.1")
            sockets.push(socket.on("error", () => undefined))
          })
        )
    },
    {
      name: "leaves a fiber",
      law: "2: 1 fibers are left",
      replaceClients: withSynthesis((tts) => ({
        ...tts,
        synthesize: (request) => Effect.zipLeft(tts.synthesize(request), Effect.forkDaemon(Effect.sleep("5 seconds")))
      }))
    },
    {
      name: "accepts a changed byte",
      law: "3: the audio of the synthesize differs from that of its text",
      schedule: {
        plans: {
          stt: [],
          tts: [
            {
              disturbances: [{ direction: "down", action: "flip", point: { message: 0, edge: "headEnd", offset: 10 } }]
            }
          ]
        }
      }
    },
    {
      name: "accepts half of the audio",
      law: "3: 1000 of 2000 bytes of audio were accepted as complete",
      replaceClients: withSynthesis((tts) => ({
        ...tts,
        synthesize: (request) =>
          Effect.map(tts.synthesize(request), (speech) => ({ ...speech, bytes: speech.bytes.subarray(0, 1000) }))
      }))
    },
    {
      name: "returns the transcript of another call",
      law: '3: the transcript is "a recording of rank 1"',
      schedule: { calls: [transcription] },
      replaceClients: withTranscript("a recording of rank 1")
    },
    { name: "is billed twice", law: "4: the synthesize was billed too often: billed 2 times", times: 2 },
    { name: "is not billed", law: "4: the synthesize was not billed: billed 0 times", times: 0 },
    {
      name: "reports that it was not billed",
      law: "4: the synthesize reports that it was not billed",
      replaceClients: withSynthesis((tts) => ({
        ...tts,
        synthesize: (request) =>
          Effect.map(tts.synthesize(request), (speech) => ({
            ...speech,
            call: { ...speech.call, billing: "notBilled" as const }
          }))
      }))
    },
    {
      name: "sends more requests than it reports",
      law: "5: the synthesize: the service got 2 requests",
      replaceClients: withSynthesis((tts) => ({
        ...tts,
        synthesize: (request) => Effect.zipRight(tts.synthesize(request), tts.synthesize(request))
      }))
    },
    {
      name: "reports that it sent nothing",
      law: "5: the synthesize: 1 requests arrived completely",
      replaceClients: withSynthesis((tts) => ({
        ...tts,
        synthesize: (request) =>
          Effect.map(tts.synthesize(request), (speech) => ({
            ...speech,
            call: {
              ...speech.call,
              attempts: speech.call.attempts.map((each) => ({ ...each, sent: "nothing" as const }))
            }
          }))
      }))
    }
  ])("notice a call that $name", ({ replaceClients, law, marginMillis, schedule, times = 1 }) =>
    Effect.gen(function* () {
      const service = billing(times)(services.workers[0] as Service)
      const options = { replaceClients, marginMillis, timeoutMillis: 50 }
      const { violations } = yield* runTrial({ ...plain, ...schedule }, service, services, options)
      expect(violations.join("\n")).toMatch(new RegExp(law))
    })
  )
})
