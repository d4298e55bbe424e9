/** Requests that are wrong, or that a model does not expect. */
import * as Pcm from "@effect-speech/audio-codec/Pcm"
import * as Wav from "@effect-speech/audio-codec/Wav"
import type { HttpResponse, Service } from "../conformance/service.js"

/** A text of so many sentences of 56 code points. A tiny voice speaks each for 7 seconds. */
export const sentences = (count: number): string =>
  Array.from({ length: count }, () => "the train to the city leaves from platform two at nine.").join(" ")

/** A WAV file of mono samples, as a part of a form: samples, or the bytes of `16000:pcm16`. */
export const recordingOf = (
  samples: Float32Array | Uint8Array,
  { encoding = "pcm16", sampleRate = 16_000 }: { encoding?: "pcm16" | "float32"; sampleRate?: number } = {}
) => {
  const audio = samples instanceof Float32Array ? Pcm.encode(samples, encoding).bytes : samples
  return {
    name: "call.wav",
    type: "audio/wav",
    bytes: Buffer.from(Wav.encode(audio, { sampleRate, channels: 1, encoding })),
    seconds: 0
  }
}
export type WavRecording = ReturnType<typeof recordingOf>

export interface Wrong {
  readonly what: string
  readonly operation: "transcribe" | "synthesize"
  /** Statuses that the contract allows here. */
  readonly statuses: ReadonlyArray<number>
  readonly send: (service: Service) => Promise<HttpResponse>
}

const hearing = (
  what: string,
  statuses: ReadonlyArray<number>,
  fields: Parameters<Service["transcribe"]>[0],
  model = "tiny-nemo-ctc-en"
): Wrong => ({ what, operation: "transcribe", statuses, send: ({ transcribe }) => transcribe({ model, ...fields }) })

/** Samples, in each family: what is nothing for one may end another. */
const inEachFamily = (what: string, statuses: ReadonlyArray<number>, recording: WavRecording) =>
  ["tiny-nemo-ctc-en", "tiny-zipformer-en", "en-tiny-whisper-en"].map((model) =>
    hearing(`${what}, to ${model}`, statuses, { audio_file: recording }, model)
  )

const filled = (length: number, value: (index: number) => number) =>
  Float32Array.from({ length }, (_, index) => value(index))
const float32 = (value: number) =>
  recordingOf(
    filled(16_000, () => value),
    { encoding: "float32" }
  )
const tone = (index: number) => Math.sin(index / 5) / 2
const atRate = (sampleRate: number) => recordingOf(filled(20_000, tone), { sampleRate })
/** The header states another rate. */
const stating = (rate: number) => {
  const recording = atRate(16_000)
  recording.bytes.writeUInt32LE(rate, 24)
  return recording
}
const hotwords = (what: string, statuses: ReadonlyArray<number>, words: unknown, model = "tiny-zipformer-en") =>
  hearing(`hotwords ${what}`, statuses, { hotwords: JSON.stringify(words) }, model)

const recordings: ReadonlyArray<Wrong> = [
  ...inEachFamily("0 samples", [200, 400], recordingOf(new Float32Array(0))),
  ...inEachFamily("1 sample", [200], recordingOf(filled(1, () => 0.5))),
  ...inEachFamily("10 seconds of silence", [200], recordingOf(new Float32Array(160_000))),
  ...inEachFamily("a second of NaN", [200, 400], float32(Number.NaN)),
  ...inEachFamily("a second of 3e38", [200, 400, 500], float32(3e38)),
  hearing("a second of infinity", [200, 400], { audio_file: float32(Number.POSITIVE_INFINITY) }),
  hearing("a recording at 1,000 Hz", [200, 400], { audio_file: atRate(1000) }),
  hearing("a recording at 192,000 Hz", [200], { audio_file: atRate(192_000) }),
  hearing("a recording that states 0 Hz", [400], { audio_file: stating(0) }),
  hearing("a recording that states 4 GHz", [200, 400], { audio_file: stating(4_000_000_000) }),
  hearing("a file that is no recording", [400], {
    audio_file: { name: "call.wav", type: "audio/wav", bytes: Buffer.from("no audio"), seconds: 1 }
  }),
  hearing("a model that there is not", [400], {}, "no-such-model"),
  hearing("a model that only speaks", [400], {}, "tiny-vits-en")
]

const phrases: ReadonlyArray<Wrong> = [
  hotwords("that the model can't write", [200], [{ phrase: "日本語" }, { phrase: "Ω" }]),
  hotwords("without one", [200], []),
  hotwords("with an empty phrase", [400], [{ phrase: "" }]),
  hotwords("of blanks", [200, 400], [{ phrase: "  " }]),
  hotwords("with the signs of sherpa-onnx", [200], [{ phrase: "a/b :9 #2 @x" }, { phrase: "//::\n#" }]),
  hotwords("with control characters", [200, 400], [{ phrase: "a\u0000b\u001b[31m" }]),
  hotwords("with a score of 1e308", [200, 400], [{ phrase: "hello", score: 1e308 }]),
  hotwords("with a negative score", [200, 400], [{ phrase: "hello", score: -50 }]),
  hotwords("with a score in words", [400], [{ phrase: "hello", score: "high" }]),
  hotwords(
    "of 10,000 phrases",
    [200, 400, 413],
    Array.from({ length: 10_000 }, (_, index) => ({ phrase: `call ${index}` }))
  ),
  hotwords("to a CTC model", [200], [{ phrase: "hello" }], "tiny-nemo-ctc-en"),
  hotwords("to Whisper", [200], [{ phrase: "hello" }], "en-tiny-whisper-en")
]

const speaking = (what: string, statuses: ReadonlyArray<number>, fields: Readonly<Record<string, unknown>>): Wrong => ({
  what,
  operation: "synthesize",
  statuses,
  send: ({ synthesize }) => synthesize({ text: "hello", lang: "en", voice: "tiny_loud", ...fields })
})

const texts: ReadonlyArray<Wrong> = [
  speaking("an empty text", [400], { text: "" }),
  speaking("a text of blanks", [400], { text: " \n\t " }),
  speaking("a text without a character that the model knows", [400], { text: "日本語 Ω" }),
  speaking("one letter", [200], { text: "a" }),
  speaking("one full stop", [200, 400], { text: "." }),
  speaking("2,000 full stops", [200, 400], { text: ".".repeat(2000) }),
  speaking("control characters", [200, 400], { text: "hello\u0000\u0007\u001b[2J world" }),
  speaking("half a surrogate", [200, 400], { text: "hello \ud800 world \udc00" }),
  speaking("a word of 3,000 letters", [200, 400], { text: "a".repeat(3000) }),
  speaking("3,000 emoji, and a word", [200], { text: `${"🚂".repeat(3000)} hello` }),
  ...[0, -1, 1e9, 0.01, "NaN", null, Number.NaN].map((speed) => speaking(`speed ${speed}`, [400], { speed })),
  speaking("the slowest speed", [200], { speed: 0.25 }),
  speaking("the highest speed", [200], { speed: 4 }),
  speaking("a language without a voice", [400], { lang: "xx" }),
  speaking("a voice that there is not", [400], { voice: "nobody" }),
  speaking("pronunciations, which these models have not", [200], { g2p_overrides: { hello: "h@l'oU" } }),
  speaking("no text", [400], { text: undefined }),
  speaking("half a surrogate, to Piper's form", [200, 400], { text: "ten \ud800 men", voice: "default_male" }),
  { ...speaking("a body that is not JSON", [400], {}), send: ({ synthesize }) => synthesize('{"text": "hello"') }
]

export const wrongRequests: ReadonlyArray<Wrong> = [...recordings, ...phrases, ...texts]
