import { subscribe, unsubscribe } from "node:diagnostics_channel"
import type { ClientRequest } from "node:http"
import { expect, layer } from "@effect/vitest"
import { LocalService } from "@effect-speech/local-service"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import {
  brokenServices,
  type Recording,
  recording,
  rulesBrokenBy,
  uncheckedRequests
} from "../../checks/conformance/brokenServices.js"
import { checkRules, conformance, knownRecordings } from "../../checks/conformance/command.js"
import type { Rule } from "../../checks/conformance/rule.js"
import { changesService, checkRule, type Outcome, rules } from "../../checks/conformance/rules.js"
import {
  counting,
  type HttpRequest,
  type HttpResponse,
  makeOwnService,
  overHttp,
  type Responses,
  remembering,
  waiting
} from "../../checks/conformance/service.js"
import { temporaryFolder } from "../support/processes.js"
import { refusedAddress } from "../support/refusedAddress.js"

/** Runs the command. Returns what it prints, its exit status, and the address of every request. */
const run = async (parameters: ReadonlyArray<string>, environment: Record<string, string>, responses?: Responses) => {
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
    const status = await conformance(parameters, environment, responses)
    return { status, lines, text: lines.join("\n"), requests }
  } finally {
    unsubscribe("http.client.request.start", note)
    Object.assign(console, { error, log })
  }
}

/** The local service, checked once by the command with `--environment`, and once by every rule. */
class Checked extends Context.Tag("Checked")<Checked, Effect.Effect.Success<typeof check>>() {
  static readonly layer = Layer.unwrapEffect(
    Effect.sync(() => {
      const recordings = knownRecordings(temporaryFolder("conformance-"))
      return Layer.effect(Checked, check).pipe(Layer.provideMerge(LocalService.layer({ recordings })))
    })
  )
}

const check = Effect.gen(function* () {
  const { accounts, adminToken, apiKey, platformUrl, sttBaseUrl, ttsBaseUrl } = yield* LocalService
  const key = Redacted.value(apiKey)
  const environment = { SPEECH_STT_BASE_URL: `${sttBaseUrl}/`, SPEECH_TTS_BASE_URL: ttsBaseUrl, SPEECH_API_KEY: key }
  const account = Effect.all([accounts.account, accounts.keys])
  const responses: Responses = new Map()

  const before = yield* account
  const command = yield* Effect.promise(() => run(["--environment"], environment, responses))
  const after = yield* account
  const usage = yield* accounts.usage

  const options = {
    key,
    adminToken: Redacted.value(adminToken),
    model: "hi-general-v2-8khz",
    otherModel: "en-general-v2-8khz"
  }
  const http = overHttp({ stt: sttBaseUrl, tts: ttsBaseUrl, platform: platformUrl })
  const recordings = new Map<Rule, Recording>()
  const outcomes = yield* Effect.promise(() =>
    checkRules((rule) => {
      const into: Recording = []
      recordings.set(rule, into)
      return makeOwnService(recording(changesService(rule) ? http : remembering(http, responses), into), options)
    })
  )
  return { environment, before, command, after, usage, outcomes, recordings, responses, options }
})

const hasVerdict = (outcome: Outcome) => "held" in outcome && outcome.held !== undefined
const ruleOf = (sentence: string) => rules.find((rule) => rule.sentence === sentence) ?? expect.fail(sentence)

layer(Checked.layer, { excludeTestServices: true, timeout: "180 seconds" })("conformance", (it) => {
  it.effect("the local service keeps every rule", () =>
    Effect.gen(function* () {
      const { outcomes } = yield* Checked
      const verdicts = [...outcomes].filter(([, outcome]) => hasVerdict(outcome))
      expect(verdicts.flatMap(([rule, outcome]) => ("held" in outcome && outcome.held ? [] : [rule.sentence]))).toEqual(
        []
      )
      expect(verdicts.length).toBeGreaterThanOrEqual(106)
      expect(new Set(rules.map(({ sentence }) => sentence)).size).toBe(rules.length)
    })
  )

  it.effect("the command calls the two operations alone, and skips the rules that change the account", () =>
    Effect.gen(function* () {
      const { after, before, command } = yield* Checked
      const skipped = rules.filter(({ reason }) => reason !== undefined)
      expect(command.status).toBe(0)
      expect(command.lines[0]).toMatch(/^\n## Transcription at 127\.0\.0\.1:\d+, synthesis at 127\.0\.0\.1:\d+\n$/)
      expect(command.lines.filter((line) => line.endsWith("| skipped |")).length).toBe(skipped.length)
      expect(command.text).toContain(`0 do not, and ${skipped.length} were skipped`)
      const allowed = ["POST /api/transcribe at 127.0.0.1", "POST /tts/bytes at 127.0.0.1"]
      expect([...command.requests].sort()).toEqual(allowed)
      expect([after[0].state, after[1]]).toEqual([before[0].state, before[1]])
    })
  )

  it.effect("the command spends little, and no more than it prints", () =>
    Effect.gen(function* () {
      const { after, before, command, usage } = yield* Checked
      const printed = /Spent at most: (\d+) code points of synthesis, (\d+) seconds of transcription/.exec(command.text)
      const [codePoints = 0, seconds = 0] = printed?.slice(1).map(Number) ?? []
      const units = Object.fromEntries(usage.map((used) => [used.operation, used.units]))
      expect(units.synthesize).toBe(codePoints)
      expect(units.transcribe).toBeLessThanOrEqual(seconds)
      expect(before[0].credits - after[0].credits).toBeLessThanOrEqual(codePoints + seconds)
      expect(codePoints).toBeLessThan(100)
      expect(seconds).toBeLessThan(60)
    })
  )

  it.effect("an expensive request is not sent to another service", () =>
    Effect.gen(function* () {
      const { options } = yield* Checked
      const sent: Array<string> = []
      const send = async ({ label }: HttpRequest) => {
        sent.push(label)
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

  it.effect(
    "every rule checks the response to each of its requests",
    () =>
      Effect.gen(function* () {
        const { options, outcomes, recordings } = yield* Checked
        for (const [rule, recorded] of recordings) {
          if (!hasVerdict(outcomes.get(rule) as Outcome)) continue
          const unchecked = yield* Effect.promise(() => uncheckedRequests(rule, recorded, options))
          expect([rule.sentence, unchecked]).toEqual([rule.sentence, []])
        }
      }),
    60_000
  )

  it.effect.each(brokenServices)("a service that $defect breaks the rules for that, and no other", (broken) =>
    Effect.gen(function* () {
      const { options, recordings } = yield* Checked
      const sentences = yield* Effect.promise(() => rulesBrokenBy(broken, recordings, options))
      expect([...sentences].sort()).toEqual([...broken.breaks].sort())
    })
  )

  it.effect("a broken rule gives the status 1, and the key is never printed", () =>
    Effect.gen(function* () {
      const { command, environment, responses } = yield* Checked
      const [, secret = ""] = environment.SPEECH_API_KEY.split(".")
      const bytes = Buffer.from(`\u001b[31m{"error":"not ${environment.SPEECH_API_KEY} | ${secret}"}`)
      const forbid = async (label: string, response: Promise<HttpResponse>) => {
        const right = await response
        return right.status === 401 && label.startsWith("synthesize") ? { ...right, status: 403, bytes } : right
      }
      const forbidding: Responses = new Map([...responses].map(([label, right]) => [label, forbid(label, right)]))
      const { status, text } = yield* Effect.promise(() => run(["--environment"], environment, forbidding))
      expect(status).toBe(1)
      expect(text).toContain(
        '| synthesis without a key is 401 | 401 | none: 403 [31m{"error":"not (the key) \\| (the key)"} | NO |'
      )
      for (const printed of [text, command.text]) expect(printed).not.toContain(secret)
    })
  )

  it.effect("a service that cannot be checked gives the status 2 and advice", () =>
    Effect.gen(function* () {
      const { environment } = yield* Checked
      const refusing = yield* refusedAddress
      const { SPEECH_API_KEY: key, SPEECH_STT_BASE_URL: stt } = environment
      const unknownKey = "local_000000000000.unknown"
      const withPassword = `https://user:${key}@speech.example`
      const cases: ReadonlyArray<readonly [says: string, Partial<typeof environment>, parameter?: string]> = [
        ["--environment, --model NAME", {}, "--environmental"],
        ["SPEECH_API_KEY is not set", { SPEECH_API_KEY: "" }],
        ["does not have the form <prefix>.<secret>", { SPEECH_API_KEY: "secret" }],
        ["Check that SPEECH_API_KEY is active", { SPEECH_API_KEY: unknownKey }],
        ["SPEECH_STT_BASE_URL is not set", { SPEECH_STT_BASE_URL: "" }],
        ["SPEECH_STT_BASE_URL is not a URL", { SPEECH_STT_BASE_URL: "speech" }],
        ["is not https", { SPEECH_STT_BASE_URL: "http://speech.example" }],
        ["holds more than an address", { SPEECH_TTS_BASE_URL: withPassword }],
        ["synthesis (SPEECH_TTS_BASE_URL) to a right request is 404", { SPEECH_TTS_BASE_URL: stt }],
        ["No response from synthesis (SPEECH_TTS_BASE_URL): ECONNREFUSED", { SPEECH_TTS_BASE_URL: refusing }]
      ]
      for (const [says, changes, parameter = "--environment"] of cases) {
        const { status, text } = yield* Effect.promise(() => run([parameter], { ...environment, ...changes }))
        expect(text).toContain(says)
        expect(status).toBe(2)
        expect(text).not.toContain(key)
      }
    }).pipe(Effect.scoped)
  )

  it.effect("a request without a response breaks its rule, and counts as paid", () =>
    Effect.gen(function* () {
      const { options } = yield* Checked
      const spending = { codePoints: 0, seconds: 0 }
      const silent = async () => Promise.reject(Object.assign(new Error("socket hang up"), { code: "ECONNRESET" }))
      const service = makeOwnService(counting(silent, spending), options)
      for (const sentence of [
        "`text` is enough",
        "`model`, `transaction_id` and `audio_file` are enough (`--model`)"
      ]) {
        const outcome = yield* Effect.promise(() => checkRule(ruleOf(sentence), service))
        expect(outcome).toEqual({ held: false, observed: "no response: ECONNRESET" })
      }
      expect(spending).toEqual({ codePoints: 3, seconds: 1 })
    })
  )

  it.effect("a request is sent again after a 429", () =>
    Effect.gen(function* () {
      const { options } = yield* Checked
      const statuses = [429, 429, 200]
      const send = async () => {
        const status = statuses.shift() ?? expect.fail("one more request")
        return { status, headers: { "retry-after": "0.001" }, bytes: Buffer.alloc(0) }
      }
      const service = makeOwnService(waiting(send), options)
      expect((yield* Effect.promise(() => service.synthesize({ text: "a" }))).status).toBe(200)
    })
  )
})
