import { describe, expect, it } from "vitest"
import { describeFault } from "../console/src/faults/describeFault.js"
import { emptyForm, type FormFields, faultOf } from "../console/src/faults/faultFields.js"
import { laterBy, stateOf } from "../console/src/faults/faultTimes.js"
import type { Fault } from "../src/Faults.js"

describe("a fault in the console", () => {
  it.each<[sentence: string, fault: Fault]>([
    ["Every third synthesis fails with 503.", { operation: "synthesize", every: 3, status: 503 }],
    ["The next synthesis fails with 502.", { operation: "synthesize", times: 1, status: 502 }],
    ["The next 3 requests fail with 502, “no”.", { times: 3, status: 502, message: "no" }],
    [
      "The fourth transcription is cut off after 20 bytes.",
      { operation: "transcribe", nth: 4, times: 1, truncateAtByte: 20 }
    ],
    ["Every request from the 22nd on loses the connection at once.", { nth: 22, reset: "request" }],
    [
      "About 33 % of the syntheses fail with 503, Retry-After: 2.",
      { operation: "synthesize", probability: 0.33, status: 503, headers: { "retry-after": "2" } }
    ],
    [
      "5 s after it is set, for 20 s, every request fails with 503.",
      { afterMillis: 5000, forMillis: 20_000, status: 503 }
    ],
    [
      "Every second request, from the first on, (at most 2 times) fails with 500.",
      { every: 2, nth: 1, times: 2, status: 500 }
    ],
    ["Every request gets 1,000 bytes of the response and then nothing.", { stallAtByte: 1000 }],
    [
      "Every request has X-Sample-Rate: 1, no X-Request-Id and is answered 1.5 s late.",
      {
        headers: { "X-Sample-Rate": "1", "X-Request-Id": null },
        delayMillis: 1500
      }
    ],
    ["Every request gets a header that no client can parse.", { malformedHeader: true, status: 500 }],
    ["Every request gets a 200 with a body of yours.", { body: "{" }]
  ])("says: %s", (sentence, fault) => {
    expect(describeFault(fault)).toBe(sentence)
  })

  const form = (fields: Partial<FormFields>) => faultOf({ ...emptyForm, ...fields })

  it("has the fields of its kind and of its choice, and no others", () => {
    expect(form({})).toEqual({ fault: { status: 503 } })
    expect(form({ operation: "synthesize", choice: "every", retryAfter: "1", message: "no" })).toEqual({
      fault: { operation: "synthesize", every: 3, status: 503, message: "no", headers: { "Retry-After": "1" } }
    })
    expect(form({ kind: "delay", delaySeconds: "0.5", choice: "share", status: "x" })).toEqual({
      fault: { delayMillis: 500, probability: 0.3 }
    })
    expect(form({ kind: "cut", cutBy: "stallAtByte", bytes: "20,000", choice: "nth", times: "1" })).toEqual({
      fault: { stallAtByte: 20_000, nth: 2, times: 1 }
    })
    expect(form({ kind: "reset", afterSeconds: "5", forSeconds: "20" })).toEqual({
      fault: { reset: "answer", afterMillis: 5000, forMillis: 20_000 }
    })
    expect(form({ kind: "malformed" })).toEqual({ fault: { malformedHeader: true } })
    expect(form({ kind: "malformed", malformed: "body" })).toEqual({ fault: { body: "{" } })
    expect(form({ kind: "malformed", malformed: "headers", headers: "X-Note: a:b\n\nX-Request-Id" })).toEqual({
      fault: { headers: { "X-Note": "a:b", "X-Request-Id": null } }
    })
  })

  it.each<[field: keyof FormFields, problem: RegExp, fields: Partial<FormFields>]>([
    ["status", /200 to 599/, { status: "99" }],
    ["status", /200 to 599/, { status: "" }],
    ["retryAfter", /whole number of seconds/, { retryAfter: "soon" }],
    ["delaySeconds", /3,600/, { kind: "delay", delaySeconds: "4000" }],
    ["bytes", /whole number from 0/, { kind: "cut", bytes: "1.5" }],
    ["headers", /one header a line/, { kind: "malformed", malformed: "headers" }],
    ["headers", /one header a line/, { kind: "malformed", malformed: "headers", headers: "a b: c" }],
    ["every", /from 1/, { choice: "every", every: "0" }],
    ["nth", /from 1/, { choice: "nth", nth: "two" }],
    ["percent", /0 to 100/, { choice: "share", percent: "130" }],
    ["times", /from 1, or nothing/, { times: "0" }],
    ["afterSeconds", /from 0, or nothing/, { afterSeconds: "-1" }],
    ["forSeconds", /above 0, or nothing/, { forSeconds: "0" }]
  ])("says what is wrong with %s: %s", (field, problem, fields) => {
    expect(form(fields)).toEqual({ field, problem: expect.stringMatching(problem) })
  })

  it("is waiting, on, over or spent, and its time goes on between two readings", () => {
    const record = { fault: { status: 503, times: 2 }, happened: 0, beginsInMillis: 1000, endsInMillis: 3000 }
    expect(stateOf(record)).toBe("waiting")
    expect(laterBy(400, record)).toEqual({ ...record, beginsInMillis: 600, endsInMillis: 2600 })
    expect(stateOf(laterBy(1000, record))).toBe("on")
    expect(stateOf(laterBy(3000, record))).toBe("over")
    expect(stateOf({ ...record, happened: 2 })).toBe("spent")
    expect(stateOf({ fault: { status: 503 }, happened: 9 })).toBe("on")
  })
})
