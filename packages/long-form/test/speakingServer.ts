/**
 * A server that speaks a tone for each text, unless a test responds otherwise, and a client of it. All samples depend on the
 * text alone.
 */
import type { ServerResponse } from "node:http"
import * as NodeTransport from "@effect-speech/transport/node"
import { TextToSpeech, TtsContract } from "@effect-speech/tts"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { scriptedServer } from "../../../test/support/scriptedServer.js"

export interface SentPiece {
  readonly id: string
  readonly body: TtsContract.SynthesisBody
}

/** Between the silence at both ends, in milliseconds. */
export const silenceMillis = 100

/** A tone of 10 ms for each code point, at 8 kHz, between two silences. */
export const toneOf = (text: string): Float32Array => {
  const edge = 8 * silenceMillis
  const samples = new Float32Array(2 * edge + 80 * TtsContract.codePoints(text))
  const step = 0.1 + ((text.codePointAt(0) ?? 0) % 50) / 100
  for (let index = edge; index < samples.length - edge; index++) samples[index] = Math.cos(index * step) / 2
  return samples
}

interface Stated {
  readonly millis?: number
  readonly sampleRate?: number
}

/** Sends a tone as 16 bits, with its own rate and duration, or with others. */
export const sendTone = (
  response: ServerResponse,
  { body, id }: SentPiece,
  { millis, sampleRate = 8000 }: Stated = {}
): void => {
  const samples = Int16Array.from(toneOf(body.text), (sample) => Math.round(sample * 32_767))
  response.writeHead(200, {
    "content-type": "application/octet-stream",
    "x-sample-rate": String(sampleRate),
    "x-encoding": "pcm16",
    "x-audio-duration-ms": String(millis ?? (1000 * samples.length) / sampleRate),
    "x-request-id": id
  })
  response.end(Buffer.from(samples.buffer))
}

/** A new server and its client. `respond` returns whether it responded to a piece. */
export const speakingServer = (respond: (piece: SentPiece, response: ServerResponse) => boolean = () => false) =>
  Effect.gen(function* () {
    const sent: Array<SentPiece> = []
    const server = yield* scriptedServer((response, { body, headers }) => {
      const piece = { id: String(headers["x-request-id"]), body: JSON.parse(body.toString()) }
      sent.push(piece)
      if (!respond(piece, response)) sendTone(response, piece)
    })
    const client = TextToSpeech.layer({
      apiKey: Redacted.make("prefix.topsecret"),
      baseUrl: server.url,
      retries: 0
    })
    const context = yield* Layer.build(Layer.provide(client, NodeTransport.layer))
    return { sent, tts: Context.get(context, TextToSpeech), layer: Layer.succeedContext(context) }
  }).pipe(Effect.orDie)
