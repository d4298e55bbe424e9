/**
 * The models, languages and voices of the service: read from the OpenAPI document that it may have at `/openapi.json` of each address,
 * since the contract has no list. No key is sent.
 */
import * as HttpClient from "@effect/platform/HttpClient"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import { codeOrName } from "@effect-speech/common/SystemCode"
import * as SttContract from "@effect-speech/stt/SttContract"
import * as TtsContract from "@effect-speech/tts/TtsContract"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { baseUrl } from "./clients.js"
import * as ExitCode from "./exitCode.js"
import { ListUnavailable } from "./failure.js"

/** A name for `--model` or `--voice`, and its languages if the service states them. */
export interface Offer {
  readonly name: string
  readonly languages: ReadonlyArray<string>
}

/** What can be named in a transcription. */
export interface ModelOffers {
  /** The address, as it is set. */
  readonly address: string
  readonly models: ReadonlyArray<Offer>
}

/** What can be named in a synthesis. */
export interface VoiceOffers {
  readonly address: string
  readonly languages: ReadonlyArray<string>
  readonly voices: ReadonlyArray<Offer>
}

const Names = Schema.Struct({ enum: Schema.Array(Schema.String) })
const Languages = Schema.Union(Schema.String, Schema.Array(Schema.String))
const NamesWithLanguages = Schema.Struct({
  ...Names.fields,
  "x-languages": Schema.optional(Schema.Record({ key: Schema.String, value: Languages }))
})

/** Reads the fields in the body of an operation, from the text of an OpenAPI document. */
const readerOf = <A, I>(path: string, mediaType: string, fields: Schema.Schema<A, I>) => {
  const content = Schema.Struct({ [mediaType]: Schema.Struct({ schema: Schema.Struct({ properties: fields }) }) })
  const operation = Schema.Struct({ post: Schema.Struct({ requestBody: Schema.Struct({ content }) }) })
  const decode = Schema.decodeOption(Schema.parseJson(Schema.Struct({ paths: Schema.Struct({ [path]: operation }) })))
  return (text: string): Option.Option<A> =>
    Option.flatMapNullable(
      decode(text),
      ({ paths }) => paths[path]?.post.requestBody.content[mediaType]?.schema.properties
    )
}

const readForm = readerOf(SttContract.path, "multipart/form-data", Schema.Struct({ model: NamesWithLanguages }))
const readBody = readerOf(
  TtsContract.path,
  "application/json",
  Schema.Struct({ lang: Names, voice: NamesWithLanguages })
)

const offersOf = ({
  enum: names,
  "x-languages": languages = {}
}: typeof NamesWithLanguages.Type): ReadonlyArray<Offer> =>
  names.map((name) => ({ name, languages: Object.hasOwn(languages, name) ? [languages[name] ?? []].flat() : [] }))

/** Long enough for a distant host, and short enough to wait for. */
const timeoutSeconds = 15

/** Far more than the document of a service with ten thousand models. */
const maximumBytes = 16 * 1024 * 1024

/** The models of the service that the environment names. */
export const modelOffers = Effect.gen(function* () {
  const address = yield* baseUrl("SPEECH_STT_BASE_URL", { allowInsecureHttp: true })
  const { model } = yield* readList(address, "models", readForm)
  return { address, models: offersOf(model) } satisfies ModelOffers
})

/** The languages and voices of the service that the environment names. */
export const voiceOffers = Effect.gen(function* () {
  const address = yield* baseUrl("SPEECH_TTS_BASE_URL", { allowInsecureHttp: true })
  const { lang, voice } = yield* readList(address, "voices", readBody)
  return { address, languages: lang.enum, voices: offersOf(voice) } satisfies VoiceOffers
})

const readList = <A>(address: string, what: "models" | "voices", read: (text: string) => Option.Option<A>) => {
  const unlisted = (code: number, found: string) =>
    new ListUnavailable({
      code,
      message: `${address} publishes no list of its ${what}: GET /openapi.json ${found}. Ask whoever runs the service for their names.`
    })
  return HttpClient.get(`${address.replace(/\/+$/, "")}/openapi.json`).pipe(
    Effect.flatMap((response) =>
      response.status === 200
        ? Effect.flatMap(textOf(response), (text) =>
            Option.match(read(text), {
              onNone: () => unlisted(ExitCode.unusableResponse, "has none"),
              onSome: Effect.succeed
            })
          )
        : unlisted(ExitCode.unexpectedStatus, `responded with ${response.status}`)
    ),
    Effect.catchTags({
      RequestError: (error) => unreachable(address, codeOrName(error)),
      ResponseError: (error) => unreachable(address, codeOrName(error))
    }),
    Effect.timeoutFail({
      duration: `${timeoutSeconds} seconds`,
      onTimeout: () =>
        new ListUnavailable({
          code: ExitCode.deadlineExceeded,
          message: `${address} did not respond within ${timeoutSeconds} s. Try again later.`
        })
    }),
    Effect.scoped
  )
}

const unreachable = (address: string, code: string) =>
  new ListUnavailable({
    code: ExitCode.connectionFailed,
    message: `The connection to ${address} failed (${code}). Check the address, and that the service runs.`
  })

/** The text of a document. Of one that is too long, the beginning, which is no document. */
const textOf = (response: HttpClientResponse.HttpClientResponse) => {
  let length = 0
  return response.stream.pipe(
    Stream.takeWhile((chunk) => {
      length += chunk.byteLength
      return length <= maximumBytes
    }),
    Stream.decodeText(),
    Stream.mkString
  )
}
