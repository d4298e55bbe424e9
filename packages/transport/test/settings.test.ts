import { describe, expect, it } from "@effect/vitest"
import { ApiKey, BaseUrl, Deadlines, Retries } from "@effect-speech/transport"
import * as OptionalConfig from "@effect-speech/transport/OptionalConfig"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Redacted from "effect/Redacted"

const redact = (text: string, key: Redacted.Redacted) => ApiKey.printable(ApiKey.withoutKey(text, key))

describe("an API key", () => {
  it.each(["prefix.secret", "a.b.c.d", "sk_live-1.~!@#$%^&*()"])("may be %s", (key) => {
    expect(ApiKey.problemWith(Redacted.make(key))).toBeUndefined()
  })

  it.each([
    ["", "empty"],
    ["no-dot", "dot"],
    [".secret", "dot"],
    [".a.b", "dot"],
    ["prefix.", "dot"],
    ["pre fix.secret", "space"],
    ["prefix.secret\n", "line break"],
    ["prefix.sécret", "ASCII"]
  ])("must not be %j, and the problem does not quote it", (key, word) => {
    const problem = ApiKey.problemWith(Redacted.make(key))
    expect(problem).toContain(word)
    if (key !== "") expect(problem).not.toContain(key)
  })

  it("is removed from text", () => {
    expect(redact("key a.b is wrong: a.b", Redacted.make("a.b"))).toBe("key <redacted> is wrong: <redacted>")
    const long = Redacted.make("prefix.ab+cd/efgh==")
    expect(redact("ab+cd/efgh== and prefix.ab%2Bcd%2Fefgh%3D%3D", long)).toBe("<redacted> and <redacted>")
    const odd = Redacted.make("pfx.ab/cd+ef==gh(ij)")
    expect(redact("pfx.ab%2fcd%2bef%3d%3dgh%28ij%29 ab/cd%2Bef%3D%3Dgh(ij)", odd)).toBe("<redacted> <redacted>")
    // A short secret may be a regular word, so it is removed only together with its prefix.
    expect(redact("abcdefg pfx.abcdefg", Redacted.make("pfx.abcdefg"))).toBe("abcdefg <redacted>")
    expect(redact("abcdefgh pfx.abcdefgh", Redacted.make("pfx.abcdefgh"))).toBe("<redacted> <redacted>")
    expect(redact("clear\u001b[2J the\r\nscreen", Redacted.make("a.b"))).toBe("clear\\u001b[2J the\\r\\nscreen")
  })
})

describe("a key that comes back encoded", () => {
  const value = "prefix.secretlong+/=&"
  const key = Redacted.make(value)
  const each = (encode: (character: string, code: number) => string, text = value) =>
    [...text].map((character) => encode(character, character.charCodeAt(0))).join("")
  const hex = (code: number) => code.toString(16).padStart(2, "0")
  const base64 = (text: string) => Buffer.from(text).toString("base64")

  it.each([
    { what: "one letter in percents", text: "prefix.secret%6Cong+/=&" },
    { what: "one letter in percents, in small hex", text: "secret%6cong+/=&" },
    { what: "all in percents", text: each((_, code) => `%${hex(code).toUpperCase()}`) },
    { what: "all in percents, twice", text: each((_, code) => `%25${hex(code)}`) },
    { what: "escapes of JSON", text: each((_, code) => `\\u00${hex(code)}`) },
    { what: "escapes of JSON in JSON", text: each((_, code) => `\\\\u00${hex(code).toUpperCase()}`) },
    { what: "a slash of JSON", text: value.replace("/", "\\/") },
    { what: "escapes of JavaScript", text: each((_, code) => `\\x${hex(code)}`) },
    { what: "HTML in decimals", text: each((_, code) => `&#${code};`) },
    { what: "HTML in hex", text: each((_, code) => `&#x${hex(code)};`) },
    { what: "HTML in hex, without semicolons", text: each((_, code) => `&#X000${hex(code)}`) },
    { what: "HTML names", text: "prefix&period;secretlong&plus;&sol;&equals;&amp;" },
    { what: "several encodings", text: "prefix%2Esecret&#108;ong\\u002b/%3D&amp;" },
    { what: "hex", text: Buffer.from(value).toString("hex") },
    { what: "hex in capitals", text: Buffer.from(value).toString("hex").toUpperCase() },
    { what: "base64", text: base64(value) },
    { what: "base64 of the secret", text: base64("secretlong+/=&") },
    { what: "base64url", text: Buffer.from(value).toString("base64url") }
  ])("is removed: $what", ({ text }) => {
    expect(redact(`the key ${text} is wrong`, key)).toBe("the key <redacted> is wrong")
  })

  it.each(["", "a", "ab", "abc"])("is removed in base64 behind '%s', with what follows", (before) => {
    for (const after of ["", ":", "::", ":::"]) {
      const redacted = redact(`Basic ${base64(before + value + after)}.`, key)
      expect(redacted).toMatch(/^Basic .{0,4}<redacted>.{0,8}\.$/)
    }
  })

  it("is looked for in time that grows with the text alone", () => {
    for (const text of ["\\\\", "%25", "&amp;", "&#0", "&", "s", "%73", "p ", "7 0 ", "cHBw"]) {
      const long = text.repeat(50_000)
      const begun = performance.now()
      expect(ApiKey.withoutKey(long, key)).toBe(long)
      expect(performance.now() - begun).toBeLessThan(2_000)
    }
  })

  it("leaves text with the same characters as it is", () => {
    const texts = [
      "100 % of secret & long",
      "\\u0073ecret",
      "&#115;ecret&amp;",
      "%73%65%63%72%65%74",
      base64("prefix.")
    ]
    for (const text of texts) expect(ApiKey.withoutKey(text, key)).toBe(text)
  })
})

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
  const parse = (given: Deadlines.Deadlines) => Deadlines.parse(given, "10 minutes")

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
  const defaults = { times: 2, firstDelay: 200, longestDelay: 8000, outage: 0, retryAmbiguous: false }

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
      Either.right({ times: 5, firstDelay: 1000, longestDelay: 2000, outage: 600_000, retryAmbiguous: false })
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

describe("options of a Config", () => {
  it("may be absent at any depth", () => {
    const options = { apiKey: Config.succeed("a.b"), deadlines: { total: Config.succeed("1 minute") } }
    const given = OptionalConfig.unwrap(Object.assign({ retries: undefined }, options) as typeof options)
    expect(Effect.runSync(given)).toEqual({ apiKey: "a.b", deadlines: { total: "1 minute" } })
  })
})
