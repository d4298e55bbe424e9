import * as NodeStream from "@effect/platform-node/NodeStream"
import { AudioSource, SpeechToText } from "@effect-speech/stt"
import type { Hotword } from "@effect-speech/stt/SttContract"
import * as NodeTransport from "@effect-speech/transport/node"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { literal, standardStream } from "./options.js"

/** The last colon counts, and only before a number: phrases hold colons too. */
export const toHotword = (text: string): Hotword => {
  const scored = /^(.+):(-?\d+(?:\.\d+)?)$/s.exec(text)
  return scored === null ? { phrase: text } : { phrase: scored[1] ?? "", score: Number(scored[2]) }
}

const standardInput = AudioSource.fromOneShotStream(
  NodeStream.fromReadable(
    () => process.stdin,
    () => "StandardInput"
  ),
  { filename: "stdin" }
)

export interface TranscribeOptions {
  readonly file: string
  readonly model: string
  readonly aux: boolean
  readonly parseNumber: boolean
  readonly hotwords: ReadonlyArray<string>
  readonly transactionId: Option.Option<string>
  readonly json: boolean
}

export const transcribe = (given: TranscribeOptions) =>
  Effect.gen(function* () {
    const stt = yield* SpeechToText
    const transcription = yield* stt.transcribe({
      audio: given.file === standardStream ? standardInput : AudioSource.fromPath(given.file),
      model: given.model,
      transactionId: Option.getOrUndefined(given.transactionId),
      aux: given.aux ? true : undefined,
      parseNumber: given.parseNumber ? true : undefined,
      hotwords: given.hotwords.length === 0 ? undefined : given.hotwords.map(literal).map(toHotword)
    })
    if (transcription.text === "") yield* Console.error("speech: nothing was recognised in the recording.")
    yield* Console.log(given.json ? JSON.stringify(transcription) : transcription.text)
  }).pipe(Effect.provide(SpeechToText.layerFromEnv), Effect.provide(NodeTransport.layer))
