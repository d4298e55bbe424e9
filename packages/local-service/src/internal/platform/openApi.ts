import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as OpenApi from "@effect/platform/OpenApi"
import * as SttContract from "@effect-speech/stt/SttContract"
import * as TtsContract from "@effect-speech/tts/TtsContract"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import { PlatformApi } from "../../PlatformApi.js"
import { operationPaths } from "./openApiOperations.js"
import { failures, inlineReferences, type Json, json, type ServiceDescription, schemaOf } from "./openApiParts.js"

const description = `Both operations of the speech service, as this local service implements them, and the platform that
keeps its account. "Our choice" marks what the contract of the speech service does not define; the whole API of the platform is our
choice. A response that you requested as a fault can differ from this document.`

/** The OpenAPI 3.1 document of the service. The same schemas read its requests and write its responses. */
export const openApi = (service: ServiceDescription, cookieName: string) => {
  const { components, openapi, paths, tags } = OpenApi.fromApi(PlatformApi)
  return {
    openapi,
    info: { title: "Local speech service", version: "1.0.0", description },
    servers: [{ url: "/", description: "The platform" }],
    tags,
    paths: {
      ...operationPaths(service),
      ...Object.fromEntries(
        Object.entries(paths).map(([path, item]) => [
          path,
          inlineReferences(withCommonFailures(item), components.schemas)
        ])
      )
    },
    components: {
      responses: {
        PlatformNotFound: { description: "The platform has nothing at this path.", content: failureContent }
      },
      securitySchemes: {
        ...components.securitySchemes,
        session: { ...components.securitySchemes.session, name: cookieName },
        ...keySchemes
      }
    }
  }
}

/** The document of one operation, for its own address: without the platform. */
export const operationDocument = (service: ServiceDescription, path: string) => ({
  openapi: "3.1.0",
  info: { title: "Local speech service", version: "1.0.0", description },
  paths: { [path]: operationPaths(service)[path] },
  components: { securitySchemes: keySchemes }
})

const keyScheme = (name: string): Json => ({
  type: "apiKey",
  in: "header",
  name,
  description: "The whole key, `<prefix>.<secret>`."
})

const keySchemes = {
  transcriptionKey: keyScheme(SttContract.apiKeyHeader),
  synthesisKey: keyScheme(TtsContract.header.apiKey)
}

const failureContent = json(schemaOf(Schema.Struct({ error: Schema.String })))

const bodyCauses = {
  400: "The body breaks a rule, and the message names the field. Or the request is malformed.",
  415: "The body is not application/json, or has a Content-Encoding."
}

/** The statuses that the API declares for all endpoints. `failures` describes them. */
const { ast } = PlatformApi.errorSchema
const commonStatuses = (AST.isUnion(ast) ? ast.types : [ast]).map(HttpApiSchema.getStatusErrorAST)

/** Adds the failures that any request can meet, and the Allow header of 405. */
const withCommonFailures = (item: OpenApi.OpenAPISpecPathItem): Json => {
  const allow = Object.keys(item).join(", ").toUpperCase()
  return Object.fromEntries(
    Object.entries(item).map(([method, operation]) => {
      const { requestBody, responses } = operation
      const own = Object.entries(responses).filter(([status]) => !commonStatuses.includes(Number(status)))
      const common = failures(requestBody === undefined ? {} : bodyCauses, { content: failureContent, allow })
      return [method, { ...operation, responses: { ...common, ...Object.fromEntries(own) } }]
    })
  )
}
