import { describe, expect, it } from "vitest"
import { makeCallGrouping, tookMillis } from "../console/src/requests/calls.js"
import { explain } from "../console/src/requests/explain.js"
import { countCalls, filterCalls, noFilter, readFilter, writeFilter } from "../console/src/requests/filter.js"
import { isFailed, statusOf } from "../console/src/requests/outcome.js"
import { factsOf, pieceOf, titleOf } from "../console/src/requests/rowText.js"
import { readTranscript } from "../console/src/requests/transcript.js"
import { Key } from "../src/Accounts.js"
import { JournalEntry } from "../src/Journal.js"

type Fields = ConstructorParameters<typeof JournalEntry>[0]

const start = Date.parse("2026-01-31T12:00:00.000Z")

/** A whole synthesis, which arrived `number` seconds after noon. */
const synthesis = (number: number, changes: Partial<Fields> = {}): JournalEntry =>
  new JournalEntry({
    number,
    at: new Date(start + number * 1000).toISOString(),
    operation: "synthesize",
    keyId: "57934d7fd6fc",
    id: `id-${number}`,
    request: { text: "Good morning.", lang: "en", voice: "default_female", g2p_overrides: {} },
    status: 200,
    outcome: "answered",
    millis: 11,
    credits: 13,
    sentBytes: 30_044,
    totalBytes: 30_044,
    audioMillis: 900,
    ...changes
  })

const transcription = (number: number, changes: Partial<Fields> = {}): JournalEntry =>
  synthesis(number, {
    operation: "transcribe",
    request: { model: "hi-general-v2-8khz", transaction_id: "304f1e26-6c8c-43c6-8877-f706c7365bff" },
    credits: 4,
    audioMillis: 3100,
    fileName: "call-17.wav",
    fileBytes: 50_000,
    transcript: "नमस्ते",
    ...changes
  })

const failure = { status: 502, credits: undefined, audioMillis: undefined, problem: "the backend was unreachable" }
const cut = { outcome: "faulted", fault: 1, sentBytes: 20_000, credits: undefined } as const
const reset = { outcome: "faulted", fault: 1, status: null, millis: null, sentBytes: 0, totalBytes: undefined } as const

const callsOf = (entries: ReadonlyArray<JournalEntry>) => makeCallGrouping()(entries)

const callOf = (...attempts: ReadonlyArray<JournalEntry>) => {
  const [call] = callsOf(attempts)
  if (call === undefined) throw new Error("no attempts")
  return call
}

describe("the status of a request", () => {
  it.each([
    ["200", "good", synthesis(1)],
    ["502", "bad", synthesis(1, failure)],
    ["cut", "other", synthesis(1, cut)],
    ["reset", "other", synthesis(1, reset)],
    ["left", "other", synthesis(1, { outcome: "abandoned", sentBytes: 100 })],
    ["left", "other", synthesis(1, { ...reset, clientLeft: true })],
    ["in progress", "busy", synthesis(1, { outcome: "underWay", status: null, sentBytes: undefined })],
    ["in progress", "busy", synthesis(1, { ...reset, sentBytes: undefined })],
    ["200", "good", synthesis(1, { outcome: "faulted", fault: 1 })],
    ["200", "other", synthesis(1, { outcome: "faulted", fault: 1, audioMillis: undefined })],
    ["200", "other", transcription(1, { outcome: "faulted", fault: 1, transcript: undefined })],
    ["in progress", "busy", synthesis(1, { outcome: "faulted", fault: 1, sentBytes: undefined })]
  ] as const)("is %s, which looks %s", (word, kind, entry) => {
    expect(statusOf(entry)).toEqual({ word, kind })
    expect(isFailed(entry)).toBe(!["good", "busy"].includes(kind))
  })
})

describe("the attempts of a call", () => {
  it("are one call, which is where its latest attempt is", () => {
    const attempts = [1, 3, 4].map((number) => synthesis(number, { ...failure, id: "same" }))
    const calls = callsOf([synthesis(0), attempts[0], synthesis(2), attempts[1], attempts[2]] as Array<JournalEntry>)
    expect(calls.map(({ latest }) => latest.number)).toEqual([4, 2, 0])
    expect(calls[0]?.attempts).toEqual(attempts)
    expect(tookMillis(calls[0] ?? callOf())).toBe(3011)
  })

  it("are found by the transaction id of a transcription", () => {
    expect(callsOf([transcription(1, { ...failure, id: "a" }), transcription(2, { id: "b" })])).toHaveLength(1)
  })

  it.each([
    ["after a whole response", {}, {}],
    ["of another key", failure, { keyId: "0123456789ab" }],
    ["with another text", failure, { request: { text: "Good evening." } }],
    ["of the other operation", failure, { operation: "transcribe", request: { transaction_id: "id" } }],
    ["more than an hour later", failure, { at: new Date(start + 4_000_000).toISOString() }]
  ] as const)("do not include a request with the same id %s", (_, first, second) => {
    expect(callsOf([synthesis(1, { ...first, id: "id" }), synthesis(2, { ...second, id: "id" })])).toHaveLength(2)
  })

  it("stay the same object until one of them changes", () => {
    const grouping = makeCallGrouping()
    const entries = [synthesis(1, { ...failure, id: "same" }), synthesis(2, { id: "same" }), synthesis(3)]
    const before = grouping(entries)
    const after = grouping([...entries, synthesis(4)])
    expect(after.slice(1).map((call, at) => call === before[at])).toEqual([true, true])
  })

  it("are the same after any change of the journal as if it were read anew", () => {
    const grouping = makeCallGrouping()
    let seed = 7
    const random = (below: number) => {
      seed = (seed * 48_271) % 2_147_483_647
      return seed % below
    }
    const entryOf = (number: number) =>
      synthesis(number, { ...(random(3) > 0 && failure), id: `id-${random(4)}`, keyId: random(2) === 0 ? null : "key" })
    let entries: ReadonlyArray<JournalEntry> = []
    for (let change = 0; change < 80; change++) {
      const at = random(entries.length + 1)
      const kind = random(10)
      if (kind === 0) entries = entries.slice(random(5))
      else if (kind === 1) entries = entries.slice(0, at)
      else if (kind < 4) entries = entries.map((entry, index) => (index === at ? entryOf(entry.number) : entry))
      else entries = [...entries, entryOf(change)]
      expect(grouping(entries)).toEqual(callsOf(entries))
    }
  })
})

describe("the filter", () => {
  const calls = callsOf([
    synthesis(1, { id: "502-is-in-this-id" }),
    synthesis(2, { ...failure, fault: 1, outcome: "faulted", id: "retried" }),
    synthesis(3, { id: "retried", request: { text: "Good morning." } }),
    synthesis(4, failure),
    synthesis(613, cut),
    transcription(614, { outcome: "underWay", status: null, sentBytes: undefined, transcript: undefined }),
    transcription(615, { request: { model: "hi-general-v2-8khz", transaction_id: "other" } })
  ])
  const found = (query: string) => filterCalls(calls, readFilter(query)).map(({ latest }) => latest.number)

  it.each([
    ["q=502", [4, 3]],
    ["q=5xx", [4, 3]],
    ["q=613", [613]],
    ["q=%23613", [613]],
    ["q=cut", [613]],
    ["q=CALL-17%20hi-general", [615, 614]],
    ["q=नमस्ते", [615]],
    ["q=502-is-in", [1]],
    ["q=unreachable", [4, 3]],
    ["only=failed", [613, 4]],
    ["only=progress", [614]],
    ["only=transcription", [615, 614]],
    ["only=failed,transcription", []],
    ["q=good&only=failed,synthesis", [613, 4]]
  ])("%s shows the requests %j", (query, numbers) => {
    expect(found(query)).toEqual(numbers)
  })

  it("is in the address as it was written", () => {
    for (const query of ["", "q=%26a%3Fb", "only=failed,transcription", "q=a%20b&only=progress"]) {
      expect(writeFilter(readFilter(query))).toBe(query)
    }
    expect(readFilter("only=nonsense")).toEqual(noFilter)
    expect(countCalls(calls)).toEqual({ failed: 2, progress: 1 })
  })
})

describe("a row", () => {
  const lines = (entry: JournalEntry) => [titleOf(entry).text, factsOf(callOf(entry)).join(" · ")]

  it.each([
    ["of speech", synthesis(1), "Good morning.", "synthesis · en · 13 code points · 0.9 s of audio · 13 credits"],
    [
      "of a transcript",
      transcription(1),
      "नमस्ते",
      "transcription · call-17.wav · 3.1 s · hi-general-v2-8khz · 4 credits"
    ],
    [
      "of a cut response",
      synthesis(1, cut),
      "Good morning.",
      "synthesis · 20,000 of 30,044 bytes sent · en · 13 code points · not billed"
    ],
    [
      "of a call that is recorded",
      synthesis(1, { credits: undefined, billing: "notKnown" }),
      "Good morning.",
      "synthesis · en · 13 code points · 0.9 s of audio · billed by the recorded service: not known here"
    ],
    [
      "of a refusal",
      synthesis(1, {
        ...failure,
        status: 400,
        problem: "lang: “xx” is not supported",
        request: { text: "Good morning." }
      }),
      "lang: “xx” is not supported",
      "synthesis · Good morning. · 13 code points · not billed"
    ],
    [
      "of a failure of the service",
      synthesis(1, failure),
      "Good morning.",
      "synthesis · the backend was unreachable · en · 13 code points · not billed"
    ],
    [
      "of a refused file",
      transcription(1, { ...failure, status: 402, problem: "the credit balance is exhausted", transcript: undefined }),
      "The credit balance is exhausted",
      "transcription · call-17.wav · hi-general-v2-8khz · not billed"
    ],
    [
      "of an empty transcript",
      transcription(1, { transcript: "" }),
      "Nothing was recognised",
      "transcription · call-17.wav · 3.1 s · hi-general-v2-8khz · 4 credits"
    ]
  ])("%s says what happened", (_, entry, title, facts) => {
    expect(lines(entry)).toEqual([title, facts])
  })

  it("names the piece of a long text and of a long recording", () => {
    expect(pieceOf(synthesis(1, { id: "book.007", parent: "book" }))).toEqual({ whole: "book", number: 7, run: "book" })
    expect(pieceOf(transcription(1, { fileName: "meeting.piece-12.wav" }))).toEqual({ whole: "meeting", number: 12 })
    expect(pieceOf(synthesis(1, { id: "order.202611260001", parent: "order" }))).toBeUndefined()
    expect(pieceOf(synthesis(1))).toBeUndefined()
  })
})

describe("why", () => {
  const why = (attempts: ReadonlyArray<JournalEntry>, at = -1, known: Partial<Parameters<typeof explain>[0]> = {}) => {
    const call = callOf(...attempts)
    const entry = call.attempts.at(at) ?? call.latest
    const explanation = explain({ call, entry, fault: undefined, notice: undefined, revoked: [], ...known })
    return explanation && [explanation.headline, ...explanation.sentences].join(" ")
  }
  const retried = [1, 2, 3].map((number) => synthesis(number, { ...failure, id: "same" }))

  it("says nothing of an ordinary response", () => {
    expect(why([synthesis(1)])).toBeUndefined()
  })

  it("counts what the client sent again", () => {
    expect(why(retried)).toBe("The backend was unreachable. Your program sent it again twice, without success so far.")
    expect(why(retried, 0)).toBe("The backend was unreachable. Your program sent it again 989 ms later, as request 2.")
    expect(why([...retried.slice(0, 2), synthesis(3, { id: "same" })])).toBe(
      "The whole response was sent. Your program sent it again twice, then it succeeded."
    )
    expect(why([synthesis(1, failure)])).toBe("The backend was unreachable. Your program has not sent it again.")
  })

  it("says what a fault did", () => {
    expect(why([synthesis(1, cut)], -1, { fault: { times: 1, truncateAtByte: 20_000 } })).toBe(
      "The response ended after 20,000 of 30,044 bytes. A fault was applied: the next request is cut off after 20,000 bytes. Your program has not sent it again."
    )
    expect(why([synthesis(1, reset)], -1, { fault: { reset: "answer" } })).toMatch(
      /^The connection was reset, without a response\. A fault was applied: every request loses the connection/
    )
    expect(
      why([synthesis(1, { outcome: "faulted", fault: 1, audioMillis: undefined })], -1, { fault: { body: "{}" } })
    ).toMatch(/^The response had status 200, and a body without speech\. A fault was applied/)
    expect(why([synthesis(1, { ...reset })], -1, { fault: { malformedHeader: true } })).toMatch(/could not be parsed/)
  })

  it("names the cause of a refusal, and a revoked key only if it was sent", () => {
    const revokedAt = new Date(start).toISOString()
    const key = new Key({ id: "1", name: "kiosk", creator: "me", createdAt: revokedAt, scopes: [], revokedAt })
    const refused = (changes: Partial<Fields>) => {
      const problem = "the API key was not accepted"
      const entry = synthesis(10, { ...failure, status: 401, problem, keyId: null, request: null, ...changes })
      return why([entry], -1, { revoked: [key] })?.replace(/^The API key was not accepted\. /, "")
    }
    expect(refused({ refusal: "unknownKey", refusedKeyId: "1" })).toMatch(
      /^The key “kiosk” was revoked at .* Give your program the active key\.$/
    )
    expect(refused({ refusal: "unknownKey" })).toMatch(/^It had no key of this service\. Compare the key/)
    expect(refused({ refusal: "accountNotActive", refusedKeyId: "2" })).toMatch(/valid, but the account was not active/)
    expect(refused({ refusal: "missingScope", refusedKeyId: "2" })).toMatch(/did not have the scope tts:synth/)
    expect(refused({ refusal: "noCredit", refusedKeyId: "console" })).toMatch(
      /^The credit was less than the call costs/
    )
  })

  it("says what the service does with a request in progress", () => {
    const open = { outcome: "underWay", status: null, sentBytes: undefined } as const
    expect(why([synthesis(1, { ...open, request: null })])).toBe("The service receives the request.")
    expect(why([synthesis(1, open)])).toBe("The service speaks the text.")
    expect(why([transcription(1, open)])).toBe("The service recognises the recording.")
  })

  it("repeats the notice of an empty transcript", () => {
    expect(why([transcription(1, { transcript: "" })], -1, { notice: "teach this recording" })).toBe(
      "Nothing was recognised. Teach this recording."
    )
  })
})

describe("the transcript of a response", () => {
  it("has its segments in milliseconds, without those that have no times", () => {
    const segments_meta = [{ text: "one", start: 0.5, end: "1.25", confidence: 0.9 }, { text: "two" }, 7]
    const body = JSON.stringify({ text: "one two", aux_info: { confidence: 0.8, segments_meta } })
    expect(readTranscript(body)).toEqual({
      text: "one two",
      confidence: 0.8,
      segments: [{ text: "one", start: 500, end: 1250, confidence: 0.9 }]
    })
    expect(readTranscript('{"text":""}')).toEqual({ text: "", confidence: undefined, segments: [] })
    for (const other of [undefined, null, "", "[]", '{"error":"no"}', "not JSON"]) {
      expect(readTranscript(other)).toBeUndefined()
    }
  })
})
