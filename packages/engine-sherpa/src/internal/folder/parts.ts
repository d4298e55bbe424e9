/**
 * Which file of a model is which, by the names that those who publish models give them.
 */
import * as Either from "effect/Either"
import type { Facts } from "./facts.js"
import { type Found, refuse } from "./found.js"
import type { Role } from "./manifest.js"

/** The path of each part below the folder of the model. */
export type Parts = Readonly<Partial<Record<Role, string>>>

type NetworkRole = "model" | "encoder" | "decoder" | "joiner"

/** Keys that only the metadata of transducers has. */
export const transducerKeys = ["context_size", "pred_rnn_layers"]

/** A file of a network, such as `encoder-epoch-99-avg-1.int8.onnx`. */
interface Network {
  readonly path: string
  readonly role: NetworkRole
  /** Its name without its role and its precision: the networks of a model have the same, here `-epoch-99-avg-1`. */
  readonly set: string
  /** The lower is preferred: int8 is faster, and ONNX Runtime computes fp16 on a CPU as fp32. */
  readonly rank: number
}

const precision = /[._-]?(?<![a-z])(int8|fp16|fp32)(?=[._-]|$)/i

const networkOf = (path: string): Network | undefined => {
  if (!/\.onnx$/i.test(path) || path.includes("/")) return undefined
  const name = path.slice(0, -".onnx".length)
  const written = precision.exec(name)?.[1]?.toLowerCase()
  const stem = name.replace(precision, "")
  const role = /(?<![a-z])(encoder|decoder|joiner)(?![a-z])/i.exec(stem)?.[1]?.toLowerCase() as NetworkRole | undefined
  return {
    path,
    role: role ?? "model",
    set: role === undefined ? stem : stem.replace(new RegExp(`(?<![a-z])${role}(?![a-z])`, "i"), ""),
    rank: written === "int8" ? 0 : written === "fp16" ? 2 : 1
  }
}

/** The networks of one model, each in the preferred precision. */
const preferred = (networks: ReadonlyArray<Network>): Parts => {
  const isTransducer = networks.some(({ role }) => role === "joiner")
  const parts: Partial<Record<Role, string>> = {}
  for (const { path, role } of networks.toSorted((a, b) => a.rank - b.rank || (a.path < b.path ? -1 : 1))) {
    parts[role] ??= path
    // The examples of sherpa-onnx take the decoder of a transducer whole: it is small, and int8 makes it no faster.
    if (isTransducer && role === "decoder" && !/int8|fp16/i.test(path)) parts[role] = path
  }
  return parts
}

const quoted = (paths: ReadonlyArray<string>): string => {
  const shown = paths.slice(0, 4).join(", ")
  return paths.length > 4 ? `${shown} and ${paths.length - 4} more` : shown
}

/** The fields of `model.json` for these networks, by what their names or their metadata say. */
const fieldsFor = (networks: ReadonlyArray<Network>, { files }: Facts): ReadonlyArray<Role> => {
  const has = (...keys: ReadonlyArray<string>) =>
    networks.some(({ path }) => keys.some((key) => files.get(path)?.metadata?.has(key) === true))
  if (networks.some(({ role }) => role === "joiner") || has(...transducerKeys)) return ["encoder", "decoder", "joiner"]
  return networks[0]?.role !== "model" || has("n_text_ctx") ? ["encoder", "decoder"] : ["model"]
}

const several = (networks: ReadonlyArray<Network>, facts: Facts): string => {
  const paths = networks.map(({ path }) => path).toSorted()
  const roles = fieldsFor(networks, facts).map((role) => `"${role}": "…"`)
  const fields = `{"files": {${roles.join(", ")}}}`
  return `It has several ONNX files, and which to load is not known: ${quoted(paths)}. Name them in model.json: ${fields}.`
}

/** Files of models for other programs, and what to do. */
const otherForms: ReadonlyArray<readonly [name: RegExp, advice: string]> = [
  [
    /\.nemo$/i,
    "is a checkpoint of NeMo. Download the model converted for sherpa-onnx, or convert it by scripts/nemo of sherpa-onnx."
  ],
  [
    /^ggml.*\.bin$|\.(ggml|gguf)$/i,
    "is in the format of whisper.cpp. Download the model for sherpa-onnx, such as sherpa-onnx-whisper-small."
  ],
  [
    /\.(safetensors|ckpt|pth?)$|^pytorch_model.*\.bin$/i,
    "is a model for PyTorch. Download the model converted for sherpa-onnx, or convert it with its scripts."
  ],
  [/\.ort$/i, "is in the format of new models of Moonshine, which are not supported. Use another one, such as Whisper."]
]

/** What to do with a file of a model for another program. */
export const otherFormOf = (path: string): string | undefined => {
  const advice = otherForms.find(([name]) => name.test(path))?.[1]
  return advice === undefined ? undefined : `${path} ${advice}`
}

/** What to do with a voice of Piper that has a `.onnx.json` instead of metadata. */
export const asPiperPublishes = (path: string): string =>
  `It is a voice of Piper as Piper publishes it, without the metadata that sherpa-onnx needs. Download the archive vits-piper-${path.replace(/\.onnx$/i, "")} of sherpa-onnx.`

const nothing = ({ files, inner }: Facts): string => {
  const [first, ...others] = inner
  if (first !== undefined) {
    return others.length === 0
      ? `Its ONNX files are in the folder ${first} within it. Move the files of that folder up.`
      : `It has several folders with ONNX files: ${quoted(inner)}. If each is a model, move them up, beside this folder.`
  }
  const paths = [...files.keys()]
  const archive = paths.find((path) => isArchive(path))
  const advice =
    paths.flatMap((path) => otherFormOf(path) ?? [])[0] ??
    (archive === undefined ? undefined : `Unpack its archive: tar xf ${archive}`) ??
    "A model has one or more files that end in .onnx, and a tokens.txt."
  return `There is no ONNX file in it. ${advice}`
}

export const isArchive = (path: string): boolean => /\.(tar|tar\.\w+|tgz|tbz2?|zip)$/i.test(path)

/** The networks of the model. The error is a sentence. */
const networksOf = (facts: Facts): Found<Parts> => {
  const networks = [...facts.files.keys()].flatMap((path) => networkOf(path) ?? [])
  const sets = new Map<string, Array<Network>>()
  for (const network of networks) {
    const key = network.role === "model" ? `model ${network.set}` : network.set
    sets.set(key, [...(sets.get(key) ?? []), network])
  }
  const isWhole = (set: ReadonlyArray<Network>) =>
    ["encoder", "decoder"].every((role) => set.some((network) => network.role === role))
  const [whole, another] = [...sets.values()].filter(isWhole)
  if (whole !== undefined)
    return another === undefined ? Either.right(preferred(whole)) : refuse(several([...whole, ...another], facts))
  const parts = networks.filter(({ role }) => role !== "model")
  // Networks with different names may still be those of one model.
  if (isWhole(parts)) return sets.size <= 3 ? Either.right(preferred(parts)) : refuse(several(parts, facts))
  const models = networks.filter(({ role }) => role === "model")
  if (new Set(models.map(({ set }) => set)).size > 1) return refuse(several(models, facts))
  if (models.length > 0) return Either.right(preferred(models))
  const [part] = parts
  return refuse(
    part === undefined
      ? nothing(facts)
      : `It has ${part.path}, but ${part.role === "encoder" ? "no decoder" : "no encoder"}. Copy all files of the model into the folder.`
  )
}

/** The tokens of a model: `tokens.txt`, or for `tiny-encoder.onnx` the file `tiny-tokens.txt`. */
const tokensFor = ({ files }: Facts, { encoder }: Parts): string | undefined => {
  const all = [...files.keys()].filter((path) => /(?<![a-z])tokens\.txt$/i.test(path) && !path.includes("/"))
  const beside = encoder?.replace(/encoder.*$/i, "tokens.txt")
  return (
    all.find((path) => path === "tokens.txt") ??
    all.find((path) => path === beside) ??
    (all.length === 1 ? all[0] : undefined)
  )
}

/** The parts of a model. The error is a sentence. */
export const partsOf = (facts: Facts): Found<Parts> =>
  Either.gen(function* () {
    const { files = {} } = facts.manifest
    const given = Object.fromEntries(Object.entries(files).filter(([, path]) => path !== undefined))
    const namesNetworks = "model" in given || "encoder" in given
    if ("model" in given && "encoder" in given) {
      return yield* refuse("model.json can't be used: files has a model and an encoder, and a model has one of them.")
    }
    if ([...facts.files.keys()].some((path) => /^(un)?cached_decode\b.*\.onnx$/i.test(path))) {
      return yield* refuse("Models of Moonshine are not supported. Use another one, such as Whisper.")
    }
    const networks = namesNetworks ? {} : yield* networksOf(facts)
    const tokens = tokensFor(facts, { ...networks, ...given })
    const named = { voices: "voices.bin", bpeVocab: "bpe.vocab", ...(tokens !== undefined && { tokens }) }
    const present = Object.fromEntries(Object.entries(named).filter(([, path]) => facts.files.has(path)))
    return { ...present, ...networks, ...given }
  })
