import { describe, expect, it } from "@effect/vitest"
import { SttWarning } from "@effect-speech/stt"
import { hotwordsHeader } from "@effect-speech/stt/SttContract"
import * as Schema from "effect/Schema"
import { responseWarnings, type WarnedFields, warningsFor } from "../src/internal/warnings.js"

const telephone = { sampleRate: 8000, channels: 1 }
const asked = { model: "en-general-v2-8khz" }

const warningsOf = (recording: Parameters<typeof warningsFor>[0], request: Partial<WarnedFields> = {}) =>
  warningsFor(recording, { ...asked, ...request })

describe("a warning", () => {
  it("is not given for mono at 8 kHz, nor where nothing is known", () => {
    expect(warningsOf(telephone)).toEqual([])
    expect(warningsOf({})).toEqual([])
  })

  it("is given for more than one channel", () => {
    expect(warningsOf({ ...telephone, channels: 2 })).toMatchObject([{ _tag: "MoreThanOneChannel", channels: 2 }])
  })

  it.each([
    [7999, true],
    [8000, false],
    [11_025, false],
    [24_000, false],
    [24_001, true],
    [44_100, true]
  ])("at a rate of %d Hz is given: %s", (sampleRate, given) => {
    const warnings = warningsOf({ ...telephone, sampleRate })
    expect(warnings.map(({ _tag }) => _tag)).toEqual(given ? ["SampleRateFarFrom8kHz"] : [])
  })

  it.each([
    ["en-general-v2-8khz", "en"],
    ["TA-banking-v2-8khz", "ta"],
    ["brx-general-v2-8khz", "brx"],
    ["hi-general-v2-8khz", undefined],
    ["hin-general-v2-8khz", undefined],
    ["mr-general-v2-8khz", undefined],
    ["general-v2-8khz", undefined],
    ["zq-general", undefined],
    ["v2-en-general", undefined],
    ["v2", undefined]
  ])("where numbers are to be digits with the model %s names the language %s", (model, language) => {
    const expected = language === undefined ? [] : [{ _tag: "ParseNumberWithoutEffect", model, language }]
    expect(warningsOf(telephone, { model, parseNumber: true })).toMatchObject(expected)
    expect(warningsOf(telephone, { model, parseNumber: false })).toEqual([])
  })

  it.each(["UPI", "Kotak Bank", "आधार कार्ड", "क्\u200dष", "ಕೋಟಕ್", "O'Brien", "l’été", "sign-in", " spaced "])(
    "is not given for the hotword %j",
    (phrase) => {
      expect(warningsOf(telephone, { hotwords: [{ phrase }] })).toEqual([])
    }
  )

  it.each(["UPI 2", "१०८", "A.T.M.", "rock & roll", "नमस्ते।", "-dash", "a--b", "@home"])(
    "is given for the hotword %j",
    (phrase) => {
      const warnings = warningsOf(telephone, { hotwords: [{ phrase: "UPI" }, { phrase }] })
      expect(warnings).toMatchObject([{ _tag: "HotwordNotSpoken", phrase }])
    }
  )

  it("says what to do, and is data that crosses a process boundary", () => {
    const warnings = [
      ...warningsOf({ sampleRate: 44_100, channels: 2 }, { parseNumber: true, hotwords: [{ phrase: "24x7" }] }),
      ...warningsOf({ sampleRate: 4000 }),
      ...responseWarnings("", (name) => (name === hotwordsHeader ? "ignored" : "this service knows three recordings")),
      ...responseWarnings("", (name) => (name === hotwordsHeader ? "some ignored" : undefined))
    ]
    expect(warnings.length).toBe(8)
    expect(Schema.decodeUnknownSync(Schema.Array(SttWarning))(JSON.parse(JSON.stringify(warnings)))).toEqual(warnings)
    expect(warnings.map(({ message }) => message)).toMatchInlineSnapshot(`
      [
        "The recording has 2 channels, but the service requires mono: mix them down (telephony does this for a WAV file), or send each channel as a recording of its own.",
        "The recording is at 44100 Hz, but the models are trained at 8000 Hz: send it at 8000 Hz (telephony does this for a WAV file), which is smaller and loses nothing that the models use.",
        "parseNumber has no effect with the model en-general-v2-8khz, whose language is English: omit it, or use a model of hi, ml, kn, gu or mr.",
        "The hotword "24x7" has digits or punctuation, but only spoken words are recognised: write it in words, as it is spoken.",
        "The recording is at 4000 Hz, but the models are trained at 8000 Hz: record at 8000 Hz, since conversion can't restore what is missing.",
        "The model takes no hotwords, so those of the request had no effect: leave them out, or use another model.",
        "Nothing was recognised: this service knows three recordings.",
        "The model can't use some of the hotwords, so these had no effect: leave out those that are long, or have characters that it does not write.",
      ]
    `)
  })
})
