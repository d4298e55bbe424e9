import * as SttContract from "@effect-speech/stt/SttContract"
import * as TtsContract from "@effect-speech/tts/TtsContract"
import * as Schema from "effect/Schema"
import { phonemes } from "../operations/synthesis.js"
import { Form } from "../operations/transcription.js"
import { failures, type Json, json, required, type ServiceDescription, schemaOf } from "./openApiParts.js"

const otherPath = "The path does not exist. Our choice."
const mediaType = "The body has another media type, or a Content-Encoding. Our choice."

/** The transcript. In the contract each field of `aux_info` depends on the model; here all are present. */
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
          start: Schema.Number.annotations({ description: "In seconds from the beginning. Our choice." }),
          end: Schema.Number.annotations({ description: "In seconds from the beginning. Our choice." }),
          text: Schema.String.annotations({ description: "A sentence. Our choice." })
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

/** The JSON Schema of a body, with additions to its properties. */
const bodySchema = <A, I>(schema: Schema.Schema<A, I>, additions: Readonly<Record<string, Json>>) => {
  const made = schemaOf(schema, "allow") as {
    readonly properties: Readonly<Record<string, Json>>
    readonly required: ReadonlyArray<string>
  }
  const properties = Object.entries(made.properties).map(([name, each]) => [name, { ...each, ...additions[name] }])
  return { ...made, properties: Object.fromEntries(properties) }
}

const formSchema = (models: ReadonlyArray<string>): Json => {
  const { audioFile, aux, hotwords, model, parseNumber, transactionId } = SttContract.field
  const fields = bodySchema(Form, {
    [model]: { enum: models, description: "The model, which decides the language. An unknown model is 400." },
    [transactionId]: { description: "A UUID from the client." },
    [aux]: { description: "`true` adds `aux_info` to the response." },
    [parseNumber]: {
      description: "`true` turns spoken numbers into digits, in Hindi, Malayalam, Kannada, Gujarati and Marathi."
    },
    [hotwords]: {
      description:
        "The contract does not define the encoding. Our choice: one field with a JSON array; one field for each hotword, " +
        "with a JSON object; or fields `hotwords[0][phrase]`, `hotwords[0][score]` and so on."
    }
  })
  return {
    ...fields,
    required: [...fields.required, audioFile],
    properties: {
      ...fields.properties,
      [audioFile]: {
        type: "string",
        contentMediaType: "application/octet-stream",
        description: "The recording: WAV, MP3, M4A, FLAC, OGG or WebM."
      }
    }
  }
}

const transcribe = ({ models, sttBaseUrl }: ServiceDescription): Json => ({
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
      description: "The transcript. The fields of a segment, except its confidence, are our choice.",
      headers: {
        [SttContract.noticeHeader]: {
          schema: { type: "string" },
          description: "Present if nothing was recognised: why the transcript is empty. Our choice."
        }
      },
      content: json(schemaOf(Success))
    },
    ...failures(
      {
        400: "The request is malformed, `transaction_id` is invalid, the model is unknown, or the recording can't be read.",
        401: "The API key is missing, malformed, unrecognised or revoked. Or a web page of another origin sent the request. Our choice.",
        402: "The credit balance is exhausted.",
        403: "The account is not active, or the key lacks the scope `stt:transcribe` (our name).",
        404: otherPath,
        415: mediaType,
        503: "Unavailable or overloaded. Here only as a fault."
      },
      { content: json(schemaOf(TranscriptionFailure)), allow: "POST" }
    )
  }
})

/** The body of a synthesis. `synthesisSchema` adds the languages and voices. */
const SynthesisBody = Schema.Struct({
  ...TtsContract.SynthesisBody.fields,
  g2p_overrides: Schema.optional(Schema.Record({ key: Schema.String, value: phonemes }))
})

const synthesisSchema = ({ languages, voices }: ServiceDescription): Json =>
  bodySchema(SynthesisBody, {
    text: { description: "The text to speak, at most 10,000 Unicode code points." },
    lang: { enum: languages, default: TtsContract.defaultLang, description: "Any other value is 400." },
    voice: { enum: voices, default: TtsContract.defaultVoice, description: "Any other value is 400." },
    output_format: { default: TtsContract.defaultOutputFormat },
    speed: { description: "The speaking rate." },
    num_step: { description: "Flow-matching steps. They have no effect here. Our choice." },
    g2p_overrides: { description: "Maps a word to its pronunciation, in phonemes of espeak-ng. Our choice." }
  })

const requestIdHeader = {
  [TtsContract.header.requestId]: required(
    { type: "string", pattern: TtsContract.requestIdPattern.source },
    "The id of the client if it is valid, else an id from the service."
  )
}

const synthesize = (service: ServiceDescription): Json => ({
  operationId: "synthesize",
  summary: "Synthesize speech",
  servers: [{ url: service.ttsBaseUrl, description: "Synthesis" }],
  security: [{ synthesisKey: [] }],
  parameters: [
    {
      name: TtsContract.header.requestId,
      in: "header",
      description: `Returned unchanged if it matches \`${TtsContract.requestIdPattern.source}\`; any other value is ignored.`,
      schema: { type: "string" }
    }
  ],
  requestBody: { required: true, content: json(synthesisSchema(service)) },
  responses: {
    200: {
      description: "Raw audio: mono, without a container. The media type is our choice.",
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
        400: "The request is malformed, or a field breaks a rule: the message names the field.",
        401: "The key was refused, for any reason. Or a web page of another origin sent the request. Our choice.",
        404: otherPath,
        415: mediaType,
        502: "The voice failed."
      },
      { content: json(schemaOf(TtsContract.ErrorBody)), headers: requestIdHeader, allow: "POST" }
    )
  }
})

export const operationPaths = (service: ServiceDescription): Json => ({
  [SttContract.path]: { post: transcribe(service) },
  [TtsContract.path]: { post: synthesize(service) }
})
