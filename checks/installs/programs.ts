/** The files of the programs. They are text, since what they import is installed only in their folders. */

const steps = `  const speech = connect()
  await speech.speak("नमस्ते", { lang: "hi" }).toFile("greeting.wav")
  const { text } = await speech.transcribe("greeting.wav", { model: "hi-general-v2-8khz" })
  const failed = await connect({ apiKey: "nobody.none" }).speak("नमस्ते").catch((error) => error)
  console.log(text, failed instanceof SpeechError, failed.tag, failed.facts.status)`

/** What the programs print: the transcript, and what they know of a failed call. */
export const printed = "नमस्ते true TtsUnauthorized 401\n"

const imported = `import { connect, SpeechError } from "@effect-speech/promise"`

export const module = `${imported}
{
${steps}
}
`

export const commonjs = `const { connect, SpeechError } = require("@effect-speech/promise")
const main = async () => {
${steps}
}
main()
`

/** The module is loaded as CommonJS and as an ES module: an error of one is an error of the other. */
export const both = `${imported}
import { createRequire } from "node:module"
const required = createRequire(import.meta.url)("@effect-speech/promise")
if (required.SpeechError !== SpeechError) throw new Error("There are two classes.")
{
${steps}
}
`

/** A call is an effect of another version of Effect. */
export const effect4 = `import { connect, SpeechError } from "@effect-speech/promise"
import { Effect } from "effect"
const program = Effect.gen(function* () {
  const speech = connect()
  yield* Effect.tryPromise(() => speech.speak("नमस्ते", { lang: "hi" }).toFile("greeting.wav"))
  const { text } = yield* Effect.tryPromise((signal) =>
    speech.transcribe("greeting.wav", { model: "hi-general-v2-8khz", signal })
  )
  const failed = yield* Effect.flip(
    Effect.tryPromise({ try: () => connect({ apiKey: "nobody.none" }).speak("नमस्ते"), catch: (error) => error })
  )
  console.log(text, failed instanceof SpeechError, failed.tag, failed.facts.status)
})
await Effect.runPromise(program)
`

/** Every use of a speech and the errors of both operations, as a program in TypeScript writes them. */
export const types = `import { type Audio, connect, isSpeakError, type SpeakError, SpeechError, type Transcript } from "@effect-speech/promise"

const describe = (error: SpeakError): string => {
  switch (error.tag) {
    case "TtsBadRequest":
      return error.facts.field ?? error.message
    case "TtsDeadlineExceeded":
      return String(error.facts.limitMillis)
    default:
      return error.category
  }
}

export const speech = connect({ deadlines: { total: "1 minute" }, retries: { times: 3 } })

export const whole = async (signal: AbortSignal): Promise<Audio> => {
  const audio = await speech.speak("नमस्ते", { outputFormat: "8000:pcm16", signal })
  const bytes: Uint8Array = audio.bytes
  for await (const samples of speech.speak("नमस्ते")) if (samples.byteLength > bytes.byteLength) break
  return audio
}

export const response = (text: string): Promise<Response> => speech.speak(text).response({ headers: { "x-a": "b" } })

export const parts = async (text: string): Promise<AsyncIterable<Uint8Array>> => {
  const { body } = await speech.speak(text).response()
  for await (const part of body) if (part.byteLength > 44) break
  return speech.speak(text).wav()
}

export const asPromise = (text: string): Promise<Audio> => speech.speak(text)

export const long = async (file: string): Promise<Transcript | string> => {
  try {
    return await speech.transcribeLong(file, { model: "hi-general-v2-8khz", onEvent: ({ tag }) => tag })
  } catch (error) {
    if (isSpeakError(error)) return describe(error)
    return error instanceof SpeechError ? error.tag : String(error)
  }
}
`

/** A route handler of Next.js. */
export const next = {
  "app/layout.jsx": `export default function Layout({ children }) {
  return <html><body>{children}</body></html>
}
`,
  "app/say/route.js": `import { connect, isSpeakError } from "@effect-speech/promise"

export const dynamic = "force-dynamic"

const speech = connect()

export async function GET(request) {
  const text = new URL(request.url).searchParams.get("text") ?? ""
  try {
    return await speech.speak(text, { lang: "hi", signal: request.signal }).response()
  } catch (error) {
    if (!isSpeakError(error)) throw error
    return Response.json({ error: error.tag }, { status: error.category === "request" ? 400 : 503 })
  }
}
`
}

export const express = `import { pipeline } from "node:stream/promises"
import { connect, isSpeakError } from "@effect-speech/promise"
import express from "express"

const speech = connect()
const app = express()
app.get("/say", async (request, response) => {
  try {
    const { body, headers } = await speech.speak(request.query.text ?? "", { lang: "hi" }).response()
    response.setHeaders(headers)
    await pipeline(body, response)
  } catch (error) {
    if (!isSpeakError(error)) throw error
    response.status(error.category === "request" ? 400 : 503).json({ error: error.tag })
  }
})
app.listen(Number(process.env.PORT), "127.0.0.1")
`

/** A controller with a client that is injected, compiled with the metadata of its decorators. */
export const nest = `import "reflect-metadata"
import { Readable } from "node:stream"
import { connect, isSpeakError } from "@effect-speech/promise"
import { Controller, Get, HttpException, Inject, Module, Query, StreamableFile } from "@nestjs/common"
import { NestFactory } from "@nestjs/core"
import type { SpeechClient } from "@effect-speech/promise"

@Controller()
class SayController {
  constructor(@Inject("speech") private readonly speech: SpeechClient) {}

  @Get("say")
  async say(@Query("text") text: string): Promise<StreamableFile> {
    try {
      const { body, headers } = await this.speech.speak(text, { lang: "hi" }).response()
      const length = Number(headers.get("content-length"))
      return new StreamableFile(Readable.from(body), { type: "audio/wav", length })
    } catch (error) {
      if (!isSpeakError(error)) throw error
      throw new HttpException({ error: error.tag }, error.category === "request" ? 400 : 503)
    }
  }
}

@Module({ controllers: [SayController], providers: [{ provide: "speech", useFactory: () => connect() }] })
class App {}

NestFactory.create(App, { logger: false }).then((app) => app.listen(Number(process.env.PORT), "127.0.0.1"))
`

/** A test with the double, and one with the real client. `test` and `expect` are globals. */
export const test = (load: string) => `${load}
test("the double gives your answers", async () => {
  const speech = connectTest({
    speak: { bytes: new Uint8Array(48_000), outputFormat: "24000:pcm16" },
    transcribe: SpeechError.of("SttCreditExhausted")
  })
  expect((await speech.speak("नमस्ते")).durationMillis).toBe(1000)
  await expect(speech.transcribe("a.wav", { model: "hi-general-v2-8khz" })).rejects.toMatchObject({
    tag: "SttCreditExhausted",
    category: "account"
  })
  expect(speech.calls.speak).toMatchObject([{ text: "नमस्ते" }])
})

test("the client uses the service", async () => {
  const speech = connect()
  await speech.speak("नमस्ते", { lang: "hi" }).toFile("greeting.wav")
  expect((await speech.transcribe("greeting.wav", { model: "hi-general-v2-8khz" })).text).toBe("नमस्ते")
  await expect(connect({ apiKey: "nobody.none" }).speak("नमस्ते")).rejects.toThrow(SpeechError)
})
`
