import * as SttContract from "@effect-speech/stt/SttContract"
import * as TtsContract from "@effect-speech/tts/TtsContract"
import { operationPaths } from "./openApiOperations.js"
import { type Described, type Json, json, schemaOf } from "./openApiParts.js"
import { PlatformFailure, platformPaths } from "./openApiPlatform.js"

const description = `Both operations of the speech service, as this local service answers them, and the platform that
keeps its account. What the speech service's own description does not show is marked as our choice; so is the whole of
the platform's API. An answer to a failure that was asked for may be any other.`

/** The service in OpenAPI 3.1. The schemas are those that the service itself reads and writes by. */
export const openApi = (service: Described): Json => ({
  openapi: "3.1.0",
  info: { title: "Local speech service", version: "1.0.0", description },
  servers: [{ url: "/", description: "The platform" }],
  paths: { ...operationPaths(service), ...platformPaths() },
  components: {
    responses: {
      PlatformNotFound: {
        description: "Nothing is at this path of the platform.",
        content: json(schemaOf(PlatformFailure))
      }
    },
    securitySchemes: {
      transcriptionKey: {
        type: "apiKey",
        in: "header",
        name: SttContract.apiKeyHeader,
        description: "The whole `<prefix>.<secret>`."
      },
      synthesisKey: {
        type: "apiKey",
        in: "header",
        name: TtsContract.header.apiKey,
        description: "The whole `<prefix>.<secret>`."
      },
      adminToken: { type: "apiKey", in: "header", name: "X-Admin-Token", description: "Told at the start. Our choice." }
    }
  }
})
