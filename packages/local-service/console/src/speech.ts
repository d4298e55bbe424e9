/** The calls that speak, transcribe and teach. */
import { Transcript } from "../../src/Console.js"
import { call, type Outcome, send } from "./api.js"
import type { Fields } from "./code.js"

export interface Spoken {
  readonly audio: Blob
  readonly requestId: string | undefined
  readonly tookMillis: number | undefined
}

export const speak = async (fields: Fields, signal?: AbortSignal): Promise<Outcome<Spoken>> => {
  const sent = await send("POST", "platform/api/speech", { json: fields, ...(signal === undefined ? {} : { signal }) })
  if (!sent.ok) return sent
  const { headers } = sent.value
  const took = headers.get("X-Took-Millis")
  const requestId = headers.get("X-Request-Id") ?? undefined
  try {
    return {
      ok: true,
      value: {
        audio: new Blob([await sent.value.arrayBuffer()], { type: "audio/wav" }),
        requestId,
        tookMillis: took === null ? undefined : Number(took)
      }
    }
  } catch {
    const message = "The audio ended before it was whole. Try again."
    return { ok: false, status: undefined, failure: { message, requestId } }
  }
}

/** The recordings that this page has sent, by transaction id: the service does not keep them. */
const sent = new Map<string, File>()
const keptRecordings = 20

export const sentRecording = (transactionId: unknown): File | undefined =>
  typeof transactionId === "string" ? sent.get(transactionId) : undefined

/** The fields of a transcription, by their names in HTTP, that the service takes again. */
const queryOf = ({ hotwords, model, parse_number }: Fields): Record<string, string> => ({
  model: typeof model === "string" ? model : "",
  ...(parse_number === true || parse_number === "true" ? { parseNumber: "true" } : {}),
  ...(Array.isArray(hotwords) ? { hotwords: JSON.stringify(hotwords) } : {})
})

export const transcribe = async (recording: File, fields: Fields): Promise<Outcome<Transcript>> => {
  const query = new URLSearchParams({ ...queryOf(fields), fileName: recording.name })
  const outcome = await call("POST", `platform/api/transcripts?${query}`, Transcript, { body: recording })
  if (outcome.ok) {
    sent.set(outcome.value.transactionId, recording)
    const [oldest] = sent.keys()
    if (oldest !== undefined && sent.size > keptRecordings) sent.delete(oldest)
  }
  return outcome
}

export const teach = (recording: Blob, text: string): Promise<Outcome<unknown>> =>
  send("POST", `platform/api/recordings?${new URLSearchParams({ text })}`, { body: recording })
