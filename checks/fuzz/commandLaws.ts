import * as ConfigProvider from "effect/ConfigProvider"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import { speech } from "../../packages/cli/src/speech.js"
import { anyString } from "./arbitraries.js"
import { law, type Topic } from "./law.js"

const options = [
  ...["--out", "--lang", "--voice", "--output-format", "--speed", "--num-step", "--g2p-overrides", "--request-id"],
  ...["--model", "--aux", "--parse-number", "--hotword", "--transaction-id", "--telephony", "--timeout", "--json"],
  ...["--allow-insecure-http", "--help", "-h", "--version", "--log-level", "--completions", "--quiet", "--text"]
]
const values = 'a - -- 1.5 -1 1e999 NaN 0x10 8000:pcm16 hi debug bash null {"a":1}'.split(" ").concat("")
const words = FastCheck.oneof(
  FastCheck.constantFrom(...options, ...values),
  FastCheck.tuple(FastCheck.constantFrom(...options), FastCheck.constantFrom(...values)).map((parts) =>
    parts.join("=")
  ),
  // An argument of a process has no NUL.
  anyString.map((text) => text.replaceAll("\0", ""))
)

/** Without `serve`, which never ends, and `run`, which runs anything, and without options that wait for a person or for standard input. */
const argv = FastCheck.tuple(
  FastCheck.constantFrom("synthesize", "synthesize", "transcribe", "transcribe", "doctor", "speak", "", "--json"),
  FastCheck.array(words, { maxLength: 8 }),
  FastCheck.nat(8)
)
  .map(([command, rest, at]) => rest.toSpliced(at, 0, command))
  .filter((args) => !args.some((arg) => /^(serve|run|--?(wi|text-)|--text-file)/.test(arg)))

const run = async (args: ReadonlyArray<string>) => {
  const printed: Array<string> = []
  const errors: Array<string> = []
  const real = await Effect.runPromise(Console.consoleWith(Effect.succeed))
  const code = await speech(["node", "speech", ...args]).pipe(
    Effect.withConsole({
      ...real,
      log: (...parts) => Effect.sync(() => printed.push(parts.join(" "))),
      error: (...parts) => Effect.sync(() => errors.push(parts.join(" ")))
    }),
    // Without an address and a key, the command sends nothing.
    Effect.withConfigProvider(ConfigProvider.fromMap(new Map())),
    Effect.runPromise
  )
  return { code, printed: printed.join("\n"), errors: errors.join("\n") }
}

/** A finding of `doctor` is a result, not an error. */
const doctorFinding = /^failed +\S+ +\S/
const isFailure = ({ checks, error }: { checks?: ReadonlyArray<{ outcome: string }>; error?: { _tag: string } }) =>
  typeof error?._tag === "string" || checks?.some(({ outcome }) => outcome === "failed") === true

export const commandLaws: Topic = Effect.succeed({
  "any arguments give help, or a described failure of usage, configuration or a file": law(
    30,
    FastCheck.asyncProperty(argv, async (args) => {
      const { code, printed, errors } = await run(args)
      const isJson = args
        .slice(0, args.includes("--") ? args.indexOf("--") : undefined)
        .some((arg) => /^--json(=|$)/.test(arg))
      const shown = `${code}\n${printed}\n${errors}`
      if (/[\p{Cc}\p{Bidi_Control}]/u.test(shown.replaceAll("\n", ""))) throw new Error(JSON.stringify(shown))
      if (code === 0) return
      if (code !== 2 && code !== 3) throw new Error(shown)
      if (!(isJson ? isFailure(JSON.parse(printed)) : /^speech: .+/s.test(errors) || doctorFinding.test(printed))) {
        throw new Error(shown)
      }
    })
  )
})
