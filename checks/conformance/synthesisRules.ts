/** The contract's rules for synthesis, except those for keys. */
import {
  demand,
  demandRefusalNaming,
  demandStatus,
  demandSynthesisFailure,
  header,
  inSection,
  jsonObject,
  show
} from "./rule.js"
import { type HttpResponse, type Service, wavOf } from "./service.js"

/** Three code points: each is paid for. */
const text = "हाँ"
const telephone = "8000:pcm16"

type Fields = Readonly<Record<string, unknown>>

/** Demands 200 for each request. All have a `text`. */
const accepted =
  (...requests: ReadonlyArray<Fields>) =>
  async ({ synthesize }: Service) => {
    for (const fields of requests) demandStatus(await synthesize({ text, ...fields }), 200)
  }

/** Demands a 400 with a message that names the field, for each of its values. */
const refused =
  (field: string, ...values: ReadonlyArray<unknown>) =>
  async ({ synthesize }: Service) => {
    for (const value of values) demandRefusalNaming(await synthesize({ text, [field]: value }), field)
  }

/** Demands something of the audio in each format. */
const inEachFormat =
  (check: (response: HttpResponse, rate: string, encoding: string) => void) =>
  async ({ synthesize }: Service) => {
    for (const rate of ["8000", "16000", "24000"]) {
      for (const encoding of ["pcm16", "float32"]) {
        check(await synthesize({ text, output_format: `${rate}:${encoding}` }), rate, encoding)
      }
    }
  }

const bytesPerSample = (encoding: string): number => (encoding === "pcm16" ? 2 : 4)

const demandHeader = (response: HttpResponse, name: string, expected: string): void =>
  demand(header(response, name) === expected, `${name}: ${header(response, name)}`)

/** The fundamental frequency of 16-bit speech at 8 kHz, from 60 to 400 Hz, by autocorrelation. */
const pitch = ({ bytes }: HttpResponse): number => {
  const samples = Float64Array.from({ length: bytes.length >> 1 }, (_, index) => bytes.readInt16LE(2 * index))
  let best = { lag: 0, correlation: Number.NEGATIVE_INFINITY }
  for (let lag = 20; lag <= 133; lag++) {
    let correlation = 0
    for (let at = lag; at < samples.length; at++) correlation += (samples[at] ?? 0) * (samples[at - lag] ?? 0)
    correlation /= samples.length - lag
    if (correlation > best.correlation) best = { lag, correlation }
  }
  return Math.round(8000 / best.lag)
}

const request = inSection("Synthesis: request")
const requestRules = [
  request.rule("`text` is enough", accepted({})),
  request.rule("a missing `text` gives 400, and the message names it", refused("text", undefined)),
  request.rule("a `text` that is not a string gives 400, and the message names it", refused("text", 7)),
  request.rule("`text` may be empty", async ({ synthesize }) => show(await synthesize({ text: "" }))),
  request.rule("malformed JSON gives 400", async ({ synthesize }) => {
    for (const body of ['{"text":', "text", ""]) demandStatus(await synthesize(body), 400)
  }),
  request.ownRule("knownSpeech", "the default of `lang` is `hi`", async ({ synthesize, transcribe }) => {
    const spoken = await synthesize({ text: "नमस्ते दोस्तों", output_format: telephone })
    demandStatus(spoken, 200)
    const audio_file = wavOf("speech.wav", spoken.bytes)
    const transcript = async (model: string) => jsonObject(await transcribe({ model, audio_file }))?.text
    const transcripts = [await transcript("hi-general-v2-8khz"), await transcript("en-general-v2-8khz")]
    demand(transcripts.join("|") === "नमस्ते दोस्तों|", transcripts.join(" in Hindi, and in English "))
  }),
  request.ownRule("knownVoice", "the default of `voice` is `default_female`", async ({ synthesize }) => {
    const pitchOf = async (fields: Fields) =>
      pitch(await synthesize({ text: "नमस्ते", output_format: telephone, ...fields }))
    const [none, female] = [await pitchOf({}), await pitchOf({ voice: "default_female" })]
    const male = await pitchOf({ voice: "default_male" })
    const observed = `${none} Hz, default_female ${female} Hz, default_male ${male} Hz`
    demand(none > 125 && female > 125 && male < 125, observed)
  }),
  request.rule("`default_female` is a voice of `hi`", accepted({ lang: "hi", voice: "default_female" })),
  request.rule("an unsupported `lang` gives 400, and the message names the field", refused("lang", "tlh")),
  request.rule("an unsupported `voice` gives 400, and the message names the field", refused("voice", "no_such_voice")),
  request.rule(
    "`output_format` is one of three sample rates and two encodings",
    inEachFormat((response) => demandStatus(response, 200))
  ),
  request.rule(
    "any other `output_format` gives 400, and the message names the field",
    refused("output_format", "8000:opus", "8000", "pcm16", "wav", "")
  ),
  request.rule("an unsupported sample rate gives 400, and the message names the rate", async ({ synthesize }) => {
    for (const rate of ["44100", "22050", "48000"]) {
      demandRefusalNaming(await synthesize({ text, output_format: `${rate}:pcm16` }), rate)
    }
  }),
  request.rule("`speed` is the speaking rate", async ({ synthesize }) => {
    const seconds = async (speed: number) =>
      (await synthesize({ text, speed, output_format: telephone })).bytes.length / 16_000
    const [slow, fast] = [await seconds(0.25), await seconds(4)]
    demand(slow > fast, `${slow.toFixed(2)} s at 0.25, and ${fast.toFixed(2)} s at 4`)
  }),
  request.rule("`g2p_overrides` is a map", accepted({ g2p_overrides: {} })),
  request.rule("`g2p_overrides` maps a word to tokens", async ({ synthesize }) => {
    const observed: Array<string> = []
    for (const [name, tokens] of Object.entries({ "a string": "h", "a list of strings": ["h"] })) {
      observed.push(`${name}: ${(await synthesize({ text, g2p_overrides: { [text]: tokens } })).status}`)
    }
    return observed.join(", ")
  }),
  request.rule("`g2p_overrides` that is not a map gives 400", async ({ synthesize }) =>
    demandStatus(await synthesize({ text, g2p_overrides: text }), 400)
  )
]

const response = inSection("Synthesis: response")
const responseRules = [
  response.rule(
    "the body is raw audio without a container",
    inEachFormat((response) => {
      demand(response.status === 200 && jsonObject(response) === undefined, show(response))
      const start = response.bytes.subarray(0, 4).toString("latin1")
      const magic = ["RIFF", "ID3", "OggS", "fLaC", "\u001aE\u00df\u00a3"].find((each) => start.startsWith(each))
      demand(response.bytes.length > 0 && magic === undefined, magic ?? "an empty body")
    })
  ),
  response.rule(
    "`X-Sample-Rate` is the sample rate, as an integer",
    inEachFormat((response, rate) => demandHeader(response, "X-Sample-Rate", rate))
  ),
  response.rule(
    "`X-Encoding` is the encoding",
    inEachFormat((response, _, encoding) => demandHeader(response, "X-Encoding", encoding))
  ),
  response.rule("the default of `output_format` is `24000:float32`", async ({ synthesize }) => {
    const response = await synthesize({ text })
    demandHeader(response, "X-Sample-Rate", "24000")
    demandHeader(response, "X-Encoding", "float32")
  }),
  response.rule(
    "`X-Audio-Duration-Ms` is the duration of the body",
    inEachFormat((response, rate, encoding) => {
      const milliseconds = (response.bytes.length / bytesPerSample(encoding) / Number(rate)) * 1000
      const stated = header(response, "X-Audio-Duration-Ms")
      const agree = stated !== undefined && Math.abs(Number(stated) - milliseconds) <= 1
      demand(agree, `${stated} of ${milliseconds.toFixed(1)}`)
    })
  ),
  response.rule(
    "the body holds whole samples, and every float is a number",
    inEachFormat(({ bytes }, _, encoding) => {
      const size = bytesPerSample(encoding)
      demand(bytes.length % size === 0, `${bytes.length} bytes`)
      for (let at = 0; size === 4 && at < bytes.length; at += size) {
        demand(Number.isFinite(bytes.readFloatLE(at)), "a float that is not a number")
      }
    })
  )
]

/** A response of each kind. Only the 200 costs. */
const responseOf = ({ synthesize }: Service, kind: 200 | 400 | 401, id?: string, fields: Fields = { text }) =>
  synthesize(kind === 400 ? {} : fields, { "X-Request-Id": id, ...(kind === 401 && { "X-API-Key": undefined }) })

const idOf = (response: HttpResponse) => header(response, "X-Request-Id") || undefined
const demandReturned = (response: HttpResponse, id: string): void => demandHeader(response, "X-Request-Id", id)
const demandReplaced = (response: HttpResponse, id: string): void =>
  demand(![id, undefined].includes(idOf(response)), idOf(response) ?? "none")

const letters = "abcdefghijklmnopqrstuvwxyz"

const requestId = inSection("Synthesis: request id")
const requestIdRules = [
  requestId.rule("audio returns `X-Request-Id` unchanged", async (service) => {
    const response = await responseOf(service, 200, "call.7_a:b-C")
    demandStatus(response, 200)
    demandReturned(response, "call.7_a:b-C")
  }),
  requestId.rule("an error returns `X-Request-Id` unchanged", async (service) => {
    for (const kind of [400, 401] as const) {
      demandReturned(await responseOf(service, kind, "call.8_a:b-C"), "call.8_a:b-C")
    }
  }),
  requestId.rule("without `X-Request-Id`, the service adds its own to the audio", async (service) => {
    const responses = [await responseOf(service, 200), await responseOf(service, 200, undefined, { text, lang: "hi" })]
    for (const response of responses) demandStatus(response, 200)
    const [one, other] = responses.map(idOf)
    demand(one !== undefined && other !== undefined && one !== other, `${one}, ${other}`)
  }),
  requestId.rule("without `X-Request-Id`, the service adds its own to an error", async (service) => {
    for (const kind of [400, 401] as const) {
      const response = await responseOf(service, kind)
      demand(idOf(response) !== undefined, `none: ${show(response)}`)
    }
  }),
  requestId.rule("`X-Request-Id` is 1 to 64 letters, digits, `.`, `_`, `:` and `-`", async (service) => {
    for (const id of ["a", "7", ".", "_", ":", "-", `${letters}${letters.toUpperCase()}0123456789._`]) {
      demandReturned(await responseOf(service, 400, id), id)
    }
  }),
  requestId.rule("an `X-Request-Id` of 65 characters is replaced", async (service) => {
    const response = await responseOf(service, 200, "x".repeat(65))
    demandStatus(response, 200)
    demandReplaced(response, "x".repeat(65))
  }),
  requestId.rule("an `X-Request-Id` with any other character is replaced", async (service) => {
    for (const character of [..." /,+@{=;\\'\"()[]<>#$%^&*|~`!?é"]) {
      demandReplaced(await responseOf(service, 400, `a${character}b`), `a${character}b`)
    }
  })
]

const errors = inSection("Synthesis: errors")
const errorRules = [
  ...([400, 401] as const).map((status) =>
    errors.rule(`a ${status} of synthesis is \`{"error": "<message>"}\``, async (service) =>
      demandSynthesisFailure(await responseOf(service, status), status)
    )
  ),
  errors.ownRule(
    "failure",
    'a 500 or 502 of synthesis is `{"error": "<message>"}`, and returns `X-Request-Id` unchanged',
    async (service) => {
      for (const status of [500, 502]) {
        await service.platform("PUT", "faults", [{ operation: "synthesize", status }])
        const response = await responseOf(service, 200, `call-${status}`)
        demandSynthesisFailure(response, status)
        demandReturned(response, `call-${status}`)
      }
    }
  )
]

/** A character that is not spoken, so that a long text takes no time. It is two UTF-16 units. */
const silent = "\u{e0100}"

const limits = inSection("Limits")
const limitRules = [
  limits.ownRule(
    "credit",
    "`text` has up to 10,000 characters",
    accepted({ text: `a${" ".repeat(9999)}`, output_format: telephone })
  ),
  limits.ownRule(
    "credit",
    "a character is a Unicode code point",
    accepted({ text: `a${silent.repeat(9999)}`, output_format: telephone })
  ),
  limits.ownRule(
    "credit",
    "a longer `text` gives 400, and the message names the field",
    refused("text", `a${" ".repeat(10_000)}`, `a${silent.repeat(10_000)}`)
  ),
  limits.rule(
    "`speed` is from 0.25 to 4.0",
    accepted({ speed: 0.25, output_format: telephone }, { speed: 4, output_format: telephone })
  ),
  limits.rule(
    "any other `speed` gives 400, and the message names the field",
    refused("speed", 0.24, 4.01, 0, -1, "fast")
  ),
  limits.rule("`num_step` is from 1 to 100", accepted({ num_step: 1 }, { num_step: 100 })),
  limits.rule(
    "any other `num_step` gives 400, and the message names the field",
    refused("num_step", 0, 101, -1, "many")
  )
]

export const synthesisRules = [...requestRules, ...responseRules, ...requestIdRules, ...errorRules, ...limitRules]
