/** The contract's rules for synthesis, except those for keys. */
import {
  allHold,
  forEachCase,
  hasStatus,
  header,
  inSection,
  isSynthesisFailure,
  jsonObject,
  notSpecified,
  ownRule,
  refusalNaming,
  rule,
  show,
  type Verdict,
  verdict,
  verdictOf
} from "./rule.js"
import { describeFields, type HttpResponse, type Service, wavOf } from "./service.js"

/** Three code points: each is paid for. */
const text = "हाँ"
const telephone = "8000:pcm16"

type Fields = Readonly<Record<string, unknown>>

/** A rule that each of these requests gets 200. All have a `text`. */
const acceptedRule = (sentence: string, expected: string, ...requests: ReadonlyArray<Fields>) =>
  rule(sentence, expected, ({ synthesize }) =>
    forEachCase(requests, async (fields) => hasStatus(await synthesize({ text, ...fields }), 200), describeFields)
  )

/** A rule that each of these requests gets 400 with a message that names the field. All but those that replace it have a `text`. */
const refusedRule = (sentence: string, field: string, ...requests: ReadonlyArray<Fields>) =>
  rule(sentence, `400 naming ${field}`, ({ synthesize }) =>
    forEachCase(requests, async (fields) => refusalNaming(await synthesize({ text, ...fields }), field), describeFields)
  )

/** A rule for the audio in each format. */
const audioRule = (
  sentence: string,
  expected: string,
  check: (response: HttpResponse, rate: string, encoding: string) => Verdict
) =>
  rule(sentence, expected, ({ synthesize }) =>
    forEachCase(
      ["8000:pcm16", "8000:float32", "16000:pcm16", "16000:float32", "24000:pcm16", "24000:float32"],
      async (output_format) => {
        const [rate = "", encoding = ""] = output_format.split(":")
        return check(await synthesize({ text, output_format }), rate, encoding)
      }
    )
  )

const bytesPerSample = (encoding: string): number => (encoding === "pcm16" ? 2 : 4)

const equals = (observed: string | undefined, expected: string): Verdict =>
  verdict(observed === expected, observed ?? "none")

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

const request = inSection("Synthesis: request", [
  acceptedRule("`text` is enough", "200", {}),
  refusedRule("a missing `text` gives 400, and the message names it", "text", { text: undefined, lang: "hi" }),
  refusedRule("a `text` that is not a string gives 400, and the message names it", "text", { text: 7 }),
  rule("`text` may be empty", "not specified: the response", async ({ synthesize }) =>
    notSpecified(show(await synthesize({ text: "" })))
  ),
  rule("malformed JSON gives 400", "400", ({ synthesize }) =>
    forEachCase(['{"text":', "text", ""], async (body) => hasStatus(await synthesize(body), 400))
  ),
  ownRule(
    "knownSpeech",
    "the default of `lang` is `hi`",
    "a Hindi model knows the words, an English one does not",
    async ({ synthesize, transcribe }) => {
      const spoken = await synthesize({ text: "नमस्ते दोस्तों", output_format: telephone })
      if (spoken.status !== 200) return verdict(false, show(spoken))
      const audio_file = wavOf("speech.wav", spoken.bytes)
      const transcript = async (model: string) => `"${jsonObject(await transcribe({ model, audio_file }))?.text}"`
      const transcripts = [await transcript("hi-general-v2-8khz"), await transcript("en-general-v2-8khz")]
      return verdict(transcripts.join() === '"नमस्ते दोस्तों",""', transcripts.join(" and "))
    }
  ),
  ownRule(
    "knownVoice",
    "the default of `voice` is `default_female`",
    "the pitch of a woman, unlike default_male",
    async ({ synthesize }) => {
      const pitchOf = async (fields: Fields) =>
        pitch(await synthesize({ text: "नमस्ते", output_format: telephone, ...fields }))
      const none = await pitchOf({})
      const female = await pitchOf({ voice: "default_female" })
      const male = await pitchOf({ voice: "default_male" })
      const observed = `${none} Hz, default_female ${female} Hz, default_male ${male} Hz`
      return verdict(none > 125 && female > 125 && male < 125, observed)
    }
  ),
  acceptedRule("`default_female` is a voice of `hi`", "200", { lang: "hi", voice: "default_female" }),
  refusedRule("an unsupported `lang` gives 400, and the message names the field", "lang", { lang: "tlh" }),
  refusedRule("an unsupported `voice` gives 400, and the message names the field", "voice", { voice: "no_such_voice" }),
  audioRule("`output_format` is one of three sample rates and two encodings", "200 for each of six", (response) =>
    hasStatus(response, 200)
  ),
  refusedRule(
    "any other `output_format` gives 400, and the message names the field",
    "output_format",
    ...["8000:opus", "8000", "pcm16", "wav", ""].map((output_format) => ({ output_format }))
  ),
  rule(
    "an unsupported sample rate gives 400, and the message names the rate",
    "400 naming the rate",
    ({ synthesize }) =>
      forEachCase(["44100", "22050", "48000"], async (rate) =>
        refusalNaming(await synthesize({ text, output_format: `${rate}:pcm16` }), rate)
      )
  ),
  rule("`speed` is the speaking rate", "longer at 0.25 than at 4", async ({ synthesize }) => {
    const seconds = async (speed: number) =>
      (await synthesize({ text, speed, output_format: telephone })).bytes.length / 16_000
    const [slow, fast] = [await seconds(0.25), await seconds(4)]
    return verdict(slow > fast, `${slow.toFixed(2)} s and ${fast.toFixed(2)} s`)
  }),
  acceptedRule("`g2p_overrides` is a map", "200 for an empty one", { g2p_overrides: {} }),
  rule("`g2p_overrides` maps a word to tokens", "not specified: the tokens", async ({ synthesize }) => {
    const observed: Array<string> = []
    for (const [name, tokens] of Object.entries({ "a string": "h", "a list of strings": ["h"] })) {
      observed.push(`${name}: ${(await synthesize({ text, g2p_overrides: { [text]: tokens } })).status}`)
    }
    return notSpecified(observed.join(", "))
  }),
  rule("`g2p_overrides` that is not a map gives 400", "400", async ({ synthesize }) =>
    hasStatus(await synthesize({ text, g2p_overrides: text }), 400)
  )
])

const response = inSection("Synthesis: response", [
  audioRule("the body is raw audio without a container", "audio without a magic number", (response) => {
    const { bytes, status } = response
    if (status !== 200 || jsonObject(response) !== undefined) return verdict(false, show(response))
    const start = bytes.subarray(0, 4).toString("latin1")
    const magic = ["RIFF", "ID3", "OggS", "fLaC", "\u001aE\u00df\u00a3"].find((each) => start.startsWith(each))
    const problem = bytes.length === 0 ? "an empty body" : magic
    return verdict(problem === undefined, problem ?? "audio")
  }),
  audioRule("`X-Sample-Rate` is the sample rate, as an integer", "the requested rate", (response, rate) =>
    equals(header(response, "X-Sample-Rate"), rate)
  ),
  audioRule("`X-Encoding` is the encoding", "the requested encoding", (response, _, encoding) =>
    equals(header(response, "X-Encoding"), encoding)
  ),
  rule("the default of `output_format` is `24000:float32`", "24000:float32", async ({ synthesize }) => {
    const response = await synthesize({ text })
    return equals(`${header(response, "X-Sample-Rate")}:${header(response, "X-Encoding")}`, "24000:float32")
  }),
  audioRule("`X-Audio-Duration-Ms` is the duration of the body", "within 1 ms", (response, rate, encoding) => {
    const milliseconds = (response.bytes.length / bytesPerSample(encoding) / Number(rate)) * 1000
    const stated = header(response, "X-Audio-Duration-Ms")
    const agree = stated !== undefined && Math.abs(Number(stated) - milliseconds) <= 1
    return verdictOf(agree, "within 1 ms", `${stated} of ${milliseconds.toFixed(1)}`)
  }),
  audioRule("the body holds whole samples, and every float is a number", "whole samples", ({ bytes }, _, encoding) => {
    const size = bytesPerSample(encoding)
    if (bytes.length % size !== 0) return verdict(false, `${bytes.length} bytes`)
    const isOdd = (at: number) => size === 4 && !Number.isFinite(bytes.readFloatLE(at))
    for (let at = 0; at < bytes.length; at += size) if (isOdd(at)) return verdict(false, "a float that is not a number")
    return verdict(true, "whole samples")
  })
])

type Kind = 200 | 400 | 401

/** A response of each kind. Only the 200 costs. */
const responseOf = ({ synthesize }: Service, kind: Kind, id?: string, fields: Fields = { text }) =>
  synthesize(kind === 400 ? {} : fields, {
    "X-Request-Id": id,
    ...(kind === 401 && { "X-API-Key": undefined })
  })

const idOf = (response: HttpResponse) => header(response, "X-Request-Id") || undefined
const isReturned = (response: HttpResponse, id: string): Verdict =>
  verdictOf(idOf(response) === id, "the same id", idOf(response) ?? "none")
const isReplaced = (response: HttpResponse, id: string): Verdict =>
  verdictOf(![id, undefined].includes(idOf(response)), "another id", idOf(response) ?? "none")

const letters = "abcdefghijklmnopqrstuvwxyz"

const requestId = inSection("Synthesis: request id", [
  rule("audio returns `X-Request-Id` unchanged", "the same id", async (service) => {
    const response = await responseOf(service, 200, "call.7_a:b-C")
    return response.status === 200 ? isReturned(response, "call.7_a:b-C") : verdict(false, show(response))
  }),
  rule("an error returns `X-Request-Id` unchanged", "the same id on 400 and 401", (service) =>
    forEachCase([400, 401] as const, async (kind) =>
      isReturned(await responseOf(service, kind, "call.8_a:b-C"), "call.8_a:b-C")
    )
  ),
  rule("without `X-Request-Id`, the service adds its own to the audio", "two different ids", async (service) => {
    const responses = [await responseOf(service, 200), await responseOf(service, 200, undefined, { text, lang: "hi" })]
    const ids = responses.map((response) => (response.status === 200 && idOf(response)) || "none")
    return verdictOf(ids[0] !== ids[1] && !ids.includes("none"), "two different ids", ids.join(", "))
  }),
  rule("without `X-Request-Id`, the service adds its own to an error", "an id on 400 and 401", (service) =>
    forEachCase([400, 401] as const, async (kind) => {
      const id = idOf(await responseOf(service, kind))
      return verdictOf(id !== undefined, "an id", "none")
    })
  ),
  rule("`X-Request-Id` is 1 to 64 letters, digits, `.`, `_`, `:` and `-`", "the same id", (service) =>
    forEachCase(["a", "7", ".", "_", ":", "-", `${letters}${letters.toUpperCase()}0123456789._`], async (id) =>
      isReturned(await responseOf(service, 400, id), id)
    )
  ),
  rule("an `X-Request-Id` of 65 characters is replaced", "another id, with 200", async (service) => {
    const id = "x".repeat(65)
    const response = await responseOf(service, 200, id)
    return response.status === 200 ? isReplaced(response, id) : verdict(false, show(response))
  }),
  rule("an `X-Request-Id` with any other character is replaced", "another id", (service) =>
    forEachCase([..." /,+@{=;\\'\"()[]<>#$%^&*|~`!?é"], async (character) =>
      isReplaced(await responseOf(service, 400, `a${character}b`), `a${character}b`)
    )
  ),
  ownRule("failure", "a 500 and a 502 return `X-Request-Id` unchanged", "the same id", (service) =>
    forEachCase([500, 502], async (status) => {
      await service.platform("PUT", "faults", [{ operation: "synthesize", status }])
      return isReturned(await responseOf(service, 200, `call-${status}`), `call-${status}`)
    })
  )
])

const errors = inSection("Synthesis: errors", [
  ...([400, 401] as const).map((status) =>
    rule(`a ${status} of synthesis is \`{"error": "<message>"}\``, `${status} with that alone`, async (service) =>
      isSynthesisFailure(await responseOf(service, status), status)
    )
  ),
  ownRule(
    "failure",
    'a 500 or 502 of synthesis is `{"error": "<message>"}`',
    "500 and 502 with that alone",
    (service) =>
      forEachCase([500, 502], async (status) => {
        await service.platform("PUT", "faults", [{ operation: "synthesize", status }])
        return isSynthesisFailure(await responseOf(service, 200), status)
      })
  )
])

/** A character that is not spoken, so that a long text takes no time. It is two UTF-16 units. */
const silent = "\u{e0100}"

const limits = inSection("Limits", [
  ownRule("credit", "`text` has up to 10,000 characters", "200 for 10,000", async ({ synthesize }) =>
    hasStatus(await synthesize({ text: `a${" ".repeat(9999)}`, output_format: telephone }), 200)
  ),
  ownRule("credit", "a character is a Unicode code point", "200 for 10,000 of two units", async ({ synthesize }) =>
    hasStatus(await synthesize({ text: `a${silent.repeat(9999)}`, output_format: telephone }), 200)
  ),
  ownRule(
    "credit",
    "a longer `text` gives 400, and the message names the field",
    "400 naming text for 10,001",
    async ({ synthesize }) =>
      allHold({
        "of one unit": refusalNaming(await synthesize({ text: `a${" ".repeat(10_000)}` }), "text"),
        "of two units": refusalNaming(await synthesize({ text: `a${silent.repeat(10_000)}` }), "text")
      })
  ),
  acceptedRule(
    "`speed` is from 0.25 to 4.0",
    "200 at both ends",
    { speed: 0.25, output_format: telephone },
    { speed: 4, output_format: telephone }
  ),
  refusedRule(
    "any other `speed` gives 400, and the message names the field",
    "speed",
    ...[0.24, 4.01, 0, -1, "fast"].map((speed) => ({ speed }))
  ),
  acceptedRule("`num_step` is from 1 to 100", "200 at both ends", { num_step: 1 }, { num_step: 100 }),
  refusedRule(
    "any other `num_step` gives 400, and the message names the field",
    "num_step",
    ...[0, 101, -1, "many"].map((num_step) => ({ num_step }))
  )
])

export const synthesisRules = [...request, ...response, ...requestId, ...errors, ...limits]
