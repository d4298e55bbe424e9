/**
 * What `speak` and `speakLong` give: audio as it arrives, or whole.
 */
import type { CallEvent, CallOptions, CallReport, Deadlines, Duration } from "./Call.js"

/**
 * The format of raw audio.
 *
 * @example
 * ```ts
 * import { connect } from "@effect-speech/promise"
 *
 * const { format } = await connect().speak("Platform two", { lang: "en", outputFormat: "8000:pcm16" })
 * console.log(format.sampleRate, format.channels, format.encoding)
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface AudioFormat {
  /** In Hz. */
  readonly sampleRate: number
  /** Number of channels. */
  readonly channels: number
  /** Of one sample, little-endian. */
  readonly encoding: "pcm8" | "pcm16" | "pcm24" | "pcm32" | "float32" | "float64" | "alaw" | "mulaw"
}

/**
 * Sample rate in Hz and encoding of a speech.
 *
 * @since 0.1.0
 * @category models
 */
export type OutputFormat = `${8000 | 16000 | 24000}:${"pcm16" | "float32"}`

/**
 * What a response omits, or states differently from the request. The audio is usable. `message` says what to do.
 *
 * @since 0.1.0
 * @category models
 */
export type SpeechWarning =
  | {
      readonly tag: "FormatDiffers"
      readonly message: string
      /** The requested format. */
      readonly asked: string
      /** Of the audio, in Hz. */
      readonly sampleRate: number
      readonly encoding: "pcm16" | "float32"
    }
  | { readonly tag: "DurationMissing"; readonly message: string }
  | { readonly tag: "RequestIdMissing"; readonly message: string }
  | {
      readonly tag: "RequestIdDiffers"
      readonly message: string
      readonly sentId: string
      readonly receivedId: string
    }

/**
 * How a text is spoken.
 *
 * @example
 * ```ts
 * import { connect, type VoiceOptions } from "@effect-speech/promise"
 *
 * const announcer: VoiceOptions = { lang: "en", speed: 0.9, outputFormat: "8000:pcm16" }
 * await connect().speak("Platform two", announcer).toFile("platform.wav")
 * ```
 *
 * @since 0.1.0
 * @category options
 */
export interface VoiceOptions {
  /** A language code. Default: `hi`, of the service. */
  readonly lang?: string | undefined
  /** A voice id. Default: `default_female`, of the service. */
  readonly voice?: string | undefined
  /** Default: `24000:float32`, of the service. */
  readonly outputFormat?: OutputFormat | undefined
  /** The speaking rate, 0.25 to 4. Default: that of the voice. */
  readonly speed?: number | undefined
  /** Flow-matching steps, 1 to 100. Default: that of the voice. */
  readonly numStep?: number | undefined
  /** Pronunciations: from a word to its tokens, in the form of the service. Default: none. */
  readonly g2pOverrides?: Readonly<Record<string, unknown>> | undefined
  /**
   * Id of the request: 1 to 64 letters, digits and `.`, `_`, `:`, `-`; of a long text 1 to 56. Default: a random UUID.
   */
  readonly requestId?: string | undefined
  /** Further JSON fields of the service, sent unchanged. Default: none. */
  readonly additionalFields?: Readonly<Record<string, unknown>> | undefined
}

/**
 * The options of `speak`: how the text is spoken, and how long the call may take.
 *
 * @example
 * ```ts
 * import { connect } from "@effect-speech/promise"
 *
 * const speech = connect()
 * await speech.speak("Platform two", { lang: "en", outage: "1 minute", deadlines: { total: "2 minutes" } })
 * ```
 *
 * @since 0.1.0
 * @category options
 */
export interface SpeakOptions extends VoiceOptions, CallOptions {
  /** How long each phase may take. Default: those of `connect`. */
  readonly deadlines?: Deadlines | undefined
  /** How long to retry through an outage of the service. Default: that of `connect`. */
  readonly outage?: Duration | undefined
  /**
   * `false` forbids each retry after an attempt that may have been billed, also one that `retryAmbiguous` of `connect` allows. `true`
   * allows no further ones. Default: true.
   */
  readonly retryIfBilled?: boolean | undefined
}

/**
 * What is known of a speech when its response begins.
 *
 * @example
 * ```ts
 * import { connect } from "@effect-speech/promise"
 *
 * const speech = connect().speak("Platform two", { lang: "en" })
 * const { durationMillis, format } = await speech.start()
 * console.log(format.sampleRate, durationMillis)
 * for await (const samples of speech) console.log(samples.length)
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface SpeechStart {
  /** The format of the audio. It can differ from the requested one: see `warnings`. */
  readonly format: AudioFormat
  /** Duration in milliseconds, as the service states it; `undefined` if it does not. */
  readonly durationMillis: number | undefined
  /** The request id of the response. If it has none, that of the request. */
  readonly requestId: string
  /** What the response omits, or states differently from the request. */
  readonly warnings: ReadonlyArray<SpeechWarning>
}

/**
 * Complete, checked audio.
 *
 * @example
 * ```ts
 * import { writeFile } from "node:fs/promises"
 * import { type Audio, connect } from "@effect-speech/promise"
 *
 * const audio: Audio = await connect().speak("Platform two", { lang: "en" })
 * await writeFile("platform.wav", audio.wav())
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface Audio {
  /** The format of `bytes`. */
  readonly format: AudioFormat
  /** In milliseconds. */
  readonly durationMillis: number
  /** Raw samples, without a container. */
  readonly bytes: Uint8Array
  /** The request id of the response. If it has none, that of the request. */
  readonly requestId: string
  /** What the response omits, or states differently from the request. */
  readonly warnings: ReadonlyArray<SpeechWarning>
  /** The attempts, and what is known of billing. */
  readonly call: CallReport
  /** A WAV file of the audio. */
  readonly wav: () => Uint8Array
}

/**
 * A WAV file that was written. It appears at its path whole, or not at all.
 *
 * @example
 * ```ts
 * import { connect, type WavFile } from "@effect-speech/promise"
 *
 * const file: WavFile = await connect().speak("Platform two", { lang: "en" }).toFile("platform.wav")
 * console.log(`${file.path}: ${file.durationMillis} ms`)
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface WavFile {
  /** The path of the file. */
  readonly path: string
  /** The format of the samples. */
  readonly format: AudioFormat
  /** Of the samples, in bytes. */
  readonly dataLength: number
  /** In milliseconds. */
  readonly durationMillis: number
}

/**
 * A stream of bytes that can be iterated too, so that `pipeline` and `Readable.from` of Node take it. The lib `DOM` alone has no
 * iteration of a `ReadableStream`.
 *
 * @example
 * ```ts
 * import { createWriteStream } from "node:fs"
 * import { pipeline } from "node:stream/promises"
 * import { connect } from "@effect-speech/promise"
 *
 * await pipeline(connect().speak("Platform two", { lang: "en" }).wav(), createWriteStream("platform.wav"))
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export type AudioStream = ReadableStream<Uint8Array> & AsyncIterable<Uint8Array>

/**
 * The speech of a text. Nothing is sent until you use it, and you can use it once: await it for the whole audio, iterate it for raw
 * samples, or call one of its methods.
 *
 * `await` waits for the whole audio. An async function that returns a `Speech` therefore gives its caller an `Audio`. A chunk of samples
 * can have any length, and can end inside a sample.
 *
 * Rejects with a {@link SpeakError}. Audio that was cut short or is corrupt is an error at the end, in each use. A second use rejects or
 * throws with `TtsInvalidRequest`.
 *
 * @example
 * ```ts
 * import { connect } from "@effect-speech/promise"
 *
 * const client = connect()
 * const audio = await client.speak("नमस्ते")
 * await client.speak("नमस्ते").toFile("namaste.wav")
 * for await (const samples of client.speak("नमस्ते")) console.log(samples.length)
 * export const route = () => client.speak("नमस्ते").response()
 * console.log(audio.durationMillis)
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface Speech<Whole = Audio, Start = SpeechStart, File = WavFile>
  extends AsyncIterable<Uint8Array>,
    Promise<Whole> {
  /**
   * Sends the request, and gives what is known when the response begins. Then read the audio, or cancel its stream: until then, the call
   * takes a place of `concurrency` and keeps the process alive. A `total` deadline ends it in any case.
   */
  readonly start: () => Promise<Start>
  /** The raw samples. Cancel it to end the call. If its response has not begun, `start` and `report` reject with an `AbortError`. */
  readonly stream: () => AudioStream
  /** A WAV file as it arrives. Its header states the length if the response has a Content-Length; else the length is open. */
  readonly wav: () => AudioStream
  /** Writes a WAV file as the audio arrives. `path`: a path or a `file:` URL. */
  readonly toFile: (path: string | URL) => Promise<File>
  /**
   * A response with the WAV file, for a route handler. It resolves when the audio begins, so an error before that rejects it. If the
   * audio fails later, its body fails, and the client of your server sees a response that was cut short. It has a Content-Length if
   * the response of the service has one. Read its body, or cancel it, as after `start`.
   */
  readonly response: (init?: ResponseInit) => Promise<Response & { readonly body: AsyncIterable<Uint8Array> }>
  /**
   * The report of the call so far: of one that sent nothing, if the speech was not used. If you await the speech, it is there when the
   * speech is.
   */
  readonly report: () => Promise<CallReport>
}

/**
 * A part of a long text with a voice of its own.
 *
 * @example
 * ```ts
 * import { connect, type Passage } from "@effect-speech/promise"
 *
 * const passages: ReadonlyArray<Passage> = [
 *   { text: "नमस्ते।", lang: "hi" },
 *   { text: "Welcome.", lang: "en", speed: 0.9 }
 * ]
 * await connect().speakLong(passages).toFile("welcome.wav")
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface Passage {
  /** The text to speak. */
  readonly text: string
  /** Default: that of the request. */
  readonly lang?: string | undefined
  /** Default: that of the request. */
  readonly voice?: string | undefined
  /** Default: that of the request. */
  readonly speed?: number | undefined
}

/**
 * Silence after a piece, by the boundary at which it ends, up to 60 seconds.
 *
 * @example
 * ```ts
 * import { connect } from "@effect-speech/promise"
 *
 * const pauses = { paragraph: "1 second", sentence: 300 } as const
 * await connect().speakLong("One sentence. Another one.", { lang: "en", pauses }).toFile("article.wav")
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface Pauses {
  /** Default: 600 ms. */
  readonly paragraph?: Duration | undefined
  /** Default: 400 ms. */
  readonly line?: Duration | undefined
  /** Default: 250 ms. */
  readonly sentence?: Duration | undefined
  /** Default: 120 ms. */
  readonly clause?: Duration | undefined
  /** Default: none. */
  readonly word?: Duration | undefined
  /** Default: none. */
  readonly cluster?: Duration | undefined
}

/**
 * Progress of a long text. Pieces count from 1. `codePoints` is what a piece costs if it is sent.
 *
 * | tag       | when |
 * | --------- | ---- |
 * | `Planned` | the whole text was split |
 * | `Kept`    | the audio of a piece is kept from an earlier run: it is not sent |
 * | `Started` | the call of a piece starts |
 * | `Called`  | the call of a piece has an event, such as a retry |
 * | `Done`    | the audio of a piece has arrived |
 *
 * @example
 * ```ts
 * import { connect, type LongSpeechEvent } from "@effect-speech/promise"
 *
 * const show = (event: LongSpeechEvent) => {
 *   if (event.tag === "Planned") console.log(`${event.pieces} pieces cost ${event.cost} code points`)
 * }
 * await connect().speakLong("A long text.", { lang: "en", onEvent: show }).toFile("article.wav")
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export type LongSpeechEvent =
  | { readonly tag: "Planned"; readonly pieces: number; readonly codePoints: number; readonly cost: number }
  | { readonly tag: "Kept" | "Started" | "Done"; readonly number: number; readonly codePoints: number }
  | { readonly tag: "Called"; readonly number: number; readonly codePoints: number; readonly event: CallEvent }

/**
 * The options of `speakLong`: how the text is spoken, cut and joined, and where its pieces are kept.
 *
 * @example
 * ```ts
 * import { connect } from "@effect-speech/promise"
 *
 * const options = { lang: "en", keepIn: "article.pieces", concurrency: 2 }
 * await connect().speakLong("A long text.", options).toFile("article.wav")
 * ```
 *
 * @since 0.1.0
 * @category options
 */
export interface SpeakLongOptions extends VoiceOptions, CallOptions<LongSpeechEvent> {
  /**
   * Folder (a path or a `file:` URL) that keeps the audio of each piece, so that the same call after a failure or a crash sends only what is missing. It is
   * created if it does not exist. Default: none; the same call sends all pieces again.
   */
  readonly keepIn?: string | URL | undefined
  /** Largest number of code points in a piece, 1 to 10,000. Default: 2,000. */
  readonly maximumCodePoints?: number | undefined
  /** Largest number of code points in the first piece; each next may have twice as many. Default: 250. */
  readonly firstCodePoints?: number | undefined
  /** How many pieces are synthesized at once, 1 to 1,000. Default: 4. */
  readonly concurrency?: number | undefined
  /** Silence between the pieces. */
  readonly pauses?: Pauses | undefined
  /** How much silence stays at both ends of the audio of a piece. Default: 40 ms. */
  readonly edgeSilence?: Duration | undefined
  /** How long the audio of a piece is faded at both ends. Default: 5 ms. */
  readonly fade?: Duration | undefined
  /** What to do with a piece in another format than the others. Default: `resample`. */
  readonly differentFormat?: "resample" | "fail" | undefined
  /** How long to retry each piece through an outage of the service. Default: 5 minutes. */
  readonly outage?: Duration | undefined
  /** How long pieces in flight may go on after the signal aborts, to be kept. Default: they are interrupted at once. */
  readonly gracePeriod?: Duration | undefined
}

/**
 * What became of a piece of a long text. Frames and milliseconds count from the beginning of the whole.
 *
 * @example
 * ```ts
 * import { connect } from "@effect-speech/promise"
 *
 * const { pieces } = await connect().speakLong("A long text.", { lang: "en", keepIn: "article.pieces" })
 * console.log(pieces.filter(({ source }) => source === "kept").length, "pieces were kept from an earlier call")
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface SpokenPiece {
  /** Counts from 1. */
  readonly number: number
  /** The text of the piece. */
  readonly text: string
  /** Offset of its first character in the whole text, in UTF-16 units. */
  readonly startIndex: number
  /** Offset after its last character, in UTF-16 units. */
  readonly endIndex: number
  /** The passage that it belongs to, from 0. */
  readonly passage: number
  /** What it ends with. */
  readonly boundary: "end" | "paragraph" | "line" | "sentence" | "clause" | "word" | "cluster"
  /** Code points that it costs if it is sent. */
  readonly codePoints: number
  /** Its first frame. */
  readonly startFrame: number
  /** The frame after its last one, without the pause that follows. */
  readonly endFrame: number
  /** Its beginning, in milliseconds. */
  readonly startMillis: number
  /** Its end, in milliseconds. */
  readonly endMillis: number
  /** `sent`: in this run. `kept`: found in the folder. `silence`: it has nothing to speak. */
  readonly source: "sent" | "kept" | "silence"
  /** The id of the paid request. Absent for silence. */
  readonly requestId?: string | undefined
  /** The call with its billing. Absent if this run did not send it. */
  readonly call?: CallReport | undefined
  /** The warnings of its response. */
  readonly warnings: ReadonlyArray<SpeechWarning>
}

/**
 * A sentence and its time in the audio. Subtitles are made from them.
 *
 * @example
 * ```ts
 * import { connect, toSrt } from "@effect-speech/promise"
 *
 * const { segments } = await connect().speakLong("One sentence. Another one.", { lang: "en" })
 * console.log(toSrt(segments))
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface SpokenSegment {
  /** The sentence. */
  readonly text: string
  /** Offset of its first character in the whole text, in UTF-16 units. */
  readonly startIndex: number
  /** Offset after its last character, in UTF-16 units. */
  readonly endIndex: number
  /** Its beginning, in milliseconds. */
  readonly startMillis: number
  /** Its end, in milliseconds. */
  readonly endMillis: number
  /** Whether a time is estimated from the length of the text. */
  readonly estimated: boolean
}

/**
 * What became of a long text, as far as its speech was read: its pieces, and its sentences with their times.
 *
 * @example
 * ```ts
 * import { connect } from "@effect-speech/promise"
 *
 * const speech = connect().speakLong("A long text.", { lang: "en" })
 * await speech.toFile("article.wav")
 * const { durationMillis, pieces } = await speech.report()
 * console.log(pieces.length, durationMillis)
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface LongSpeechReport {
  /** The format of the whole audio. */
  readonly format: AudioFormat
  /** In order, as far as the speech was read. */
  readonly pieces: ReadonlyArray<SpokenPiece>
  /** The sentences with their times, in order. */
  readonly segments: ReadonlyArray<SpokenSegment>
  /** Of the audio that was read, in milliseconds. */
  readonly durationMillis: number
}

/**
 * The complete audio of a long text.
 *
 * It is in memory. For a text of hours, write a file or read the stream instead.
 *
 * @example
 * ```ts
 * import { writeFile } from "node:fs/promises"
 * import { connect } from "@effect-speech/promise"
 *
 * const audio = await connect().speakLong("A long text.", { lang: "en" })
 * await writeFile("article.wav", audio.wav())
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface LongAudio extends LongSpeechReport {
  /** Raw samples, without a container. */
  readonly bytes: Uint8Array
  /** A WAV file of the audio. */
  readonly wav: () => Uint8Array
}

/**
 * The speech of a long text. Used as {@link Speech}; `report` is that of its pieces.
 *
 * Rejects with a {@link SpeakError}. If a piece failed, `call.piece` says which.
 *
 * @example
 * ```ts
 * import { connect } from "@effect-speech/promise"
 *
 * const speech = connect().speakLong("A long text.", { lang: "en", keepIn: "article.pieces" })
 * for await (const samples of speech) console.log(samples.length)
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface LongSpeech
  extends Omit<Speech<LongAudio, Pick<LongSpeechReport, "format">, WavFile & LongSpeechReport>, "report"> {
  /** What became of the text, as far as it was read. Rejects if the speech was not used. */
  readonly report: () => Promise<LongSpeechReport>
}
