import { randomUUID } from "node:crypto"
import { describe, expect, it } from "vitest"
import { makeGrouping } from "../console/src/runs/groupRuns.js"
import { activity, factsOf, gapsOf, standing, titleOf } from "../console/src/runs/runText.js"
import type { JournalEntry } from "../src/Journal.js"

const start = Date.parse("2026-11-26T10:00:00.000Z")

const entryOf = (number: number, facts: Partial<JournalEntry>): JournalEntry => ({
  number,
  at: new Date(start + number * 1000).toISOString(),
  operation: "synthesize",
  keyId: "key",
  id: randomUUID(),
  request: null,
  status: 200,
  outcome: "answered",
  millis: 500,
  ...facts
})

const synthesis = (number: number, id: string, facts: Partial<JournalEntry> = {}) => {
  const parent = /^(.+)\.\d{3,}$/.exec(id)?.[1]
  return entryOf(number, { id, ...(parent !== undefined && { parent }), ...facts })
}

const transcription = (number: number, id: string, fileName: string, facts: Partial<JournalEntry> = {}) =>
  entryOf(number, { operation: "transcribe", fileName, request: { transaction_id: id, aux: "true" }, ...facts })

/** Ids as `LongTranscription` and an archive make them. */
const pieceId = (parent: string, number: number) => `${parent.slice(0, 18)}-8000-${String(number).padStart(12, "0")}`
const recording = "7f3c0f3e-1b2a-8c5d"
const archive = "0c8a7f31-5d2e"
const fileId = (number: number) =>
  `${archive}-8${String(number).padStart(3, "0")}-8000-00000000${String(number).padStart(4, "0")}`

const group = (entries: ReadonlyArray<JournalEntry>) => makeGrouping()(entries)

const failure = { status: 502, outcome: "faulted", problem: "the backend was unreachable", sentBytes: 40 } as const

describe("the runs of the console", () => {
  it("are no single calls, also if they were sent again", () => {
    const retried = randomUUID()
    const derived = fileId(1)
    expect(
      group([
        synthesis(1, "again", failure),
        synthesis(2, "again"),
        transcription(3, retried, "call.wav", failure),
        transcription(4, retried, "call.wav"),
        transcription(5, derived, "call.wav", failure),
        transcription(6, derived, "call.wav"),
        entryOf(7, { id: null, operation: "transcribe" }),
        synthesis(8, "order.007"),
        synthesis(9, "bill.202611260001"),
        synthesis(10, "bill.202611260002")
      ])
    ).toEqual([])
  })

  it("are the pieces of a long text, and the attempts of a piece are one", () => {
    const [run, ...others] = group([
      synthesis(1, "book.002", { ...failure, request: { text: "The end.", lang: "en" } }),
      synthesis(2, "book.001", { request: { text: "The beginning.", lang: "en" }, credits: 14, audioMillis: 900 }),
      synthesis(3, "book.002", { request: { text: "The end.", lang: "en" }, credits: 8, audioMillis: 600 }),
      synthesis(4, "book.003", { ...failure }),
      synthesis(5, "book.004", { status: null, outcome: "underWay", millis: null })
    ])
    expect(others).toEqual([])
    expect(run).toMatchObject({
      id: "book",
      kind: "text",
      counts: { done: 2, failed: 1, busy: 1 },
      requests: 5,
      credits: 22,
      audioMillis: 1500
    })
    expect(run?.calls.map(({ attempts, piece }) => [piece?.number, attempts.length])).toEqual([
      [1, 1],
      [2, 2],
      [3, 1],
      [4, 1]
    ])
    expect(run && titleOf(run)).toEqual({ text: "The beginning.", lang: "en" })
    expect(run && standing(run)).toEqual({ words: "1 failed", kind: "bad" })
  })

  it("are the pieces of a long recording, with their number and where they start", () => {
    const [run] = group([
      transcription(1, pieceId(recording, 1), "the meeting.piece-1-at-0.wav", { audioMillis: 60_000, credits: 60 }),
      transcription(2, pieceId(recording, 3), "the meeting.piece-3-at-120500.wav", { audioMillis: 2000, credits: 2 }),
      transcription(3, pieceId(recording, 4), "the meeting.piece-4-at-122500.wav", failure)
    ])
    expect(run).toMatchObject({ kind: "recording", id: "7f3c0f3e-1b2a", credits: 62, audioMillis: 62_000 })
    expect(run?.calls.map(({ piece }) => piece?.startMillis)).toEqual([0, 120_500, 122_500])
    expect(run && titleOf(run)).toEqual({ text: "the meeting" })
    expect(run?.files.map((file) => gapsOf(run.kind, file))).toEqual([
      "No request is here of piece 2: silence and what an earlier run has kept are not sent, and the journal forgets its oldest requests. There is no transcript of piece 4 yet."
    ])
  })

  it("name the pieces that are not here in ranges, whatever number the last one has", () => {
    const gaps = (...numbers: ReadonlyArray<number>) => {
      const [run] = group(
        numbers.map((number) => transcription(number, pieceId(recording, number % 1e12), `a.piece-${number}-at-0.wav`))
      )
      const sentence = run?.files[0] && gapsOf(run.kind, run.files[0])
      return sentence && /of (pieces? .*): silence/.exec(sentence)?.[1]
    }
    expect(gaps(1, 2, 3)).toBeUndefined()
    expect(gaps(3, 5)).toBe("pieces 1–2 and 4")
    expect(gaps(1, 3, 4, 7)).toBe("pieces 2 and 5–6")
    expect(gaps(2, 4, 6, 8, 10, 12)).toBe("pieces 1, 3, 5, 7, 9 and more")
    expect(gaps(2_026_112_600)).toBe("pieces 1–2026112599")
  })

  it("are the files of an archive, of which some are in pieces, and no other recordings of the time", () => {
    const other = "0c8a7f31-5d2f-8001"
    const runs = group([
      transcription(1, fileId(1), "1.wav"),
      transcription(2, fileId(2), "2.wav", failure),
      transcription(3, pieceId(other, 1), "3.piece-1-at-0.wav"),
      transcription(4, fileId(2), "2.wav"),
      transcription(5, pieceId(fileId(3), 1), "3.piece-1-at-0.wav"),
      transcription(6, pieceId(fileId(3), 2), "3.piece-2-at-300000.wav"),
      synthesis(7, fileId(4), { request: { text: "Hello." } }),
      synthesis(8, `${fileId(5)}.001`, { request: { text: "Hello again." } })
    ])
    expect(runs.map(({ id, kind }) => [id, kind])).toEqual([
      ["0c8a7f31-5d2f", "recording"],
      [archive, "archive"]
    ])
    expect(runs[1]?.files.map(({ calls }) => calls.length)).toEqual([1, 1, 2, 1, 1])
    expect(runs[1]?.counts).toEqual({ done: 6, failed: 0, busy: 0 })
    expect(runs[1] && titleOf(runs[1])).toEqual({ text: `Archive ${archive}` })
  })

  it("say neither that they are done nor how many pieces are still to come", () => {
    const run = group([synthesis(1, "book.001"), synthesis(2, "book.002")])[0]
    if (run === undefined) return expect.unreachable()
    const later = (millis: number) => start + 2500 + millis
    expect([activity(run, later(0)), factsOf(run, later(0))]).toEqual(["active", ["long text", "2 pieces so far"]])
    expect(activity(run, later(20_000))).toBe("quiet for 20 s")
    expect([activity(run, later(125_000)), factsOf(run, later(125_000))]).toEqual([
      "quiet for 2 min",
      ["long text", "2 pieces"]
    ])
    expect(activity(run, later(4_000_000))).toBe("")
  })

  it("stay the same objects while their requests do", () => {
    const grouping = makeGrouping()
    const entries = [synthesis(1, "book.001"), synthesis(2, "page.001")]
    const [page, book] = grouping(entries)
    const again = grouping([...entries, synthesis(3, "page.002")])
    expect(again[1]).toBe(book)
    expect(again[0]).not.toBe(page)
  })
})
