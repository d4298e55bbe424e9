/**
 * The speakers of a voice, and the files beside its network.
 */
import { join } from "node:path"
import * as Either from "effect/Either"
import type { VitsFiles, VoiceDescription } from "./description.js"
import type { Facts } from "./facts.js"
import { type Found, refuse } from "./found.js"
import { isName } from "./manifest.js"
import { whole } from "./needs.js"
import type { Metadata } from "./onnx.js"

/** The names by which `model.json` chooses the default voices of the languages of a model. */
export const defaults = ["default_female", "default_male"] as const

/** More than any model has. */
const mostSpeakers = 10_000

/** The speaker of each voice. The error is a sentence. */
export const speakersOf = (
  name: string,
  main: Metadata,
  { manifest }: Facts
): Found<Readonly<Record<string, number>>> => {
  // Piper writes 0 for a model of one speaker.
  const speakers = Math.max(1, whole(main, "n_speakers"))
  if (speakers > mostSpeakers)
    return refuse(`Its metadata states ${speakers} speakers, which can't be. Download it again.`)
  if (manifest.voices !== undefined) {
    const [voice, speaker] = Object.entries(manifest.voices).find(([, speaker]) => speaker >= speakers) ?? []
    if (voice !== undefined) {
      const range = speakers === 1 ? "only 0" : `0 to ${speakers - 1}`
      return refuse(`model.json can't be used: voices.${voice} is ${speaker}, and the model has ${range}.`)
    }
    if (Object.keys(manifest.voices).length === 0) return refuse("model.json can't be used: voices must have a voice.")
  }
  const onlyDefaults = Object.keys(manifest.voices ?? {}).every((voice) => defaults.some((each) => each === voice))
  return Either.right({ ...(onlyDefaults && ownSpeakersOf(name, speakers, main)), ...manifest.voices })
}

/** The speakers by the names in the metadata, or else by the name of the model. */
const ownSpeakersOf = (name: string, speakers: number, main: Metadata): Readonly<Record<string, number>> => {
  const names = (main.get("speaker_names") ?? "").split(",").slice(0, speakers)
  const hasNames = names.length === speakers && names.every(isName) && new Set(names).size === speakers
  if (hasNames) return Object.fromEntries(names.map((each, speaker) => [each, speaker]))
  return speakers === 1
    ? { [name]: 0 }
    : Object.fromEntries(Array.from({ length: speakers }, (_, speaker) => [`${name}-${speaker}`, speaker]))
}

/** Files that belong to a voice by their names. */
export const voiceFiles = (
  family: VoiceDescription["family"],
  facts: Facts
): Pick<VitsFiles, "dataDir" | "lexicons" | "ruleFsts" | "ruleFars"> => {
  const at = (path: string) => join(facts.folder, path)
  const names = [...facts.files.keys()].filter((path) => !path.includes("/")).toSorted()
  const lexicons = names.filter((path) => /^lexicon.*\.txt$/i.test(path))
  // Kokoro has one of American and one of British English, for the same words.
  const isAmerican = lexicons.some((path) => path.includes("us-en"))
  // A telephone number is a number, too: the examples of sherpa-onnx have this order.
  const order = ["phone.fst", "date.fst", "number.fst"]
  const rank = (path: string) => (order.includes(path) ? order.indexOf(path) : order.length)
  // The rules of Kokoro are for Chinese alone, and would be applied to each language.
  const rules = family === "vits" || family === "piper" ? names : []
  return {
    dataDir: facts.hasEspeakData ? at("espeak-ng-data") : undefined,
    lexicons: lexicons.filter((path) => !(isAmerican && path.includes("gb-en"))).map(at),
    ruleFsts: rules
      .filter((path) => path.endsWith(".fst"))
      .toSorted((a, b) => rank(a) - rank(b))
      .map(at),
    ruleFars: rules.filter((path) => path.endsWith(".far")).map(at)
  }
}

const data = "The folder espeak-ng-data, whole with its phontab, phonindex, phondata and intonations,"

/**
 * What a voice needs to turn text into phonemes, and has not: the beginning of a sentence. Without it sherpa-onnx ends its process,
 * which looks for it in this order.
 */
export const missingOf = (
  family: VoiceDescription["family"],
  { dataDir, lexicons }: Pick<VitsFiles, "dataDir" | "lexicons">,
  main: Metadata
): string | undefined => {
  const hasLexicon = lexicons.length > 0
  const comment = main.get("comment") ?? ""
  const hasData = dataDir !== undefined
  if (family === "kokoro" || family === "kitten") {
    if (!hasData) return data
    return family === "kokoro" && whole(main, "version") >= 2 && !hasLexicon
      ? "A file such as lexicon-us-en.txt"
      : undefined
  }
  if (main.get("frontend") === "characters" || hasLexicon) return undefined
  const isOfWords = whole(main, "jieba") > 0 || whole(main, "has_g2pw") > 0 || comment.includes("melo")
  if (isOfWords || !/piper|coqui|icefall|Inflect/.test(comment)) return "The file lexicon.txt"
  return hasData ? undefined : family === "piper" ? data : "The file lexicon.txt"
}
