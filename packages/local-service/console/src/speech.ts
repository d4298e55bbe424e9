/** The calls that speak, transcribe and teach. */
import { SynthesisBody } from "@effect-speech/tts/TtsContract"
import { Transcript, Waveform } from "../../src/internal/console/messages.js"
import type { JournalEntry } from "../../src/Journal.js"
import { call, type Outcome, send } from "./api.js"
import type { Fields } from "./code.js"

export interface Spoken {
  readonly audio: Blob
  readonly requestId: string | undefined
  readonly tookMillis: number | undefined
}

export const speak = async (fields: Fields): Promise<Outcome<Spoken>> => {
  const sent = await send("POST", "platform/api/speech", { json: fields })
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

type Test = (value: unknown) => boolean

const isFlag: Test = (value) => value === "true" || value === "false"
const isString: Test = (value) => typeof value === "string"

/** The fields that the forms can send, with the values that they can send. */
const sendable: Readonly<Record<JournalEntry["operation"], Readonly<Record<string, Test>>>> = {
  synthesize: Object.fromEntries(Object.keys(SynthesisBody.fields).map((name) => [name, () => true])),
  transcribe: {
    model: isString,
    // Each request has its own.
    transaction_id: isString,
    aux: isFlag,
    parse_number: isFlag,
    hotwords: Array.isArray
  }
}

/** Why the forms can't show a request of the journal as it was received. `undefined` if they can. */
export const editProblem = ({ operation, request, shortened }: JournalEntry): string | undefined => {
  if (request === null)
    return "The fields of this request were not read, or are no longer kept, so there is nothing to edit."
  if (shortened) return "The journal holds only a part of this request, so it can't be edited."
  const known = sendable[operation]
  const others = Object.entries(request).flatMap(([name, value]) =>
    Object.hasOwn(known, name) && known[name]?.(value) ? [] : [name]
  )
  return others.length === 0
    ? undefined
    : `The forms of this page have no field for ${others.join(", ")}. Copy the request as curl to edit it.`
}

/** The fields of a transcription, by their names in HTTP, and whether it is sent as telephony, as the query of the platform. */
const queryOf = ({ aux, hotwords, model, parse_number, telephony }: Fields): Record<string, string> => ({
  model: typeof model === "string" ? model : "",
  aux: String(aux ?? false),
  ...(parse_number === undefined ? {} : { parseNumber: String(parse_number) }),
  ...(telephony === true ? { telephony: "true" } : {}),
  ...(hotwords === undefined ? {} : { hotwords: JSON.stringify(hotwords) })
})

export const transcribe = async (
  recording: File,
  fields: Fields,
  signal?: AbortSignal
): Promise<Outcome<Transcript>> => {
  const query = new URLSearchParams({ ...queryOf(fields), fileName: recording.name })
  return call("POST", `platform/api/transcripts?${query}`, Transcript, { body: recording, signal })
}

export const teach = (recording: Blob, text: string): Promise<Outcome<unknown>> =>
  send("POST", `platform/api/recordings?${new URLSearchParams({ text })}`, { body: recording })

/** The waveform of a recording. The service decodes it, in constant memory. */
export const waveform = (recording: Blob, signal: AbortSignal): Promise<Outcome<Waveform>> =>
  call("POST", "platform/api/waveforms", Waveform, { body: recording, signal })
