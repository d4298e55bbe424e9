/**
 * The HTTP contract of the synthesis operation, shared by the client and the local service. Names are those of the HTTP
 * fields.
 */
import { AudioFormat } from "@effect-speech/audio-codec/AudioFormat"
import * as Issue from "@effect-speech/transport/unstable/Issue"
import * as Schema from "effect/Schema"

/**
 * The path of the operation, below the base URL.
 *
 * @example
 * ```ts
 * import { TtsContract } from "@effect-speech/tts"
 *
 * export const address = (baseUrl: string): string => `${baseUrl.replace(/\/$/, "")}${TtsContract.path}`
 * ```
 *
 * @since 0.1.0
 * @category constants
 */
export const path = "/tts/bytes"

/**
 * The headers, as the contract writes them. Header names are case-insensitive.
 *
 * @example
 * ```ts
 * import { TtsContract } from "@effect-speech/tts"
 *
 * // A server of your own that speaks the contract.
 * export const headersOf = (request: Request, durationMillis: number): Headers =>
 *   new Headers({
 *     [TtsContract.header.requestId]: request.headers.get(TtsContract.header.requestId) ?? crypto.randomUUID(),
 *     [TtsContract.header.sampleRate]: "8000",
 *     [TtsContract.header.encoding]: "pcm16",
 *     [TtsContract.header.audioDuration]: String(durationMillis)
 *   })
 * ```
 *
 * @since 0.1.0
 * @category constants
 */
export const header = {
  /** The whole key. */
  apiKey: "X-API-Key",
  /** An id that the client chooses. The service returns it in every response. */
  requestId: "X-Request-Id",
  /** In Hz. */
  sampleRate: "X-Sample-Rate",
  /** `pcm16` or `float32`. */
  encoding: "X-Encoding",
  /** In milliseconds. */
  audioDuration: "X-Audio-Duration-Ms"
} as const

/**
 * The sample rates of a request, in Hz.
 *
 * @example
 * ```ts
 * import { TtsContract } from "@effect-speech/tts"
 *
 * // The highest rate that a telephone line can use.
 * export const rate = TtsContract.sampleRates.find((each) => each <= 8000)
 * ```
 *
 * @since 0.1.0
 * @category constants
 */
export const sampleRates = [8000, 16000, 24000] as const
/**
 * The encodings of a sample.
 *
 * @example
 * ```ts
 * import { TtsContract } from "@effect-speech/tts"
 *
 * export const choices = TtsContract.encodings.map((encoding) => `24000:${encoding}` as const)
 * ```
 *
 * @since 0.1.0
 * @category constants
 */
export const encodings = ["pcm16", "float32"] as const

/**
 * The sample rates that a response may state, in Hz: each whole number from `minimum` to `maximum`, also one that no request
 * can ask for.
 *
 * @since 0.1.0
 * @category constants
 */
export const sampleRateRange = { minimum: 8000, maximum: 48_000 } as const

/**
 * The encoding of a sample: a 16-bit integer or a 32-bit float, both little-endian.
 *
 * @example
 * ```ts
 * import { TtsContract } from "@effect-speech/tts"
 * import { Schema } from "effect"
 *
 * export const isEncoding = Schema.is(TtsContract.Encoding)
 * ```
 *
 * @since 0.1.0
 * @category schemas
 */
export const Encoding = Schema.Literal(...encodings)
/**
 * @since 0.1.0
 * @category schemas
 */
export type Encoding = typeof Encoding.Type
const isEncoding = Schema.is(Encoding)

/**
 * @since 0.1.0
 * @category schemas
 */
export type OutputFormat = `${(typeof sampleRates)[number]}:${Encoding}`

/**
 * The six values of `output_format`, `<sample_rate>:<encoding>`.
 *
 * @example
 * ```ts
 * import { TtsContract } from "@effect-speech/tts"
 *
 * // For a list to choose from: `8000:pcm16`, `8000:float32` and so on.
 * export const choices = TtsContract.outputFormats.map((value) => ({ value, label: value.replace(":", " Hz, ") }))
 * ```
 *
 * @since 0.1.0
 * @category constants
 */
export const outputFormats: ReadonlyArray<OutputFormat> = sampleRates.flatMap((rate) =>
  encodings.map((encoding): OutputFormat => `${rate}:${encoding}`)
)

/**
 * A value of `output_format`, as a Schema. Decoding fails with a `ParseError` that lists the six values.
 *
 * @example
 * ```ts
 * import { TtsContract } from "@effect-speech/tts"
 * import { Config, Schema } from "effect"
 *
 * export const outputFormat = Schema.Config("VOICE_FORMAT", TtsContract.OutputFormat).pipe(
 *   Config.withDefault(TtsContract.defaultOutputFormat)
 * )
 * ```
 *
 * @since 0.1.0
 * @category schemas
 */
export const OutputFormat = Schema.Literal(...outputFormats).annotations({
  message: () => ({ message: `must be one of ${outputFormats.join(", ")}`, override: true })
})

/**
 * The language of a request that has none.
 *
 * @since 0.1.0
 * @category constants
 */
export const defaultLang = "hi"
/**
 * The voice of a request that has none: that of its language.
 *
 * @since 0.1.0
 * @category constants
 */
export const defaultVoice = "default_female"
/**
 * The format of a request that has none.
 *
 * @example
 * ```ts
 * import { type SynthesisRequest, TtsContract } from "@effect-speech/tts"
 *
 * // The format in which the audio of a request arrives.
 * export const formatOf = ({ outputFormat = TtsContract.defaultOutputFormat }: SynthesisRequest) =>
 *   TtsContract.audioFormat(outputFormat)
 * ```
 *
 * @since 0.1.0
 * @category constants
 */
export const defaultOutputFormat: OutputFormat = "24000:float32"

/**
 * The format of the audio for an output format. It has one channel.
 *
 * Use it before a call, such as to write the header of a file. After a call, use `format` of the speech.
 *
 * @example
 * ```ts
 * import { Wav } from "@effect-speech/audio-codec"
 * import { TtsContract } from "@effect-speech/tts"
 *
 * export const header = Wav.header(TtsContract.audioFormat("8000:pcm16"))
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const audioFormat = (outputFormat: OutputFormat): AudioFormat & { readonly encoding: Encoding } => {
  const known = formats.get(outputFormat)
  if (known !== undefined) return known
  const [rate, encoding] = outputFormat.split(":")
  const format = {
    sampleRate: Number(rate),
    channels: 1,
    encoding: encoding === "pcm16" ? "pcm16" : "float32"
  } as const
  const made = Object.assign(new AudioFormat(format), { encoding: format.encoding })
  formats.set(outputFormat, made)
  return made
}

/** Those that were asked for: to check one anew for each call takes longer than the rest of a request. */
const formats = new Map<OutputFormat, ReturnType<typeof audioFormat>>()

/**
 * What is wrong with the format of a response; `undefined` if nothing is.
 *
 * @example
 * ```ts
 * import { AudioFormat } from "@effect-speech/audio-codec"
 * import { TtsContract } from "@effect-speech/tts"
 *
 * const stereo = new AudioFormat.AudioFormat({ sampleRate: 24_000, channels: 2, encoding: "pcm16" })
 *
 * // `it has 2 channels, and must have one`
 * export const problem = TtsContract.formatProblem(stereo)
 * ```
 *
 * @since 0.1.0
 * @category validation
 */
export const formatProblem = ({ channels, encoding, sampleRate }: AudioFormat): string | undefined => {
  const { maximum, minimum } = sampleRateRange
  if (!(Number.isInteger(sampleRate) && sampleRate >= minimum && sampleRate <= maximum)) {
    return `its sample rate is ${sampleRate} Hz, and must be from ${minimum} to ${maximum} Hz`
  }
  if (channels !== 1) return `it has ${channels} channels, and must have one`
  return isEncoding(encoding) ? undefined : `its encoding is ${encoding}, and must be ${encodings.join(" or ")}`
}

/**
 * The form of a request id. The service replaces an id of any other form with its own.
 *
 * @example
 * ```ts
 * import { TtsContract } from "@effect-speech/tts"
 *
 * // An id of your own, if the service takes it.
 * export const requestIdOf = (id: string): string | undefined =>
 *   TtsContract.requestIdPattern.test(id) ? id : undefined
 * ```
 *
 * @since 0.1.0
 * @category constants
 */
export const requestIdPattern = /^[A-Za-z0-9._:-]{1,64}$/

/**
 * The length of a text in Unicode code points: the unit of billing and of the limit.
 *
 * @example
 * ```ts
 * import { TtsContract } from "@effect-speech/tts"
 *
 * // What a text costs: 6 for `नमस्ते`.
 * export const cost = TtsContract.codePoints("नमस्ते")
 * ```
 *
 * @since 0.1.0
 * @category getters
 */
export const codePoints = (text: string): number => {
  let count = 0
  for (const _ of text) count++
  return count
}

/**
 * Largest number of Unicode code points in a text.
 *
 * `LongSpeech` of long-form speaks a longer text.
 *
 * @example
 * ```ts
 * import { TtsContract } from "@effect-speech/tts"
 *
 * export const fitsInOneCall = (text: string): boolean =>
 *   TtsContract.codePoints(text) <= TtsContract.maximumCodePoints
 * ```
 *
 * @since 0.1.0
 * @category constants
 */
export const maximumCodePoints = 10_000

/**
 * A text of 1 to 10,000 Unicode code points, without half of a surrogate pair. Decoding fails with a `ParseError` that says
 * which rule the text breaks.
 *
 * @example
 * ```ts
 * import { TtsContract } from "@effect-speech/tts"
 * import { Schema } from "effect"
 *
 * export const isText = Schema.is(TtsContract.Text)
 * ```
 *
 * @since 0.1.0
 * @category schemas
 */
export const Text = Schema.String.pipe(
  Schema.filter(
    (text) => {
      const length = codePoints(text)
      if (length === 0) return "must not be empty"
      return (
        Issue.inText(text) ??
        (length <= maximumCodePoints ||
          `has ${length} code points, and at most ${maximumCodePoints} are allowed; split it at the ends of sentences, as LongSpeech of @effect-speech/long-form and speakLong of @effect-speech/promise do`)
      )
    },
    // JSON Schema counts code points too.
    { jsonSchema: { minLength: 1, maxLength: maximumCodePoints } }
  )
)

const within = (from: number, to: number) =>
  Schema.Number.pipe(
    Schema.filter((value) => (value >= from && value <= to) || `must be a number from ${from} to ${to}`, {
      jsonSchema: { minimum: from, maximum: to },
      arbitrary: () => (fc) => fc.double({ min: from, max: to, noNaN: true })
    })
  )

/**
 * Limits of the speaking rate. Each is allowed.
 *
 * @example
 * ```ts
 * import { TtsContract } from "@effect-speech/tts"
 *
 * const { maximum, minimum } = TtsContract.speedRange
 *
 * // Keeps the value of a slider within the limits.
 * export const speedOf = (value: number): number => Math.min(maximum, Math.max(minimum, value))
 * ```
 *
 * @since 0.1.0
 * @category constants
 */
export const speedRange = { minimum: 0.25, maximum: 4 } as const

/**
 * The speaking rate.
 *
 * Decoding a number below 0.25 or above 4 fails with a `ParseError`.
 *
 * @example
 * ```ts
 * import { TtsContract } from "@effect-speech/tts"
 * import { Schema } from "effect"
 *
 * export const speed = Schema.Config("VOICE_SPEED", Schema.compose(Schema.NumberFromString, TtsContract.Speed))
 * ```
 *
 * @since 0.1.0
 * @category schemas
 */
export const Speed = within(speedRange.minimum, speedRange.maximum)

/**
 * Flow-matching steps: a number from 1 to 100, whole or not.
 *
 * Decoding another number fails with a `ParseError`.
 *
 * @example
 * ```ts
 * import { TtsContract } from "@effect-speech/tts"
 * import { Schema } from "effect"
 *
 * export const isNumStep = Schema.is(TtsContract.NumStep)
 * ```
 *
 * @since 0.1.0
 * @category schemas
 */
export const NumStep = within(1, 100)

/**
 * The JSON body of a request, with the rules of the contract. Only `text` is required.
 *
 * @example
 * ```ts
 * import { TtsContract } from "@effect-speech/tts"
 * import { Schema } from "effect"
 *
 * // For a server of your own: fails with a `ParseError` that names the field.
 * export const read = Schema.decodeUnknown(Schema.parseJson(TtsContract.SynthesisBody))
 * ```
 *
 * @since 0.1.0
 * @category schemas
 */
export const SynthesisBody = Schema.Struct({
  text: Text,
  lang: Schema.optional(Schema.String),
  voice: Schema.optional(Schema.String),
  output_format: Schema.optional(OutputFormat),
  speed: Schema.optional(Speed),
  num_step: Schema.optional(NumStep),
  /** From a word to its tokens. The contract does not state the form of tokens. */
  g2p_overrides: Schema.optional(Schema.Record({ key: Schema.String, value: Schema.Unknown }))
})
/**
 * @since 0.1.0
 * @category schemas
 */
export type SynthesisBody = typeof SynthesisBody.Type

/**
 * The headers that a 200 must have, in lower case. The Schema checks their form; {@link formatProblem} also checks the rate.
 *
 * @example
 * ```ts
 * import { TtsContract } from "@effect-speech/tts"
 * import { Schema } from "effect"
 *
 * // The rate and the encoding of a response. Fails with a `ParseError` if one is missing or malformed.
 * export const formatOf = (response: Response) =>
 *   Schema.decodeUnknown(TtsContract.AudioHeaders)(Object.fromEntries(response.headers))
 * ```
 *
 * @since 0.1.0
 * @category schemas
 */
export const AudioHeaders = Schema.Struct({
  "x-sample-rate": Schema.compose(Schema.String.pipe(Schema.pattern(/^[1-9]\d{0,5}$/)), Schema.NumberFromString),
  "x-encoding": Encoding
})

/**
 * The body of every failure.
 *
 * @example
 * ```ts
 * import { TtsContract } from "@effect-speech/tts"
 * import { Schema } from "effect"
 *
 * // The body that a server of your own sends with a 400.
 * export const unknownVoice = Schema.encodeSync(TtsContract.ErrorBody)({ error: "voice: not supported" })
 * ```
 *
 * @since 0.1.0
 * @category schemas
 */
export const ErrorBody = Schema.Struct({ error: Schema.String })
/**
 * @since 0.1.0
 * @category schemas
 */
export type ErrorBody = typeof ErrorBody.Type
