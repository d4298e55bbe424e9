import { field, type Hotword, type HotwordEncoding } from "../SttContract.js"
import type { TranscriptionOptions } from "../TranscriptionOptions.js"
import type { FilePart } from "./filePart.js"

/** The parts of a multipart body around the recording. Their lengths are known before a byte is sent. */
export interface MultipartEnvelope {
  readonly contentType: string
  readonly head: Uint8Array
  readonly tail: Uint8Array
}

const encoder = new TextEncoder()

/**
 * Escapes a name as the HTML standard does for `multipart/form-data`. It also escapes all control characters, and the
 * backslash, which some servers read as an escape.
 */
const escapeName = (name: string): string => name.replace(/["\\\p{Cc}]/gu, (character) => encodeURIComponent(character))

type Field = readonly [name: string, value: string]

const hotwordFields = (hotwords: ReadonlyArray<Hotword>, encoding: HotwordEncoding): ReadonlyArray<Field> => {
  switch (encoding) {
    case "json":
      return [[field.hotwords, JSON.stringify(hotwords)]]
    case "repeated":
      return hotwords.map((hotword) => [field.hotwords, JSON.stringify(hotword)])
    case "indexed":
      return hotwords.flatMap((hotword, index) =>
        Object.entries(hotword)
          .filter(([, value]) => value !== undefined)
          .map(([name, value]): Field => [`${field.hotwords}[${index}][${name}]`, String(value)])
      )
  }
}

const formFields = (
  request: TranscriptionOptions,
  transactionId: string,
  hotwordEncoding: HotwordEncoding
): ReadonlyArray<Field> => {
  const fields: Array<Field> = [
    [field.model, request.model],
    [field.transactionId, transactionId]
  ]
  if (request.aux !== undefined) fields.push([field.aux, String(request.aux)])
  if (request.parseNumber !== undefined) fields.push([field.parseNumber, String(request.parseNumber)])
  if (request.hotwords !== undefined) fields.push(...hotwordFields(request.hotwords, hotwordEncoding))
  fields.push(...Object.entries(request.additionalFields ?? {}))
  return fields
}

/** Writes the fields before the file, so that a service can refuse them before it reads the recording. */
export const multipartEnvelope = (
  request: TranscriptionOptions,
  transactionId: string,
  file: FilePart,
  hotwordEncoding: HotwordEncoding
): MultipartEnvelope => {
  const boundary = `effect-speech-${crypto.randomUUID()}`
  const fields = formFields(request, transactionId, hotwordEncoding).map(
    ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${escapeName(name)}"\r\n\r\n${value}\r\n`
  )
  const filePart =
    `--${boundary}\r\nContent-Disposition: form-data; name="${field.audioFile}"; filename="${escapeName(file.filename)}"\r\n` +
    `Content-Type: ${file.contentType}\r\n\r\n`
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    head: encoder.encode(fields.join("") + filePart),
    tail: encoder.encode(`\r\n--${boundary}--\r\n`)
  }
}
