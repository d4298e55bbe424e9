import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "@effect/vitest"
import type { FaultedRequest } from "@effect-speech/local-service/FaultedRequest"
import { FaultReport } from "@effect-speech/local-service/Faults"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { readFaults } from "../src/faults.js"
import { describeReport } from "../src/faultsReport.js"
import { bin, commandIn, until } from "./builtCommand.js"
import { run as runHere } from "./environment.js"

const folder = mkdtempSync(join(tmpdir(), "speech-faults-"))
afterAll(() => rmSync(folder, { recursive: true }))
const { run, start } = commandIn(() => folder)

let files = 0
/** Writes a file, and returns its path. */
const fileOf = (text: string): string => {
  const path = join(folder, `${files++}.json`)
  writeFileSync(path, text)
  return path
}

const decodeReport = Schema.decodeUnknownSync(Schema.parseJson(FaultReport), { onExcessProperty: "error" })

describe("a file of faults", () => {
  const faults = [{ status: 503, afterMillis: 5000, forMillis: 20_000, headers: { "Retry-After": "2" } }]
  it.effect.each([JSON.stringify(faults), `\uFEFF${JSON.stringify({ faults }, null, 2)}\n`])(
    "is a list, or an object with the list: %j",
    (text) => Effect.map(readFaults(fileOf(text)), (read) => expect(read).toEqual(faults))
  )

  it.effect.each([
    ['[{"status": 99}]', "line 1: fault 1: status must be a number between 200 and 599."],
    ['[\n{"status": 500},\n{\n"odd": 1}\n]', "line 4: fault 2: odd is not a known field."],
    ['{"faults": [\n{"nth": 1}]}', "line 2: fault 1 must say what happens: one of status, "],
    ['[{"status": 500,\n"status": 400}]', "line 2: fault 1: status is given twice."],
    ['[{"status": 500, "headers": {\n"a": 1}}]', "line 2: fault 1: headers.a must be a string."],
    ['[{"status": 500, "forMillis": 0}]', "line 1: fault 1: forMillis must be a positive number."],
    ["[null]", "line 1: fault 1 has the wrong form."],
    ["[\n1,]", "line 2, column 3: this is not JSON."],
    ["", "line 1, column 1: this is not JSON."],
    ["3", "line 1: it must be a list of faults, or an object with the list as faults."],
    ['{"faults": [],\n"more": 1}', "line 2: more is not a known field."]
  ] as const)("names what is wrong in %j", ([text, problem]) =>
    Effect.gen(function* () {
      const file = fileOf(text)
      const { _tag, message } = yield* Effect.flip(readFaults(file))
      expect(_tag).toBe("UsageError")
      expect(message).toContain(`${file}, ${problem}`)
    })
  )
})

const request = (changes: Partial<FaultedRequest>): FaultedRequest => ({
  number: 1,
  at: "2026-01-01T00:00:00.000Z",
  operation: "synthesize",
  id: "book.001",
  fault: 1,
  attempt: 1,
  status: 503,
  arrivedMillis: 1500,
  endedMillis: 1510,
  reaction: "retried",
  next: 2,
  linkedBy: "id",
  afterMillis: 2004,
  outcome: "succeeded",
  retryAfterMillis: null,
  retryAfterHonoured: null,
  sameContent: null,
  ...changes
})

const noNext = { next: null, linkedBy: null, afterMillis: null, outcome: null } as const

const summary = {
  retriedAndSucceeded: 0,
  retriedAndFailed: 0,
  retriedAndUnderWay: 0,
  gaveUp: 0,
  gaveUpAtOnce: 0,
  delivered: 0,
  underWay: 0,
  notKnown: 0,
  retryAfterHonoured: 0,
  retryAfterIgnored: 0
}

describe("the table of faults", () => {
  const faults: FaultReport["faults"] = [
    { fault: { status: 503, headers: { "retry-after": "2" } }, happened: 3 },
    { fault: { truncateAtByte: 1, delayMillis: 3000 }, happened: 0 }
  ]
  it("has a line for each request, and then the counts", () => {
    const requests = [
      request({ retryAfterMillis: 2000, retryAfterHonoured: true }),
      request({
        number: 3,
        id: null,
        linkedBy: "content",
        afterMillis: 5,
        outcome: "failed",
        retryAfterMillis: 2000,
        retryAfterHonoured: false
      }),
      request({ ...noNext, number: 4, operation: "transcribe", attempt: 2, reaction: "gaveUp", sameContent: 5 })
    ]
    const counts = {
      ...summary,
      retriedAndSucceeded: 1,
      retriedAndFailed: 1,
      gaveUp: 1,
      retryAfterHonoured: 1,
      retryAfterIgnored: 1
    }
    expect(describeReport({ elapsedMillis: 61_510, faults, requests, leftOut: 0, summary: counts })).toEqual([
      "time     request                fault                   what the client did",
      "1.500 s  1 synthesize book.001  1: 503, Retry-After: 2  retried after 2,004 ms, as Retry-After asked: the call succeeded",
      "1.500 s  3 synthesize           1: 503, Retry-After: 2  retried after 5 ms (the same content), though Retry-After asked for 2,000 ms: the call failed",
      "1.500 s  4 transcribe book.001  1: 503, Retry-After: 2  gave up after attempt 2, 60.000 s before the end; request 5 has the same content and another id",
      "No request met fault 2 (3,000 ms late, cut off after 1 byte).",
      "3 requests met a fault: 1 retried and succeeded, 1 retried and failed, 1 gave up after several attempts.",
      "Retry-After: honoured 1 time, ignored 1 time."
    ])
  })

  it("shows the latest 50 requests, and counts the others", () => {
    const requests = Array.from({ length: 60 }, (_, index) => request({ number: index + 1 }))
    const lines = describeReport({ elapsedMillis: 1, faults, requests, leftOut: 7, summary })
    expect(lines).toHaveLength(1 + 50 + 3)
    expect(lines[1]).toContain(" 11 synthesize")
    expect(lines[51]).toBe("17 earlier requests met a fault too. --faults-report FILE has the latest 10,000.")
  })

  it("says that no request met a fault", () => {
    expect(describeReport({ elapsedMillis: 1, faults: [], requests: [], leftOut: 0, summary })).toEqual([
      "No request met a fault."
    ])
  })
})

describe("the command", () => {
  it.scoped("says after COMMAND what it did after each fault, and ends with its exit code", () =>
    Effect.gen(function* () {
      const faults = fileOf('[{ "operation": "synthesize", "status": 502, "times": 1 }, { "status": 400, "nth": 2 }]')
      const speak = [process.execPath, bin, "synthesize", "A cat.", "--lang", "en", "--out", "a.wav"]
      const { code, stderr } = yield* run(
        ["run", "--faults", faults, "--faults-report", "ran.json", "--", ...speak],
        {}
      )
      expect(code).toBe(10)
      expect(stderr).toMatch(/1 synthesize [\w-]{36} +1: 502 +retried after \d+ ms: the call failed\n/)
      expect(stderr).toMatch(/2 synthesize [\w-]{36} +2: 400 +gave up after attempt 2, .+\n/)
      expect(stderr).toMatch(/\n2 requests met a fault: 1 retried and failed, 1 gave up after several attempts\.\n$/)
      const report = decodeReport(readFileSync(join(folder, "ran.json"), "utf8"))
      expect(report.requests.map(({ reaction }) => reaction)).toEqual(["retried", "gaveUp"])
      expect(report.faults.map(({ happened }) => happened)).toEqual([1, 1])
    })
  )

  it.scoped("reports when speech serve is interrupted", () =>
    Effect.gen(function* () {
      const faults = fileOf('[{ "reset": "answer" }]')
      const service = yield* start(
        ["serve", "--port", "0", "--json", "--faults", faults, "--faults-report", "served.json"],
        {}
      )
      const printed = yield* Effect.promise(
        () => new Promise<string>((resolve) => service.stdout.once("data", resolve))
      )
      const { ttsBaseUrl } = JSON.parse(printed)
      yield* Effect.ignore(Effect.tryPromise(() => fetch(`${ttsBaseUrl}/tts/bytes`, { method: "POST", body: "{}" })))
      yield* until(service.stderrSoFar, (text) => text.includes("ready"))
      service.kill("SIGTERM")
      const { code, stderr } = yield* service.ended
      expect(code).toBe(130)
      expect(stderr).toMatch(
        /1 synthesize +1: reset at the answer +gave up at once, .+\n1 request met a fault: 1 gave up at once\.\n$/
      )
      expect(decodeReport(readFileSync(join(folder, "served.json"), "utf8")).summary.gaveUpAtOnce).toBe(1)
    })
  )

  it.scoped("does not start with a file that it can't use, or a report that it can't write", () =>
    Effect.gen(function* () {
      const ends = (...args: ReadonlyArray<string>) =>
        Effect.map(runHere(["run", ...args, "--", "echo", "started"], {}), ({ code, stderr }) => [code, stderr])
      const missing = yield* ends("--faults", "missing.json")
      const wrong = yield* ends("--faults", fileOf("[{}]"))
      const alone = yield* ends("--faults-report", "x")
      const noFolder = yield* ends("--faults", fileOf("[]"), "--faults-report", "no/x")
      expect(missing).toEqual([3, expect.stringContaining("missing.json does not exist")])
      expect(wrong).toEqual([2, expect.stringContaining("fault 1 must say what happens")])
      expect(alone).toEqual([2, expect.stringContaining("--faults-report is for --faults FILE")])
      expect(noFolder).toEqual([3, expect.stringContaining("no does not exist")])
    })
  )
})
