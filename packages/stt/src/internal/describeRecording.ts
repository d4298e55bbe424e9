import { readHeader } from "@effect-speech/audio-codec/Container"
import * as Effect from "effect/Effect"
import type { OpenAudio } from "./openAudio.js"

/** The `Recording` of an open source. */
export const describeRecording = ({ bytes }: OpenAudio) =>
  Effect.map(readHeader(bytes), (header) => ({ ...header, bytes: bytes.byteLength }))
