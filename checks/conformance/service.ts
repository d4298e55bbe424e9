/** How a service is asked: plain HTTP, the two operations, and what that may have cost. */
import { createHash, randomUUID } from "node:crypto"
import { readFileSync } from "node:fs"
import type { OutgoingHttpHeaders } from "node:http"
import { wavHeader } from "../../test/support/recordings.js"
import { type Answer, send as sendOverHttp } from "../../test/support/serviceProcess.js"

export type { Answer }

/** What one request may cost at most. */
export type Cost = { readonly codePoints: number } | { readonly seconds: number } | undefined

export interface Question {
  readonly listener: "stt" | "tts" | "platform"
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  /** What is asked, but for the id of the transaction, which is another each time. */
  readonly asks: string
  readonly cost?: Cost
}

export type Send = (question: Question) => Promise<Answer>

export interface Addresses {
  readonly stt: string
  readonly tts: string
  /** Where there is none, no question to it can be sent. */
  readonly platform?: string
}

/** The longest that one answer is waited for, in milliseconds: what is asked is short. */
const patience = 120_000

export const overHttp =
  (addresses: Addresses): Send =>
  ({ body, headers, listener, method, path }) => {
    const address = addresses[listener]
    if (address === undefined) throw new Error(`Nothing is sent to the ${listener} here.`)
    return sendOverHttp(`${address.replace(/\/+$/, "")}${path}`, {
      method,
      headers: headers as OutgoingHttpHeaders,
      body: [body],
      signal: AbortSignal.timeout(patience),
      // One that is kept may be closed just when the next request goes out, which would seem to get no answer.
      agent: false
    })
  }

/** Asks again where a service limits how often it is asked, which the contract does not speak of. */
export const waiting =
  (send: Send): Send =>
  async (question) => {
    for (let times = 0; times < 5; times++) {
      const answer = await send(question)
      if (answer.status !== 429) return answer
      const seconds = Number(answer.headers["retry-after"] ?? 2)
      await new Promise((resolve) => setTimeout(resolve, 1000 * (Math.min(seconds, 60) || 2)))
    }
    return send(question)
  }

/** By what was asked. */
export type Answers = Map<string, Promise<Answer>>

/** Sends the same question once: another answer would tell no more, and would be paid for again. */
export const remembering =
  (send: Send, answers: Answers = new Map()): Send =>
  (question) => {
    // The platform is told to do something.
    if (question.listener === "platform") return send(question)
    const answer = answers.get(question.asks) ?? send(question)
    answers.set(question.asks, answer)
    return answer
  }

/** What was spent at most. */
export interface Spending {
  codePoints: number
  /** Each begun second whole. */
  seconds: number
}

/** The most that one request may cost of an account that is not our own. */
const mostCodePoints = 20
const mostSeconds = 2

/** Counts what may have been billed, and sends nothing that costs more than a little. */
export const counting =
  (send: Send, spending: Spending): Send =>
  async (question) => {
    const { codePoints = 0, seconds = 0 } = { ...question.cost } as Partial<Spending>
    if (codePoints > mostCodePoints || seconds > mostSeconds) throw new Error("This would cost more than a little.")
    // A request without an answer counts too: whether it was billed, nobody knows.
    const answer = await send(question).catch((error: unknown) => {
      spending.codePoints += codePoints
      spending.seconds += seconds
      throw error
    })
    // A failed synthesis is not billed. Of a failed transcription the contract does not say so, unless the key was refused.
    if (answer.status === 200) spending.codePoints += codePoints
    if (![401, 402, 403].includes(answer.status)) spending.seconds += seconds
    return answer
  }

export interface Recording {
  readonly name: string
  readonly type: string
  readonly bytes: Buffer
  /** Each begun one whole. */
  readonly seconds: number
}

export const recordingFile = (name: string): URL =>
  new URL(`../../packages/local-service/test/recordings/${name}`, import.meta.url)

const recording = (name: string, type: string): Recording => ({
  name,
  type,
  bytes: readFileSync(recordingFile(name)),
  // A little more than one.
  seconds: 2
})

/** A second of speech, once in each container that the contract names. */
export const recordings = {
  wav: recording("cat.wav", "audio/wav"),
  mp3: recording("cat.mp3", "audio/mpeg"),
  m4a: recording("cat.m4a", "audio/mp4"),
  flac: recording("cat.flac", "audio/flac"),
  oggOpus: recording("cat.opus.ogg", "audio/ogg"),
  oggVorbis: recording("cat.vorbis.ogg", "audio/ogg"),
  webm: recording("cat.webm", "audio/webm")
} as const

/** Mono samples at 8 kHz and 16 bits, as a WAV file. */
export const wavOf = (name: string, samples: Uint8Array): Recording => {
  const bytes = Buffer.concat([wavHeader(44 + samples.length), samples])
  return { name, type: "audio/wav", bytes, seconds: Math.ceil(samples.length / 16_000) }
}

/** A second of it is enough for what is not about containers, and less of it for what is to be refused. */
export const second = wavOf("cat.wav", recordings.wav.bytes.subarray(44, 44 + 16_000))

/** The fields of a form; one that is undefined is left out, one with several values is there as often. */
export type Fields = Readonly<Record<string, string | ReadonlyArray<string> | Recording | undefined>>

/** Headers beside those that every request has, or in their place; one that is undefined is left out. */
export type Headers = Readonly<Record<string, string | undefined>>

/** A service as everybody sees it who has its addresses and a key. It has no way to the platform. */
export interface Service {
  readonly key: string
  /** Of the recordings. */
  readonly model: string
  /** Of a language in which `parse_number` is ignored. */
  readonly otherModel: string
  readonly transcribe: (fields?: Fields, headers?: Headers) => Promise<Answer>
  /** A body that need not be a form. */
  readonly transcribeRaw: (body: string, contentType: string) => Promise<Answer>
  readonly synthesize: (body: unknown, headers?: Headers) => Promise<Answer>
}

/** One whose account is there to be tried on. */
export interface OwnService extends Service {
  readonly platform: ReturnType<typeof platformOf>
}

export interface ServiceOptions {
  readonly key: string
  readonly model: string
  readonly otherModel: string
}

const boundary = "a-boundary-that-no-audio-holds"
export const formType = `multipart/form-data; boundary=${boundary}`

const part = (name: string, value: string | Recording): ReadonlyArray<string | Uint8Array> => {
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="${name}"`
  return typeof value === "string"
    ? [`${head}\r\n\r\n${value}\r\n`]
    : [`${head}; filename="${value.name}"\r\nContent-Type: ${value.type}\r\n\r\n`, value.bytes, "\r\n"]
}

const formOf = (fields: Fields): Buffer => {
  const parts = Object.entries(fields).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : value === undefined ? [] : [value]).flatMap((one) => part(name, one))
  )
  return Buffer.concat([...parts, `--${boundary}--\r\n`].map((bytes) => Buffer.from(bytes as string)))
}

const withoutUndefined = (headers: Headers): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))

/** What is asked, where a recording stands for its bytes; what is left out is seen. */
const described = (headers: Headers, body: unknown): string =>
  JSON.stringify([headers, body], (_, value) => {
    if (value?.bytes instanceof Buffer) return createHash("sha256").update(value.bytes).digest("base64")
    return value === undefined ? null : value
  })

const textOf = (body: unknown): string => {
  const text = typeof body === "object" && body !== null && "text" in body ? body.text : ""
  return typeof text === "string" ? text : ""
}

export const makeService = (send: Send, { key, model, otherModel }: ServiceOptions): Service => {
  const transcribeWith = (
    body: Buffer,
    headers: Headers,
    rest: Pick<Question, "asks"> & Partial<Question>
  ): Promise<Answer> =>
    send({
      listener: "stt",
      method: "POST",
      path: "/api/transcribe",
      headers: withoutUndefined({ "X-Api-Key": key, ...headers }),
      body,
      ...rest
    })
  return {
    key,
    model,
    otherModel,
    transcribe: (fields = {}, headers = {}) => {
      const whole = { model, transaction_id: randomUUID(), audio_file: second, ...fields }
      return transcribeWith(
        formOf(whole),
        { "Content-Type": formType, ...headers },
        {
          asks: `transcribe ${described(headers, fields)}`,
          cost: { seconds: whole.audio_file?.seconds ?? 0 }
        }
      )
    },
    transcribeRaw: (body, contentType) =>
      transcribeWith(Buffer.from(body), { "Content-Type": contentType }, { asks: `transcribe ${contentType} ${body}` }),
    synthesize: (body, headers = {}) =>
      send({
        listener: "tts",
        method: "POST",
        path: "/tts/bytes",
        headers: withoutUndefined({ "X-API-Key": key, "Content-Type": "application/json", ...headers }),
        body: Buffer.from(typeof body === "string" ? body : JSON.stringify(body)),
        asks: `synthesize ${described(headers, body)}`,
        cost: { codePoints: [...textOf(body)].length }
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
    asks: `${method} ${path}`
  })
  return { status, body: JSON.parse(bytes.toString() || "null") }
}

export interface OwnServiceOptions extends ServiceOptions {
  readonly adminToken: string
}

export const makeOwnService = (send: Send, { adminToken, ...options }: OwnServiceOptions): OwnService => ({
  ...makeService(send, options),
  platform: platformOf(send, adminToken)
})
