/**
 * From the facts of a folder to the model in it, or to the reason why it is not understood. It reads nothing.
 */
import { join } from "node:path"
import * as Printable from "@effect-speech/common/Printable"
import * as Either from "effect/Either"
import type { Description, Family, ModelDescription, RecogniserDescription, VoiceDescription } from "./description.js"
import type { Facts } from "./facts.js"
import { type Found, refuse } from "./found.js"
import { canonical, languageOfEspeak, languagesInName, languagesInWords } from "./languages.js"
import { isName, nameRule, type Role, roles } from "./manifest.js"
import { checkFamilyParts, checkMetadata, metadataOf, vocabularyOf, whole } from "./needs.js"
import type { Metadata } from "./onnx.js"
import { asPiperPublishes, type Parts, partsOf, transducerKeys } from "./parts.js"
import { missingOf, speakersOf, voiceFiles } from "./voices.js"

/** The families, as a person knows them. */
export const familyNames: Readonly<Record<Family, string>> = {
  "nemo-ctc": "NeMo CTC",
  "zipformer-ctc": "Zipformer CTC",
  "wenet-ctc": "WeNet CTC",
  "sense-voice": "SenseVoice",
  transducer: "transducers of icefall",
  "nemo-transducer": "transducers of NeMo",
  whisper: "Whisper",
  vits: "VITS",
  piper: "Piper",
  kokoro: "Kokoro",
  kitten: "Kitten"
}

const known = Object.values(familyNames).join(", ")

/** The families whose `model_type` says it. */
const ofModelType: ReadonlyMap<string | undefined, Family> = new Map([
  ["EncDecCTCModel", "nemo-ctc"],
  ["EncDecCTCModelBPE", "nemo-ctc"],
  ["EncDecHybridRNNTCTCBPEModel", "nemo-ctc"],
  ["zipformer2_ctc", "zipformer-ctc"],
  ["wenet_ctc", "wenet-ctc"],
  ["sense_voice_ctc", "sense-voice"]
] as const)

/** Keys that only models have which take a recording bit by bit. */
const streamingKeys = [
  "decode_chunk_len",
  "cache_last_channel_dim1",
  "chunk_shift",
  "left_chunks",
  "streaming_model_type"
]

const isStreaming = (metadata: Metadata): boolean => streamingKeys.some((key) => metadata.has(key))

/** The family of a model, from the metadata of its main file. */
const familyOf = (parts: Parts, main: Metadata, facts: Facts): Found<Family> => {
  const type = main.get("model_type") || undefined
  const path = mainPart(parts)
  if (isStreaming(main)) {
    return refuse(
      "It is a streaming model, which takes no whole recordings. Use the model of the same kind without streaming."
    )
  }
  if (parts.joiner !== undefined)
    return Either.right(type?.startsWith("EncDec") === true ? "nemo-transducer" : "transducer")
  if (parts.encoder !== undefined && main.has("n_text_ctx")) return Either.right("whisper")
  const decoder = metadataOf(facts, parts.decoder ?? "")
  if (transducerKeys.some((key) => main.has(key) || decoder.has(key))) {
    return refuse("It has an encoder and a decoder, but no joiner. Copy all files of the model into the folder.")
  }
  const family = parts.model === undefined ? undefined : ofModelType.get(type)
  if (family !== undefined) return Either.right(family)
  const isVoice = parts.model !== undefined && main.has("sample_rate")
  if (isVoice && parts.voices !== undefined) {
    return Either.right(type?.startsWith("kitten") === true ? "kitten" : "kokoro")
  }
  if (isVoice && main.has("n_speakers") && (type === undefined || type.includes("vits"))) {
    return Either.right(main.get("comment")?.includes("piper") === true ? "piper" : "vits")
  }
  if (type !== undefined)
    return refuse(`It is of the type ${type.slice(0, 60)}, which this engine does not know. It knows ${known}.`)
  if (facts.files.has(`${path}.json`)) return refuse(asPiperPublishes(path))
  return refuse(
    `${path} has no metadata of sherpa-onnx, so its kind is not known. Download the model from the releases of sherpa-onnx, or convert it with its scripts.`
  )
}

const mainPart = (parts: Parts): string => parts.encoder ?? parts.model ?? ""

/** The names of the blank. */
const blanks = ["<blk>", "<eps>", "<blank>"]

/** The families that find the blank by its name in `tokens.txt`. */
const needsBlank: ReadonlySet<Family> = new Set(["nemo-ctc", "zipformer-ctc", "wenet-ctc", "nemo-transducer"] as const)

/** The families whose metadata counts the tokens. NeMo leaves the blank out, and some exporters of NeMo models do not. */
const countsTokens: ReadonlySet<Family> = new Set(["nemo-ctc", "transducer", "nemo-transducer"] as const)

/** Checks that `tokens.txt` is that of the model. */
const checkTokens = (family: Family, parts: Parts, facts: Facts): Found<void> => {
  const { tokens: path = "" } = parts
  const { size = 0, tokens = new Set<string>() } = facts.files.get(path)?.tokens ?? {}
  const advice = "Copy the file that belongs to the model."
  if (needsBlank.has(family) && !blanks.some((blank) => tokens.has(blank))) {
    return refuse(`${path} has no token <blk>, which the model needs. ${advice}`)
  }
  const needed = vocabularyOf(family, parts, facts)
  return countsTokens.has(family) && size < needed
    ? refuse(`${path} has ${size} tokens, and the model has ${needed}. ${advice}`)
    : Either.void
}

/** Checks that each part is there and can be loaded. */
const checkParts = (parts: Parts, facts: Facts): Found<void> => {
  for (const [role, path] of Object.entries(parts)) {
    if (path === undefined) continue
    const file = facts.files.get(path)
    if (file === undefined)
      return refuse(`model.json can't be used: files.${role} is ${path}, which is not in the folder.`)
    if (file.problem !== undefined) return refuse(`${path} ${file.problem}.`)
  }
  if (parts.tokens !== undefined) return Either.void
  // Piper publishes a voice as two files.
  return parts.model !== undefined && [...facts.files.keys()].some((path) => /\.onnx\.json$/i.test(path))
    ? refuse(asPiperPublishes(parts.model))
    : refuse("There is no tokens.txt in it. Copy all files of the model into the folder.")
}

const listOf = (main: Metadata, key: string): ReadonlyArray<string> => (main.get(key) ?? "").split(",")

/** Of a Whisper model: whether it knows other languages than English. */
const isMultilingual = (main: Metadata): boolean => whole(main, "is_multilingual") !== 0

/** The languages that the files state. */
const statedLanguages = (family: Family, main: Metadata, facts: Facts): ReadonlyArray<string> => {
  switch (family) {
    case "whisper":
      return isMultilingual(main)
        ? listOf(main, "all_language_codes").filter((code) => /^[a-z]{2,3}$/.test(code))
        : ["en"]
    case "sense-voice":
      return ["zh", "en", "ja", "ko", "yue"].filter((code) => main.has(`lang_${code}`))
    default: {
      const inWords = languagesInWords(main.get("language") ?? "")
      if (inWords.length > 0) return inWords
      const ofEspeak = languageOfEspeak(main.get("voice") ?? "")
      return ofEspeak.length > 0 ? ofEspeak : languagesInName(facts.name)
    }
  }
}

const languagesOf = (family: Family, main: Metadata, facts: Facts): Found<ReadonlyArray<string>> => {
  const hasTokens = family === "whisper" && isMultilingual(main)
  if (hasTokens && listOf(main, "all_language_codes").length !== listOf(main, "all_language_tokens").length) {
    return refuse(
      "Its metadata has not a token for each language. Convert the model again, with a script of sherpa-onnx."
    )
  }
  const stated = statedLanguages(family, main, facts)
  const chosen = facts.manifest.languages?.map((code) => (stated.includes(code) ? code : canonical(code))) ?? stated
  if (chosen.length === 0) {
    return refuse(
      'Neither its files nor the name of its folder state its language. Write it into a model.json in the folder, such as {"languages": ["hi"]}.'
    )
  }
  // With a language that it does not have, Whisper ends its process.
  const strange = chosen.find((code) => !stated.includes(code))
  return family === "whisper" && strange !== undefined
    ? refuse(`model.json can't be used: languages has ${strange}, and the model has only ${stated.join(", ")}.`)
    : Either.right([...new Set(chosen)])
}

/** The files in which large models keep their numbers. */
const externalFiles = (path: string): ReadonlyArray<string> => [
  `${path.replace(/\.onnx$/i, "")}.weights`,
  `${path}.data`,
  `${path}_data`
]

const bytesOf = (parts: Parts, { files }: Facts): number => {
  const loaded = new Set(Object.values(parts).flatMap((path) => [path, ...externalFiles(path)]))
  return [...loaded].reduce((sum, path) => sum + (files.get(path)?.bytes ?? 0), 0)
}

const licenceFile = /^(licen[cs]e|copying|model_?card)/i

const licenceOf = (main: Metadata, { files, licence, manifest }: Facts): string | undefined =>
  manifest.licence ??
  main.get("license") ??
  licence ??
  [...files.keys()].toSorted().find((path) => licenceFile.test(path))

/** Folders and files by their whole paths. */
type Paths = Readonly<Record<Role, string>>

const recogniserOf = (
  family: RecogniserDescription["family"],
  common: Description,
  { decoder, encoder, joiner, model, tokens }: Paths,
  main: Metadata,
  bpeVocab: string | undefined
): RecogniserDescription => {
  const recognising = { ...common, _tag: "Recogniser", sampleRate: 16_000 } as const
  switch (family) {
    case "whisper":
      return { ...recognising, family, files: { encoder, decoder, tokens }, isMultilingual: isMultilingual(main) }
    case "transducer":
    case "nemo-transducer":
      return { ...recognising, family, files: { encoder, decoder, joiner, tokens, bpeVocab } }
    default:
      return { ...recognising, family, files: { model, tokens } }
  }
}

/** In Hz. Less is no speech, and more no model. */
const rates = { from: 1000, to: 192_000 }

const voiceOf = (
  family: VoiceDescription["family"],
  common: Description,
  { model, tokens, voices }: Paths,
  main: Metadata,
  facts: Facts
): Found<VoiceDescription> =>
  Either.gen(function* () {
    const sampleRate = whole(main, "sample_rate")
    if (sampleRate < rates.from || sampleRate > rates.to) {
      return yield* refuse(`Its metadata states ${sampleRate} Hz, and a voice has ${rates.from} to ${rates.to} Hz.`)
    }
    const files = { model, tokens, ...voiceFiles(family, facts) }
    const missing = missingOf(family, files, main)
    if (missing !== undefined) {
      return yield* refuse(`${missing} is missing. Copy all files and folders of the model into the folder.`)
    }
    const speaking = {
      ...common,
      _tag: "Voice",
      sampleRate,
      voices: yield* speakersOf(common.name, main, facts)
    } as const
    return family === "vits" || family === "piper"
      ? { ...speaking, family, files }
      : { ...speaking, family, files: { ...files, voices } }
  })

const isSpeaking = (family: Family): family is VoiceDescription["family"] =>
  family === "vits" || family === "piper" || family === "kokoro" || family === "kitten"

/** The model in a folder. The error is a sentence or two: the reason, and what to do. */
export const describe = (facts: Facts): Found<ModelDescription> =>
  Either.gen(function* () {
    const { folder, manifest } = facts
    const name = manifest.name ?? facts.name
    if (!isName(name)) return yield* refuse(`Its name ${nameRule}. Rename the folder, or write a name into model.json.`)
    const parts = yield* partsOf(facts)
    yield* checkParts(parts, facts)
    const main = metadataOf(facts, mainPart(parts))
    const family = yield* familyOf(parts, main, facts)
    yield* checkFamilyParts(family, parts)
    yield* checkMetadata(family, parts, facts)
    yield* checkTokens(family, parts, facts)
    const common: Description = {
      name,
      folder,
      languages: yield* languagesOf(family, main, facts),
      licence: licenceOf(main, facts)?.slice(0, 100),
      bytes: bytesOf(parts, facts),
      numThreads: manifest.numThreads
    }
    const paths = Object.fromEntries(roles.map((role) => [role, join(folder, parts[role] ?? "")])) as Paths
    return isSpeaking(family)
      ? yield* voiceOf(family, common, paths, main, facts)
      : recogniserOf(family, common, paths, main, parts.bpeVocab === undefined ? undefined : paths.bpeVocab)
  }).pipe(Either.mapLeft(Printable.line))
