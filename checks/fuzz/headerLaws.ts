import { isIPv4 } from "node:net"
import * as ApiKey from "@effect-speech/transport/ApiKey"
import * as BaseUrl from "@effect-speech/transport/BaseUrl"
import * as TtsContract from "@effect-speech/tts/TtsContract"
import * as ConfigError from "effect/ConfigError"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { retryAfterMillis } from "../../packages/transport/src/internal/call/backoff.js"
import { anyString } from "./arbitraries.js"
import { law, type Topic } from "./law.js"

const days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
const twoDigits = (value: number) => String(value).padStart(2, "0")

/** The three forms of an HTTP date (RFC 9110, 5.6.7), built from the parts of a date. */
const dateForms: Readonly<Record<string, (date: Date) => string>> = {
  "IMF-fixdate": (date) =>
    `${days[date.getUTCDay()]?.slice(0, 3)}, ${twoDigits(date.getUTCDate())} ${months[date.getUTCMonth()]} ` +
    `${date.getUTCFullYear()} ${timeOf(date)} GMT`,
  "rfc850-date": (date) =>
    `${days[date.getUTCDay()]}, ${twoDigits(date.getUTCDate())}-${months[date.getUTCMonth()]}-` +
    `${twoDigits(date.getUTCFullYear() % 100)} ${timeOf(date)} GMT`,
  "asctime-date": (date) =>
    `${days[date.getUTCDay()]?.slice(0, 3)} ${months[date.getUTCMonth()]} ${String(date.getUTCDate()).padStart(2)} ` +
    `${timeOf(date)} ${date.getUTCFullYear()}`
}

function timeOf(date: Date): string {
  return [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()].map(twoDigits).join(":")
}

/** Whole seconds from 2020 to 2049. For later years, a year of two digits is ambiguous. */
const moment = FastCheck.integer({ min: 1_577_836_800, max: 2_524_607_999 }).map((seconds) => seconds * 1000)

/** The patterns of those forms, without names. */
const shapes = ["Aaa, 00 Aaa 0000 00:00:00 GMT", "A+day, 00-Aaa-00 00:00:00 GMT", "Aaa Aaa _0 00:00:00 0000"]
const looksLikeDate = (text: string): boolean =>
  shapes.includes(
    text
      .replace(/^[A-Z][a-z]+day,/, "A+day,")
      .replace(/[A-Z][a-z]{2}(?![a-z])/g, "Aaa")
      .replace(/^(Aaa Aaa) [ \d]\d/, "$1 _0")
      .replace(/\d/g, "0")
  )

const almostDate = FastCheck.tuple(moment, FastCheck.constantFrom(...Object.values(dateForms))).chain(([at, form]) => {
  const whole = form(new Date(at))
  return FastCheck.tuple(FastCheck.nat(whole.length), FastCheck.nat(4), FastCheck.string({ maxLength: 4 })).map(
    ([from, count, words]) => whole.slice(0, from) + words + whole.slice(from + count)
  )
})

const dateWords = FastCheck.array(
  FastCheck.oneof(
    FastCheck.constantFrom("GMT", "UTC", "Z", "+", "-", "Mon", "Jan", "Monday", "2099", "9", "12:00", "T", ",", "."),
    FastCheck.nat(3000).map(String)
  ),
  { maxLength: 7 }
).map((words) => words.join(" "))

/** Time zones of the machine. An HTTP date does not depend on them. */
const zone = FastCheck.constantFrom("UTC", "Asia/Kolkata", "America/Los_Angeles")
const inZone = <A>(name: string, work: () => A): A => {
  const before = process.env.TZ
  process.env.TZ = name
  try {
    return work()
  } finally {
    if (before === undefined) delete process.env.TZ
    else process.env.TZ = before
  }
}

const isWhole = (text: string) => /^[0-9]+$/.test(text)

const requestIdCharacters = new Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:-")
const almostRequestId = FastCheck.oneof(
  anyString,
  FastCheck.string({ unit: FastCheck.constantFrom(...requestIdCharacters), minLength: 0, maxLength: 66 }),
  FastCheck.tuple(
    FastCheck.string({ unit: FastCheck.constantFrom(...requestIdCharacters), minLength: 1, maxLength: 63 }),
    FastCheck.constantFrom("\n", " ", "é", "\0", "/", ";", "\u2028", "")
  ).map(([id, end]) => id + end)
)

const visibleCharacter = FastCheck.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code))
const visible = FastCheck.string({ unit: visibleCharacter })
const addresses = FastCheck.oneof(
  anyString,
  FastCheck.webUrl({ withQueryParameters: true, withFragments: true }),
  FastCheck.tuple(
    FastCheck.constantFrom("http:", "https:", "ftp:", "HTTPS:", "file:", "javascript:", ""),
    FastCheck.constantFrom("//", "/", "", "///", "\\\\"),
    FastCheck.constantFrom("localhost", "127.0.0.1", "[::1]", "127.1", "2130706433", "LOCALHOST", "a@b"),
    FastCheck.constantFrom("", "", ".host.example"),
    FastCheck.option(FastCheck.nat(70_000), { nil: "" }).map((port) => (port === "" ? "" : `:${port}`)),
    FastCheck.oneof(FastCheck.webPath(), anyString)
  ).map((parts) => parts.join(""))
)

const decodeHeaders = Schema.decodeUnknownEither(TtsContract.AudioHeaders)

export const headerLaws: Topic = Effect.succeed({
  "Retry-After: n seconds are n seconds, for any n": law(
    300,
    FastCheck.property(FastCheck.bigInt({ min: 0n, max: 10n ** 30n }).map(String), moment, (text, now) => {
      const millis = retryAfterMillis(text, now)
      const asked = BigInt(text) * 1000n
      const expected = asked > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(asked)
      return millis === expected
    })
  ),

  "Retry-After: a future date in each form of HTTP is waited for, a past one is not": law(
    300,
    FastCheck.property(
      moment,
      moment,
      FastCheck.constantFrom(...Object.keys(dateForms)),
      zone,
      (at, now, form, zone) => {
        const header = dateForms[form]?.(new Date(at)) ?? ""
        const millis = inZone(zone, () => retryAfterMillis(header, now))
        if (millis !== Math.max(0, at - now))
          throw new Error(`${header} is ${millis} at ${new Date(now).toUTCString()}`)
      }
    )
  ),

  "Retry-After: any other text is ignored, and no value is negative": law(
    500,
    FastCheck.property(FastCheck.oneof(anyString, almostDate, dateWords), moment, (text, now) => {
      const millis = retryAfterMillis(text, now)
      if (isWhole(text) || looksLikeDate(text)) return millis === undefined || millis >= 0
      return millis === undefined
    })
  ),

  "X-Sample-Rate is a whole number above 0 with at most six digits, X-Encoding is one of two": law(
    500,
    FastCheck.property(
      FastCheck.oneof(
        anyString,
        FastCheck.integer({ min: -10, max: 2_000_000 }).map(String),
        FastCheck.double().map(String),
        FastCheck.constantFrom(
          "8000",
          "8e3",
          "0x1f40",
          " 8000",
          "8000 ",
          "8000\n",
          "８０００",
          "8000, 8000",
          "08000",
          ""
        )
      ),
      FastCheck.oneof(anyString, FastCheck.constantFrom("pcm16", "float32", "PCM16", "pcm16 ", "pcm16, pcm16", "")),
      (rate, encoding) => {
        const result = decodeHeaders({ "x-sample-rate": rate, "x-encoding": encoding })
        const isRate = rate.length <= 6 && String(Math.floor(Number(rate))) === rate && Number(rate) > 0
        const isSound = isRate && (encoding === "pcm16" || encoding === "float32")
        if (Either.isLeft(result)) return !isSound
        return isSound && String(result.right["x-sample-rate"]) === rate && result.right["x-encoding"] === encoding
      }
    )
  ),

  "a request id is valid if and only if it has 1 to 64 of the characters of the contract": law(
    500,
    FastCheck.property(almostRequestId, (id) => {
      const isValid =
        id.length >= 1 && id.length <= 64 && [...id].every((character) => requestIdCharacters.has(character))
      return TtsContract.requestIdPattern.test(id) === isValid
    })
  ),

  "a key is visible ASCII with a dot after its prefix, and no problem quotes the key": law(
    300,
    FastCheck.property(FastCheck.oneof(anyString, visible), (text) => {
      const problem = ApiKey.problemWith(Redacted.make(text))
      const isVisible = [...text].every((character) => character >= "!" && character <= "~")
      const dot = text.indexOf(".")
      if ((problem === undefined) !== (isVisible && dot > 0 && dot < text.length - 1)) return false
      return problem === undefined || text.length < 8 || !problem.includes(text) || "it is empty".includes(text)
    })
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
