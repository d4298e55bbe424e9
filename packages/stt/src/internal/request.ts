import type { Operation } from "@effect-speech/transport/unstable/Operation"
import { readerOf } from "@effect-speech/transport/unstable/SmallFile"
import { enclose, type Upload } from "@effect-speech/transport/unstable/Upload"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import type { AudioSource } from "../AudioSource.js"
import type { Recording } from "../Recording.js"
import type { HotwordEncoding } from "../SttContract.js"
import type { SttError } from "../SttError.js"
import type { SttWarning } from "../SttWarning.js"
import type { Transcription } from "../Transcription.js"
import type { TranscriptionOptions } from "../TranscriptionOptions.js"
import { filePartOf } from "./filePart.js"
import { multipartEnvelope } from "./multipart.js"
import { describeRecording, type OpenAudio, openAudio, openBytes, readAtOnce } from "./openAudio.js"
import { asTelephony, describeConverted } from "./telephony.js"
import { type WarnedFacts, warningsFor } from "./warnings.js"

/** A transcription, as the transport runs it. The context of its request is the warnings of the recording. */
export type TranscribeOperation = Operation<Transcription, SttError, ReadonlyArray<SttWarning>>

/** Number of bytes of a stream to wait for before the upload starts: enough to detect the container. */
const lookAhead = 64

/** The request: it opens the recording, and builds the form around it. */
export const requestOf = <R>(
  url: URL,
  audio: AudioSource<R>,
  fields: TranscriptionOptions,
  transactionId: string,
  hotwordEncoding: HotwordEncoding,
  context: () => Context.Context<R>
): TranscribeOperation["request"] => {
  const form = (container: Recording["container"], upload: Upload, sent: WarnedFacts) => {
    const part = filePartOf(audio.filename, container)
    const { contentType, head, tail } = multipartEnvelope(fields, transactionId, part, hotwordEncoding)
    return {
      url,
      headers: { "Content-Type": contentType, Accept: "application/json", "Accept-Encoding": "identity" },
      body: enclose(head, upload, tail),
      context: warningsFor(sent, fields)
    }
  }
  const unconverted = (opened: OpenAudio) =>
    Effect.map(describeRecording(opened), (recording) => form(recording.container, opened.upload, recording))
  const converted = (opened: OpenAudio) =>
    Effect.flatMap(describeRecording(opened), (recording) =>
      Effect.map(asTelephony(opened, recording.container), (upload) =>
        form(recording.container, upload, describeConverted(recording))
      )
    )
  const isConverted = fields.telephony === true
  if (audio._tag === "Bytes" && !isConverted) return Effect.flatMap(openBytes(audio.bytes), unconverted)
  return ({ inScope, wait }) => {
    const opening = inScope((scope) =>
      openAudio(audio, lookAhead).pipe(
        Effect.flatMap(isConverted ? converted : unconverted),
        Scope.extend(scope),
        Effect.provide(context())
      )
    )
    if (audio._tag !== "Path" || isConverted) return opening
    return Effect.flatMap(Effect.provide(audio.fileSystem, context()), (fs) => {
      const read = readerOf(fs)
      if (read === undefined) return opening
      return Effect.flatMap(wait(readAtOnce(audio, read)), (bytes) =>
        bytes === undefined ? opening : Effect.flatMap(openBytes(bytes), unconverted)
      )
    })
  }
}
