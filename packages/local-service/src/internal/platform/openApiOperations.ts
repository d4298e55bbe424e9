import * as SttContract from "@effect-speech/stt/SttContract"
import * as TtsContract from "@effect-speech/tts/TtsContract"
import * as Schema from "effect/Schema"
import { phonemes } from "../operations/synthesis.js"
import { Form, notRecognisedHeader } from "../operations/transcription.js"
import { type Described, failures, type Json, json, required, schemaOf } from "./openApiParts.js"

const otherPath = "The path is another. Our choice."
const mediaType = "The body is of another media type, or has a Content-Encoding. Our choice."

/** What the service says of a recording: the contract leaves to a model which of it there is, and this one has all. */
const Confidence = Schema.Number.pipe(Schema.between(0, 1))
const Success = Schema.Struct({
  ...SttContract.Success.fields,
  aux_info: Schema.optional(
    Schema.Struct({
      ...SttContract.AuxInfo.fields,
      confidence: Confidence,
      segments_meta: Schema.Array(
        Schema.Struct({
          confidence: Confidence,
          start: Schema.Number,
          end: Schema.Number,
          text: Schema.String
        })
      )
    })
  )
})

const TranscriptionFailure = Schema.Struct({
  status: SttContract.Failure.fields.status,
  error: Schema.String,
  message: Schema.String
})

const formSchema = (models: ReadonlyArray<string>): Json => {
  const {
    properties,
    required: names,
    ...rest
  } = schemaOf(Form, "allow") as {
    readonly properties: Readonly<Record<string, Json>>
    readonly required: ReadonlyArray<string>
  }
  const { audioFile, hotwords, ...others } = SttContract.field
  const descriptions: Readonly<Record<string, string>> = {
    [others.model]: "Decides the language. An unknown one is 400.",
    [others.transactionId]: "A UUID that the client makes.",
    [others.aux]: "`true` adds `aux_info` to the answer.",
    [others.parseNumber]:
      "`true` turns spoken numbers into digits, in Hindi, Malayalam, Kannada, Gujarati and Marathi.",
    [hotwords]:
      "The contract does not show the encoding. Taken are, our choice: one field with the array as JSON; a field for " +
      "each with the object as JSON; fields `hotwords[0][phrase]`, `hotwords[0][score]` and so on."
  }
  const described = Object.entries(properties).map(([name, schema]) => [
    name,
    { ...schema, ...(name === others.model ? { enum: models } : {}), description: descriptions[name] }
  ])
  return {
    ...rest,
    required: [...names, audioFile],
    properties: {
      ...Object.fromEntries(described),
      [audioFile]: {
        type: "string",
        contentMediaType: "application/octet-stream",
        description: "The recording: WAV, MP3, M4A, FLAC, OGG or WebM."
      }
    }
  }
}

const transcribe = ({ models, sttBaseUrl }: Described): Json => ({
  operationId: "transcribe",
  summary: "Transcribe a file",
  servers: [{ url: sttBaseUrl, description: "Transcription" }],
  security: [{ transcriptionKey: [] }],
  requestBody: {
    required: true,
    content: {
      "multipart/form-data": {
        schema: formSchema(models),
        encoding: { [SttContract.field.hotwords]: { contentType: "application/json" } }
      }
    }
  },
  responses: {
    200: {
      description: "The transcript. The fields of a segment besides its confidence are our choice.",
      headers: {
        [notRecognisedHeader]: {
          schema: { type: "string" },
          description: "Why the transcript is empty, where nothing was recognised. Our choice."
        }
      },
      content: json(schemaOf(Success))
    },
    ...failures(
      {
        400: "Malformed request, invalid `transaction_id`, unknown model, or a recording that can't be read.",
        401: "The API key is missing, malformed, unrecognised or revoked.",
        402: "The credit balance is exhausted.",
        403: "The account is not active, or the key lacks the scope `stt:transcribe` (our name).",
        404: otherPath,
        415: mediaType,
        503: "Unavailable or overloaded: here only where that is asked for."
      },
      { content: json(schemaOf(TranscriptionFailure)), allow: "POST" }
    )
  }
})

/** What the service asks of a request, besides the languages and voices that it has. */
const SynthesisBody = Schema.Struct({
  ...TtsContract.SynthesisBody.fields,
  g2p_overrides: Schema.optional(Schema.Record({ key: Schema.String, value: phonemes }))
})

const bodySchema = ({ languages, voices }: Described): Json => {
  const { properties, ...rest } = schemaOf(SynthesisBody, "allow") as {
    readonly properties: Readonly<Record<string, Json>>
  }
  const more: Readonly<Record<string, Json>> = {
    text: { description: "What is spoken, at most 10,000 Unicode code points." },
    lang: { enum: languages, default: TtsContract.defaultLang, description: "Any other is 400." },
    voice: { enum: voices, default: TtsContract.defaultVoice, description: "Any other is 400." },
    output_format: { default: TtsContract.defaultOutputFormat },
    speed: { description: "The speaking rate." },
    num_step: { description: "Flow-matching steps. Without effect here, our choice." },
    g2p_overrides: {
      description: "From a word to its pronunciation: here phonemes of espeak-ng, our choice."
    }
  }
  const described = Object.entries(properties).map(([name, schema]) => [name, { ...schema, ...more[name] }])
  return { ...rest, properties: Object.fromEntries(described) }
}

const requestIdHeader = {
  [TtsContract.header.requestId]: required(
    { type: "string", pattern: TtsContract.requestIdPattern.source },
    "The client's own id where it is valid, else one that the service made."
  )
}

const synthesize = (service: Described): Json => ({
  operationId: "synthesize",
  summary: "Synthesize speech",
  servers: [{ url: service.ttsBaseUrl, description: "Synthesis" }],
  security: [{ synthesisKey: [] }],
  parameters: [
    {
      name: TtsContract.header.requestId,
      in: "header",
      description: `Returned unchanged where it matches \`${TtsContract.requestIdPattern.source}\`; any other is ignored.`,
      schema: { type: "string" }
    }
  ],
  requestBody: { required: true, content: json(bodySchema(service)) },
  responses: {
    200: {
      description: "Raw audio, mono and without a container. Its media type is our choice.",
      headers: {
        ...requestIdHeader,
        [TtsContract.header.sampleRate]: required({ type: "integer", enum: TtsContract.sampleRates }, "In Hz."),
        [TtsContract.header.encoding]: required(schemaOf(TtsContract.Encoding)),
        [TtsContract.header.audioDuration]: required({ type: "integer", minimum: 0 }, "In milliseconds.")
      },
      content: { "application/octet-stream": {} }
    },
    ...failures(
      {
        400: "Malformed request, or a field that breaks its rule: the message names it.",
        401: "The key was not accepted, for any reason.",
        404: otherPath,
        415: mediaType,
        502: "The voice failed."
      },
      { content: json(schemaOf(TtsContract.ErrorBody)), headers: requestIdHeader, allow: "POST" }
    )
  }
})

export const operationPaths = (service: Described): Json => ({
  [SttContract.path]: { post: transcribe(service) },
  [TtsContract.path]: { post: synthesize(service) }
})
