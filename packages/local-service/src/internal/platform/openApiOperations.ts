import * as SttContract from "@effect-speech/stt/SttContract"
import * as TtsContract from "@effect-speech/tts/TtsContract"
import * as Schema from "effect/Schema"
import { synthesisBody } from "../contract/synthesis.js"
import { transcriptionForm } from "../contract/transcriptionForm.js"
import {
  failures,
  type Json,
  json,
  languagesKeyword,
  required,
  type ServiceDescription,
  schemaOf
} from "./openApiParts.js"

const otherPath = "The path does not exist. Our choice."
const mediaType = "The body has another media type, or a Content-Encoding. Our choice."

/** The transcript. In the contract each field of `aux_info` depends on the model; here only the confidences do. */
const Confidence = Schema.optional(
  Schema.Number.pipe(Schema.between(0, 1)).annotations({ description: "Absent if the recogniser gives none." })
)
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

const formSchema = ({ languagesOfModels, modelNames }: ServiceDescription) =>
  schemaOf(
    Schema.Struct({
      ...transcriptionForm({ enum: modelNames, [languagesKeyword]: languagesOfModels }).fields,
      [SttContract.field.audioFile]: Schema.propertySignature(
        Schema.String.annotations({ jsonSchema: { type: "string", contentMediaType: "application/octet-stream" } })
      ).annotations({ description: "The recording: WAV, MP3, M4A, FLAC, OGG or WebM." })
    }),
    "allow"
  )

const transcribe = (service: ServiceDescription): Json => ({
  operationId: "transcribe",
  summary: "Transcribe a file",
  servers: [{ url: service.sttBaseUrl, description: "Transcription" }],
  security: [{ transcriptionKey: [] }],
  requestBody: {
    required: true,
    content: {
      "multipart/form-data": {
        schema: formSchema(service),
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
        },
        [SttContract.hotwordsHeader]: {
          schema: { type: "string", enum: [SttContract.hotwordsIgnored, SttContract.someHotwordsIgnored] },
          description: "Present if the request has hotwords and the model takes none, or can't use some. Our choice."
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
        500: "The recogniser failed, or the service failed unexpectedly.",
        503: "The recogniser is unavailable or overloaded."
      },
      { content: json(schemaOf(TranscriptionFailure)), allow: "POST", retryable: [503] }
    )
  }
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
  requestBody: {
    required: true,
    content: json(schemaOf(synthesisBody(service, { [languagesKeyword]: service.languagesOfVoices }), "allow"))
  },
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
        502: "The voice failed, is unavailable, or is overloaded."
      },
      { content: json(schemaOf(TtsContract.ErrorBody)), headers: requestIdHeader, allow: "POST", retryable: [502] }
    )
  }
})

export const operationPaths = (service: ServiceDescription): Json => ({
  [SttContract.path]: { post: transcribe(service) },
  [TtsContract.path]: { post: synthesize(service) }
})
