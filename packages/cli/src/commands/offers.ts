/**
 * `speech models` and `speech voices`: list what the service that the environment names offers.
 */
import * as Printable from "@effect-speech/common/Printable"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { keepNames } from "../completedNames.js"
import type { Given } from "../declaration.js"
import { refuse } from "../failure.js"
import { modelOffers, type Offer, voiceOffers } from "../offers.js"

/** `Hindi (hi)`. A code without a name is alone. */
const languageOf = (code: string): string => {
  try {
    const name = new Intl.DisplayNames(["en"], { type: "language", fallback: "none" }).of(code)
    return name === undefined ? code : `${name} (${code})`
  } catch {
    // It is no code of a language.
    return code
  }
}

/** Two columns. */
const table = (rows: ReadonlyArray<readonly [string, string]>): string => {
  const width = rows.reduce((widest, [first]) => Math.max(widest, first.length), 0)
  return rows.map((row) => Printable.line(`${row[0].padEnd(width)}  ${row[1]}`.trimEnd())).join("\n")
}

const modelsOfService = (json: boolean) =>
  Effect.gen(function* () {
    const { address, models } = yield* modelOffers
    yield* keepNames(
      "models",
      address,
      models.map(({ name }) => name)
    )
    yield* Console.log(
      json
        ? JSON.stringify({ models: models.map((model) => ({ operation: "transcribe", ...model })) })
        : table([
            ["model", "language"],
            ...models.map(({ languages, name }) => [name, languages.map(languageOf).join(", ")] as const)
          ])
    )
  })

export const models = (given: Given<"models">) =>
  Effect.gen(function* () {
    if (given.operands.length > 0) {
      const { modelsOfFolder } = yield* Effect.promise(() => import("./models.js"))
      return yield* modelsOfFolder(given)
    }
    if (given.check) return yield* refuse("--check is for a FOLDER of your own models: give it.")
    yield* modelsOfService(given.json)
  }).pipe(Effect.provide(NodeTransport.layer))

/** Without the languages of voices, each language has all voices. */
const voicesOf = (lang: string, voices: ReadonlyArray<Offer>): ReadonlyArray<string> =>
  voices.flatMap(({ languages, name }) => (languages.length === 0 || languages.includes(lang) ? name : []))

export const voices = ({ json, lang }: Given<"voices">) =>
  Effect.gen(function* () {
    const { address, languages, voices } = yield* voiceOffers
    yield* keepNames("languages", address, languages)
    yield* keepNames(
      "voices",
      address,
      voices.map(({ name }) => name)
    )
    if (lang !== undefined && !languages.includes(lang)) {
      return yield* refuse(`The service does not speak ${lang}. Its languages are ${languages.join(", ")}.`)
    }
    const shown = languages.filter((each) => lang === undefined || each === lang)
    yield* Console.log(
      json
        ? JSON.stringify({ languages: shown.map((each) => ({ lang: each, voices: voicesOf(each, voices) })) })
        : table([
            ["language", "voices"],
            ...shown.map((each) => [languageOf(each), voicesOf(each, voices).join(", ")] as const)
          ])
    )
  }).pipe(Effect.provide(NodeTransport.layer))
