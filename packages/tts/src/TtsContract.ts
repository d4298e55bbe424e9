/**
 * The HTTP contract of the synthesis operation, shared by the client and the local service. Names are those of the HTTP
 * fields.
 */
import { AudioFormat } from "@effect-speech/audio-codec/AudioFormat"
import * as Issue from "@effect-speech/transport/unstable/Issue"
import * as Schema from "effect/Schema"

/**
 * @since 0.1.0
 * @category constants
 */
export const path = "/tts/bytes"

/**
 * The headers, as the contract writes them. Header names are case-insensitive.
 *
 * @since 0.1.0
 * @category constants
 */
export const header = {
  apiKey: "X-API-Key",
  /** An id that the client chooses. The service returns it in every response. */
  requestId: "X-Request-Id",
  /** In Hz. */
  sampleRate: "X-Sample-Rate",
  encoding: "X-Encoding",
  /** In milliseconds. */
  audioDuration: "X-Audio-Duration-Ms"
} as const

/**
 * In Hz.
 *
 * @since 0.1.0
 * @category constants
 */
export const sampleRates = [8000, 16000, 24000] as const
/**
 * @since 0.1.0
 * @category constants
 */
export const encodings = ["pcm16", "float32"] as const

/**
 * The sample rates that a response may state, in Hz. Others than those of {@link sampleRates} are accepted, since they hold speech.
 *
 * @since 0.1.0
 * @category constants
 */
export const sampleRateRange = { minimum: 8000, maximum: 48_000 } as const

/**
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
 * @since 0.1.0
 * @category constants
 */
export const outputFormats: ReadonlyArray<OutputFormat> = sampleRates.flatMap((rate) =>
  encodings.map((encoding): OutputFormat => `${rate}:${encoding}`)
)

/**
 * @since 0.1.0
 * @category schemas
 */
export const OutputFormat = Schema.Literal(...outputFormats).annotations({
  message: () => ({ message: `must be one of ${outputFormats.join(", ")}`, override: true })
})

/**
 * @since 0.1.0
 * @category constants
 */
export const defaultLang = "hi"
/**
 * @since 0.1.0
 * @category constants
 */
export const defaultVoice = "default_female"
/**
 * @since 0.1.0
 * @category constants
 */
export const defaultOutputFormat: OutputFormat = "24000:float32"

/**
 * The format of the audio for an output format. It has one channel.
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
 * @since 0.1.0
 * @category constants
 */
export const requestIdPattern = /^[A-Za-z0-9._:-]{1,64}$/

/**
 * The length of a text in Unicode code points: the unit of billing and of the limit.
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
 * @since 0.1.0
 * @category constants
 */
export const maximumCodePoints = 10_000

/**
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
 * Limits of the speaking rate.
 *
 * @since 0.1.0
 * @category constants
 */
export const speedRange = { minimum: 0.25, maximum: 4 } as const

/**
 * The speaking rate.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Speed = within(speedRange.minimum, speedRange.maximum)

/**
 * Flow-matching steps.
 *
 * @since 0.1.0
 * @category schemas
 */
export const NumStep = within(1, 100)

/**
 * The JSON body of a request, with the rules of the contract. Only `text` is required.
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
 * The headers that a 200 must have, in lower case.
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
 * @since 0.1.0
 * @category schemas
 */
export const ErrorBody = Schema.Struct({ error: Schema.String })
/**
 * @since 0.1.0
 * @category schemas
 */
export type ErrorBody = typeof ErrorBody.Type
