/**
 * The benchmark's own parts, on what needs no peers and in this process: what it finds is far too short to say anything of
 * speed, but that it measures, and what it would not let pass, is as in the long form.
 */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { afterEach, beforeEach, vi } from "vitest"
import { compare as compareCalls } from "../../checks/bench/calls/calls.js"
import { measure as measureCalls } from "../../checks/bench/calls/measure.js"
import { ofPromise } from "../../checks/bench/clients/operation.js"
import { callAll } from "../../checks/bench/faults/call.js"
import { accepted, faultsOf, observeAll, tell } from "../../checks/bench/faults/faults.js"
import { type Fault, faults, redirect } from "../../checks/bench/faults/table.js"
import { startServer } from "../../checks/bench/harness.js"
import { measure as measureUpload } from "../../checks/bench/upload/measure.js"
import { compare as compareUploads, mebibyte } from "../../checks/bench/upload/upload.js"
import { audio, checkAudio, checkTranscript, recording, transcript } from "../../checks/bench/wire.js"

const withoutPeers = ["ours", "undici", "fetch"]

let printed: Array<string> = []
beforeEach(() => {
  printed = []
  vi.spyOn(console, "log").mockImplementation((line = "") => printed.push(String(line)))
  vi.spyOn(console, "error").mockImplementation(() => undefined)
})
afterEach(() => vi.restoreAllMocks())

/** The rows of all tables, without their headers and the rules below those. */
const rows = () => {
  const lines = printed.filter((line) => line.startsWith("| "))
  return lines.filter((line, index) => !line.startsWith("| ---") && !lines[index + 1]?.startsWith("| ---"))
}
const cells = (row: string) => row.split(" | ")

const server = Effect.acquireRelease(Effect.promise(startServer), ({ stop }) => Effect.promise(stop))

describe("the benchmark", () => {
  it.scopedLive("tells of each client what a call costs", () =>
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
      const goesOn = () => true
      const loses = ofPromise(async () => audio.subarray(2), checkAudio).repeatedly(1, goesOn)
      yield* Effect.promise(() => expect(loses).rejects.toThrow("Not the audio"))

      const send = async (body: Buffer) => {
        const answer = await fetch(`${url}/v1/audio/transcriptions`, { method: "POST", body })
        return ((await answer.json()) as { text: string }).text
      }
      expect(yield* Effect.promise(() => send(recording))).toBe(transcript)
      const part = ofPromise(() => send(recording.subarray(0, -1)), checkTranscript).repeatedly(1, goesOn)
      yield* Effect.promise(() => expect(part).rejects.toThrow("Not the transcript"))
    })
  )

  it.scopedLive("tells of each client what an upload costs, and which of them failed", () =>
    Effect.gen(function* () {
      const { url } = yield* server
      yield* Effect.promise(() =>
        compareUploads(url, {
          rounds: 1,
          size: 4 * mebibyte,
          takesPart: (name) => ["raw", "ours", "undici", "fetch"].includes(name),
          measure: (name, ...where) =>
            name === "undici" ? Promise.resolve({ failed: "as told" }) : measureUpload(name, ...where)
        })
      )
      expect(rows()).toHaveLength(4)
      expect(rows().filter((row) => row.includes(" exact |"))).toHaveLength(3)
      expect(rows().find((row) => row.includes("undici.request"))).toContain("failed: as told")
      expect(printed).toContainEqual("- met: an exact Content-Length (exact)")
    })
  )

  it.live("tells of each client what comes of each fault, of which ours takes none for an answer", () =>
    Effect.gen(function* () {
      // Whatever ends, ends; and a machine may be slow.
      const patience = ({ endless = false }: Fault) => (endless ? 200 : 15_000)
      const both = yield* Effect.forEach(
        ["synthesis", "transcription"] as const,
        (operation) =>
          observeAll(
            operation,
            withoutPeers,
            async (...calls) => ({ outcomes: await callAll(...calls), uncaught: [] }),
            patience
          ).pipe(Effect.map((all) => ({ operation, all }))),
        { concurrency: 2 }
      )
      for (const { all, operation } of both) {
        const tried = faultsOf(operation)
        for (const { name, of } of all) expect([...of.keys()], name).toEqual(tried)
        printed = []
        tell(operation, all, 200)
        expect(rows()).toHaveLength(tried.length + 2 + withoutPeers.length * tried.length)

        for (const { name, of } of all) {
          for (const [fault, { got }] of of) {
            expect(got === "nothing", `${name}, ${operation}, ${fault.name}`).toBe(fault.endless ?? false)
          }
        }

        const [ours, undici, fetch] = all
        if (ours === undefined || undici === undefined || fetch === undefined) throw new Error("one did not take part")
        expect(accepted(ours), operation).toEqual([])
        expect(ours.of.get(redirect), operation).toMatchObject({ got: "error", elsewhere: "not asked" })
        // What others let pass shows that it would be seen.
        expect(fetch.of.get(redirect), operation).toMatchObject({ got: "value", elsewhere: "given the key" })
        for (const other of [undici, fetch]) {
          expect(accepted(other), operation).toContain(faults.find(({ name }) => name === "200 with an error in JSON"))
        }
      }
    })
  )
})
