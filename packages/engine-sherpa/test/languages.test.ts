import { describe, expect, it } from "@effect/vitest"
import { languageOfEspeak, languagesInName, languagesInWords } from "../src/internal/folder/languages.js"

describe("the languages of a model", () => {
  it.each([
    ["vits-piper-hi_IN-pratham-medium", "hi"],
    ["vits-piper-en_GB-semaine-medium", "en"],
    ["vits-mimic3-gu_IN-cmu-indic_low", "gu"],
    ["vits-mms-hin", "hi"],
    ["vits-mms-mai", "mai"],
    ["vits-coqui-de-css10", "de"],
    ["sherpa-onnx-zipformer-korean-2024-06-24", "ko"],
    ["sherpa-onnx-nemo-ctc-giga-am-v2-russian-2025-04-19", "ru"],
    ["sherpa-onnx-nemo-ctc-giga-am-2025-04-19", ""],
    ["sherpa-onnx-nemo-parakeet-tdt-0.6b-v2-int8", ""],
    ["sherpa-onnx-zipformer-multi-zh-hans-2023-9-2", "zh"],
    ["indicconformer_stt_mr_hybrid_ctc_rnnt_large", "mr"],
    ["indicconformer_stt_mai_hybrid_ctc_rnnt_large", "mai"],
    ["my-model", ""],
    ["vits-my-voice", ""],
    ["is-it-on", ""]
  ])("are read in the name of a published archive, and in no other name: %s", (name, languages) => {
    expect(languagesInName(name).join()).toBe(languages)
  })

  it.each([
    ["Hindi", "hi"],
    ["tamil", "ta"],
    ["Oriya", "or"],
    ["Chinese + English", "zh,en"],
    ["multi-lang, e.g., English, Chinese", "en,zh"],
    ["unknown", ""]
  ])("may be English words: %s", (words, languages) => {
    expect(languagesInWords(words).join()).toBe(languages)
  })

  it.each([
    ["hi", "hi"],
    ["en-gb-x-rp", "en"],
    ["cmn", "zh"],
    ["kok", "kok"],
    ["gmw/en-US", ""],
    ["", ""]
  ])("may be that of a voice of espeak-ng: %s", (voice, languages) => {
    expect(languageOfEspeak(voice).join()).toBe(languages)
  })
})
