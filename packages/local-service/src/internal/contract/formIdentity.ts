import { createHash } from "node:crypto"
import type { IncomingHttpHeaders } from "node:http"
import * as Contract from "@effect-speech/stt/SttContract"
import { digestBody, type IdentityReader } from "../faults/observations.js"
import { openFieldsParser } from "./multipartUpload.js"

/** No longer one is that of a call: a UUID has 36 characters. */
const longestId = 64

/**
 * Identifies a transcription by its `transaction_id`, and its content by its other fields and its file. The bytes of the body would not do:
 * its boundary is another one in each attempt.
 */
export const identifyForm = (headers: Readonly<IncomingHttpHeaders>): IdentityReader => {
  const parser = openFieldsParser(headers, Contract.field.audioFile)
  if (parser === undefined) return digestBody(null)
  const [fields, file] = [createHash("sha256"), createHash("sha256")]
  let id: string | null = null
  parser.on("field", (name, value) => {
    if (name === Contract.field.transactionId && value.length <= longestId) id = value
    else fields.update(JSON.stringify([name, value]))
  })
  parser.on("file", (_, stream) => stream.on("error", () => undefined).on("data", (chunk) => file.update(chunk)))
  const parsed = new Promise<boolean>((resolve) =>
    parser.once("finish", () => resolve(true)).once("error", () => resolve(false))
  )
  return {
    write: (chunk) => {
      if (parser.writable) parser.write(chunk)
    },
    end: async () => {
      if (parser.writable) parser.end()
      if (!(await parsed)) return undefined
      return { id, content: `${fields.digest("base64url")} ${file.digest("base64url")}` }
    }
  }
}
