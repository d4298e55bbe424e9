export const transactionId = "7f3c0f3e-1b2a-4c5d-8e9f-0a1b2c3d4e5f"
export const model = "hi-general-v2-8khz"

export interface WavShape {
  /** In Hz. */
  readonly sampleRate?: number
  readonly samples?: number
}

/** A WAV file of silence, mono, 16 bits. Default: one second at 8 kHz. */
export const wav = ({ sampleRate = 8000, samples = 8000 }: WavShape = {}): Buffer => {
  const file = Buffer.alloc(44 + samples * 2)
  file.write("RIFF", 0)
  file.writeUInt32LE(36 + samples * 2, 4)
  file.write("WAVEfmt ", 8)
  file.writeUInt32LE(16, 16)
  file.writeUInt16LE(1, 20)
  file.writeUInt16LE(1, 22)
  file.writeUInt32LE(sampleRate, 24)
  file.writeUInt32LE((sampleRate * 2) % 2 ** 32, 28)
  file.writeUInt16LE(2, 32)
  file.writeUInt16LE(16, 34)
  file.write("data", 36)
  file.writeUInt32LE(samples * 2, 40)
  return file
}

export const boundary = "b"
export const formType = `multipart/form-data; boundary=${boundary}`

/** A part of a form: its headers as they are, and its content. */
export const rawPart = (head: string, content: string | Uint8Array): Buffer =>
  Buffer.concat([Buffer.from(`--${boundary}\r\n${head}\r\n\r\n`), Buffer.from(content), Buffer.from("\r\n")])

export const field = (name: string, value: string | Uint8Array): Buffer =>
  rawPart(`Content-Disposition: form-data; name="${name}"`, value)

export const file = (content: string | Uint8Array = wav(), disposition = '; filename="call.wav"'): Buffer =>
  rawPart(`Content-Disposition: form-data; name="audio_file"${disposition}`, content)

export const ending = Buffer.from(`--${boundary}--\r\n`)

export const form = (...parts: ReadonlyArray<Uint8Array>): Buffer => Buffer.concat([...parts, ending])

/** The first fields of a valid form. */
export const fields: ReadonlyArray<Buffer> = [field("model", model), field("transaction_id", transactionId)]

export const validForm = (...more: ReadonlyArray<Uint8Array>): Buffer => form(...fields, file(), ...more)

type Headers = Readonly<Record<string, string | number | undefined>>

/** A request, byte for byte. A header that is `undefined` is omitted. */
export const message = (line: string, headers: Headers = {}, body: string | Uint8Array = ""): Buffer => {
  const lines = Object.entries(headers).map(([name, value]) => (value === undefined ? "" : `${name}: ${value}\r\n`))
  return Buffer.concat([Buffer.from(`${line}\r\n${lines.join("")}\r\n`, "latin1"), Buffer.from(body)])
}

const operation = (path: string, contentType: string) => (key: string, body: string | Uint8Array, headers?: Headers) =>
  message(
    `POST ${path} HTTP/1.1`,
    {
      Host: "127.0.0.1",
      "X-API-Key": key,
      "Content-Type": contentType,
      "Content-Length": Buffer.byteLength(body),
      ...headers
    },
    body
  )

/** A request for a synthesis, byte for byte. */
export const synthesisRequest = operation("/tts/bytes", "application/json")

/** A request for a transcription, byte for byte. */
export const transcriptionRequest = operation("/api/transcribe", formType)
