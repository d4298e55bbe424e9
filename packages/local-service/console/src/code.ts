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

const controls = /(?!\n)\p{Cc}/gu

/** The bytes of a character in UTF-8, as bash, zsh and ksh write them in `$'…'`. */
const octal = (character: string): string =>
  Array.from(new TextEncoder().encode(character), (byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("")

/** A word of a shell of Unix. A control character is escaped: a terminal would obey it when you paste the word. */
const quote = (word: string): string =>
  word.search(controls) < 0
    ? `'${word.replaceAll("'", "'\\''")}'`
    : `$'${word.replaceAll(/[\\']/g, (character) => `\\${character}`).replaceAll(controls, octal)}'`

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
    `  -F ${quote(`audio_file=@"${curlFile(options)}"`)}`,
    `  ${quote(`${options.sttBaseUrl}/api/transcribe`)}`
  ].join(" \\\n")
}

const asText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))

const fileName = ({ fileName = "recording.wav" }: CodeOptions): string => fileName

/** The name of the file for curl, to which a dash alone means the standard input. */
const curlFile = (options: CodeOptions): string =>
  (fileName(options) === "-" ? "./-" : fileName(options)).replaceAll(/["\\]/g, (character) => `\\${character}`)

const synthesisNames: Readonly<Record<string, string>> = {
  text: "text",
  lang: "lang",
  voice: "voice",
  output_format: "outputFormat",
  speed: "speed",
  num_step: "numStep",
  g2p_overrides: "g2pOverrides"
}

const transcriptionNames: Readonly<Record<string, string>> = {
  model: "model",
  aux: "aux",
  parse_number: "parseNumber",
  hotwords: "hotwords"
}

const flags: ReadonlySet<string> = new Set(["aux", "parseNumber"])

/** The call as a program for Effect, whole. It reads the key from `SPEECH_API_KEY`. */
export const asEffect = (call: Call, options: CodeOptions): string =>
  call.operation === "synthesize" ? synthesis(call.request, options) : transcription(call.request, options)

const synthesis = (request: Fields, { ttsBaseUrl }: CodeOptions): string => {
  const isEmpty = (value: unknown) => typeof value === "object" && value !== null && Object.keys(value).length === 0
  const { known, others } = split(request, synthesisNames)
  const fields = known.filter(([, value]) => !isEmpty(value)).map(([name, value]) => [name, toCode(value)] as const)
  return `import { Wav } from "@effect-speech/audio-codec"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import { TextToSpeech } from "@effect-speech/tts"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Config, Console, Effect } from "effect"

const program = Effect.gen(function* () {
  const tts = yield* TextToSpeech
  const speech = yield* tts.stream(${record([...fields, ...others])})
  const file = yield* Wav.writeFile(speech, "speech.wav")
  yield* Console.log(\`\${file.path}: \${file.durationMillis} ms\`)
})

program.pipe(
  Effect.scoped,
  Effect.provide(
    TextToSpeech.layerConfig({
      apiKey: Config.redacted("SPEECH_API_KEY"),
      baseUrl: Config.succeed(${toCode(ttsBaseUrl)})
    })
  ),
  Effect.provide(NodeTransport.layer),
  NodeRuntime.runMain
)
`
}

const transcription = (request: Fields, options: CodeOptions): string => {
  const { transaction_id: _, ...sent } = request
  const { known, others } = split(sent, transcriptionNames)
  const fields = [
    ["audio", `AudioSource.fromPath(${toCode(fileName(options))})`] as const,
    ...known.map(([name, value]) => [name, toCode(flags.has(name) ? flagOf(value) : value)] as const),
    ...others
  ]
  return `import { AudioSource, SpeechToText } from "@effect-speech/stt"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Config, Console, Effect } from "effect"

const program = Effect.gen(function* () {
  const stt = yield* SpeechToText
  const { text } = yield* stt.transcribe(${record(fields)})
  yield* Console.log(text)
})

program.pipe(
  Effect.provide(
    SpeechToText.layerConfig({
      apiKey: Config.redacted("SPEECH_API_KEY"),
      baseUrl: Config.succeed(${toCode(options.sttBaseUrl)})
    })
  ),
  Effect.provide(NodeTransport.layer),
  NodeRuntime.runMain
)
`
}

/** The fields that the client knows, by its names. The others become its `additionalFields`, as code. */
const split = (request: Fields, names: Readonly<Record<string, string>>) => {
  const entries = Object.entries(request)
  const known = entries.flatMap(([name, value]) => {
    const ours = Object.hasOwn(names, name) ? names[name] : undefined
    return ours === undefined ? [] : [[ours, value] as const]
  })
  const others = Object.fromEntries(entries.filter(([name]) => !Object.hasOwn(names, name)))
  const isNone = Object.keys(others).length === 0
  return { known, others: isNone ? [] : [["additionalFields", toCode(others)] as const] }
}

/** A field of a form that is a boolean of the client. Any other value stays, and the client says what is wrong with it. */
const flagOf = (value: unknown): unknown => (value === "true" || value === "false" ? value === "true" : value)

/** An object literal for the argument of a call, one field a line. */
const record = (fields: ReadonlyArray<readonly [name: string, code: string]>): string =>
  `{\n${fields.map(([name, code]) => `    ${name}: ${code}`).join(",\n")}\n  }`

/** Line separators, which end a line for some tools, and characters that make code look like other code. */
const invisible = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_C}]/gu

/** A value of JSON as code. */
const toCode = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(toCode).join(",")}]`
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value).map(([name, each]) => `${memberName(name)}:${toCode(each)}`)
    return `{${members.join(",")}}`
  }
  return JSON.stringify(value).replaceAll(
    invisible,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
  )
}

/** Without brackets, `__proto__` would set the prototype. */
const memberName = (name: string): string => (name === "__proto__" ? `["__proto__"]` : toCode(name))
