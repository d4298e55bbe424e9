import * as FileSystem from "@effect/platform/FileSystem"
import { describe, expect, layer } from "@effect/vitest"
import { Channels, Pcm, Resampler, Wav } from "@effect-speech/audio-codec"
import { LocalService } from "@effect-speech/local-service"
import { AudioSource, SpeechToText } from "@effect-speech/stt"
import { TextToSpeech, TtsContract } from "@effect-speech/tts"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { localClients } from "./support/localClients.js"

const hindi = "नमस्ते, आपके खाते में पाँच सौ रुपये हैं।"
const english = "Your appointment is tomorrow at half past ten."

const temporaryFolder = Effect.flatMap(FileSystem.FileSystem, (fs) => fs.makeTempDirectoryScoped())

layer(localClients())("a sentence, spoken into a WAV file and transcribed back", (it) => {
  it.scoped.each([
    { lang: "hi", text: hindi },
    { lang: "en", text: english }
  ])("is transcribed word for word ($lang)", ({ lang, text }) =>
    Effect.gen(function* () {
      const path = `${yield* temporaryFolder}/sentence.wav`
      const tts = yield* TextToSpeech
      const stt = yield* SpeechToText
      const speech = yield* tts.stream({ text, lang })
      const file = yield* Wav.writeFile(speech, path)
      expect(file.format).toEqual({ sampleRate: 24000, channels: 1, encoding: "float32" })
      expect(file.durationMillis).toBeGreaterThan(1000)

      const transcription = yield* stt.transcribe({
        audio: AudioSource.fromPath(path),
        model: `${lang}-general-v2-8khz`
      })
      expect(transcription.text).toBe(text)
    })
  )

  it.scoped.each(TtsContract.outputFormats.map((outputFormat) => ({ outputFormat })))(
    "is recognised from $outputFormat",
    ({ outputFormat }) =>
      Effect.gen(function* () {
        const tts = yield* TextToSpeech
        const stt = yield* SpeechToText
        const text = `Format ${outputFormat}.`
        const speech = yield* tts.synthesize({ text, lang: "en", outputFormat })
        expect(`${speech.format.sampleRate}:${speech.format.encoding}`).toBe(outputFormat)
        const audio = AudioSource.fromBytes(Wav.encode(speech.format, speech.bytes), { filename: "a.wav" })
        expect((yield* stt.transcribe({ audio, model: "en-banking-v2-8khz" })).text).toBe(text)
      })
  )

  it.scoped("is recognised from a copy at another rate, in stereo and 16 bits", () =>
    Effect.gen(function* () {
      const tts = yield* TextToSpeech
      const stt = yield* SpeechToText
      const { bytes } = yield* tts.synthesize({ text: english, lang: "en" })
      const mono = Resampler.resample(Pcm.decode(bytes, "float32"), { from: 24000, to: 44100 })
      const stereo = Float32Array.from({ length: mono.length * 2 }, (_, index) => mono[index >> 1] ?? 0)
      expect(Channels.mixdown(stereo, 2)).toEqual(mono)
      const file = Wav.encode({ sampleRate: 44100, channels: 2, encoding: "pcm16" }, Pcm.encode(stereo, "pcm16").bytes)
      const audio = AudioSource.fromBytes(file, { filename: "copy.wav" })
      expect((yield* stt.transcribe({ audio, model: "en-general-v2-8khz" })).text).toBe(english)
    })
  )

  it.scoped("is not confused with a sentence that differs in a word, with silence, or with another language", () =>
    Effect.gen(function* () {
      const tts = yield* TextToSpeech
      const stt = yield* SpeechToText
      const { recogniser } = yield* LocalService
      const one = yield* tts.synthesize({ text: "The train to Pune leaves at nine.", lang: "en" })
      const transcribe = (audio: Uint8Array, model: string) =>
        stt.transcribe({ audio: AudioSource.fromBytes(audio, { filename: "a.wav" }), model, aux: true })
      const file = Wav.encode(one.format, one.bytes)
      const silence = Wav.encode(one.format, new Uint8Array(one.bytes.byteLength))

      expect(yield* transcribe(file, "hi-general-v2-8khz")).toMatchObject({ text: "", auxInfo: { confidence: 0 } })
      expect(yield* transcribe(silence, "en-general-v2-8khz")).toMatchObject({
        text: "",
        auxInfo: { segments_meta: [] }
      })
      expect(yield* transcribe(file, "en-general-v2-8khz")).toMatchObject({
        text: "The train to Pune leaves at nine.",
        auxInfo: { segments_meta: [{ start: 0 }] }
      })

      const other = yield* tts.synthesize({ text: "The train to Pune leaves at five.", lang: "en" })
      const samples = Resampler.resample(Pcm.decode(other.bytes, "float32"), { from: 24000, to: 8000 })
      expect((yield* recogniser.recognise("en", Stream.make(samples)))?.text).toBe("The train to Pune leaves at five.")
    })
  )
})

layer(localClients())("each failure has its own tag and says what to do", (it) => {
  const spoken = Effect.gen(function* () {
    const tts = yield* TextToSpeech
    const { bytes, format } = yield* tts.synthesize({ text: "hello", lang: "en" })
    return AudioSource.fromBytes(Wav.encode(format, bytes), { filename: "hello.wav" })
  })

  it.scoped("a key of the wrong form", () =>
    Effect.gen(function* () {
      const { sttBaseUrl, ttsBaseUrl } = yield* LocalService
      const apiKey = Redacted.make("only-a-prefix")
      const stt = yield* Effect.flip(Layer.build(SpeechToText.layer({ apiKey, baseUrl: sttBaseUrl })))
      const tts = yield* Effect.flip(Layer.build(TextToSpeech.layer({ apiKey, baseUrl: ttsBaseUrl })))
      expect(stt).toMatchObject({ _tag: "SttInvalidApiKey" })
      expect(tts).toMatchObject({ _tag: "TtsInvalidApiKey" })
      expect(String(stt)).toContain("the whole <prefix>.<secret> value")
    })
  )

  it.scoped("a missing file", () =>
    Effect.gen(function* () {
      const stt = yield* SpeechToText
      const audio = AudioSource.fromPath("no-such-recording.wav")
      const error = yield* Effect.flip(stt.transcribe({ audio, model: "en-general-v2-8khz" }))
      expect(error._tag).toBe("SttAudioUnreadable")
      expect(error.message).toBe(
        "The recording no-such-recording.wav can't be sent: it does not exist; check the path."
      )
    })
  )

  it.scoped("an unknown model", () =>
    Effect.gen(function* () {
      const stt = yield* SpeechToText
      const error = yield* Effect.flip(stt.transcribe({ audio: yield* spoken, model: "klingon" }))
      expect(error).toMatchObject({
        _tag: "SttBadRequest",
        serverMessage: expect.stringContaining('unknown model "klingon"; the platform')
      })
      expect(error.message).toContain("Correct the request and send it again.")
    })
  )

  it.effect("a text of 10,001 code points", () =>
    Effect.gen(function* () {
      const tts = yield* TextToSpeech
      const error = yield* Effect.flip(tts.synthesize({ text: "न".repeat(10_001) }))
      expect(error._tag).toBe("TtsInvalidRequest")
      expect(error.message).toContain("has 10001 code points, and at most 10000 are allowed; split it")
    })
  )

  it.effect("an unsupported language", () =>
    Effect.gen(function* () {
      const tts = yield* TextToSpeech
      const error = yield* Effect.flip(tts.synthesize({ text: "nuqneH", lang: "tlh" }))
      expect(error).toMatchObject({ _tag: "TtsBadRequest", field: "lang", call: { billing: "notBilled" } })
    })
  )
})

layer(localClients({ credits: 5 }))("each service reports a problem of the account in its own way", (it) => {
  it.scoped("out of credit, closed, and with a key that was replaced", () =>
    Effect.gen(function* () {
      const { accounts } = yield* LocalService
      const tts = yield* TextToSpeech
      const stt = yield* SpeechToText
      const audio = AudioSource.fromBytes(
        Wav.encode({ sampleRate: 8000, channels: 1, encoding: "pcm16" }, new Uint8Array(16_000))
      )
      const transcribe = Effect.flip(stt.transcribe({ audio, model: "en-general-v2-8khz" }))
      const synthesize = Effect.flip(tts.synthesize({ text: "hello", lang: "en" }))

      yield* Effect.flip(tts.synthesize({ text: "hello!", lang: "en" }))
      expect(yield* accounts.account).toEqual({ state: "active", credits: 5 })
      yield* tts.synthesize({ text: "hello", lang: "en" })
      expect(yield* accounts.account).toEqual({ state: "active", credits: 0 })
      expect((yield* transcribe)._tag).toBe("SttCreditExhausted")
      expect((yield* synthesize)._tag).toBe("TtsUnauthorized")

      yield* accounts.setAccount({ state: "closed", credits: 100 })
      expect((yield* transcribe)._tag).toBe("SttForbidden")
      expect((yield* synthesize)._tag).toBe("TtsUnauthorized")

      yield* accounts.setAccount({ state: "active" })
      yield* accounts.createKey({ name: "next", creator: "test", confirm: true })
      expect((yield* transcribe)._tag).toBe("SttUnauthorized")
      expect((yield* synthesize)._tag).toBe("TtsUnauthorized")
    })
  )
})

describe("many local services", () => {
  layer(localClients())("run side by side", (it) => {
    it.scoped("and do not accept each other's keys", () =>
      Effect.gen(function* () {
        const { apiKey } = yield* LocalService
        const other = yield* Effect.provide(LocalService, yield* Layer.build(Layer.fresh(LocalService.layer())))
        const tts = yield* Layer.build(TextToSpeech.layer({ apiKey, baseUrl: other.ttsBaseUrl }))
        const error = yield* Effect.flip(
          Effect.provide(
            Effect.flatMap(TextToSpeech, (service) => service.synthesize({ text: "hello" })),
            tts
          )
        )
        expect(error._tag).toBe("TtsUnauthorized")
      })
    )
  })
})
