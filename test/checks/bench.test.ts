/** The parts of the benchmark in this process, without other SDKs: too short for conclusions, but with the same checks. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { afterEach, beforeEach, vi } from "vitest"
import { compare as compareCalls } from "../../checks/bench/calls/calls.js"
import { measure as measureCalls } from "../../checks/bench/calls/measure.js"
import { ofPromise } from "../../checks/bench/clients/operation.js"
import { audio, checkAudio, checkTranscript, recording, transcript } from "../../checks/bench/contract.js"
import { accepted, faultsOf, observeAll, print } from "../../checks/bench/faults/faults.js"
import { measure as measureFaults } from "../../checks/bench/faults/measure.js"
import { type Fault, faults, redirect } from "../../checks/bench/faults/table.js"
import { startServer } from "../../checks/bench/harness.js"
import { measure as measureUpload } from "../../checks/bench/upload/measure.js"
import { compare as compareUploads, mebibyte } from "../../checks/bench/upload/upload.js"

const withoutPeers = ["ours", "undici", "fetch"]

let printed: Array<string> = []
beforeEach(() => {
  printed = []
  vi.spyOn(console, "log").mockImplementation((line = "") => printed.push(String(line)))
  vi.spyOn(console, "error").mockImplementation(() => undefined)
})
afterEach(() => vi.restoreAllMocks())

/** The rows of all tables, without headers. */
const rows = () => {
  const lines = printed.filter((line) => line.startsWith("| "))
  return lines.filter((line, index) => !line.startsWith("| ---") && !lines[index + 1]?.startsWith("| ---"))
}
const cells = (row: string) => row.split(" | ")

const server = Effect.acquireRelease(Effect.promise(startServer), ({ stop }) => Effect.promise(stop))

describe("the benchmark", () => {
  it.scopedLive("measures what a call costs with each client", () =>
    Effect.gen(function* () {
      const { url } = yield* server
      const length = { warmUpMillis: 20, warmUpCalls: 0, countedMillis: 40 }
      yield* Effect.promise(() =>
        compareCalls(url, {
          rounds: 1,
          length,
          takesPart: (name) => ["ours", "fetch"].includes(name),
          measure: (operation, name, at) => measureCalls(operation, name, at, length)
        })
      )
      expect(rows()).toHaveLength(4)
      for (const row of rows()) expect(cells(row).filter((cell) => /^\d+$/.test(cell)).length, row).toBeGreaterThan(2)
    })
  )

  it.scopedLive("does not count a call that loses a part of the audio or of the recording", () =>
    Effect.gen(function* () {
      const { url } = yield* server
      const mayGoOn = () => true
      const loses = ofPromise(async () => audio.subarray(2), checkAudio).repeat(1, mayGoOn)
      yield* Effect.promise(() => expect(loses).rejects.toThrow("Not the audio"))

      const send = async (body: Buffer) => {
        const answer = await fetch(`${url}/v1/audio/transcriptions`, { method: "POST", body })
        return ((await answer.json()) as { text: string }).text
      }
      expect(yield* Effect.promise(() => send(recording))).toBe(transcript)
      const part = ofPromise(() => send(recording.subarray(0, -1)), checkTranscript).repeat(1, mayGoOn)
      yield* Effect.promise(() => expect(part).rejects.toThrow("Not the transcript"))
    })
  )

  it.scopedLive("measures what an upload costs with each client, and reports a client that failed", () =>
    Effect.gen(function* () {
      const { url } = yield* server
      yield* Effect.promise(() =>
        compareUploads(url, {
          rounds: 1,
          size: 4 * mebibyte,
          takesPart: (name) => ["raw", "ours", "undici", "fetch"].includes(name),
          measure: (name, ...where) =>
            name === "undici" ? Promise.resolve({ failed: "on purpose" }) : measureUpload(name, ...where)
        })
      )
      expect(rows()).toHaveLength(4)
      expect(rows().filter((row) => row.includes(" exact |"))).toHaveLength(3)
      expect(rows().find((row) => row.includes("undici.request"))).toContain("failed: on purpose")
      expect(printed).toContainEqual("- met: an exact Content-Length (exact)")
    })
  )

  it.live("observes the outcome of each fault with each client; ours accepts none", () =>
    Effect.gen(function* () {
      // Long enough for a slow machine.
      const timeoutOf = ({ endless = false }: Fault) => (endless ? 200 : 15_000)
      const both = yield* Effect.forEach(
        ["synthesis", "transcription"] as const,
        (operation) =>
          observeAll(
            operation,
            withoutPeers,
            async (...calls) => ({ outcomes: await measureFaults(...calls), uncaught: [] }),
            timeoutOf
          ).pipe(Effect.map((all) => ({ operation, all }))),
        { concurrency: 2 }
      )
      for (const { all, operation } of both) {
        const tried = faultsOf(operation)
        for (const { name, of } of all) expect([...of.keys()], name).toEqual(tried)
        printed = []
        print(operation, all, 200)
        expect(rows()).toHaveLength(tried.length + 2 + withoutPeers.length * tried.length)

        for (const { name, of } of all) {
          for (const [fault, { got }] of of) {
            expect(got === "nothing", `${name}, ${operation}, ${fault.name}`).toBe(fault.endless ?? false)
          }
        }

        const [ours, undici, fetch] = all
        if (ours === undefined || undici === undefined || fetch === undefined) throw new Error("a client is missing")
        expect(accepted(ours), operation).toEqual([])
        expect(ours.of.get(redirect), operation).toMatchObject({ got: "error", elsewhere: "nothing" })
        // The other clients show that the check would notice.
        expect(fetch.of.get(redirect), operation).toMatchObject({ got: "value", elsewhere: "the key" })
        for (const other of [undici, fetch]) {
          expect(accepted(other), operation).toContain(faults.find(({ name }) => name === "200 with an error in JSON"))
        }
      }
    })
  )
})
