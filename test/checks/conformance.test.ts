import { subscribe, unsubscribe } from "node:diagnostics_channel"
import type { ClientRequest } from "node:http"
import { expect, layer } from "@effect/vitest"
import { LocalService } from "@effect-speech/local-service"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { brokenBy, recording, type Tape } from "../../checks/conformance/brokenService.js"
import { type Crook, crooks } from "../../checks/conformance/brokenServices.js"
import { conformance, knownRecordings, outcomesOf } from "../../checks/conformance/command.js"
import {
  changesService,
  type Outcome,
  outcomeOf,
  type RuleName,
  ruleNames,
  rules
} from "../../checks/conformance/rules.js"
import {
  type Answers,
  counting,
  makeOwnService,
  makeService,
  overHttp,
  remembering,
  waiting
} from "../../checks/conformance/service.js"
import { refusedAddress } from "../support/refusedAddress.js"
import { scriptedServer } from "../support/scriptedServer.js"
import { send, temporaryFolder } from "../support/serviceProcess.js"

/** What a command says, its exit status, and every address that it asks. */
const run = async (parameters: ReadonlyArray<string>, environment: Record<string, string>, answers?: Answers) => {
  const lines: Array<string> = []
  const requests = new Set<string>()
  const note = (message: unknown) => {
    const { host, method, path } = (message as { request: ClientRequest & { host: string } }).request
    requests.add(`${method} ${path} at ${host}`)
  }
  const { error, log } = console
  console.log = (line = "") => lines.push(line)
  console.error = console.log
  subscribe("http.client.request.start", note)
  try {
    const status = await conformance(parameters, environment, answers)
    return { status, lines, text: lines.join("\n"), requests }
  } finally {
    unsubscribe("http.client.request.start", note)
    Object.assign(console, { error, log })
  }
}

/** The service, asked once as any service is and once as one of our own, and all that it answered. */
class Asked extends Context.Tag("Asked")<Asked, Effect.Effect.Success<typeof ask>>() {
  static readonly layer = Layer.unwrapEffect(
    Effect.sync(() => {
      const recordings = knownRecordings(temporaryFolder("conformance-"))
      return Layer.effect(Asked, ask).pipe(Layer.provideMerge(LocalService.layer({ recordings })))
    })
  )
}

const ask = Effect.gen(function* () {
  const { accounts, adminToken, apiKey, platformUrl, sttBaseUrl, ttsBaseUrl } = yield* LocalService
  const key = Redacted.value(apiKey)
  const environment = { SPEECH_STT_BASE_URL: `${sttBaseUrl}/`, SPEECH_TTS_BASE_URL: ttsBaseUrl, SPEECH_API_KEY: key }
  const account = Effect.all([accounts.account, accounts.keys])
  const answers: Answers = new Map()

  const before = yield* account
  const command = yield* Effect.promise(() => run(["--environment"], environment, answers))
  const after = yield* account
  const usage = yield* accounts.usage

  const options = {
    key,
    adminToken: Redacted.value(adminToken),
    model: "hi-general-v2-8khz",
    otherModel: "en-general-v2-8khz"
  }
  const http = overHttp({ stt: sttBaseUrl, tts: ttsBaseUrl, platform: platformUrl })
  const tapes = new Map<RuleName, Tape>()
  const outcomes = yield* Effect.promise(() =>
    outcomesOf((name) => {
      const tape: Tape = []
      tapes.set(name, tape)
      return makeOwnService(recording(changesService(name) ? http : remembering(http, answers), tape), options)
    })
  )
  return { environment, before, command, after, usage, outcomes, tapes, answers, options }
})

const isJudged = (outcome: Outcome) => "held" in outcome && outcome.held !== undefined

layer(Asked.layer, { excludeTestServices: true, timeout: "90 seconds" })("conformance", (it) => {
  it.effect("is that of the local service in every rule", () =>
    Effect.gen(function* () {
      const { outcomes } = yield* Asked
      expect([...outcomes.keys()].sort()).toEqual(Object.keys(rules).sort())
      expect([...outcomes].filter(([, outcome]) => isJudged(outcome) && !("held" in outcome && outcome.held))).toEqual(
        []
      )
    })
  )

  it.effect("is told of a service that is not our own without what takes an account", () =>
    Effect.gen(function* () {
      const { command } = yield* Asked
      const local = ruleNames.filter((name) => "locally" in rules[name])
      expect(command.status).toBe(0)
      expect(command.lines[0]).toMatch(/^\n## Transcription at 127\.0\.0\.1:\d+, synthesis at 127\.0\.0\.1:\d+\n$/)
      expect(command.lines.filter((line) => line.endsWith("| not asked here |")).length).toBe(local.length)
      expect(command.text).toContain(`0 are not; ${local.length} were not asked`)
    })
  )

  it.effect("is found without the platform: nothing but the two operations is asked", () =>
    Effect.gen(function* () {
      const { after, before, command, environment } = yield* Asked
      const { SPEECH_STT_BASE_URL, SPEECH_TTS_BASE_URL } = environment
      expect(SPEECH_STT_BASE_URL).toMatch(/:\d+\/$/)
      expect(SPEECH_TTS_BASE_URL).toMatch(/:\d+$/)
      expect([...command.requests].sort()).toEqual([
        "POST /api/transcribe at 127.0.0.1",
        "POST /tts/bytes at 127.0.0.1"
      ])
      expect(after[0].state).toBe(before[0].state)
      expect(after[1]).toEqual(before[1])
    })
  )

  it.effect("costs no more than is told, and little", () =>
    Effect.gen(function* () {
      const { after, before, command, usage } = yield* Asked
      const told = /Spent at most: (\d+) code points of synthesis, (\d+) seconds of transcription/.exec(command.text)
      const [codePoints = 0, seconds = 0] = told?.slice(1).map(Number) ?? []
      const units = Object.fromEntries(usage.map((used) => [used.operation, used.units]))
      expect(units.synthesize).toBe(codePoints)
      expect(units.transcribe).toBeLessThanOrEqual(seconds)
      expect(before[0].credits - after[0].credits).toBeLessThanOrEqual(codePoints + seconds)
      expect(codePoints).toBeLessThan(100)
      expect(seconds).toBeLessThan(60)
    })
  )

  it.effect("is asked of nobody at a price: what would cost more is not sent", () =>
    Effect.gen(function* () {
      const { options } = yield* Asked
      const sent: Array<string> = []
      const send = async ({ asks }: { asks: string }) => {
        sent.push(asks)
        return { status: 200, headers: {}, bytes: Buffer.alloc(0) }
      }
      const spending = { codePoints: 0, seconds: 0 }
      const service = makeOwnService(counting(send, spending), options)
      yield* Effect.promise(() => expect(service.synthesize({ text: "a".repeat(21) })).rejects.toThrow("cost"))
      yield* Effect.promise(() => service.synthesize({ text: "😀".repeat(20) }))
      expect(sent.length).toBe(1)
      expect(spending).toEqual({ codePoints: 20, seconds: 0 })
    })
  )

  it.effect.each(crooks)("is not that of a service that $what", ({ breaks, makeAlter }) =>
    Effect.gen(function* () {
      const { options, tapes } = yield* Asked
      const broken = yield* Effect.promise(() => brokenBy(makeAlter, tapes, options))
      expect([...broken].sort()).toEqual([...breaks].sort())
    })
  )

  it.effect("is not that of a service behind a proxy that drops the request id of errors", () =>
    Effect.gen(function* () {
      const { environment, options } = yield* Asked
      const { breaks, makeAlter } = crooks.find(({ what }) => what === "tells no request id with an error") as Crook
      const alter = makeAlter()
      const proxy = yield* scriptedServer(async (response, { body, headers, method, url }) => {
        const answer = await send(`${environment.SPEECH_TTS_BASE_URL}${url}`, {
          method,
          headers,
          body: [body],
          agent: false
        })
        const question = { listener: "tts", method, path: url, headers: {}, body, asks: "" } as const
        const altered = alter(question, answer)
        response.writeHead(altered.status, altered.headers).end(altered.bytes)
      })
      const asked = ruleNames.filter((name) => /^Synthesis: (request id|errors)$/.test(rules[name].section))
      const service = makeService(remembering(overHttp({ stt: "", tts: proxy.url })), options)
      const broken: Array<RuleName> = []
      for (const name of asked) {
        const outcome = yield* Effect.promise(() => outcomeOf(name, service))
        if ("held" in outcome && outcome.held === false) broken.push(name)
      }
      expect(broken.sort()).toEqual(breaks.filter((name) => "anywhere" in rules[name]).sort())
    }).pipe(Effect.scoped)
  )

  it.effect("can be broken in every rule that judges", () =>
    Effect.gen(function* () {
      const { outcomes } = yield* Asked
      const broken = new Set(crooks.flatMap(({ breaks }) => breaks))
      expect(ruleNames.filter((name) => isJudged(outcomes.get(name) as Outcome) && !broken.has(name))).toEqual([])
    })
  )

  it.effect("that is broken is told, with the status 1, and never with the key", () =>
    Effect.gen(function* () {
      const { answers, command, environment } = yield* Asked
      const [, secret = ""] = environment.SPEECH_API_KEY.split(".")
      const telling = new Map(
        [...answers].map(([asks, answered]) => [
          asks,
          answered.then((answer) =>
            answer.status === 401 && asks.startsWith("synthesize")
              ? {
                  ...answer,
                  status: 403,
                  bytes: Buffer.from(`\u001b[31m{"error":"not ${environment.SPEECH_API_KEY} | ${secret}"}`)
                }
              : answer
          )
        ])
      )
      const { status, text } = yield* Effect.promise(() => run(["--environment"], environment, telling))
      expect(status).toBe(1)
      expect(text).toContain(
        '| synthesis without a key is 401 | 401 | 403 [31m{"error":"not (the key) \\| (the key)"} | NO |'
      )
      for (const said of [text, command.text]) expect(said).not.toContain(secret)
    })
  )

  it.effect("is not asked where it can't be, with the status 2 and what to do", () =>
    Effect.gen(function* () {
      const { environment } = yield* Asked
      const nobody = yield* refusedAddress
      const { SPEECH_API_KEY: key, SPEECH_STT_BASE_URL: stt } = environment
      const cases: ReadonlyArray<
        readonly [parameters: ReadonlyArray<string>, Partial<typeof environment>, says: string]
      > = [
        [["--environmental"], {}, "--environment, --model NAME"],
        [["--environment"], { SPEECH_API_KEY: "" }, "SPEECH_API_KEY is not set"],
        [["--environment"], { SPEECH_API_KEY: "secret" }, "is not of the form <prefix>.<secret>"],
        [["--environment"], { SPEECH_API_KEY: "local_000000000000.unknown" }, "see whether SPEECH_API_KEY is active"],
        [["--environment"], { SPEECH_STT_BASE_URL: "" }, "SPEECH_STT_BASE_URL is not set"],
        [["--environment"], { SPEECH_STT_BASE_URL: "speech" }, "SPEECH_STT_BASE_URL is no URL"],
        [["--environment"], { SPEECH_STT_BASE_URL: "http://speech.example" }, "is not https"],
        [
          ["--environment"],
          { SPEECH_TTS_BASE_URL: `https://user:${key}@speech.example` },
          "holds more than an address"
        ],
        [["--environment"], { SPEECH_TTS_BASE_URL: stt }, "synthesis (SPEECH_TTS_BASE_URL) answers 404"],
        [
          ["--environment"],
          { SPEECH_TTS_BASE_URL: nobody },
          "no answer from synthesis (SPEECH_TTS_BASE_URL): ECONNREFUSED"
        ]
      ]
      for (const [parameters, changes, says] of cases) {
        const { status, text } = yield* Effect.promise(() => run(parameters, { ...environment, ...changes }))
        expect(text).toContain(says)
        expect(status).toBe(2)
        expect(text).not.toContain(key)
      }
    }).pipe(Effect.scoped)
  )

  it.effect("is not that of a service that gives no answer, which may have been paid for", () =>
    Effect.gen(function* () {
      const { options } = yield* Asked
      const spending = { codePoints: 0, seconds: 0 }
      const silent = async () => Promise.reject(Object.assign(new Error("socket hang up"), { code: "ECONNRESET" }))
      const service = makeOwnService(counting(silent, spending), options)
      for (const name of ["textIsEnough", "threeFieldsAreEnough"] as const) {
        const outcome = yield* Effect.promise(() => outcomeOf(name, service))
        expect(outcome).toEqual({ held: false, seen: "no answer: ECONNRESET" })
      }
      expect(spending).toEqual({ codePoints: 3, seconds: 1 })
    })
  )

  it.effect("waits where a service says that it is asked too often", () =>
    Effect.gen(function* () {
      const answers = [429, 429, 200].map((status) => ({
        status,
        headers: { "retry-after": "0.001" },
        bytes: Buffer.alloc(0)
      }))
      const { options } = yield* Asked
      const service = makeOwnService(
        waiting(async () => answers.shift() ?? Promise.reject(new Error("It asked once more."))),
        options
      )
      expect((yield* Effect.promise(() => service.synthesize({ text: "a" }))).status).toBe(200)
    })
  )
})
