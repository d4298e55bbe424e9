import { describe, expect, it } from "@effect/vitest"
import type { Deadlines as Given } from "@effect-speech/transport/Deadlines"
import * as BaseUrl from "@effect-speech/transport/unstable/BaseUrl"
import * as Either from "effect/Either"
import * as Deadlines from "../src/internal/options/deadlines.js"
import * as Retries from "../src/internal/options/retries.js"

describe("a base URL", () => {
  const resolve = (text: string, options?: BaseUrl.BaseUrlOptions) =>
    Either.map(BaseUrl.parse("SPEECH_URL", text, options), (url) => BaseUrl.resolve(url, "/api/transcribe").href)

  it.each([
    ["https://host.example", "https://host.example/api/transcribe"],
    ["https://host.example/v1//", "https://host.example/v1/api/transcribe"],
    ["http://127.200.30.4", "http://127.200.30.4/api/transcribe"],
    ["https://host.example:8443/v1/speech/", "https://host.example:8443/v1/speech/api/transcribe"],
    ["http://[::1]:8080", "http://[::1]:8080/api/transcribe"],
    ["http://localhost", "http://localhost/api/transcribe"]
  ])("%s keeps its path", (text, address) => {
    expect(resolve(text)).toEqual(Either.right(address))
  })

  it.each([
    ["host.example", "not a URL"],
    ["http://host.example", "plain http"],
    ["http://127.0.0.1.example", "plain http"],
    ["ftp://host.example", "neither https nor http"],
    ["https://user:password@host.example", "holds a user name or a password; remove them"],
    ["https://:password@host.example", "holds a user name or a password; remove them"],
    ["https://host.example/?a=b", "holds a query or a fragment; remove it"],
    ["https://host.example/#a", "holds a query or a fragment; remove it"],
    ["http://1127.0.0.1.example", "plain http"],
    ["http://128.0.0.1", "plain http"]
  ])("%s is refused with the reason and the name of the setting", (text, reason) => {
    const error = Either.getOrThrow(Either.flip(resolve(text)))
    expect(String(error)).toContain(reason)
    expect(String(error)).toContain("SPEECH_URL")
  })

  it("may be plain http to another machine if that is allowed", () => {
    const allowed = resolve("http://host.example", { allowInsecureHttp: true })
    expect(allowed).toEqual(Either.right("http://host.example/api/transcribe"))
  })
})

describe("deadlines", () => {
  const parse = (given: Given) => Deadlines.parse(given, "10 minutes")

  it("have defaults: 60 seconds without progress, that of the operation for the response, and no total", () => {
    const defaults = { uploadIdle: 60_000, answer: 600_000, downloadIdle: 60_000, total: Number.POSITIVE_INFINITY }
    expect(parse({})).toEqual(Either.right(defaults))
    expect(parse({ uploadIdle: "1 second", answer: 2000, downloadIdle: "3 seconds", total: "4 seconds" })).toEqual(
      Either.right({ uploadIdle: 1000, answer: 2000, downloadIdle: 3000, total: 4000 })
    )
  })

  it.each(["uploadIdle", "answer", "downloadIdle", "total"] as const)("name %s if it is not a duration", (name) => {
    const problemOf = (value: unknown) => String(Either.getOrThrow(Either.flip(parse({ [name]: value }))))
    expect(problemOf("soon")).toContain(`deadlines.${name}: "is not a duration, such as "2 minutes""`)
    expect(problemOf(0)).toContain(`deadlines.${name}: "must be longer than zero"`)
    expect(problemOf("0 seconds")).toContain(`deadlines.${name}: "must be longer than zero"`)
  })
})

describe("retries", () => {
  const defaults = {
    times: 2,
    firstDelay: 200,
    longestDelay: 8000,
    outage: 0,
    retryAmbiguous: false,
    schedule: undefined
  }

  it("are two by default, of up to 200 ms and 8 s, with no outage, and none after an ambiguous error", () => {
    expect(Retries.parse({})).toEqual(Either.right(defaults))
    expect(Retries.parse({ retries: 0, retryAmbiguous: true })).toEqual(
      Either.right({ ...defaults, times: 0, retryAmbiguous: true })
    )
  })

  it("may be a policy, whose parts have the same defaults", () => {
    expect(Retries.parse({ retries: {} })).toEqual(Either.right(defaults))
    const retries = { times: 5, firstDelay: "1 second", longestDelay: 2000, outage: "10 minutes" } as const
    expect(Retries.parse({ retries })).toEqual(
      Either.right({
        times: 5,
        firstDelay: 1000,
        longestDelay: 2000,
        outage: 600_000,
        retryAmbiguous: false,
        schedule: undefined
      })
    )
    expect(Retries.parse({ retries: { outage: Number.POSITIVE_INFINITY } })).toMatchObject({
      right: { outage: Number.POSITIVE_INFINITY }
    })
  })

  const problemOf = (retries: unknown) =>
    String(Either.getOrThrow(Either.flip(Retries.parse({ retries: retries as number }))))

  it.each([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, "2", null])("must not be %j", (retries) => {
    expect(problemOf(retries)).toContain(`retries: "must be a whole number from 0, not ${retries}"`)
  })

  it.each([
    [{ times: -1 }, 'retries.times: "must be a whole number from 0, not -1"'],
    [{ firstDelay: "soon" }, 'retries.firstDelay: "is not a duration, such as "2 minutes""'],
    [{ firstDelay: 0 }, 'retries.firstDelay: "must be longer than zero"'],
    [{ longestDelay: Number.POSITIVE_INFINITY }, 'retries.longestDelay: "must be finite"'],
    [{ outage: "0 seconds" }, 'retries.outage: "must be longer than zero"']
  ])("must not be the policy %j", (retries, problem) => {
    expect(problemOf(retries)).toContain(problem)
  })
})
