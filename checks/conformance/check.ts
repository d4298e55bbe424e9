/**
 * Checks a service against the contract, rule by rule.
 *
 * - Without options: the local service, with a real voice, in a process of its own.
 * - `--engines`: the same with models of `engine-sherpa`: tiny ones, which are not asked whether they know words and speak with a
 *   known pitch.
 * - `--environment`: the service at `SPEECH_STT_BASE_URL` and `SPEECH_TTS_BASE_URL`, with `SPEECH_API_KEY`. The flag is
 *   required because these variables may be set for other work, and a check spends credit. It spends little, prints how
 *   much at most, and never calls the platform.
 * - `--model NAME`: a Hindi model. `--other-model NAME`: a model of a language in which `parse_number` has no effect.
 *   Default: names of the local service.
 *
 * Exit status: 0 if every rule holds, 1 if a rule does not, 2 if the service cannot be checked.
 */
import { appendFileSync } from "node:fs"
import { join } from "node:path"
import { readOptions, refuseOptions } from "effect-speech-test-support/options"
import { temporaryFolder } from "effect-speech-test-support/processes"
import { table, title } from "effect-speech-test-support/report"
import { startService } from "effect-speech-test-support/serviceProcess"
import { alphabets, tinyName, writeTinyModels } from "effect-speech-test-support/tinyModels"
import { checker, rules } from "./rules.js"
import {
  counting,
  knownRecordings,
  makeService,
  overHttp,
  remembering,
  type Service,
  type Spending,
  waiting
} from "./service.js"

const { engines, environment, ...values } = readOptions({
  engines: { type: "boolean", default: false },
  environment: { type: "boolean", default: false },
  model: { type: "string", default: "hi-general-v2-8khz" },
  "other-model": { type: "string", default: "en-general-v2-8khz" }
})
const models = { model: values.model, otherModel: values["other-model"] }

const checkLocalService = async (): Promise<number> => {
  if (process.env.SPEECH_STT_BASE_URL !== undefined) {
    console.error("To check the service at SPEECH_STT_BASE_URL instead, add --environment. Its account pays.")
  }
  const temporary = temporaryFolder("check-conformance-")
  const service = await startService(
    engines ? { engine: { folder: tinyModels(temporary) } } : { recordings: knownRecordings(temporary) },
    { temporary }
  )
  try {
    title(`The local service, with ${engines ? "tiny models" : "a real voice"}`)
    const send = overHttp({ stt: service.sttBaseUrl, tts: service.ttsBaseUrl, platform: service.platformUrl })
    const without = engines ? (["knownSpeech", "knownVoice"] as const) : []
    const options = { ...models, key: service.apiKey ?? "", adminToken: service.adminToken, without }
    return await checkAll(checker(send, options), options.key)
  } finally {
    await service.stop()
  }
}

/**
 * A recogniser and a voice of both languages that the rules use. The recogniser is a transducer: a rule wants a confidence, and other
 * models have none.
 */
const tinyModels = (temporary: string): string => {
  const folder = join(temporary, "models")
  for (const language of ["hi", "en"] as const) {
    writeTinyModels(folder, { families: ["zipformer", "vits"], language })
    // Some rules have a text spoken in another language than its own.
    const letters = [...alphabets[language === "hi" ? "en" : "hi"].slice(1, 30), "é"]
    const tokens = letters.map((letter) => `${letter} 1\n`)
    appendFileSync(join(folder, tinyName("vits", language), "tokens.txt"), tokens.join(""))
  }
  return folder
}

const checkEnvironment = async (): Promise<number> => {
  const [stt, tts] = [addressIn("SPEECH_STT_BASE_URL"), addressIn("SPEECH_TTS_BASE_URL")]
  const key = process.env.SPEECH_API_KEY ?? ""
  if (!/^[\x21-\x7e]+\.[\x21-\x7e]+$/.test(key)) {
    refuseOptions(`SPEECH_API_KEY ${key === "" ? "is not set" : "does not have the form <prefix>.<secret>"}.`)
  }
  title(`Transcription at ${stt.host}, synthesis at ${tts.host}`)
  const spending: Spending = { codePoints: 0, seconds: 0 }
  process.once("exit", () => {
    const { codePoints, seconds } = spending
    console.log(`Spent at most: ${codePoints} code points of synthesis, ${seconds} seconds of transcription.`)
  })
  const send = remembering(counting(waiting(overHttp({ stt: stt.href, tts: tts.href })), spending))
  await tryBoth(makeService(send, { ...models, key }))
  return checkAll(checker(send, { ...models, key }), key)
}

const addressIn = (name: string): URL => {
  const text = process.env[name] ?? ""
  const refuse = (problem: string) =>
    refuseOptions(`${name} ${problem}. Set it to an address like https://host.example.`)
  if (text === "") return refuse("is not set")
  if (!URL.canParse(text)) return refuse("is not a URL")
  const url = new URL(text)
  const isLoopback = /^(localhost|\[::1\]|127(\.\d{1,3}){3})$/.test(url.hostname)
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "")
    return refuse("holds more than an address")
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isLoopback))
    return refuse("is not https: the key could be read on the way")
  return url
}

/** Sends a right request to each operation: with a wrong address or key, every rule would seem broken. */
const tryBoth = async ({ model, synthesize, transcribe }: Service): Promise<void> => {
  const requests = {
    "transcription (SPEECH_STT_BASE_URL)": transcribe,
    "synthesis (SPEECH_TTS_BASE_URL)": () => synthesize({ text: "हाँ" })
  }
  for (const [name, request] of Object.entries(requests)) {
    const { status } = await request().catch((error: Error & { readonly code?: string }) =>
      refuseOptions(`No response from ${name}: ${error.code ?? error.message}. Is the address right?`)
    )
    if (status >= 400 && status <= 405) {
      refuseOptions(
        `The response of ${name} to a right request is ${status}. Check the address, that SPEECH_API_KEY is active and its ` +
          `account has credit, and that the service has the model ${model} (or name another with --model).`
      )
    }
  }
}

/** Checks all rules, prints a table for each section, and returns the exit status. */
const checkAll = async (check: ReturnType<typeof checker>, key: string): Promise<number> => {
  const cell = cellWithout(key)
  const counts = { yes: 0, NO: 0, skipped: 0, "not specified": 0 }
  for (const section of new Set(rules.map((rule) => rule.section))) {
    const rows: Array<ReadonlyArray<string>> = []
    for (const rule of rules.filter((each) => each.section === section)) {
      const { held, observed } = await check(rule)
      counts[held]++
      rows.push([rule.sentence, held, observed].map(cell))
    }
    console.log(`### ${section}\n`)
    table([["rule", "held", "observed"], ...rows], "left")
  }
  console.log(
    `Of ${rules.length} rules, ${counts.yes} hold, ${counts.NO} do not, and ${counts.skipped} were skipped. ` +
      `For ${counts["not specified"]} the contract does not say what is right.\n`
  )
  return counts.NO === 0 ? 0 : 1
}

/** Makes text from a service safe for a cell on a terminal: without the key, control characters and `|`. */
const cellWithout = (key: string) => {
  // The key goes first: a part of a truncated key would stay.
  const parts = [key, key.slice(key.indexOf(".") + 1)].filter((part) => part !== "")
  return (text: string): string => {
    const without = parts.reduce((all, part) => all.replaceAll(part, "(the key)"), text)
    const clean = without.replace(/[\p{Cc}\p{Cf}\s]+/gu, " ").replaceAll("|", "\\|")
    return clean.length > 160 ? `${clean.slice(0, 160)}…` : clean
  }
}

process.exitCode = await (environment ? checkEnvironment() : checkLocalService())
