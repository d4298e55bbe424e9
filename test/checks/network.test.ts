/** The short form of `pnpm verify network --small`, and that each of its laws can be broken. */
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
import { type Clients, type Service, type TrialOptions, tryOut } from "../../checks/network/trial.js"

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

/** Five of each kind. */
const count = 3 * kinds.length

it.live(
  `calls over ${count} networks, each of which fails in another way, keep the laws`,
  () =>
    Effect.gen(function* () {
      let next = 0
      const line = (service: Service) =>
        Effect.gen(function* () {
          const told = []
          while (next < count) told.push(yield* tryOut(draw(1, next++, { isSmall: true }), service, services))
          return told
        })
      const told = (yield* Effect.forEach(services.lines, line, { concurrency: "unbounded" })).flat()
      const broken = told.filter(({ violations }) => violations.length > 0)
      expect(broken.map(({ schedule, violations }) => [schedule.index, ...violations])).toEqual([])
      // Which others come about is a matter of time too.
      expect(told.flatMap(({ happened }) => happened)).not.toEqual([])
      expect(told.flatMap(({ ended }) => ended.map(({ outcome }) => outcome))).toContain("value")
    }),
  120_000
)

it("a schedule is the same every time", () => {
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

/** One call over a network that does nothing, for which nothing less than ten seconds is too long. */
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

/** The clients with one operation changed. */
const withSynthesis =
  (change: (tts: TextToSpeech["Type"]) => TextToSpeech["Type"]) =>
  (clients: Clients): Clients =>
    Layer.map(clients, (context) => Context.add(context, TextToSpeech, change(Context.get(context, TextToSpeech))))

const another = (text: string) => (clients: Clients) =>
  Layer.map(clients, (context) => {
    const stt = Context.get(context, SpeechToText)
    const transcribe: typeof stt.transcribe = (request) =>
      Effect.map(stt.transcribe(request), (answer) => ({ ...answer, text }))
    return Context.add(context, SpeechToText, { transcribe })
  })

/** Its books are kept by somebody else. */
const countedAs =
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
  it.live("are kept over a network that does nothing", () =>
    Effect.gen(function* () {
      const schedule = { ...plain, calls: [synthesis, transcription] }
      const { violations } = yield* tryOut(schedule, services.lines[0] as Service, services)
      expect(violations).toEqual([])
    })
  )

  it.live.each<{
    readonly name: string
    readonly law: string
    readonly schedule?: Partial<Schedule>
    readonly instead?: TrialOptions["instead"]
    readonly marginMillis?: number
    readonly times?: number
  }>([
    {
      name: "never ends",
      law: "1: the synthesize did not end",
      instead: withSynthesis((tts) => ({ ...tts, synthesize: () => Effect.never })),
      marginMillis: 20
    },
    {
      name: "ends in a defect",
      law: "1: the synthesize ended in a defect: Error: broken",
      instead: withSynthesis((tts) => ({ ...tts, synthesize: () => Effect.die(new Error("broken")) }))
    },
    {
      name: "fails for no reason",
      law: "1: the synthesize failed for no reason",
      instead: withSynthesis((tts) => ({ ...tts, synthesize: () => new TtsConnectionFailed() }))
    },
    {
      name: "ends later than it may",
      law: "1: the synthesize ended [0-9]+ ms after its deadline",
      schedule: { deadlines: { uploadIdle: 1, answer: 1, downloadIdle: 1, total: undefined } },
      instead: withSynthesis((tts) => ({
        ...tts,
        synthesize: () => Effect.zipRight(Effect.sleep(900), new TtsConnectionFailed())
      })),
      marginMillis: 200
    },
    {
      name: "leaves a socket",
      law: "2: 1 connections are open after the layer",
      instead: (clients, { tts }) =>
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
      instead: withSynthesis((tts) => ({
        ...tts,
        synthesize: (request) => Effect.zipLeft(tts.synthesize(request), Effect.forkDaemon(Effect.sleep("5 seconds")))
      }))
    },
    {
      name: "takes a byte for another",
      law: "3: the audio of the synthesize is not that of its text",
      schedule: {
        plans: {
          stt: [],
          tts: [{ breaks: [{ direction: "down", what: "flip", point: { message: 0, edge: "headEnd", offset: 10 } }] }]
        }
      }
    },
    {
      name: "takes half of the audio for all",
      law: "3: 1000 bytes of audio were taken for all 2000",
      instead: withSynthesis((tts) => ({
        ...tts,
        synthesize: (request) =>
          Effect.map(tts.synthesize(request), (speech) => ({ ...speech, bytes: speech.bytes.subarray(0, 1000) }))
      }))
    },
    {
      name: "has the transcript of another",
      law: '3: the transcript is "a recording of rank 1"',
      schedule: { calls: [transcription] },
      instead: another("a recording of rank 1")
    },
    { name: "is billed twice", law: "4: the synthesize was billed for nothing: billed 2 times", times: 2 },
    { name: "is not paid for", law: "4: the synthesize was not paid for: billed 0 times", times: 0 },
    {
      name: "says that it was not billed",
      law: "4: the synthesize says that it was not billed",
      instead: withSynthesis((tts) => ({
        ...tts,
        synthesize: (request) =>
          Effect.map(tts.synthesize(request), (speech) => ({
            ...speech,
            call: { ...speech.call, billing: "notBilled" as const }
          }))
      }))
    },
    {
      name: "asks more often than it says",
      law: "5: of the synthesize, the service saw 2 requests",
      instead: withSynthesis((tts) => ({
        ...tts,
        synthesize: (request) => Effect.zipRight(tts.synthesize(request), tts.synthesize(request))
      }))
    },
    {
      name: "says that it sent nothing",
      law: "5: of the synthesize, 1 requests arrived whole",
      instead: withSynthesis((tts) => ({
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
  ])("are broken by a call that $name", ({ instead, law, marginMillis, schedule, times = 1 }) =>
    Effect.gen(function* () {
      const service = countedAs(times)(services.lines[0] as Service)
      const options = { instead, marginMillis, patienceMillis: 50 }
      const { violations } = yield* tryOut({ ...plain, ...schedule }, service, services, options)
      expect(violations.join("\n")).toMatch(new RegExp(law))
    })
  )
})
