import { durationMillis } from "@effect-speech/audio-codec/AudioFormat"
import * as PcmStream from "@effect-speech/audio-codec/PcmStream"
import { collect } from "@effect-speech/transport/unstable/ResponseBody"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { Speech, SpeechStream } from "../Speech.js"
import { TtsCorruptAudio, type TtsError } from "../TtsError.js"
import type { CheckedAudio } from "./response.js"

/** The audio as a stream of its chunks, which can be run once. */
export const toStream = ({ byteLength, format, pull, report, ...facts }: CheckedAudio): SpeechStream => {
  let isRead = false
  const next = () =>
    Effect.map(pull, (bytes) =>
      bytes === undefined ? Option.none() : Option.some([Chunk.of(bytes), undefined] as const)
    )
  const once = Stream.suspend(() => {
    if (isRead) return Stream.dieMessage("The audio of a stream can be read once. Call stream again.")
    isRead = true
    return Stream.unfoldChunkEffect(undefined, next)
  })
  return Object.assign(PcmStream.make(format, once, { byteLength }), { ...facts, call: Effect.sync(report) })
}

/** Limit of `synthesize`, in bytes: far more than the longest text at the lowest speed, an hour of speech. */
const collectLimit = 512 * 1024 * 1024

/** Reads the audio to its end. */
export const collectSpeech = ({
  durationMillis: stated,
  format,
  pull,
  report,
  requestId,
  warnings
}: CheckedAudio): Effect.Effect<Speech, TtsError> =>
  Effect.flatMap(collect(pull, collectLimit), ({ bytes, complete }) =>
    complete
      ? Effect.succeed(
          Object.assign(PcmStream.fromBytes(format, bytes), {
            bytes,
            call: report(),
            durationMillis: stated ?? durationMillis(format, bytes.byteLength),
            requestId,
            warnings
          })
        )
      : new TtsCorruptAudio({
          problem: `it is longer than ${collectLimit} bytes`,
          receivedBytes: bytes.byteLength,
          call: report()
        })
  )
