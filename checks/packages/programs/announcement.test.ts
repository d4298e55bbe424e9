/**
 * Tests of a program that announces trains, against the local service: failures of the service, a recording that it was taught, the account
 * and its keys.
 */
import { FileSystem } from "@effect/platform"
import { expect, layer } from "@effect/vitest"
import { Wav } from "@effect-speech/audio-codec"
import { LocalService } from "@effect-speech/local-service"
import { AudioSource, SpeechToText } from "@effect-speech/stt"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import { TextToSpeech } from "@effect-speech/tts"
import { Array as Arr, Effect, Equal, HashSet, Layer, Redacted, Ref } from "effect"

const text = "The train to Pune leaves from platform two."

/** The program under test: an announcement, or a gong if the service can't speak. */
const announce = (line: string) =>
  Effect.gen(function* () {
    const tts = yield* TextToSpeech
    const speech = yield* tts.synthesize({ text: line, lang: "en", outputFormat: "8000:pcm16" })
    return {
      kind: "speech" as const,
      bytes: speech.bytes,
      format: speech.format,
      attempts: speech.call.attempts.length
    }
  }).pipe(
    Effect.catchTags({
      TtsBackendFailed: ({ call }) => Effect.succeed({ kind: "gong" as const, attempts: call.attempts.length }),
      TtsUnauthorized: ({ serverMessage }) => Effect.succeed({ kind: "refused" as const, because: serverMessage ?? "" })
    })
  )

const heard = (path: string) =>
  Effect.flatMap(SpeechToText, (stt) =>
    stt.transcribe({ audio: AudioSource.fromPath(path), model: "en-general-v2-8khz" })
  )

const recorded = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const path = yield* fs.makeTempFileScoped({ suffix: ".wav" })
  const tts = yield* TextToSpeech
  yield* Wav.writeFile(yield* tts.synthesize({ text, lang: "en", outputFormat: "8000:pcm16" }), path)
  return path
})

const TestLive = LocalService.layerClients.pipe(
  Layer.provideMerge(
    Layer.merge(LocalService.layer({ credits: 1000, models: { "en-general-v2-8khz": "en" } }), NodeTransport.layer)
  )
)

layer(TestLive, { excludeTestServices: true })("an announcement", (it) => {
  const fresh = Effect.flatMap(LocalService, (service) => service.reset())

  it.effect("is spoken after two failures", () =>
    Effect.gen(function* () {
      yield* fresh
      const service = yield* LocalService
      yield* service.faults.set([{ operation: "synthesize", times: 2, status: 502, headers: { "Retry-After": "0" } }])
      const announcement = yield* announce(text)
      expect(announcement).toMatchObject({ kind: "speech", attempts: 3 })
      expect(yield* service.faults.list).toEqual([
        { fault: { operation: "synthesize", times: 2, status: 502, headers: { "Retry-After": "0" } }, happened: 2 }
      ])
      expect((yield* service.accounts.account).credits).toBe(1000 - text.length)
    })
  )

  it.effect("is a gong if the service stays down, and costs nothing", () =>
    Effect.gen(function* () {
      yield* fresh
      const service = yield* LocalService
      yield* service.faults.set([{ operation: "synthesize", status: 502 }])
      expect(yield* announce(text)).toEqual({ kind: "gong", attempts: 3 })
      expect(yield* service.accounts.usage).toEqual([])
      const outcomes = HashSet.fromIterable(Arr.map(yield* service.requests, ({ outcome }) => outcome))
      expect(Equal.equals(outcomes, HashSet.make("faulted"))).toBe(true)
    })
  )

  it.scoped("is cut off in the middle, and told apart from a whole one", () =>
    Effect.gen(function* () {
      yield* fresh
      const service = yield* LocalService
      yield* service.faults.set([{ operation: "synthesize", times: 1, truncateAtByte: 1000 }])
      const error = yield* Effect.flip(announce(text))
      expect(error).toMatchObject({ _tag: "TtsConnectionFailed", reason: "cut", call: { billing: "unknown" } })
    })
  )

  it.scoped("is recognised after the service was taught the recording", () =>
    Effect.gen(function* () {
      yield* fresh
      const service = yield* LocalService
      const path = yield* recorded
      expect((yield* heard(path)).text).toBe(text)

      yield* service.reset()
      const unknown = yield* heard(path)
      expect(unknown.text).toBe("")
      expect(unknown.warnings.map(({ _tag }) => _tag)).toEqual(["NothingRecognised"])

      yield* service.teach({ path, text: "Pune, platform two", lang: "en" })
      expect((yield* heard(path)).text).toBe("Pune, platform two")
    })
  )

  it.effect("needs the scope of its operation", () =>
    Effect.gen(function* () {
      yield* fresh
      const service = yield* LocalService
      const { active } = yield* service.accounts.keys
      yield* service.accounts.setScopes(active?.id ?? "", ["stt:transcribe"])
      expect(yield* announce(text)).toMatchObject({ kind: "refused" })
      expect(yield* Effect.flip(service.accounts.setScopes("no-key", []))).toMatchObject({
        _tag: "LocalServiceKeyNotActive",
        known: false
      })
    })
  )

  it.effect("is refused without credit", () =>
    Effect.gen(function* () {
      yield* fresh
      const service = yield* LocalService
      yield* service.accounts.setAccount({ credits: 3 })
      expect(yield* announce(text)).toMatchObject({ kind: "refused" })
      const account = yield* service.accounts.account
      expect(Equal.equals(account, yield* service.accounts.setAccount({}))).toBe(true)
    })
  )

  it.effect("goes on with a new key, which its client reads again", () =>
    Effect.gen(function* () {
      yield* fresh
      const service = yield* LocalService
      const refused = yield* Effect.flip(
        service.accounts.createKey({ name: "station", creator: "test", confirm: false })
      )
      expect(refused._tag).toBe("LocalServiceKeyActive")
      const first = yield* service.accounts.createKey({ name: "station", creator: "test", confirm: true })
      const key = yield* Ref.make(first.key)
      const client = TextToSpeech.layer({ apiKey: Ref.get(key), baseUrl: service.ttsBaseUrl })

      yield* Effect.gen(function* () {
        expect(yield* announce(text)).toMatchObject({ kind: "speech", attempts: 1 })
        const second = yield* service.accounts.createKey({ name: "station 2", creator: "test", confirm: true })
        yield* Ref.set(key, second.key)
        expect(yield* announce(text)).toMatchObject({ kind: "speech", attempts: 2 })
        yield* service.accounts.revokeKey(second.record.id)
        expect(yield* announce(text)).toMatchObject({ kind: "refused" })
        const { active, archived } = yield* service.accounts.keys
        expect(active).toBeNull()
        expect(archived.map(({ name }) => name)).toContain("station 2")
        expect(JSON.stringify(archived)).not.toContain(Redacted.value(second.key))
      }).pipe(Effect.provide(client))
    })
  )
})
