import { describe, expect, it } from "@effect/vitest"
import { ApiKey, BaseUrl } from "@effect-speech/transport"
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
    ["prefix.", "dot"],
    ["pre fix.secret", "space"],
    ["prefix.secret\n", "line break"],
    ["prefix.sécret", "ASCII"]
  ])("may not be %j, and the problem does not quote it", (key, word) => {
    const problem = ApiKey.problemWith(Redacted.make(key))
    expect(problem).toContain(word)
    if (key !== "") expect(problem).not.toContain(key)
  })

  it("is taken out of words that quote it", () => {
    expect(redact("key a.b is wrong: a.b", Redacted.make("a.b"))).toBe("key <redacted> is wrong: <redacted>")
    const long = Redacted.make("prefix.ab+cd/efgh==")
    expect(redact("ab+cd/efgh== and prefix.ab%2Bcd%2Fefgh%3D%3D", long)).toBe("<redacted> and <redacted>")
    const odd = Redacted.make("pfx.ab/cd+ef==gh(ij)")
    expect(redact("pfx.ab%2fcd%2bef%3d%3dgh%28ij%29 ab/cd%2Bef%3D%3Dgh(ij)", odd)).toBe("<redacted> <redacted>")
    expect(redact("clear\u001b[2J the\r\nscreen", Redacted.make("a.b"))).toBe("clear [2J the screen")
  })
})

describe("a base URL", () => {
  const resolve = (text: string, options?: BaseUrl.BaseUrlOptions) =>
    Either.map(BaseUrl.parse("SPEECH_URL", text, options), (url) => BaseUrl.resolve(url, "/api/transcribe").href)

  it.each([
    ["https://host.example", "https://host.example/api/transcribe"],
    ["https://host.example/", "https://host.example/api/transcribe"],
    ["https://host.example:8443/v1/speech/", "https://host.example:8443/v1/speech/api/transcribe"],
    ["http://127.0.0.1:8080", "http://127.0.0.1:8080/api/transcribe"],
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
    ["https://user:password@host.example", "password"],
    ["https://host.example/?a=b", "query"]
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
