/** What the contract says of synthesis, but of its key. */
import {
  every,
  forEach,
  hasStatus,
  header,
  isSynthesisFailure,
  judged,
  objectIn,
  type Rule,
  refusalNaming,
  type Seen,
  show,
  told
} from "./rule.js"
import { type Answer, type Service, wavOf } from "./service.js"

/** Three code points, since each is paid for. */
const text = "हाँ"

const formats = ["8000:pcm16", "8000:float32", "16000:pcm16", "16000:float32", "24000:pcm16", "24000:float32"] as const

const each = (judge: (answer: Answer, format: (typeof formats)[number]) => Seen) => (service: Service) =>
  forEach(formats, async (output_format) => judge(await service.synthesize({ text, output_format }), output_format))

const bytesPerSample = (encoding: string | undefined): number => (encoding === "pcm16" ? 2 : 4)

/** Seen as `is`, where it is. */
const equals = (seen: string | undefined, is: string): Seen => judged(seen === is, seen ?? "none")

/** Of 8 kHz and 16 bits, as are those below. */
const seconds = ({ bytes }: Answer): number => bytes.length / 16_000

/** In Hz, from 60 to 400: where the speech is most like itself a moment later. */
const pitch = ({ bytes }: Answer): number => {
  const samples = Float64Array.from({ length: bytes.length >> 1 }, (_, index) => bytes.readInt16LE(2 * index))
  let best = { lag: 0, likeness: Number.NEGATIVE_INFINITY }
  for (let lag = 20; lag <= 133; lag++) {
    let likeness = 0
    for (let at = lag; at < samples.length; at++) likeness += (samples[at] ?? 0) * (samples[at - lag] ?? 0)
    likeness /= samples.length - lag
    if (likeness > best.likeness) best = { lag, likeness }
  }
  return Math.round(8000 / best.lag)
}

const request = {
  textIsEnough: {
    section: "Synthesis: request",
    rule: "`text` is all that is required",
    expected: "200",
    anywhere: async ({ synthesize }) => hasStatus(await synthesize({ text }), 200)
  },
  textIsRequired: {
    section: "Synthesis: request",
    rule: "a missing `text` gives 400, and the message names the field",
    expected: "400 naming text",
    anywhere: async ({ synthesize }) => refusalNaming(await synthesize({ lang: "hi" }), "text")
  },
  textMustBeString: {
    section: "Synthesis: request",
    rule: "so does a `text` that is no string",
    expected: "400 naming text",
    anywhere: async ({ synthesize }) => refusalNaming(await synthesize({ text: 7 }), "text")
  },
  emptyText: {
    section: "Synthesis: request",
    rule: "an empty `text`",
    expected: "what becomes of it is not shown",
    anywhere: async ({ synthesize }) => told(show(await synthesize({ text: "" })))
  },
  malformedJsonIsRefused: {
    section: "Synthesis: request",
    rule: "a malformed request gives 400",
    expected: "400",
    anywhere: ({ synthesize }) =>
      forEach(['{"text":', "text", ""], async (body) => hasStatus(await synthesize(body), 400))
  },
  langIsHindiByDefault: {
    section: "Synthesis: request",
    rule: "`lang` is `hi` where there is none",
    expected: "a Hindi model hears it, an English one nothing",
    reason: "knownSpeech",
    locally: async ({ synthesize, transcribe }) => {
      const spoken = await synthesize({ text: "नमस्ते दोस्तों", output_format: "8000:pcm16" })
      if (spoken.status !== 200) return judged(false, show(spoken))
      const audio_file = wavOf("speech.wav", spoken.bytes)
      const hear = async (model: string) => `"${objectIn(await transcribe({ model, audio_file }))?.text}"`
      const heard = { hi: await hear("hi-general-v2-8khz"), en: await hear("en-general-v2-8khz") }
      return judged(heard.hi === '"नमस्ते दोस्तों"' && heard.en === '""', `${heard.hi} and ${heard.en}`)
    }
  },
  voiceIsFemaleByDefault: {
    section: "Synthesis: request",
    rule: "`voice` is `default_female` where there is none",
    expected: "the pitch of a woman, unlike default_male",
    reason: "knownVoice",
    locally: async ({ synthesize }) => {
      const pitchWith = async (fields: object) =>
        pitch(await synthesize({ text: "नमस्ते", output_format: "8000:pcm16", ...fields }))
      const none = await pitchWith({})
      const female = await pitchWith({ voice: "default_female" })
      const male = await pitchWith({ voice: "default_male" })
      const show = `${none} Hz, default_female ${female} Hz, default_male ${male} Hz`
      return judged(none > 125 && female > 125 && male < 125, show)
    }
  },
  defaultFemaleIsTaken: {
    section: "Synthesis: request",
    rule: "`default_female` is a voice of `hi`",
    expected: "200",
    anywhere: async ({ synthesize }) => hasStatus(await synthesize({ text, lang: "hi", voice: "default_female" }), 200)
  },
  unsupportedLangIsRefused: {
    section: "Synthesis: request",
    rule: "an unsupported `lang` gives 400, and the message names the field",
    expected: "400 naming lang",
    anywhere: async ({ synthesize }) => refusalNaming(await synthesize({ text, lang: "tlh" }), "lang")
  },
  unsupportedVoiceIsRefused: {
    section: "Synthesis: request",
    rule: "an unsupported `voice` gives 400, and the message names the field",
    expected: "400 naming voice",
    anywhere: async ({ synthesize }) => refusalNaming(await synthesize({ text, voice: "nobody_at_all" }), "voice")
  },
  everyFormatIsTaken: {
    section: "Synthesis: request",
    rule: "`output_format` is one of three sample rates and of two encodings",
    expected: "200 for each of six",
    anywhere: each((answer) => hasStatus(answer, 200))
  },
  otherFormatsAreRefused: {
    section: "Synthesis: request",
    rule: "anything else gives 400, and the message names the field",
    expected: "400 naming output_format",
    anywhere: ({ synthesize }) =>
      forEach(["8000:opus", "8000", "pcm16", "wav", ""], async (output_format) =>
        refusalNaming(await synthesize({ text, output_format }), "output_format")
      )
  },
  otherRatesAreNamed: {
    section: "Synthesis: request",
    rule: "an unsupported sample rate gives 400, and the message names the rate",
    expected: "400 naming the rate",
    anywhere: ({ synthesize }) =>
      forEach(["44100", "22050", "48000"], async (rate) =>
        refusalNaming(await synthesize({ text, output_format: `${rate}:pcm16` }), rate)
      )
  },
  speedIsTheRate: {
    section: "Synthesis: request",
    rule: "`speed` is the speaking rate",
    expected: "longer at 0.25 than at 4",
    anywhere: async ({ synthesize }) => {
      const lasts = async (speed: number) => seconds(await synthesize({ text, speed, output_format: "8000:pcm16" }))
      const [slow, fast] = [await lasts(0.25), await lasts(4)]
      return judged(slow > fast, `${slow.toFixed(2)} s and ${fast.toFixed(2)} s`)
    }
  },
  g2pOverridesMayBeEmpty: {
    section: "Synthesis: request",
    rule: "`g2p_overrides` is a map",
    expected: "200 for an empty one",
    anywhere: async ({ synthesize }) => hasStatus(await synthesize({ text, g2p_overrides: {} }), 200)
  },
  g2pTokens: {
    section: "Synthesis: request",
    rule: "it maps a word to tokens",
    expected: "their format is not shown",
    anywhere: async ({ synthesize }) => {
      const tokens = { "a string": "h", "a list of strings": ["h"] }
      const seen: Array<string> = []
      for (const [name, value] of Object.entries(tokens)) {
        seen.push(`${name}: ${(await synthesize({ text, g2p_overrides: { [text]: value } })).status}`)
      }
      return told(seen.join(", "))
    }
  },
  g2pOverridesMustBeMap: {
    section: "Synthesis: request",
    rule: "`g2p_overrides` that is none is a malformed request",
    expected: "400",
    anywhere: async ({ synthesize }) => hasStatus(await synthesize({ text, g2p_overrides: "हाँ" }), 400)
  }
} as const satisfies Record<string, Rule>

const response = {
  bodyIsRaw: {
    section: "Synthesis: response",
    rule: "the body is raw audio without a container",
    expected: "audio, and no magic number",
    anywhere: each((answer) => {
      const { bytes, status } = answer
      const magic = ["RIFF", "ID3", "OggS", "fLaC", "\u001aE\u00df\u00a3"].find((start) =>
        bytes.subarray(0, 4).toString("latin1").startsWith(start)
      )
      if (status !== 200 || objectIn(answer) !== undefined) return judged(false, show(answer))
      return judged(magic === undefined && bytes.length > 0, magic ?? (bytes.length === 0 ? "nothing" : "audio"))
    })
  },
  sampleRateIsTold: {
    section: "Synthesis: response",
    rule: "`X-Sample-Rate` is the rate of the audio, as an integer",
    expected: "the rate that was asked for",
    anywhere: each((answer, format) => equals(header(answer, "X-Sample-Rate"), format.split(":")[0] ?? ""))
  },
  encodingIsTold: {
    section: "Synthesis: response",
    rule: "`X-Encoding` is its encoding",
    expected: "the encoding that was asked for",
    anywhere: each((answer, format) => equals(header(answer, "X-Encoding"), format.split(":")[1] ?? ""))
  },
  formatByDefault: {
    section: "Synthesis: response",
    rule: "both are `24000:float32` where no `output_format` was given",
    expected: "24000:float32",
    anywhere: async ({ synthesize }) => {
      const answer = await synthesize({ text })
      return equals(`${header(answer, "X-Sample-Rate")}:${header(answer, "X-Encoding")}`, "24000:float32")
    }
  },
  durationIsTold: {
    section: "Synthesis: response",
    rule: "`X-Audio-Duration-Ms` is the length of the body in milliseconds",
    expected: "within 1 ms",
    anywhere: each((answer, format) => {
      const [rate, encoding] = format.split(":")
      const milliseconds = (answer.bytes.length / bytesPerSample(encoding) / Number(rate)) * 1000
      const toldMilliseconds = header(answer, "X-Audio-Duration-Ms")
      const agree = toldMilliseconds !== undefined && Math.abs(Number(toldMilliseconds) - milliseconds) <= 1
      return judged(agree, agree ? "within 1 ms" : `${toldMilliseconds} of ${milliseconds.toFixed(1)}`)
    })
  },
  samplesAreWhole: {
    section: "Synthesis: response",
    rule: "the body is whole samples of that encoding, and a float is a number",
    expected: "whole samples",
    anywhere: each(({ bytes }, format) => {
      const size = bytesPerSample(format.split(":")[1])
      if (bytes.length % size !== 0) return judged(false, `${bytes.length} bytes`)
      const odd = (at: number) => size === 4 && !Number.isFinite(bytes.readFloatLE(at))
      for (let at = 0; at < bytes.length; at += size) if (odd(at)) return judged(false, "a float that is no number")
      return judged(true, "whole samples")
    })
  }
} as const satisfies Record<string, Rule>

/** Answers of three kinds, none of which but the first is paid for. */
const kinds = {
  200: ({ synthesize }: Service, id?: string) => synthesize({ text }, { "X-Request-Id": id }),
  400: ({ synthesize }: Service, id?: string) => synthesize({}, { "X-Request-Id": id }),
  401: ({ synthesize }: Service, id?: string) => synthesize({ text }, { "X-Request-Id": id, "X-API-Key": undefined })
} as const

/** The id that was sent, or whatever came in its place. */
const isReturned = (answer: Answer, id: string): Seen => {
  const returned = header(answer, "X-Request-Id")
  return judged(returned === id, returned === id ? "the same" : (returned ?? "none"))
}

const isReplaced = (answer: Answer, id: string): Seen => {
  const made = header(answer, "X-Request-Id")
  const replaced = made !== undefined && made !== "" && made !== id
  return judged(replaced, replaced ? "another" : (made ?? "none"))
}

const letters = [...Array(26).keys()].map((index) => String.fromCharCode(97 + index)).join("")

const requestId = {
  idIsReturned: {
    section: "Synthesis: request id",
    rule: "`X-Request-Id` is returned unchanged with audio",
    expected: "the same",
    anywhere: async (service) => {
      const answer = await kinds[200](service, "call.7_a:b-C")
      return answer.status === 200 ? isReturned(answer, "call.7_a:b-C") : judged(false, show(answer))
    }
  },
  idIsReturnedOnErrors: {
    section: "Synthesis: request id",
    rule: "so it is on errors",
    expected: "the same on 400 and 401",
    anywhere: (service) =>
      forEach(["400", "401"], async (kind) => isReturned(await kinds[kind](service, "call.8_a:b-C"), "call.8_a:b-C"))
  },
  idIsMade: {
    section: "Synthesis: request id",
    rule: "where there is none, the audio has one that the service made",
    expected: "two that differ",
    anywhere: async (service) => {
      const answers = [await kinds[200](service), await service.synthesize({ text, lang: "hi" })]
      const ids = answers.map((answer) => (answer.status === 200 && header(answer, "X-Request-Id")) || "none")
      const differ = ids[0] !== ids[1] && !ids.includes("none")
      return judged(differ, differ ? "two that differ" : ids.join(", "))
    }
  },
  idIsMadeOnErrors: {
    section: "Synthesis: request id",
    rule: "so have errors",
    expected: "one on 400 and 401",
    anywhere: (service) =>
      forEach(["400", "401"], async (kind) => {
        const id = header(await kinds[kind](service), "X-Request-Id")
        return judged(id !== undefined && id !== "", id === undefined ? "none" : "one")
      })
  },
  idMayBeShortOrLong: {
    section: "Synthesis: request id",
    rule: "it is 1 to 64 letters, digits, `.`, `_`, `:` and `-`",
    expected: "the same",
    anywhere: (service) =>
      forEach(["a", "7", ".", "_", ":", "-", `${letters}${letters.toUpperCase()}0123456789._`], async (id) =>
        isReturned(await kinds[400](service, id), id)
      )
  },
  longIdIsIgnored: {
    section: "Synthesis: request id",
    rule: "one of 65 characters is ignored, and another is made",
    expected: "another, with 200",
    anywhere: async (service) => {
      const id = "x".repeat(65)
      const answer = await kinds[200](service, id)
      return answer.status === 200 ? isReplaced(answer, id) : judged(false, show(answer))
    }
  },
  oddIdIsIgnored: {
    section: "Synthesis: request id",
    rule: "so is one with any other character",
    expected: "another",
    anywhere: (service) =>
      forEach(["a b", "a/b", "a,b", "a+b", "a@b", "{a}", "a=b", "aéb"], async (id) =>
        isReplaced(await kinds[400](service, id), id)
      )
  },
  idIsReturnedOnFailures: {
    section: "Synthesis: request id",
    rule: "it is returned on a 500 and a 502",
    expected: "the same",
    reason: "failure",
    locally: (service) =>
      forEach(["500", "502"], async (status) => {
        await service.platform("PUT", "faults", [{ operation: "synthesize", status: Number(status) }])
        return isReturned(await kinds[200](service, `call-${status}`), `call-${status}`)
      })
  }
} as const satisfies Record<string, Rule>

const errors = {
  synthesisRefusalBody: {
    section: "Synthesis: errors",
    rule: '400 is `{"error": "<message>"}`',
    expected: "400 with that alone",
    anywhere: async (service) => isSynthesisFailure(await kinds[400](service), 400)
  },
  synthesisUnauthorizedBody: {
    section: "Synthesis: errors",
    rule: "so is 401",
    expected: "401 with that alone",
    anywhere: async (service) => isSynthesisFailure(await kinds[401](service), 401)
  },
  synthesisFailures: {
    section: "Synthesis: errors",
    rule: "so are 500 and 502",
    expected: "500 and 502 with that alone",
    reason: "failure",
    locally: (service) =>
      forEach(["500", "502"], async (status) => {
        await service.platform("PUT", "faults", [{ operation: "synthesize", status: Number(status) }])
        return isSynthesisFailure(await kinds[200](service), Number(status))
      })
  }
} as const satisfies Record<string, Rule>

/** A character that is not spoken, so that a long text takes no time; it is two units of UTF-16. */
const silent = "\u{e0100}"

const limits = {
  tenThousandCharacters: {
    section: "Limits",
    rule: "`text` has up to 10,000 characters",
    expected: "200 for 10,000",
    reason: "credit",
    locally: async ({ synthesize }) =>
      hasStatus(await synthesize({ text: `a${" ".repeat(9999)}`, output_format: "8000:pcm16" }), 200)
  },
  tenThousandCodePoints: {
    section: "Limits",
    rule: "they are counted by Unicode code point",
    expected: "200 for 10,000 beyond the 65,536th",
    reason: "credit",
    locally: async ({ synthesize }) =>
      hasStatus(await synthesize({ text: `a${silent.repeat(9999)}`, output_format: "8000:pcm16" }), 200)
  },
  longerTextIsRefused: {
    section: "Limits",
    rule: "a longer `text` gives 400, and the message names the field",
    expected: "400 naming text for 10,001",
    reason: "credit",
    locally: async ({ synthesize }) =>
      every({
        "of one unit": refusalNaming(await synthesize({ text: `a${" ".repeat(10_000)}` }), "text"),
        "of two units": refusalNaming(await synthesize({ text: `a${silent.repeat(10_000)}` }), "text")
      })
  },
  speedHasBounds: {
    section: "Limits",
    rule: "`speed` is 0.25 to 4.0",
    expected: "200 at both ends",
    anywhere: async ({ synthesize }) =>
      every({
        0.25: hasStatus(await synthesize({ text, speed: 0.25, output_format: "8000:pcm16" }), 200),
        "4.0": hasStatus(await synthesize({ text, speed: 4, output_format: "8000:pcm16" }), 200)
      })
  },
  otherSpeedsAreRefused: {
    section: "Limits",
    rule: "any other `speed` gives 400, and the message names the field",
    expected: "400 naming speed",
    anywhere: ({ synthesize }) =>
      forEach(["0.24", "4.01", "0", "-1", '"fast"'], async (speed) =>
        refusalNaming(await synthesize({ text, speed: JSON.parse(speed) }), "speed")
      )
  },
  stepsHaveBounds: {
    section: "Limits",
    rule: "`num_step` is 1 to 100",
    expected: "200 at both ends",
    anywhere: ({ synthesize }) =>
      forEach(["1", "100"], async (num_step) => hasStatus(await synthesize({ text, num_step: Number(num_step) }), 200))
  },
  otherStepsAreRefused: {
    section: "Limits",
    rule: "any other `num_step` gives 400, and the message names the field",
    expected: "400 naming num_step",
    anywhere: ({ synthesize }) =>
      forEach(["0", "101", "-1", '"many"'], async (num_step) =>
        refusalNaming(await synthesize({ text, num_step: JSON.parse(num_step) }), "num_step")
      )
  }
} as const satisfies Record<string, Rule>

export const synthesisRules = { ...request, ...response, ...requestId, ...errors, ...limits }
