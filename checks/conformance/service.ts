/** A service under check: the two operations over plain HTTP, and what each request may cost. */
import { createHash, randomUUID } from "node:crypto"
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import type { IncomingHttpHeaders } from "node:http"
import { join } from "node:path"
import { send as sendOverHttp } from "effect-speech-test-support/plainHttp"
import { wavHeader } from "effect-speech-test-support/recordings"

export interface HttpResponse {
  /** The label of the request. */
  readonly request: string
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly bytes: Buffer
}

export interface HttpRequest {
  readonly listener: "stt" | "tts" | "platform"
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | FormData
  /** Equal for equal requests: the transaction id, which is always new, is left out. */
  readonly label: string
  /** The most that the request may cost. */
  readonly cost?: Partial<Spending>
}

export type Send = (request: HttpRequest) => Promise<HttpResponse>

/** The most that was spent. */
export interface Spending {
  codePoints: number
  /** Seconds of audio, rounded up. */
  seconds: number
}

/** Base URLs. Without `platform`, no request to it can be sent. */
export type Addresses = Readonly<Record<"stt" | "tts", string>> & { readonly platform?: string }

/** In milliseconds. Every request is short. */
const timeout = 120_000

export const overHttp =
  (addresses: Addresses): Send =>
  async ({ body, headers, label, listener, method, path }) => {
    const address = addresses[listener]
    if (address === undefined) throw new Error(`This check sends nothing to the ${listener}.`)
    const encoded = new Response(body)
    const type = encoded.headers.get("content-type")
    const response = await sendOverHttp(`${address.replace(/\/+$/, "")}${path}`, {
      method,
      headers: { ...(type !== null && { "Content-Type": type }), ...headers },
      body: [new Uint8Array(await encoded.arrayBuffer())],
      signal: AbortSignal.timeout(timeout),
      // The service may close a reused connection at the very moment of the next request.
      agent: false
    })
    return { ...response, request: label }
  }

/** Sends again after a 429: the contract does not mention rate limits. */
export const waiting =
  (send: Send): Send =>
  async (request) => {
    for (let times = 0; times < 5; times++) {
      const response = await send(request)
      if (response.status !== 429) return response
      const seconds = Number(response.headers["retry-after"] ?? 2)
      await new Promise((resolve) => setTimeout(resolve, 1000 * (Math.min(seconds, 60) || 2)))
    }
    return send(request)
  }

/** Sends equal requests once: a second response would cost again and show nothing new. */
export const remembering = (send: Send): Send => {
  const responses = new Map<string, Promise<HttpResponse>>()
  return (request) => {
    // Requests to the platform change the service.
    if (request.listener === "platform") return send(request)
    const response = responses.get(request.label) ?? send(request)
    responses.set(request.label, response)
    return response
  }
}

/** The most that one request may cost on an account that is not our own. */
const most: Spending = { codePoints: 20, seconds: 2 }

/** Adds up what may have been billed, and rejects an expensive request. */
export const counting =
  (send: Send, spending: Spending): Send =>
  async (request) => {
    const { codePoints = 0, seconds = 0 } = request.cost ?? {}
    if (codePoints > most.codePoints || seconds > most.seconds) throw new Error("The request would cost too much.")
    // Without a response, the request may have been billed.
    const response = await send(request).catch((error: unknown) => {
      spending.codePoints += codePoints
      spending.seconds += seconds
      throw error
    })
    // A failed synthesis is not billed. The contract says that of a failed transcription only if the key was refused.
    if (response.status === 200) spending.codePoints += codePoints
    if (![401, 402, 403].includes(response.status)) spending.seconds += seconds
    return response
  }

interface Recording {
  readonly name: string
  readonly type: string
  readonly bytes: Buffer
  /** Rounded up. */
  readonly seconds: number
}

const recordingFile = (name: string): URL =>
  new URL(`../../packages/audio-decoder/test/recordings/${name}`, import.meta.url)

const recording = (name: string, type: string): Recording => ({
  name,
  type,
  bytes: readFileSync(recordingFile(name)),
  seconds: 2
})

/** Makes a folder with the recording that the local service must know. */
export const knownRecordings = (temporary: string): string => {
  const folder = join(temporary, "recordings")
  mkdirSync(folder)
  copyFileSync(recordingFile("cat.wav"), join(folder, "cat.wav"))
  writeFileSync(join(folder, "cat.txt"), "cat")
  return folder
}

/** A little more than a second of speech, in each container that the contract names. */
export const recordings = {
  wav: recording("cat.wav", "audio/wav"),
  mp3: recording("cat.mp3", "audio/mpeg"),
  m4a: recording("cat.m4a", "audio/mp4"),
  flac: recording("cat.flac", "audio/flac"),
  oggOpus: recording("cat.opus.ogg", "audio/ogg"),
  oggVorbis: recording("cat.vorbis.ogg", "audio/ogg"),
  webm: recording("cat.webm", "audio/webm")
} as const

/** A WAV file of mono samples at 8 kHz and 16 bits. */
export const wavOf = (name: string, samples: Uint8Array): Recording => {
  const bytes = Buffer.concat([wavHeader(44 + samples.length), samples])
  return { name, type: "audio/wav", bytes, seconds: Math.ceil(samples.length / 16_000) }
}

/** A second of speech, for every rule that is not about containers. */
const second = wavOf("cat.wav", recordings.wav.bytes.subarray(44, 44 + 16_000))

/** Fields of a form. `undefined` leaves a field out; a list repeats it. */
export type Fields = Readonly<Record<string, string | ReadonlyArray<string> | Recording | undefined>>

/** Headers that are added or replaced. `undefined` leaves a header out. */
export type Headers = Readonly<Record<string, string | undefined>>

/** A service that a client reaches with addresses and a key. */
export interface Service {
  readonly key: string
  /** The model of the recordings' language. */
  readonly model: string
  /** A model of a language in which `parse_number` has no effect. */
  readonly otherModel: string
  readonly transcribe: (fields?: Fields, headers?: Headers) => Promise<HttpResponse>
  /** Sends a body that need not be a form. */
  readonly transcribeRaw: (body: string, contentType: string) => Promise<HttpResponse>
  /** Sends a string as it is, anything else as JSON. */
  readonly synthesize: (body: unknown, headers?: Headers) => Promise<HttpResponse>
}

export type ServiceOptions = Pick<Service, "key" | "model" | "otherModel">

/** A service whose account the check may change. */
export interface OwnService extends Service {
  readonly platform: ReturnType<typeof platformOf>
}

const formOf = (fields: Fields): FormData => {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (typeof each === "object") form.append(name, new Blob([each.bytes], { type: each.type }), each.name)
      else if (each !== undefined) form.append(name, each)
    }
  }
  return form
}

const withoutUndefined = (headers: Headers): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))

/** The fields as JSON: a recording by its name, a field that is left out as `null`. */
const describeFields = (fields: unknown): string =>
  JSON.stringify(fields, (_, value) => {
    if (!(value?.bytes instanceof Buffer)) return value === undefined ? null : value
    return `${value.name} ${createHash("sha256").update(value.bytes).digest("base64url").slice(0, 12)}`
  })

const codePointsOf = (body: unknown): number => {
  const text = typeof body === "object" && body !== null && "text" in body ? body.text : ""
  return typeof text === "string" ? [...text].length : 0
}

export const makeService = (send: Send, { key, model, otherModel }: ServiceOptions): Service => {
  const transcription = { listener: "stt", method: "POST", path: "/api/transcribe" } as const
  const synthesis = { listener: "tts", method: "POST", path: "/tts/bytes" } as const
  return {
    key,
    model,
    otherModel,
    transcribe: (fields = {}, headers = {}) => {
      const all = { model, transaction_id: randomUUID(), audio_file: second, ...fields }
      return send({
        ...transcription,
        headers: withoutUndefined({ "X-Api-Key": key, ...headers }),
        body: formOf(all),
        label: `transcribe ${describeFields([headers, fields])}`,
        cost: { seconds: all.audio_file?.seconds ?? 0 }
      })
    },
    transcribeRaw: (body, contentType) =>
      send({
        ...transcription,
        headers: { "X-Api-Key": key, "Content-Type": contentType },
        body: Buffer.from(body),
        label: `transcribe ${contentType} ${body}`
      }),
    synthesize: (body, headers = {}) =>
      send({
        ...synthesis,
        headers: withoutUndefined({ "X-API-Key": key, "Content-Type": "application/json", ...headers }),
        body: Buffer.from(typeof body === "string" ? body : JSON.stringify(body)),
        label: `synthesize ${describeFields([headers, body])}`,
        cost: { codePoints: codePointsOf(body) }
      })
  }
}

const platformOf = (send: Send, adminToken: string) => async (method: string, path: string, body?: unknown) => {
  const { bytes, status } = await send({
    listener: "platform",
    method,
    path: `/platform/api/${path}`,
    headers: { "X-Admin-Token": adminToken, "Content-Type": "application/json" },
    body: Buffer.from(body === undefined ? "" : JSON.stringify(body)),
    label: `${method} ${path}`
  })
  return { status, body: JSON.parse(bytes.toString() || "null") }
}

export const makeOwnService = (
  send: Send,
  { adminToken, ...options }: ServiceOptions & { readonly adminToken: string }
): OwnService => ({
  ...makeService(send, options),
  platform: platformOf(send, adminToken)
})
