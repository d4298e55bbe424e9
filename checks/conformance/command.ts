/**
 * Holds a service to the wire contract, rule by rule. Without options it is the local service, with a real voice, in a
 * process of its own. With `--environment` it is the one at `SPEECH_STT_BASE_URL` and `SPEECH_TTS_BASE_URL`, with
 * `SPEECH_API_KEY`: these variables may be set for other work, and nobody is to spend credit for having them. There it
 * spends little, tells how much at most, and never asks the platform.
 *
 * `--model NAME` is of Hindi, and `--other-model NAME` of a language whose numbers are not written; their defaults are names
 * that the local service has. The exit status is 1 where a rule is not held, and 2 where nothing could be asked.
 */
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type ParseArgsConfig, parseArgs } from "node:util"
import { table, title } from "../../test/support/report.js"
import { startService, temporaryFolder } from "../../test/support/serviceProcess.js"
import { sections } from "./rule.js"
import { changesService, type Outcome, outcomeOf, type RuleName, ruleNames, rules } from "./rules.js"
import {
  type Answers,
  counting,
  makeOwnService,
  makeService,
  overHttp,
  recordingFile,
  remembering,
  type Service,
  type ServiceOptions,
  type Spending,
  waiting
} from "./service.js"

/** Nothing could be asked; the message says what a person can do. */
class NotAsked extends Error {}

const options = {
  environment: { type: "boolean", default: false },
  model: { type: "string", default: "hi-general-v2-8khz" },
  "other-model": { type: "string", default: "en-general-v2-8khz" }
} as const satisfies ParseArgsConfig["options"]

type Environment = Readonly<Record<string, string | undefined>>

/** Prints the table, and gives the exit status. What there is in `answers` is not asked, and what is asked is put there. */
export const conformance = async (
  parameters: ReadonlyArray<string>,
  environment: Environment,
  answers?: Answers
): Promise<number> => {
  try {
    const { environment: asked, ...models } = readOptions(parameters)
    return asked ? await askEnvironment(environment, models, answers) : await askLocally(environment, models)
  } catch (error) {
    if (!(error instanceof NotAsked)) throw error
    console.error(error.message)
    return 2
  }
}

type Models = Omit<ServiceOptions, "key">

const readOptions = (parameters: ReadonlyArray<string>): Models & { readonly environment: boolean } => {
  try {
    const { values } = parseArgs({ args: [...parameters], options })
    return { environment: values.environment, model: values.model, otherModel: values["other-model"] }
  } catch (error) {
    const problem = error instanceof Error ? error.message : ""
    throw new NotAsked(`${problem}\nThere are --environment, --model NAME and --other-model NAME.`)
  }
}

/** A service that was started for it, and knows the recording. */
const askLocally = async (environment: Environment, models: Models): Promise<number> => {
  if (environment.SPEECH_STT_BASE_URL !== undefined) {
    console.error("The service at SPEECH_STT_BASE_URL is not asked; with --environment it is, and its account pays.")
  }
  const temporary = temporaryFolder("check-conformance-")
  const service = await startService({ recordings: knownRecordings(temporary) }, { temporary })
  try {
    title("The local service, with a real voice")
    const send = overHttp({ stt: service.sttBaseUrl, tts: service.ttsBaseUrl, platform: service.platformUrl })
    const options = { ...models, key: service.apiKey ?? "", adminToken: service.adminToken }
    const once = makeOwnService(remembering(send), options)
    const anew = makeOwnService(send, options)
    return printed(await outcomesOf((name) => (changesService(name) ? anew : once)), options.key)
  } finally {
    await service.stop()
  }
}

/** A folder of what the local service is taught. */
export const knownRecordings = (temporary: string): string => {
  const folder = join(temporary, "recordings")
  mkdirSync(folder)
  copyFileSync(recordingFile("cat.wav"), join(folder, "cat.wav"))
  writeFileSync(join(folder, "cat.txt"), "cat")
  return folder
}

/** Whatever there is to the service but its addresses, its key and the names of its models stays as it is. */
const askEnvironment = async (environment: Environment, models: Models, answers?: Answers): Promise<number> => {
  const addresses = {
    stt: addressIn(environment, "SPEECH_STT_BASE_URL"),
    tts: addressIn(environment, "SPEECH_TTS_BASE_URL")
  }
  const key = keyIn(environment)
  title(`Transcription at ${addresses.stt.host}, synthesis at ${addresses.tts.host}`)
  const spending: Spending = { codePoints: 0, seconds: 0 }
  const http = overHttp({ stt: addresses.stt.href, tts: addresses.tts.href })
  const service = makeService(remembering(counting(waiting(http), spending), answers), { ...models, key })
  try {
    await greet(service, models)
    return printed(await outcomesOf(() => service), key)
  } finally {
    console.log(
      `Spent at most: ${spending.codePoints} code points of synthesis, ${spending.seconds} seconds of transcription.`
    )
  }
}

const addressIn = (environment: Environment, name: string): URL => {
  const text = environment[name]
  const refuse = (problem: string) =>
    new NotAsked(`${name} ${problem}. Set it to an address like https://host.example.`)
  if (text === undefined || text === "") throw refuse("is not set")
  if (!URL.canParse(text)) throw refuse("is no URL")
  const url = new URL(text)
  const isLoopback = /^(localhost|\[::1\]|127(\.\d{1,3}){3})$/.test(url.hostname)
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "")
    throw refuse("holds more than an address")
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isLoopback))
    throw refuse("is not https, so that the key could be read on the way")
  return url
}

const keyIn = (environment: Environment): string => {
  const key = environment.SPEECH_API_KEY ?? ""
  if (/^[\x21-\x7e]+\.[\x21-\x7e]+$/.test(key)) return key
  throw new NotAsked(`SPEECH_API_KEY ${key === "" ? "is not set" : "is not of the form <prefix>.<secret>"}.`)
}

/** Where neither address answers a right request, or its key is refused, every rule would be told as broken. */
const greet = async ({ synthesize, transcribe }: Service, { model }: Models): Promise<void> => {
  const greetings = {
    "transcription (SPEECH_STT_BASE_URL)": transcribe,
    "synthesis (SPEECH_TTS_BASE_URL)": () => synthesize({ text: "हाँ" })
  }
  for (const [where, ask] of Object.entries(greetings)) {
    const { status } = await ask().catch((error: Error & { readonly code?: string }) => {
      throw new NotAsked(`There is no answer from ${where}: ${error.code ?? error.message}. Is the address right?`)
    })
    if (status === 404 || status === 405) {
      throw new NotAsked(`${where} answers ${status}: it is another service, or the address lacks or has a path.`)
    }
    if (status === 400 && ask === transcribe) {
      throw new NotAsked(`${where} answers 400 to a right request: has it a model ${model}? --model names another.`)
    }
    if ([401, 402, 403].includes(status)) {
      throw new NotAsked(`${where} answers ${status}: see whether SPEECH_API_KEY is active and its account has credit.`)
    }
  }
}

export const outcomesOf = async (serviceOf: (name: RuleName) => Service): Promise<ReadonlyMap<RuleName, Outcome>> => {
  const outcomes = new Map<RuleName, Outcome>()
  for (const name of ruleNames) outcomes.set(name, await outcomeOf(name, serviceOf(name)))
  return outcomes
}

const verdictOf = (outcome: Outcome): string => {
  if ("notAsked" in outcome) return "not asked here"
  return outcome.held === undefined ? "" : outcome.held ? "yes" : "NO"
}

/** Prints what was seen, and gives the exit status. */
const printed = (outcomes: ReadonlyMap<RuleName, Outcome>, key: string): number => {
  const cell = cellWithout(key)
  for (const section of sections) {
    console.log(`### ${section}\n`)
    const rows = [...outcomes].flatMap(([name, outcome]) => {
      const { expected, rule, section: own } = rules[name]
      const seen = "notAsked" in outcome ? outcome.notAsked : outcome.seen
      return own === section ? [[rule, expected, seen, verdictOf(outcome)].map(cell)] : []
    })
    table([["rule", "expected", "seen", "held"], ...rows], "left")
  }
  const verdicts = [...outcomes.values()].map(verdictOf)
  const count = (verdict: string) => verdicts.filter((each) => each === verdict).length
  console.log(
    `${count("yes")} rules are held, ${count("NO")} are not; ${count("not asked here")} were not asked; ` +
      `of ${count("")} the contract does not say what is right.\n`
  )
  return count("NO") === 0 ? 0 : 1
}

/** What a service says goes to a terminal: without the key, control characters, and what ends a cell. */
const cellWithout = (key: string) => {
  // Whatever cuts it short comes after this, or a part of the key could be left.
  const parts = [key, key.slice(key.indexOf(".") + 1)].filter((part) => part !== "")
  return (text: string): string => {
    const without = parts.reduce((all, part) => all.replaceAll(part, "(the key)"), text)
    const clean = without.replace(/[\p{Cc}\p{Cf}\s]+/gu, " ").replaceAll("|", "\\|")
    return clean.length > 160 ? `${clean.slice(0, 160)}…` : clean
  }
}
