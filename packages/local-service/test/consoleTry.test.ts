import { describe, expect, it } from "vitest"
import { hintOf } from "../console/src/try/languageHint.js"
import { modelFor, modelGroups } from "../console/src/try/modelChoices.js"
import { isSample, samples } from "../console/src/try/samples.js"
import type { Model } from "../src/Models.js"

const model = (names: ReadonlyArray<readonly [name: string, lang: string]>): Model => ({
  operation: "transcribe",
  name: "known-recordings",
  languages: [],
  sampleRate: 8000,
  state: "ready",
  names: names.map(([name, lang]) => ({ name, lang })),
  hotwords: false
})

describe("the models to choose from", () => {
  it("are grouped by language, and say what differs", () => {
    const models = [
      model([
        ["hi-general-v2-8khz", "hi"],
        ["hi-banking-v2-8khz", "hi"],
        ["hi-banking-v3-8khz", "hi"],
        ["bn-general-v2-16khz", "bn"]
      ]),
      model([["whisper-tiny", "hi"]])
    ]
    expect(modelGroups(models)).toEqual([
      { lang: "bn", names: [{ name: "bn-general-v2-16khz", label: "Bangla · 16 kHz" }] },
      {
        lang: "hi",
        names: [
          { name: "hi-general-v2-8khz", label: "Hindi · 8 kHz" },
          { name: "hi-banking-v2-8khz", label: "Hindi · banking · 8 kHz" },
          { name: "hi-banking-v3-8khz", label: "hi-banking-v3-8khz" },
          { name: "whisper-tiny", label: "whisper-tiny" }
        ]
      }
    ])
    expect(modelGroups(undefined)).toEqual([])
  })

  it("stay as chosen for a recording in their language, and change for one in another", () => {
    const models = [
      model([
        ["hi-general-v2-8khz", "hi"],
        ["hi-banking-v2-8khz", "hi"],
        ["en-general-v2-8khz", "en"]
      ])
    ]
    expect(modelFor(models, "hi-banking-v2-8khz", "hi")).toBe("hi-banking-v2-8khz")
    expect(modelFor(models, "hi-banking-v2-8khz", "en")).toBe("en-general-v2-8khz")
    expect(modelFor(models, undefined, "ta")).toBe("hi-general-v2-8khz")
  })
})

describe("the sample of a voice", () => {
  it("is short, and in the script of its language", () => {
    for (const [lang, text] of Object.entries(samples)) {
      const { script } = new Intl.Locale(lang).maximize()
      expect(text, lang).toMatch(new RegExp(`^[\\p{Script=${script}}\\p{Script=Zyyy}\\p{Script=Zinh}]{10,40}$`, "u"))
      expect(isSample(text)).toBe(true)
    }
    expect(isSample("Hello")).toBe(false)
  })
})

describe("a text in another script than that of its language", () => {
  it("has a hint", () => {
    expect(hintOf("The train is late.", "hi")).toBe(
      "No letter of this text is in the script of Hindi. Check the language."
    )
    expect(hintOf("নমস্কার", "en")).toBe("No letter of this text is in the script of English. Check the language.")
  })

  it("has none if it mixes scripts, has no letters, or the language is not known", () => {
    expect(hintOf("UPI से भुगतान", "hi")).toBeUndefined()
    expect(hintOf("12 + 3", "hi")).toBeUndefined()
    expect(hintOf("こんにちは", "ja")).toBeUndefined()
    expect(hintOf("hello", "not a language")).toBeUndefined()
  })

  it("has none for the samples", () => {
    for (const [lang, text] of Object.entries(samples)) expect(hintOf(text, lang), lang).toBeUndefined()
  })
})
