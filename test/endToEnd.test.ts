import * as FileSystem from "@effect/platform/FileSystem"
import { expect, layer } from "@effect/vitest"
import { type AudioFormat, Channels, Pcm, Resampler, Wav } from "@effect-speech/audio-codec"
import { LocalService } from "@effect-speech/local-service"
import { AudioSource, SpeechToText } from "@effect-speech/stt"
import { type SynthesisRequest, TextToSpeech, TtsContract } from "@effect-speech/tts"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { localClients } from "effect-speech-test-support/localClients"

const hindi = "नमस्ते, आपके खाते में पाँच सौ रुपये हैं।"
const english = "Your appointment is tomorrow at half past ten."
const model = "en-general-v2-8khz"

const synthesize = (request: SynthesisRequest) => Effect.flatMap(TextToSpeech, (tts) => tts.synthesize(request))
const transcribe = (audio: AudioSource.AudioSource, model: string) =>
  Effect.flatMap(SpeechToText, (stt) => stt.transcribe({ audio, model, aux: true }))
const wav = (format: AudioFormat.AudioFormat, bytes: Uint8Array) =>
  AudioSource.fromBytes(Wav.encode(bytes, format), { filename: "a.wav" })
const silence = wav({ sampleRate: 8000, channels: 1, encoding: "pcm16" }, new Uint8Array(16_000))

layer(localClients())("a sentence, spoken into a WAV file and transcribed back", (it) => {
  it.scoped.each([
    { lang: "hi", text: hindi },
    { lang: "en", text: english }
  ])("is transcribed word for word ($lang)", ({ lang, text }) =>
    Effect.gen(function* () {
      const folder = yield* Effect.flatMap(FileSystem.FileSystem, (fs) => fs.makeTempDirectoryScoped())
      const path = `${folder}/sentence.wav`
      const speech = yield* Effect.flatMap(TextToSpeech, (tts) => tts.stream({ text, lang }))
      const file = yield* Wav.writeFile(speech, path)
      expect(file.format).toEqual({ sampleRate: 24000, channels: 1, encoding: "float32" })
      expect(file.durationMillis).toBeGreaterThan(1000)
      expect((yield* transcribe(AudioSource.fromPath(path), `${lang}-general-v2-8khz`)).text).toBe(text)
    })
  )

  it.scoped.each(TtsContract.outputFormats)("is recognised from %s", (outputFormat) =>
    Effect.gen(function* () {
      const text = `Format ${outputFormat}.`
      const { bytes, format } = yield* synthesize({ text, lang: "en", outputFormat })
      expect(`${format.sampleRate}:${format.encoding}`).toBe(outputFormat)
      expect((yield* transcribe(wav(format, bytes), "en-banking-v2-8khz")).text).toBe(text)
    })
  )

  it.scoped("is recognised from a copy at another rate, in stereo and 16 bits", () =>
    Effect.gen(function* () {
      const { bytes } = yield* synthesize({ text: english, lang: "en" })
      const mono = Resampler.resample(Pcm.decode(bytes, "float32"), { from: 24000, to: 44100 })
      const stereo = Float32Array.from({ length: mono.length * 2 }, (_, index) => mono[index >> 1] ?? 0)
      expect(Channels.mixdown(stereo, 2)).toEqual(mono)
      const format = { sampleRate: 44100, channels: 2, encoding: "pcm16" } as const
      expect((yield* transcribe(wav(format, Pcm.encode(stereo, "pcm16").bytes), model)).text).toBe(english)
    })
  )

  it.scoped("is not confused with a sentence that differs in a word, with silence, or with another language", () =>
    Effect.gen(function* () {
      const [nine, five] = ["The train to Pune leaves at nine.", "The train to Pune leaves at five."] as const
      const { bytes, format } = yield* synthesize({ text: nine, lang: "en" })
      const audio = wav(format, bytes)
      const hindiResult = yield* transcribe(audio, "hi-general-v2-8khz")
      expect(hindiResult).toMatchObject({ text: "", auxInfo: { confidence: 0 } })
      expect(yield* transcribe(silence, model)).toMatchObject({
        text: "",
        auxInfo: { segments_meta: [] },
        warnings: [{ _tag: "NothingRecognised", message: expect.stringContaining("sentences that it was taught") }]
      })
      expect(yield* transcribe(audio, model)).toMatchObject({ text: nine, auxInfo: { segments_meta: [{ start: 0 }] } })

      const other = yield* synthesize({ text: five, lang: "en" })
      expect((yield* transcribe(wav(other.format, other.bytes), model)).text).toBe(five)
    })
  )
})

layer(localClients())("each failure has its own tag and says what to do", (it) => {
  it.scoped("a key of the wrong form", () =>
    Effect.gen(function* () {
      const { sttBaseUrl, ttsBaseUrl } = yield* LocalService
      const apiKey = Redacted.make("only-a-prefix")
      const stt = yield* Effect.flip(Layer.build(SpeechToText.layer({ apiKey, baseUrl: sttBaseUrl })))
      const tts = yield* Effect.flip(Layer.build(TextToSpeech.layer({ apiKey, baseUrl: ttsBaseUrl })))
      expect([stt._tag, tts._tag]).toEqual(["SttInvalidApiKey", "TtsInvalidApiKey"])
      expect(String(stt)).toContain("the whole <prefix>.<secret> value")
    })
  )

  it.effect.each([
    [
      "a missing file",
      transcribe(AudioSource.fromPath("missing.wav"), model),
      {
        _tag: "SttAudioUnreadable",
        message: "The recording missing.wav can't be sent: it does not exist; check the path."
      }
    ],
    [
      "an unknown model",
      transcribe(silence, "klingon"),
      {
        _tag: "SttBadRequest",
        serverMessage: expect.stringContaining('unknown model "klingon"; the platform'),
        message: expect.stringContaining("Correct the request and send it again.")
      }
    ],
    [
      "a text of 10,001 code points",
      synthesize({ text: "न".repeat(10_001) }),
      {
        _tag: "TtsInvalidRequest",
        message: expect.stringContaining("10001 code points, and at most 10000 are allowed")
      }
    ],
    [
      "an unsupported language",
      synthesize({ text: "nuqneH", lang: "tlh" }),
      { _tag: "TtsBadRequest", field: "lang", call: { billing: "notBilled" } }
    ]
  ] as const)("%s", ([, call, expected]) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip<unknown, unknown, SpeechToText | TextToSpeech>(call)
      // An error that failed inside a span is a Proxy, which breaks comparing.
      expect(Cause.originalError(error)).toMatchObject(expected)
    })
  )
})

layer(localClients({ credits: 5 }))("each service reports a problem of the account in its own way", (it) => {
  it.scoped("out of credit, closed, and with a key that was replaced", () =>
    Effect.gen(function* () {
      const { accounts } = yield* LocalService
      const tags = Effect.all([
        Effect.map(Effect.flip(transcribe(silence, model)), ({ _tag }) => _tag),
        Effect.map(Effect.flip(synthesize({ text: "hello", lang: "en" })), ({ _tag }) => _tag)
      ])

      yield* Effect.flip(synthesize({ text: "hello!", lang: "en" }))
      expect(yield* accounts.account).toEqual({ state: "active", credits: 5 })
      yield* synthesize({ text: "hello", lang: "en" })
      expect(yield* accounts.account).toEqual({ state: "active", credits: 0 })
      expect(yield* tags).toEqual(["SttCreditExhausted", "TtsUnauthorized"])

      yield* accounts.setAccount({ state: "closed", credits: 100 })
      expect(yield* tags).toEqual(["SttForbidden", "TtsUnauthorized"])

      yield* accounts.setAccount({ state: "active" })
      yield* accounts.createKey({ name: "next", creator: "test", confirm: true })
      expect(yield* tags).toEqual(["SttUnauthorized", "TtsUnauthorized"])
    })
  )
})

layer(localClients())("two local services", (it) => {
  it.scoped("do not accept each other's keys", () =>
    Effect.gen(function* () {
      const { apiKey } = yield* LocalService
      const other = yield* Effect.provide(LocalService, yield* Layer.build(Layer.fresh(LocalService.layer())))
      const client = TextToSpeech.layer({ apiKey, baseUrl: other.ttsBaseUrl })
      const error = yield* Effect.flip(Effect.provide(synthesize({ text: "hello" }), client))
      expect(error._tag).toBe("TtsUnauthorized")
    })
  )
})
