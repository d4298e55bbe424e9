import type { PlatformError } from "@effect/platform/Error"
import * as AudioDecoder from "@effect-speech/audio-codec/AudioDecoder"
import { bytesPerFrame } from "@effect-speech/audio-codec/AudioFormat"
import * as Pcm from "@effect-speech/audio-codec/Pcm"
import * as PcmStream from "@effect-speech/audio-codec/PcmStream"
import * as Quiet from "@effect-speech/audio-codec/Quiet"
import * as Resampler from "@effect-speech/audio-codec/Resampler"
import * as Telephony from "@effect-speech/audio-codec/Telephony"
import * as Wav from "@effect-speech/audio-codec/Wav"
import { withoutLink } from "@effect-speech/common/ErrorPage"
import * as Printable from "@effect-speech/common/Printable"
import type { AudioSource } from "@effect-speech/stt/AudioSource"
import * as Recording from "@effect-speech/stt/Recording"
import { SttAudioUnreadable } from "@effect-speech/stt/SttError"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"

/**
 * What ends a piece of a recording.
 *
 * | value   | the piece ends |
 * | ------- | -------------- |
 * | `pause` | in a pause |
 * | `quiet` | at the quietest point, since there was no pause: a word may be cut |
 * | `end`   | with the recording |
 *
 * @example
 * ```ts
 * import { LongTranscription } from "@effect-speech/long-form"
 *
 * export const mayCutAWord = (ending: LongTranscription.Ending) => ending === "quiet"
 * ```
 *
 * @since 0.1.0
 * @category schemas
 */
export const Ending: Schema.Literal<["pause", "quiet", "end"]> = Schema.Literal("pause", "quiet", "end")
/**
 * @since 0.1.0
 * @category schemas
 */
export type Ending = typeof Ending.Type

/** A piece of a recording: mono, 8 kHz, 16 bits. */
export interface RecordingPiece {
  /** Counts from 1. */
  readonly number: number
  /** In milliseconds from the beginning of the recording. */
  readonly startMillis: number
  readonly endMillis: number
  readonly ending: Ending
  readonly samples: Uint8Array
  /** Whether it is digital silence, in which nothing was recorded. */
  readonly isSilent: boolean
}

/** A recording that is open to be cut. */
export interface OpenPieces {
  /** In Hz, as its header states. */
  readonly sampleRate: number
  /** Its duration as its header states. */
  readonly durationMillis: number | undefined
  /** Can run once, inside the scope. */
  readonly pieces: Stream.Stream<RecordingPiece, SttAudioUnreadable>
  /** By how much a WAV file is shorter than its header says, in milliseconds. Read it after the pieces. */
  readonly missingMillis: () => number
}

const samplesPerMilli = Telephony.format.sampleRate / 1000
const millisOf = (samples: number): number => Math.round(samples / samplesPerMilli)

/** Opens a recording in any container, converts it to telephony as it is read, and cuts it. */
export const openPieces = <R>(
  audio: AudioSource<R>,
  pieceMillis: number
): Effect.Effect<OpenPieces, SttAudioUnreadable, R | AudioDecoder.AudioDecoder | Scope.Scope> =>
  Effect.gen(function* () {
    const unreadable = (problem: string) =>
      new SttAudioUnreadable({ source: audio._tag === "Path" ? audio.path : audio.filename, problem })
    const toUnreadable = (error: DecodingError): SttAudioUnreadable =>
      error._tag === "SttAudioUnreadable"
        ? error
        : unreadable(`it can't be decoded: ${Printable.asPhrase(withoutLink(error.message))}`)

    const recording = yield* Recording.open(audio)
    const { container } = recording
    // The chunks up to the one with the end of the header. That of others is not read here.
    const beginning: Array<Uint8Array<ArrayBuffer>> = []
    let isOpen = false
    const bytes = Stream.tap(recording.stream, (chunk) =>
      Effect.sync(() => {
        if (container === "wav" && !isOpen) beginning.push(chunk.slice())
      })
    )
    const decoding: Effect.Effect<
      PcmStream.PcmStream<DecodingError>,
      DecodingError,
      AudioDecoder.AudioDecoder | Scope.Scope
    > = audio._tag === "Path" && container !== undefined && container !== "wav"
      ? Effect.flatMap(AudioDecoder.AudioDecoder, (decoder) => decoder.decodeFile(audio.path, container))
      : AudioDecoder.decodeStream(bytes)
    const decoded = yield* Effect.mapError(decoding, toUnreadable)
    isOpen = true
    const { format } = decoded
    if (format.sampleRate < Resampler.minimumRaisedRate) {
      return yield* Effect.fail(
        unreadable(`its sample rate of ${format.sampleRate} Hz is too low for speech; record it at 8000 Hz`)
      )
    }

    let read = 0
    const declared =
      container === "wav"
        ? Either.getOrUndefined(
            Wav.decodeHeader(new Uint8Array(yield* Effect.promise(() => new Blob(beginning).arrayBuffer())))
          )?.byteLength
        : undefined
    const counted = PcmStream.tap(decoded, (chunk) =>
      Effect.sync(() => {
        read += chunk.byteLength
      })
    )
    const telephony = Telephony.telephony(counted)
    return {
      sampleRate: format.sampleRate,
      durationMillis: recording.durationMillis,
      pieces: cut(Stream.mapError(telephony.stream, toUnreadable), pieceMillis).pipe(
        Stream.orElseIfEmptyStream(() => Stream.fail(unreadable("it has no samples")))
      ),
      missingMillis: () =>
        declared === undefined || declared - read < bytesPerFrame(format)
          ? 0
          : Math.round(((declared - read) / bytesPerFrame(format) / format.sampleRate) * 1000)
    }
  })

/** Cuts telephony into pieces. */
const cut = <E>(telephony: Stream.Stream<Uint8Array, E>, maximumMillis: number): Stream.Stream<RecordingPiece, E> =>
  telephony.pipe(
    Stream.map((chunk) => Pcm.decode(chunk, Telephony.format.encoding)),
    Quiet.cutStream(Telephony.format.sampleRate, { maximum: maximumMillis }),
    Stream.zipWithIndex,
    Stream.map(
      ([{ ending, samples, startSample }, index]): RecordingPiece => ({
        number: index + 1,
        startMillis: millisOf(startSample),
        endMillis: millisOf(startSample + samples.length),
        ending,
        samples: Pcm.encode(samples, Telephony.format.encoding).bytes,
        isSilent: isDigitalSilence(samples)
      })
    )
  )

type DecodingError = AudioDecoder.DecodeError | PlatformError | SttAudioUnreadable

/** The last two steps of 16 bits may be dither. */
const silentRange = 2 / 32_768

const isDigitalSilence = (samples: Float32Array): boolean => {
  let [lowest, highest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const sample of samples) {
    if (sample < lowest) lowest = sample
    if (sample > highest) highest = sample
    if (highest - lowest > silentRange) return false
  }
  return true
}
