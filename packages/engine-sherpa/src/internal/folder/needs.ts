/**
 * What sherpa-onnx needs of the metadata of each family. It ends its process if a value is missing or not valid.
 */
import * as Either from "effect/Either"
import type { Family } from "./description.js"
import type { Facts } from "./facts.js"
import { type Found, refuse } from "./found.js"
import type { Role } from "./manifest.js"
import type { Metadata } from "./onnx.js"
import type { Parts } from "./parts.js"

const none: Metadata = new Map()

export const metadataOf = ({ files }: Facts, path: string): Metadata => files.get(path)?.metadata ?? none

/** The rule of a value. */
type Need = "text" | "whole" | "positive"

const needs: Readonly<Record<Family, { readonly of: Role; readonly keys: Readonly<Record<string, Need>> }>> = {
  "nemo-ctc": {
    of: "model",
    keys: { vocab_size: "positive", subsampling_factor: "positive" }
  },
  "zipformer-ctc": { of: "model", keys: {} },
  "wenet-ctc": { of: "model", keys: { vocab_size: "positive", subsampling_factor: "positive" } },
  "sense-voice": {
    of: "model",
    keys: {
      vocab_size: "positive",
      lfr_window_size: "positive",
      lfr_window_shift: "positive",
      normalize_samples: "whole",
      with_itn: "whole",
      without_itn: "whole",
      lang_auto: "whole",
      neg_mean: "text",
      inv_stddev: "text"
    }
  },
  transducer: { of: "decoder", keys: { vocab_size: "positive", context_size: "positive" } },
  "nemo-transducer": {
    of: "encoder",
    keys: {
      vocab_size: "positive",
      subsampling_factor: "positive",
      pred_rnn_layers: "positive",
      pred_hidden: "positive"
    }
  },
  whisper: {
    of: "encoder",
    keys: {
      n_mels: "positive",
      n_text_layer: "positive",
      n_text_ctx: "positive",
      n_text_state: "positive",
      n_vocab: "positive",
      sot: "whole",
      eot: "whole",
      blank_id: "whole",
      translate: "whole",
      transcribe: "whole",
      is_multilingual: "whole",
      no_timestamps: "whole",
      no_speech: "whole",
      sot_sequence: "text"
    }
  },
  vits: { of: "model", keys: { sample_rate: "positive", n_speakers: "whole", language: "text", comment: "text" } },
  piper: { of: "model", keys: { sample_rate: "positive", n_speakers: "whole", language: "text", comment: "text" } },
  kokoro: {
    of: "model",
    keys: { sample_rate: "positive", n_speakers: "whole", has_espeak: "whole", style_dim: "text" }
  },
  kitten: {
    of: "model",
    keys: { sample_rate: "positive", n_speakers: "whole", has_espeak: "whole", style_dim: "text" }
  }
}

/** Like `atoi` of C, which sherpa-onnx uses. */
export const whole = (metadata: Metadata, key: string): number => Number.parseInt(metadata.get(key) ?? "", 10)

const isMet = (metadata: Metadata, key: string, need: Need): boolean => {
  switch (need) {
    case "text":
      return (metadata.get(key) ?? "") !== ""
    case "whole":
      return whole(metadata, key) >= 0
    case "positive":
      return whole(metadata, key) > 0
  }
}

const needInWords: Readonly<Record<Need, string>> = {
  text: "is missing or empty",
  whole: "is missing, or no number from 0 on",
  positive: "is missing, or no number above 0"
}

const encoderAndDecoder = ["encoder", "decoder"] as const
const transducer = [...encoderAndDecoder, "joiner"] as const
const styled = ["model", "voices"] as const

/** The parts of each family. Others have a model alone. */
const partsOfFamily: Readonly<Partial<Record<Family, ReadonlyArray<Role>>>> = {
  whisper: encoderAndDecoder,
  transducer,
  "nemo-transducer": transducer,
  kokoro: styled,
  kitten: styled
}

/** Checks that each part of the family is there, which `model.json` may have left out. The error is a sentence. */
export const checkFamilyParts = (family: Family, parts: Parts): Found<void> => {
  const missing = (partsOfFamily[family] ?? ["model"]).find((role) => parts[role] === undefined)
  return missing === undefined
    ? Either.void
    : refuse(`model.json can't be used: files must have a ${missing} too, since the model is of ${family}.`)
}

/** Checks the values. The error is a sentence. */
export const checkMetadata = (family: Family, parts: Parts, facts: Facts): Found<void> => {
  const { keys, of } = needs[family]
  const path = parts[of] ?? ""
  const metadata = metadataOf(facts, path)
  const [key, need] = Object.entries(keys).find(([key, need]) => !isMet(metadata, key, need)) ?? []
  return key === undefined || need === undefined
    ? Either.right(undefined)
    : refuse(
        `In the metadata of ${path}, ${key} ${needInWords[need]}. Convert the model again, with a script of sherpa-onnx.`
      )
}

/** How many tokens the metadata states. */
export const vocabularyOf = (family: Family, parts: Parts, facts: Facts): number =>
  whole(metadataOf(facts, parts[needs[family].of] ?? ""), "vocab_size")
