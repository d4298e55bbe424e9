/** A call as the code that makes it. */
import type { JournalEntry } from "../../src/Journal.js"

/** The fields of a request, by their names in HTTP. */
export type Fields = Readonly<Record<string, unknown>>

export interface CodeOptions {
  readonly sttBaseUrl: string
  readonly ttsBaseUrl: string
  /** The name of the recording's file. Default: `recording.wav`. */
  readonly fileName?: string | undefined
}

export type Call = Pick<JournalEntry, "operation"> & { readonly request: Fields }

/** A word of a shell of Unix. */
const quote = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`

/** The call for curl, in a shell of Unix. It reads the key from `SPEECH_API_KEY`. */
export const asCurl = ({ operation, request }: Call, options: CodeOptions): string => {
  if (operation === "synthesize") {
    return [
      'curl --fail-with-body -H "X-API-Key: $SPEECH_API_KEY"',
      `  --json ${quote(JSON.stringify(request))}`,
      `  -o speech.raw ${quote(`${options.ttsBaseUrl}/tts/bytes`)}`
    ].join(" \\\n")
  }
  return [
    'curl --fail-with-body -H "X-Api-Key: $SPEECH_API_KEY"',
    ...Object.entries(request).map(([name, value]) => `  --form-string ${quote(`${name}=${asText(value)}`)}`),
    `  -F ${quote(`audio_file=@"${fileName(options).replace(/["\\]/g, "\\$&")}"`)}`,
    `  ${quote(`${options.sttBaseUrl}/api/transcribe`)}`
  ].join(" \\\n")
}

const asText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))

const fileName = ({ fileName = "recording.wav" }: CodeOptions): string => fileName

const synthesisNames: Readonly<Record<string, string>> = {
  text: "text",
  lang: "lang",
  voice: "voice",
  output_format: "outputFormat",
  speed: "speed",
  num_step: "numStep",
  g2p_overrides: "g2pOverrides"
}

/** The call as a program for Effect, whole. It reads the key from `SPEECH_API_KEY`. */
export const asEffect = (call: Call, options: CodeOptions): string =>
  call.operation === "synthesize" ? synthesis(call.request, options) : transcription(call.request, options)

const synthesis = (request: Fields, { ttsBaseUrl }: CodeOptions): string => {
  const isEmpty = (value: unknown) => typeof value === "object" && value !== null && Object.keys(value).length === 0
  const fields = Object.entries(request).flatMap(([name, value]) => {
    const ours = synthesisNames[name]
    return ours === undefined || isEmpty(value) ? [] : [[ours, value] as const]
  })
  return `import { Wav } from "@effect-speech/audio-codec"
import * as NodeTransport from "@effect-speech/transport/node"
import { TextToSpeech } from "@effect-speech/tts"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Config, Console, Effect } from "effect"

const program = Effect.gen(function* () {
  const tts = yield* TextToSpeech
  const speech = yield* tts.stream(${literal(fields, "  ")})
  const file = yield* Wav.writeFile(speech, "speech.wav")
  yield* Console.log(\`\${file.path}: \${file.durationMillis} ms\`)
})

program.pipe(
  Effect.scoped,
  Effect.provide(
    TextToSpeech.layerConfig({
      apiKey: Config.redacted("SPEECH_API_KEY"),
      baseUrl: Config.succeed(${JSON.stringify(ttsBaseUrl)})
    })
  ),
  Effect.provide(NodeTransport.layer),
  NodeRuntime.runMain
)
`
}

const transcription = (request: Fields, options: CodeOptions): string => {
  const fields: Array<readonly [string, unknown]> = [["model", request.model ?? ""]]
  if (isTrue(request.aux)) fields.push(["aux", true])
  if (isTrue(request.parse_number)) fields.push(["parseNumber", true])
  const hotwords = parsed(request.hotwords)
  if (Array.isArray(hotwords)) fields.push(["hotwords", hotwords])
  const body = literal(fields, "  ").replace(
    "{\n",
    `{\n    audio: AudioSource.fromPath(${JSON.stringify(fileName(options))}),\n`
  )
  return `import { AudioSource, SpeechToText } from "@effect-speech/stt"
import * as NodeTransport from "@effect-speech/transport/node"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Config, Console, Effect } from "effect"

const program = Effect.gen(function* () {
  const stt = yield* SpeechToText
  const { text } = yield* stt.transcribe(${body})
  yield* Console.log(text)
})

program.pipe(
  Effect.provide(
    SpeechToText.layerConfig({
      apiKey: Config.redacted("SPEECH_API_KEY"),
      baseUrl: Config.succeed(${JSON.stringify(options.sttBaseUrl)})
    })
  ),
  Effect.provide(NodeTransport.layer),
  NodeRuntime.runMain
)
`
}

const isTrue = (value: unknown): boolean => value === true || value === "true"

const parsed = (value: unknown): unknown => {
  if (typeof value !== "string") return value
  try {
    return JSON.parse(value)
  } catch {
    return undefined
  }
}

/** An object literal, one field a line. */
const literal = (fields: ReadonlyArray<readonly [string, unknown]>, indent: string): string => {
  const lines = fields.map(([name, value]) => `${indent}  ${name}: ${JSON.stringify(value)}`)
  return `{\n${lines.join(",\n")}\n${indent}}`
}
