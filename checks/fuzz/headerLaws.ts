import { isIPv4 } from "node:net"
import * as BaseUrl from "@effect-speech/transport/unstable/BaseUrl"
import * as ConfigError from "effect/ConfigError"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import { retryAfterMillis } from "../../packages/transport/src/unstable/RetryAfter.js"
import { anyString } from "./arbitraries.js"
import { law, type Topic } from "./law.js"

/** The three forms of an HTTP date (RFC 9110, 5.6.7), of which JavaScript writes the first. */
const dateForms: ReadonlyArray<(date: Date) => string> = [
  (date) => date.toUTCString(),
  (date) => {
    const [, day, month, year = "", time] = date.toUTCString().split(" ")
    const weekday = date.toLocaleDateString("en", { weekday: "long", timeZone: "UTC" })
    return `${weekday}, ${day}-${month}-${year.slice(2)} ${time} GMT`
  },
  (date) => {
    const [weekday = "", day, month, year, time] = date.toUTCString().split(" ")
    return `${weekday.slice(0, 3)} ${month} ${day?.replace(/^0/, " ")} ${time} ${year}`
  }
]

/** Whole seconds from 2020 to 2049. For later years, a year of two digits is ambiguous. */
const moment = FastCheck.integer({ min: 1_577_836_800, max: 2_524_607_999 }).map((seconds) => seconds * 1000)

/** What dates are made of, in any order. No HTTP date has a time without seconds. */
const dateWords = FastCheck.array(
  FastCheck.oneof(
    FastCheck.constantFrom(..."GMT UTC Z + - Mon Jan Monday 2099 9 12:00 T , .".split(" ")),
    FastCheck.nat(3000).map(String)
  ),
  { maxLength: 7 }
).map((words) => words.join(" "))

/** An HTTP date does not depend on the time zone of the machine. */
const inZone = <A>(zone: string, work: () => A): A => {
  const before = process.env.TZ
  process.env.TZ = zone
  try {
    return work()
  } finally {
    if (before === undefined) delete process.env.TZ
    else process.env.TZ = before
  }
}

const addresses = FastCheck.oneof(
  anyString,
  FastCheck.webUrl({ withQueryParameters: true, withFragments: true }),
  FastCheck.tuple(
    FastCheck.constantFrom("http:", "https:", "ftp:", "HTTPS:", "file:", "javascript:", ""),
    FastCheck.constantFrom("//", "/", "", "///", "\\\\"),
    FastCheck.constantFrom("localhost", "127.0.0.1", "[::1]", "127.1", "2130706433", "LOCALHOST", "a@b"),
    FastCheck.constantFrom("", "", ".host.example"),
    FastCheck.oneof(
      FastCheck.constant(""),
      FastCheck.nat(70_000).map((port) => `:${port}`)
    ),
    FastCheck.oneof(FastCheck.webPath(), anyString)
  ).map((parts) => parts.join(""))
)

export const headerLaws: Topic = Effect.succeed({
  "Retry-After: n seconds are n seconds, for any n": law(
    300,
    FastCheck.property(FastCheck.bigInt({ min: 0n, max: 10n ** 30n }), moment, (seconds, now) => {
      const expected = Math.min(Number(seconds * 1000n), Number.MAX_SAFE_INTEGER)
      return retryAfterMillis(String(seconds), now) === expected
    })
  ),

  "Retry-After: a future date in each form of HTTP is waited for, a past one is not": law(
    300,
    FastCheck.property(
      moment,
      moment,
      FastCheck.constantFrom(...dateForms),
      FastCheck.constantFrom("UTC", "Asia/Kolkata", "America/Los_Angeles"),
      (at, now, form, zone) => {
        const header = form(new Date(at))
        const millis = inZone(zone, () => retryAfterMillis(header, now))
        if (millis !== Math.max(0, at - now)) throw new Error(`${header} is ${millis} at ${now}`)
      }
    )
  ),

  "Retry-After: any other text is ignored": law(
    500,
    FastCheck.property(
      FastCheck.oneof(anyString, dateWords).filter((text) => !/^[0-9]+$/.test(text)),
      moment,
      (text, now) => retryAfterMillis(text, now) === undefined
    )
  ),

  "a base URL is refused, or the key may be sent to it and the path of the operation is below it": law(
    500,
    FastCheck.property(addresses, FastCheck.boolean(), (address, allowInsecureHttp) => {
      const parsed = BaseUrl.parse("baseUrl", address, { allowInsecureHttp })
      if (Either.isLeft(parsed)) return ConfigError.isConfigError(parsed.left)
      const url = BaseUrl.resolve(parsed.right, "/tts/bytes")
      const isLocal =
        ["localhost", "[::1]"].includes(url.hostname) || (isIPv4(url.hostname) && url.hostname.startsWith("127."))
      return (
        (url.protocol === "https:" || (url.protocol === "http:" && (isLocal || allowInsecureHttp))) &&
        url.origin === parsed.right.origin &&
        url.pathname.endsWith("/tts/bytes") &&
        url.pathname.startsWith(parsed.right.pathname.replace(/\/+$/, "")) &&
        url.username + url.password + url.search + url.hash === ""
      )
    })
  )
})
