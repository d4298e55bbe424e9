import { readdirSync } from "node:fs"
import { join } from "node:path"
import { LocalService } from "@effect-speech/local-service"
import { SttContract } from "@effect-speech/stt"
import { TtsContract } from "@effect-speech/tts"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { send, transcriptionForm } from "effect-speech-test-support/plainHttp"
import { noise } from "effect-speech-test-support/recordings"
import { damaged } from "../../packages/audio-codec/test/damaged.js"
import { cutAt } from "../../packages/audio-codec/test/wavArbitrary.js"
import { anyString, bytesUpTo, joined, json, pieceSizes, weighted } from "./arbitraries.js"
import { law, runnerOf, silentService, type Topic, temporaryFolder } from "./law.js"
import { anyRecording } from "./recordingLaws.js"

const form = transcriptionForm(noise(400))
const goodType = form.contentType
const goodBody = Buffer.concat(form.body.map((part) => Buffer.from(part)))
const boundary = /boundary=(.*)$/.exec(goodType)?.[1] ?? ""

const formWords = [
  ...[`--${boundary}\r\n`, `\r\n--${boundary}--`, `\r\n--${boundary}`, "--", ":", "\0", '; name="'],
  ...['name="__proto__"', 'name="hotwords"', 'name="hotwords[999][score]"', "; filename*=utf-8''%ff%fe"],
  ...["Content-Type: text/plain; charset=utf-16le\r\n", "Content-Transfer-Encoding: base64\r\n"],
  ...["", '; name="audio_file"; filename="a"\r\n\r\n', '; name="model"\r\n\r\n'].map(
    (rest) => `Content-Disposition: form-data${rest}`
  )
]

/** A valid value of a header. */
const headerText = FastCheck.string({ maxLength: 30 }).map((text) => text.replace(/[^\x20-\x7e]/g, ""))
const oddBoundaries = [
  ...["", "; boundary", "; boundary=", '; boundary="', `; boundary=${"b".repeat(4000)}`],
  ...[`; charset=utf-7; boundary=${boundary}`, `; boundary*=utf-8''${boundary}`, `; boundary=${boundary}; boundary=b`]
]
const formType = weighted(
  [6, FastCheck.constant(goodType)],
  [1, headerText],
  [
    2,
    FastCheck.tuple(FastCheck.nat(goodType.length), FastCheck.nat(6), headerText).map(
      ([from, count, text]) => goodType.slice(0, from) + text + goodType.slice(from + count)
    )
  ],
  [1, FastCheck.constantFrom(...oddBoundaries).map((rest) => `multipart/form-data${rest}`)],
  [1, FastCheck.constant(`multipart/mixed; boundary=${boundary}`)]
)

const anyForm = weighted<Buffer>(
  [6, damaged(FastCheck.constant(goodBody), formWords)],
  [3, joined(30, FastCheck.constantFrom(...formWords, "\r\n", "\r\n\r\n"), anyString, bytesUpTo(20))],
  [1, bytesUpTo(300)]
)

/** Nested lists, some too deep for a recursive parser. */
const deep = FastCheck.nat(60_000).map((levels) => `${"[".repeat(levels)}${"]".repeat(levels)}`)

const goodFields = {
  ...{ text: "नमस्ते 𝄞", lang: "hi", voice: "default_male", output_format: "8000:pcm16", speed: 1.5, num_step: 10 },
  g2p_overrides: { word: "w3:d" }
}
const oddValues = ["1e999", "-0", "1E400", "0.25", "9".repeat(400), '"\\ud800"', '{"__proto__":{"__proto__":null}}']
const jsonText = json.map((value) => JSON.stringify(value))
const member = FastCheck.tuple(
  FastCheck.oneof(anyString, FastCheck.constantFrom(...Object.keys(goodFields))),
  FastCheck.oneof(jsonText, FastCheck.constantFrom(...oddValues), deep)
).map(([name, value]) => `${JSON.stringify(name)}:${value}`)
const anyJson = FastCheck.oneof(
  damaged(
    FastCheck.constant(Buffer.from(JSON.stringify(goodFields))),
    '{ } [ " \\u null 1e999 \xef\xbb\xbf \xff'.split(" ")
  ),
  FastCheck.array(member, { maxLength: 8 }).map((members) => Buffer.from(`{${['"text":"a"', ...members].join()}}`)),
  FastCheck.oneof(jsonText, deep).map((text) => Buffer.from(text)),
  bytesUpTo(100)
)

const jsonType = weighted(
  [8, FastCheck.constant("application/json")],
  [1, headerText],
  [1, FastCheck.constantFrom("application/json; charset=utf-16", "Application/JSON", "text/json", "")]
)

const isSuccess = Schema.is(SttContract.Success)
const isFailure = Schema.is(SttContract.Failure)
const isErrorBody = Schema.is(TtsContract.ErrorBody)

/** Statuses for an invalid request. */
const refusals = [400, 413, 415]

export const serviceLaws: Topic = Effect.gen(function* () {
  const dataDirectory = yield* temporaryFolder
  const options = { dataDirectory, bodyIdle: "5 seconds", maximumRecording: "1 minute" } as const
  const temporaryFiles = () => readdirSync(join(dataDirectory, "effect-speech-local-service-temporary")).length
  const run = yield* runnerOf(silentService(options))
  const { adminToken, apiKey, platformUrl, sttBaseUrl, ttsBaseUrl } = yield* Effect.promise(() => run(LocalService))
  const key = { "x-api-key": Redacted.value(apiKey) }

  /** Empties the journal, which keeps uploads, and waits until the service has removed its temporary files. */
  const filesRemoved = async () => {
    const headers = { "X-Admin-Token": Redacted.value(adminToken) }
    await fetch(`${platformUrl}/platform/api/requests`, { method: "DELETE", headers })
    for (let attempts = 200; temporaryFiles() > 0; attempts--) {
      if (attempts === 0) throw new Error(`${temporaryFiles()} temporary files are left`)
      await new Promise((next) => setTimeout(next, 5))
    }
  }

  const transcribe = async (contentType: string, body: ReadonlyArray<Uint8Array>): Promise<number> => {
    const headers = { ...key, "content-type": contentType }
    const { bytes, status } = await send(`${sttBaseUrl}/api/transcribe`, { headers, body })
    const answer: unknown = JSON.parse(bytes.toString())
    const isDue = status === 200 ? isSuccess(answer) : refusals.includes(status) && isFailure(answer)
    if (!isDue) throw new Error(`${status} ${bytes}`)
    await filesRemoved()
    return status
  }

  return {
    "any form is transcribed or refused by the contract, leaves no file, and the next one is transcribed": law(
      15,
      FastCheck.asyncProperty(formType, anyForm, pieceSizes, async (contentType, body, sizes) => {
        await transcribe(contentType, cutAt(body, sizes))
        const next = await transcribe(goodType, [goodBody])
        if (next !== 200) throw new Error(`the next form got ${next}`)
      })
    ),

    "any recording is transcribed or refused by the contract, and leaves no file": law(
      8,
      FastCheck.asyncProperty(anyRecording, async (recording) => {
        const { body, contentType } = transcriptionForm(recording)
        await transcribe(
          contentType,
          body.map((part) => Buffer.from(part))
        )
      })
    ),

    "any synthesis body is synthesized or refused by the contract": law(
      25,
      FastCheck.asyncProperty(jsonType, anyJson, pieceSizes, async (contentType, body, sizes) => {
        const headers = { ...key, "content-type": contentType }
        const pieces = body.length > 20_000 ? [body] : cutAt(body, sizes)
        const { bytes, headers: answered, status } = await send(`${ttsBaseUrl}/tts/bytes`, { headers, body: pieces })
        if (status === 200) return bytes.length > 0 && answered["x-encoding"] !== undefined
        if (!refusals.includes(status) || !isErrorBody(JSON.parse(bytes.toString())))
          throw new Error(`${status} ${bytes}`)
      })
    )
  }
})
