/** Laws of all error classes that the packages export. */
import { existsSync, readdirSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { beforeEach, expect, it } from "@effect/vitest"
import * as Documentation from "@effect-speech/common/Documentation"
import { withoutLink } from "@effect-speech/common/ErrorPage"
import { SpeechError } from "@effect-speech/promise"
import { SttCreditExhausted, SttError } from "@effect-speech/stt"
import { TextPiece } from "@effect-speech/transport/CallReport"
import { withPiece } from "@effect-speech/transport/unstable/ErrorDefinition"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { vi } from "vitest"
import { describeFailure, report } from "../packages/cli/src/report.js"

// Files of tests share their modules, so a mock of the whole module would come too late.
beforeEach(() => {
  const spy = vi.spyOn(Documentation, "address", "get").mockReturnValue("https://docs.example/speech/")
  return () => spy.mockRestore()
})

const root = fileURLToPath(new URL("..", import.meta.url))

type ErrorClass = new (facts: object, options: object) => Error & { readonly _tag: string }

const isErrorClass = (value: unknown): value is ErrorClass =>
  typeof value === "function" && value.prototype instanceof Error

/** The error classes of each public module. The command exports none, and an error of promise never fails in Effect. */
const errorClasses = async (): Promise<ReadonlyArray<ErrorClass>> => {
  const found = new Set<ErrorClass>()
  for (const name of readdirSync(`${root}packages`).filter((name) => !["cli", "promise"].includes(name))) {
    const source = `${root}packages/${name}/src`
    for (const file of readdirSync(source).filter((file) => /^[A-Z]\w+\.ts$/.test(file))) {
      for (const value of Object.values(await import(`${source}/${file}`))) if (isErrorClass(value)) found.add(value)
    }
  }
  return [...found]
}

it("every error that fails within a span is the error itself, which can be cloned, and not a Proxy", async () => {
  const classes = await errorClasses()
  expect(classes.length).toBeGreaterThan(40)
  const refused: Array<string> = []
  for (const Class of classes) {
    const error = new Class({ message: "what to do" }, { disableValidation: true })
    for (const fail of [Effect.fail(error), Effect.die(error).pipe(Effect.catchAllDefect(Effect.fail))]) {
      const failed = Effect.runSync(Effect.flip(Effect.withSpan(fail, "a step")))
      if (failed !== error) refused.push(error._tag)
      else expect(structuredClone(failed)).toMatchObject({ message: error.message })
    }
  }
  expect([...new Set(refused)]).toEqual([])
})

const linkOf = (tag: string) => ` See https://docs.example/speech/errors/${tag}`

it("the message of every error ends with a link to its page, if the documents have an address", async () => {
  const errors = [
    ...(await errorClasses()).map((Class) => new Class({ message: "What to do." }, { disableValidation: true })),
    ...(["InvalidOption", "ClientClosed", "FileFailed"] as const).map((tag) => SpeechError.of(tag))
  ]
  const tagged = errors.map((error) => ({ message: error.message, tag: "tag" in error ? error.tag : error._tag }))
  expect(
    tagged.filter(({ message, tag }) => !message.endsWith(linkOf(tag)) || message.split(" See http").length > 2)
  ).toEqual([])
  expect(tagged.filter(({ tag }) => !existsSync(`${root}docs/errors/${tag}.md`))).toEqual([])
})

it("a message has its link once, at its end, after a piece is added and after JSON", () => {
  const piece = new TextPiece({ number: 2, of: 3, kept: 1, startIndex: 0, endIndex: 9, beginning: "नमस्ते" })
  const { message } = withPiece(new SttCreditExhausted(), piece)
  expect(message).toMatch(
    /^The account is out of credit \(402\)\. Top it up; until then every call fails\. Piece 2 of 3, /
  )
  expect(message.split(linkOf("SttCreditExhausted"))).toEqual([withoutLink(message), ""])
  const json = Schema.encodeSync(SttError)(new SttCreditExhausted())
  expect(Schema.decodeSync(SttError)(json).message).toBe(new SttCreditExhausted().message)
  expect(SpeechError.of("SttCreditExhausted").message).toBe(new SttCreditExhausted().message)
})

it.each(["https://docs.example/speech", "https://docs.example/new", ""])(
  "an error of a server whose documents are elsewhere has one link, where this program's are at “%s”",
  (address) => {
    const json = Schema.encodeSync(SttError)(new SttCreditExhausted())
    const spy = vi.spyOn(Documentation, "address", "get").mockReturnValue(address)
    const error = Schema.decodeSync(SttError)(json)
    const piece = new TextPiece({ number: 2, of: 3, kept: 1, startIndex: 0, endIndex: 9, beginning: "नमस्ते" })
    const { message } = withPiece(error, piece)
    const sentence = withoutLink(error.message)
    spy.mockRestore()
    expect(error.message).toBe(`${sentence}${linkOf("SttCreditExhausted")}`)
    expect(sentence).toMatch(/every call fails\.$/)
    expect(message.match(/ See http/g)?.length ?? 0).toBe(address === "" ? 0 : 1)
  }
)

it.effect("the command prints the link once, after all else, and not in a table", () =>
  Effect.gen(function* () {
    const lines: Array<ReadonlyArray<unknown>> = []
    const error = new SttCreditExhausted()
    const console = yield* Console.consoleWith(Effect.succeed)
    const keep = (...words: ReadonlyArray<unknown>) => Effect.sync(() => void lines.push(words))
    yield* Effect.withConsole(report(error, { json: false }), { ...console, error: keep })
    expect(lines.map((words) => words.at(-1))).toEqual([`${describeFailure(error)}${linkOf("SttCreditExhausted")}`])
    expect(describeFailure(error)).toMatch(/every call fails\. \[SttCreditExhausted\]$/)
  })
)
