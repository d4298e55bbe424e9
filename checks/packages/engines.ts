/** `speech serve --models` of the installed command: what a user does with models of their own. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { run } from "effect-speech-test-support/processes"
import { tinyName, writeTinyModels } from "effect-speech-test-support/tinyModels"
import { serve } from "./user.js"

const vocabulary = "station platform carriage seven tomorrow morning evening lantern".split(" ")

/** A sentence of seven words, another one for each number. */
const sentence = (at: number): string =>
  [at, ...Array.from({ length: 6 }, (_, nth) => vocabulary[(at * (nth + 3) + nth) % vocabulary.length])].join(" ")

const longText = (codePoints: number): string => {
  let text = ""
  for (let at = 0; text.length < codePoints; at += 1) text += `${sentence(at)}. `
  return text.slice(0, codePoints).trimEnd()
}

const wordsOf = (text: string): string => (text.toLowerCase().match(/[a-z0-9]+/g) ?? []).join(" ")

/** The words of SRT: without its numbers and times. */
const wordsOfSubtitles = (subtitles: string): string => wordsOf(subtitles.replace(/^\d+\n.+ --> .+$/gm, ""))

const sameWords = (expected: string, words: string): ReadonlyArray<string> => {
  const whole = wordsOf(expected)
  if (words === whole) return []
  const at = [...whole].findIndex((character, index) => character !== words[index])
  return [`from character ${at} it is ${JSON.stringify(words.slice(Math.max(0, at - 40), at + 80))}`]
}

const files = 200

export interface Installed {
  /** The command. */
  readonly speech: string
  /** A new folder for what it reads and writes. */
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
}

/** Returns the problems of each thing that the user does. */
export const useModels = async ({ env, folder, speech }: Installed): Promise<ReadonlyArray<string>> => {
  const models = join(folder, "models")
  mkdirSync(models, { recursive: true })
  writeTinyModels(models, { families: ["nemo-ctc", "vits"] })
  const service = await serve(speech, folder, env, ["--models", models])
  const command = async (...parameters: ReadonlyArray<string>) =>
    (await run(speech, parameters, { cwd: folder, env: { ...service.environment, ...env } })).stdout
  const model = ["--model", tinyName("nemo-ctc")]
  const speak = ["--lang", "en", "--output-format", "16000:pcm16"]
  try {
    await command("synthesize", sentence(0), ...speak, "--out", "short.wav")
    const short = sameWords(
      sentence(0),
      wordsOfSubtitles(await command("transcribe", "short.wav", ...model, "--format", "srt"))
    )

    const text = longText(20_000)
    writeFileSync(join(folder, "long.txt"), text)
    await command("synthesize", "--text-file", "long.txt", ...speak, "--out", "long.wav")
    const long = sameWords(text, wordsOfSubtitles(await command("transcribe", "long.wav", ...model, "--format", "srt")))

    const lines = Array.from({ length: files }, (_, at) => `${at},${sentence(at)}`)
    writeFileSync(join(folder, "prompts.csv"), ["id,text", ...lines].join("\n"))
    await command("archive", "run", "prompts.csv", ...speak, "--out", "prompts")
    await command("archive", "run", "prompts", ...model, "--out", "texts")
    const transcripts = readdirSync(join(folder, "texts")).filter((name) => name.endsWith(".wav.txt"))
    const archive = transcripts.flatMap((name) =>
      sameWords(sentence(Number.parseInt(name, 10)), wordsOf(readFileSync(join(folder, "texts", name), "utf8")))
    )
    const count = transcripts.length === files ? [] : [`the archive has ${transcripts.length} transcripts`]
    return [...short, ...long, ...count, ...archive]
  } finally {
    await service.stop()
  }
}
