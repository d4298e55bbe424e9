import * as FileSystem from "@effect/platform/FileSystem"
import { expect, layer } from "@effect/vitest"
import { Archive, Operation, type Output, type Run, Source, Worker } from "@effect-speech/archive"
import { AudioDecoder, PcmStream, Wav } from "@effect-speech/audio-codec"
import { type Faults, LocalService } from "@effect-speech/local-service"
import { TextToSpeech } from "@effect-speech/tts"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { localClients } from "effect-speech-test-support/localClients"
import { complete } from "../packages/archive/src/internal/output/write.js"

const callId = "7f3c0f3e-1b2a-5c5d-8e9f-0a1b2c3d4e5f"
const format = { sampleRate: 8000, channels: 1, encoding: "pcm16" } as const
const sentences = ["The ferry leaves at six.", "Nobody missed the tide today."]

const claimFirst = <R>(source: Source.Source<R>) =>
  Effect.map(Stream.runHead(source.items()), (item) => ({
    run: "run",
    seq: 1,
    callId,
    attempts: 1,
    ...Option.getOrThrow(item)
  }))

const settingsOf = (operation: Operation.Operation, root: string, format: Output.Format): Run.RunSettings => ({
  operation,
  root,
  source: "test",
  byContent: false,
  output: { directory: `${root}/out`, format },
  unanswered: "hold"
})

layer(Layer.merge(localClients(), AudioDecoder.AudioDecoder.layerWav), { excludeTestServices: true })(
  "the workers of an archive, at the local service",
  (it) => {
    it.scoped("write the subtitles of a long recording, and pay for each piece once, though the credit ended", () =>
      Effect.gen(function* () {
        const { accounts, requests } = yield* LocalService
        const fs = yield* FileSystem.FileSystem
        const tts = yield* TextToSpeech
        const folder = yield* fs.makeTempDirectoryScoped()
        const parts: Array<Uint8Array> = []
        for (const text of sentences) {
          const { bytes } = yield* tts.synthesize({ text, lang: "en", outputFormat: "8000:pcm16" })
          parts.push(bytes, new Uint8Array(16_000))
        }
        yield* Wav.writeFile(PcmStream.make(format, Stream.fromIterable(parts)), `${folder}/ferry.wav`)

        const operation = Operation.transcribe({ model: "en-general-v2-8khz", maximum: "2800 millis" })
        const settings = settingsOf(operation, folder, "srt")
        const file = yield* claimFirst(yield* Source.folder(folder))
        const before = (yield* requests).length
        yield* accounts.setAccount({ credits: 3 })
        const refused = yield* Worker.transcription.call({ file, settings })
        expect(refused).toMatchObject({ _tag: "Refused", error: { tag: "SttCreditExhausted" } })
        yield* accounts.setAccount({ credits: 1000 })
        const done = yield* Worker.transcription.call({ file, settings })
        expect(done).toMatchObject({
          _tag: "Done",
          result: { text: sentences.join(" "), warnings: [] },
          billing: "unknown"
        })
        const { credits } = yield* accounts.account
        expect(done._tag === "Done" && done.credits - 3).toBeLessThanOrEqual(1000 - credits)
        const sent = (yield* requests).slice(before)
        expect(sent.map(({ status }) => status).toSorted()).toEqual([200, 200, 402])

        if (done._tag === "Done") yield* complete(settings.output, { ...file, ...done })
        const written = yield* fs.readDirectory(`${folder}/out`, { recursive: true })
        expect(written.toSorted()).toEqual([".pieces", "ferry.wav.srt"])
        const srt = yield* fs.readFileString(`${folder}/out/ferry.wav.srt`)
        expect(srt).toContain(sentences[0])
      })
    )

    it.scoped("hold a file that may have been billed, and send it again only if it is asked for by its tag", () =>
      Effect.gen(function* () {
        const { faults, requests } = yield* LocalService
        const fs = yield* FileSystem.FileSystem
        const folder = yield* fs.makeTempDirectoryScoped()
        const path = `${folder}/calls`
        yield* fs.makeDirectory(path)
        yield* Wav.writeFile(PcmStream.make(format, Stream.make(new Uint8Array(16_000))), `${path}/one.wav`)
        const layerOf = (fault: Faults.Fault) =>
          Archive.layerEmbedded({
            path: `${folder}/${JSON.stringify(fault)}.db`,
            workers: [Worker.transcription],
            concurrency: 1
          })
        const sentFor = (fault: Faults.Fault) =>
          Effect.gen(function* () {
            const before = (yield* requests).length
            yield* faults.set([{ operation: "transcribe", ...fault }])
            const archive = yield* Archive
            const run = yield* archive.start({
              source: yield* Source.folder(path),
              operation: Operation.transcribe({ model: "en-general-v2-8khz" }),
              output: { directory: `${folder}/${JSON.stringify(fault)}`, format: "txt" }
            })
            yield* Stream.runDrain(archive.progress(run.id))
            yield* archive.retryFailed(run.id)
            yield* Stream.runDrain(archive.progress(run.id))
            const [file] = yield* Stream.runCollect(archive.results(run.id))
            const sent = (yield* requests).length - before
            if (file === undefined || !("error" in file)) return { file, sent }
            yield* faults.set([])
            yield* archive.retryFailed(run.id, { only: file.error.tag })
            yield* Stream.runDrain(archive.progress(run.id))
            return { file, sent, again: (yield* requests).length - before - sent }
          }).pipe(Effect.provide(layerOf(fault)), Effect.ensuring(faults.set([])))

        const held = (tag: string) => ({
          file: { state: "held", attempts: 1, billing: "unknown", error: { tag } },
          sent: 1,
          again: 1
        })
        expect(yield* sentFor({ status: 504 })).toMatchObject(held("SttUnexpectedStatus"))
        expect(yield* sentFor({ reset: "answer" })).toMatchObject(held("SttConnectionFailed"))
        // These are not billed: they failed, and are sent again without a tag.
        expect(yield* sentFor({ status: 400 })).toMatchObject({
          file: { state: "failed", billing: "notBilled" },
          sent: 2
        })
      })
    )

    it.scoped("send the id of the file, tell an outage from a poisoned file, and show no key", () =>
      Effect.gen(function* () {
        const { apiKey, faults, requests } = yield* LocalService
        const fs = yield* FileSystem.FileSystem
        const folder = yield* fs.makeTempDirectoryScoped()
        const text = { id: "menu/welcome", text: sentences[0] ?? "", lang: "en" }
        const file = yield* claimFirst(Source.texts(Stream.make(text), { root: folder, description: "texts" }))
        const settings = settingsOf(Operation.synthesize({ outputFormat: "8000:pcm16" }), folder, "wav")
        const call = Worker.synthesis.call({ file, settings })
        const withFault = (fault: Faults.Fault) =>
          Effect.ensuring(Effect.zipRight(faults.set([fault]), call), faults.set([]))

        const outcomes = [
          yield* withFault({ status: 502 }),
          yield* withFault({ status: 400, message: "lang: unsupported" }),
          yield* withFault({ status: 401, message: `not ${Redacted.value(apiKey)}` }),
          yield* withFault({ truncateAtByte: 1000 })
        ]
        expect(outcomes).toMatchObject([
          { _tag: "Unavailable", error: { tag: "TtsBackendFailed" }, billing: "notBilled" },
          { _tag: "Failed", error: { tag: "TtsBadRequest" }, billing: "notBilled" },
          { _tag: "Refused", error: { tag: "TtsUnauthorized" } },
          { _tag: "Held", error: { tag: "TtsConnectionFailed" }, billing: "unknown" }
        ])
        expect(JSON.stringify(outcomes)).not.toContain(Redacted.value(apiKey).split(".")[1])
        expect(yield* fs.readDirectory(`${folder}/out/menu`)).toEqual([])

        expect(yield* call).toMatchObject({
          _tag: "Done",
          result: { sampleRate: 8000 },
          billing: "billed",
          credits: 24
        })
        expect((yield* requests).at(-1)?.id).toBe(callId)
        const audio = yield* Wav.readFile(`${folder}/out/menu/welcome.wav`)
        expect((yield* PcmStream.collect(audio)).byteLength).toBeGreaterThan(8000)
      })
    )
  }
)
