import { field } from "../SttContract.js"
import type { TranscriptionRequest } from "../TranscriptionRequest.js"

/**
 * The frame of a multipart body: what goes before the bytes of the recording, and after them. With both at hand,
 * the length of the whole is known before a byte is sent.
 */
export interface Frame {
  readonly contentType: string
  readonly head: Uint8Array
  readonly tail: Uint8Array
}

export interface FilePart {
  readonly filename: string
  readonly contentType: string
}

const encoder = new TextEncoder()

/** As the HTML standard has it for names in `multipart/form-data`; other control characters have no place there. */
const quotable = (name: string): string =>
  name.replaceAll('"', "%22").replace(/[\p{Cc}]/gu, (character) => encodeURIComponent(character))

const formFields = (
  request: Omit<TranscriptionRequest, "audio">,
  transactionId: string
): ReadonlyArray<readonly [name: string, value: string]> => {
  const fields: Array<readonly [string, string]> = [
    [field.model, request.model],
    [field.transactionId, transactionId]
  ]
  if (request.aux !== undefined) fields.push([field.aux, String(request.aux)])
  if (request.parseNumber !== undefined) fields.push([field.parseNumber, String(request.parseNumber)])
  if (request.hotwords !== undefined) fields.push([field.hotwords, JSON.stringify(request.hotwords)])
  return fields
}

/** The fields come before the file, so that a service can refuse them before it has read the recording. */
export const frame = (request: Omit<TranscriptionRequest, "audio">, transactionId: string, file: FilePart): Frame => {
  const boundary = `effect-speech-${crypto.randomUUID()}`
  const fields = formFields(request, transactionId).map(
    ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
  )
  const filePart =
    `--${boundary}\r\nContent-Disposition: form-data; name="${field.audioFile}"; filename="${quotable(file.filename)}"\r\n` +
    `Content-Type: ${file.contentType}\r\n\r\n`
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    head: encoder.encode(fields.join("") + filePart),
    tail: encoder.encode(`\r\n--${boundary}--\r\n`)
  }
}
