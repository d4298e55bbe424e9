/**
 * What the command says about a failure of transcription or synthesis, and about a warning. Where the library names its own
 * options, the command names those of the command line.
 */
import type { Warning } from "@effect-speech/long-form/LongTranscription"
import { type AudioHint, type SttAudioUnreadable, SttError } from "@effect-speech/stt/SttError"
import type { SttWarning } from "@effect-speech/stt/SttWarning"
import type { Piece } from "@effect-speech/transport/CallReport"
import type { Phase } from "@effect-speech/transport/Deadlines"
import { quoteService } from "@effect-speech/transport/unstable/CommonError"
import { clockTime } from "@effect-speech/transport/unstable/Report"
import { TtsError } from "@effect-speech/tts/TtsError"
import type { TtsWarning } from "@effect-speech/tts/TtsWarning"
import { commandNames, commands } from "./declaration.js"
import { applying, count, plural } from "./message.js"

const serviceErrors: ReadonlySet<unknown> = new Set([...SttError.members, ...TtsError.members])

/** By the class: a check by `Schema`, of each field of each error, is made at each start of a command. */
export const isServiceError = (error: unknown): error is SttError | TtsError =>
  error instanceof Error && serviceErrors.has(error.constructor)

/** The option that sets each field of a request, or the operand. */
const optionNames: ReadonlyMap<string, string> = new Map([
  ["text", "TEXT"],
  ["source", "SOURCE"],
  ["maximum", "--piece-minutes"],
  ["callsPerSecond", "--rate"],
  ["directory", "--out"],
  ...commandNames.flatMap((name) =>
    Object.entries(commands[name].options).map(([field, option]) => [field, `--${option.name}`] as const)
  )
])

/** The option that sets a field of a request, such as `--hotword (number 1, score)` for `hotwords.0.score`. */
export const describeField = (path: string): string => {
  const [field = "", ...rest] = path.split(".")
  const option = optionNames.get(field.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()))
  if (option === undefined) return path
  const inside = rest.map((part) => (/^\d+$/.test(part) ? `number ${Number(part) + 1}` : part))
  return inside.length === 0 ? option : `${option} (${inside.join(", ")})`
}

const audioHints: Record<AudioHint, string> = {
  sendAsStream: "Send it as standard input: speech transcribe - < FILE",
  omitTelephony: "To send it as it is, leave out --telephony."
}

/** Node reads bytes that are not UTF-8 as U+FFFD, and then finds no such file. */
const adviceOn = ({ code, hint, source }: SttAudioUnreadable): string => {
  if (source.includes("\ufffd") && code === "ENOENT") {
    return " If its name is not valid UTF-8, rename it, or send it as standard input: speech transcribe - < FILE"
  }
  return hint === undefined ? "" : ` ${audioHints[hint]}`
}

const seconds = (millis: number): string => `${millis / 1000} s`

/** Only the deadline of the whole call has an option. */
const describeDeadline = (phase: Phase, limitMillis: number): string => {
  switch (phase) {
    case "total":
      return `The call took longer than the ${seconds(limitMillis)} of --timeout. If the service was still at work, raise --timeout.`
    case "upload":
      return `Sending made no progress for ${seconds(limitMillis)}. Check the network and try again.`
    case "answer":
      return `The service did not respond within ${seconds(limitMillis)}. Try again later.`
    case "download":
      return `Receiving made no progress for ${seconds(limitMillis)}. Check the network and try again.`
  }
}

const isOffered = (field: string): boolean => field === "lang" || field === "voice"

/** What happened and what to do, in the words of the command if those of the library name its options. */
const describeError = (error: SttError | TtsError): string => {
  switch (error._tag) {
    case "SttInvalidRequest":
    case "TtsInvalidRequest":
      return `Nothing was sent: ${describeField(error.field)} ${error.problem}.`
    case "SttInvalidApiKey":
    case "TtsInvalidApiKey":
      return `Nothing was sent, because of SPEECH_API_KEY: ${error.problem}. Set it to the whole <prefix>.<secret> value of your key.`
    case "SttAudioUnreadable":
      return `The recording ${error.source} can't be sent: ${error.problem}.${adviceOn(error)}`
    case "TtsBadRequest":
      return error.field === undefined
        ? error.sentence
        : `The service refused the request (${error.status}).${quoteService(error.serverMessage)} Change ${describeField(error.field)} and send it again.${isOffered(error.field) ? " To list the languages and voices: speech voices" : ""}`
    case "SttBadRequest":
      return /\bmodel\b/i.test(error.serverMessage ?? "")
        ? `${error.sentence} To list the models: speech models`
        : error.sentence
    case "SttDeadlineExceeded":
    case "TtsDeadlineExceeded":
      return describeDeadline(error.phase, error.limitMillis)
    default:
      return error.sentence
  }
}

/** Facts to quote to the service: the number of attempts if more than one, and the id unless the message has it. */
const describeCall = ({ _tag, call }: SttError | TtsError, sentence: string): string => {
  if (call.attempts.length === 0) return ""
  const id = call.receivedId ?? call.sentId
  const kind = _tag.startsWith("Tts") ? "request" : call.receivedId === undefined ? "transaction" : "call"
  const facts = applying(
    call.attempts.length > 1 && `${call.attempts.length} attempts`,
    id !== "" && !sentence.includes(id) && `${kind} ${id}`
  )
  return facts.length === 0 ? "" : ` (${facts.join(", ")})`
}

/** The place of a piece in the whole. */
const describePiece = (piece: Piece): string => {
  const name = `It was piece ${count(piece.number)}${piece.of === undefined ? "" : ` of ${count(piece.of)}`}`
  return piece._tag === "RecordingPiece"
    ? `${name}, from ${clockTime(piece.startMillis)} to ${clockTime(piece.endMillis)}.`
    : `${name}, from character ${count(piece.startIndex + 1)}: “${piece.beginning}”`
}

/** What is left of a job: of a text, or of a recording. `undefined`: it is not known. */
export type Left = { readonly leftCodePoints: number | undefined } | { readonly leftMillis: number | undefined }

/** The cost of the rest, as the end of a sentence about the command. Empty if it is not known. */
export const describeLeft = (left: Left): string => {
  const amount = "leftMillis" in left ? left.leftMillis : left.leftCodePoints
  if (amount === undefined) return ""
  if (amount === 0) return ", and sends nothing more"
  return "leftMillis" in left
    ? `, and sends the other ${clockTime(amount)}`
    : `, and costs at most ${plural(amount, "code point")}`
}

/** {@link describeLeft} after a failure. */
export const describeRest = (error: unknown): string => {
  const piece = isServiceError(error) ? error.call.piece : undefined
  if (piece === undefined) return ""
  return describeLeft(
    piece._tag === "RecordingPiece" ? { leftMillis: piece.leftMillis } : { leftCodePoints: piece.leftCodePoints }
  )
}

/** A failure of a call for a person: what to do, the piece it happened to, the tag to look it up by, the attempts and the id. */
export const describeServiceError = (error: SttError | TtsError): string => {
  const { piece } = error.call
  const ofPiece = piece === undefined || piece.of === 1 ? "" : ` ${describePiece(piece)}`
  const sentence = `${describeError(error)}${ofPiece}`
  return `${sentence} [${error._tag}]${describeCall(error, sentence)}`
}

/** A warning for a person, in the words of the command if those of the library name its options. */
export const describeWarning = (warning: SttWarning | TtsWarning | Warning): string => {
  switch (warning._tag) {
    case "SegmentTimesUnread":
      return `The response has no usable times of segments for ${warning.pieces} pieces, so each of these is one segment. If the service names the times differently, use --segment-fields.`
    case "SegmentTextsDiffer":
      return `The segments of ${warning.pieces} pieces do not have the words of the transcript, so each of these pieces is one segment. If the service names the text of a segment differently, use --segment-fields.`
    case "MoreThanOneChannel":
      return `The recording has ${warning.channels} channels, but the service takes mono. Mix them with --telephony, if it is a WAV file, or send each speaker's channel as a recording of its own.`
    case "SampleRateFarFrom8kHz":
      return warning.sampleRate < 8000
        ? warning.message
        : `The recording is at ${warning.sampleRate} Hz, but the models are trained at 8000 Hz. Send it with --telephony, if it is a WAV file: the upload is smaller, and the models lose nothing.`
    case "ParseNumberWithoutEffect":
      return `--parse-number has no effect with the model ${warning.model}. Leave it out, or use a hi, ml, kn, gu or mr model.`
    default:
      return warning.message
  }
}
