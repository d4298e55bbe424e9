/** A replay, from a folder that was recorded or written by hand. */
import { cp, readFile, rm, truncate, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import * as Wav from "@effect-speech/audio-codec/Wav"
import { LocalService, type LocalServiceOptions } from "@effect-speech/local-service"
import * as AudioSource from "@effect-speech/stt/AudioSource"
import { SpeechToText } from "@effect-speech/stt/SpeechToText"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import { TextToSpeech } from "@effect-speech/tts/TextToSpeech"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import { respondJson, scriptedServer } from "effect-speech-test-support/scriptedServer"
import { field, file, form, model, transactionId, wav } from "../blackbox/support/messages.js"
import {
  filesIn,
  namesIn,
  recording,
  replaying,
  type Service,
  start,
  synthesize,
  temporaryFolder,
  transcribe
} from "./support.js"

const form1 = (...more: ReadonlyArray<Uint8Array>) =>
  form(field("model", model), field("transaction_id", transactionId), file(wav({ samples: 100 })), ...more)

/** A folder with three transcripts of one request and one speech. */
const recorded = Effect.gen(function* () {
  let calls = 0
  const real = yield* scriptedServer((response, { url }) => {
    if (url === "/tts/bytes")
      response.writeHead(200, { "x-sample-rate": "8000", "x-encoding": "pcm16" }).end(Buffer.alloc(400, 1))
    else
      respondJson(response, ++calls === 2 ? 503 : 200, { status: "success", text: `t${calls}`, call_id: `c${calls}` })
  })
  const folder = yield* temporaryFolder
  const apiKey = Redacted.make("real.secret")
  yield* recording(folder, { apiKey, sttBaseUrl: real.url, ttsBaseUrl: real.url }, (service) =>
    Effect.gen(function* () {
      for (let count = 0; count < 3; count++) yield* transcribe(service, form1())
      yield* synthesize(service, { text: "The train on platform two leaves at nine.", lang: "en" })
    })
  )
  return folder
})

const statuses = (service: Service, times: number) =>
  Effect.map(
    Effect.forEach(Array.from({ length: times }), () => transcribe(service, form1())),
    (answers) => answers.map(({ status, text }) => `${status} ${JSON.parse(text).text}`)
  )

it.scopedLive(
  "the responses of one request come in order, then again from the first, and after a reset from the first",
  () =>
    Effect.gen(function* () {
      yield* replaying(yield* recorded, (service) =>
        Effect.gen(function* () {
          expect(yield* statuses(service, 4)).toEqual(["200 t1", "503 t2", "200 t3", "200 t1"])
          const entries = yield* service.requests
          expect(entries.map(({ id, keyId, outcome }) => [id, keyId, outcome])).toEqual(
            ["c1", "c2", "c3", "c1"].map((id) => [id, "replay", "answered"])
          )
          expect(entries[0]?.request).toEqual({ model, transaction_id: transactionId })
          yield* service.reset()
          expect(yield* statuses(service, 1)).toEqual(["200 t1"])
          const all = yield* Effect.all(
            Array.from({ length: 9 }, () => transcribe(service, form1())),
            { concurrency: 9 }
          )
          expect(all.map(({ text }) => JSON.parse(text).text).toSorted()).toEqual([
            "t1",
            "t1",
            "t1",
            "t2",
            "t2",
            "t2",
            "t3",
            "t3",
            "t3"
          ])
          expect(yield* service.accounts.usage).toEqual([])
        })
      )
    })
)

it.scopedLive("a fault comes before the exchange, and changes one that it lets pass", () =>
  Effect.gen(function* () {
    yield* replaying(yield* recorded, (service) =>
      Effect.gen(function* () {
        yield* service.faults.set([
          { status: 502, times: 1 },
          { times: 1, headers: { "retry-after": "3" } }
        ])
        expect(yield* statuses(service, 1)).toEqual(["502 undefined"])
        expect((yield* transcribe(service, form1())).headers["retry-after"]).toBe("3")
        expect(yield* statuses(service, 1)).toEqual(["503 t2"])
      })
    )
  })
)

it.scopedLive("a request that is not recorded is 400 with the nearest one, and 500 if its file is gone", () =>
  Effect.gen(function* () {
    const folder = yield* recorded
    yield* replaying(folder, (service) =>
      Effect.gen(function* () {
        const text = yield* synthesize(service, { text: "The train on platform six leaves at nine.", lang: "en" })
        expect([text.status, text.json().error]).toEqual([
          400,
          expect.stringMatching(
            /^this synthesis is not recorded; the nearest, synthesize-[\da-f]{16}\.json, differs in text \("The train on platform six leaves at nine\.", recorded "The train on platform two leaves at nine\."\); record it with --record \S+ of speech run or speech serve, or send a recorded one$/
          )
        ])
        const more = yield* synthesize(service, { text: "The train on platform two leaves at nine.", speed: 2 })
        expect(more.json().error).toContain('lang (absent, recorded "en"), speed ("2", recorded without it)')
        const long = "a".repeat(5000)
        const cut = yield* synthesize(service, { text: `${long}x${long}`, lang: "en" })
        expect(cut.json().error.length).toBeLessThan(400)

        const audio = form(
          field("model", model),
          field("transaction_id", transactionId),
          file(wav({ samples: 7 }), '; filename="b.wav"')
        )
        expect((yield* transcribe(service, audio)).json()).toEqual({
          status: "error",
          error: "bad request",
          message: expect.stringContaining(
            'differs in the audio ("b.wav" of 58 bytes, recorded "call.wav" of 244 bytes)'
          )
        })
        const none = form(field("model", "x"), field("transaction_id", transactionId))
        expect((yield* transcribe(service, none)).json().message).toContain(
          'model ("x", recorded "hi-general-v2-8khz"), the audio (none,'
        )
        // It took no response.
        expect(yield* statuses(service, 1)).toEqual(["200 t1"])

        const name = (yield* namesIn(folder)).find((each) => each.startsWith("synthesize")) ?? ""
        yield* Effect.promise(() => rm(join(folder, name)))
        for (const platform of ["two", "six"]) {
          const gone = yield* synthesize(service, {
            text: `The train on platform ${platform} leaves at nine.`,
            lang: "en"
          })
          expect([gone.status, gone.json().error]).toEqual([
            500,
            `${join(folder, name)} can't be read (ENOENT); restore it, or delete it and record its request again`
          ])
        }
        expect(yield* service.exchanges).toMatchObject({
          replayed: 1,
          // The second request is not recorded, although its response says that the file of the nearest is gone.
          missing: 6,
          damaged: 1,
          damagedFiles: [join(folder, name)]
        })
        yield* Effect.promise(() => rm(folder, { recursive: true }))
        const moved = yield* synthesize(service, { text: "The train on platform two leaves at nine.", lang: "en" })
        expect(moved.json().error).toMatch(/was moved or removed; move it back, or start the replay again/)
      })
    )
  }).pipe(Effect.provide(Logger.remove(Logger.defaultLogger)))
)

it.scopedLive("a request that can't be read, and a key of another form, are refused as ever", () =>
  Effect.gen(function* () {
    yield* replaying(yield* recorded, (service) =>
      Effect.gen(function* () {
        expect((yield* synthesize(service, "{")).status).toBe(400)
        expect((yield* synthesize(service, "[]")).status).toBe(400)
        expect((yield* synthesize(service, "x".repeat(1_100_000))).status).toBe(413)
        expect((yield* transcribe(service, form1().subarray(0, 300))).status).toBe(400)
        expect((yield* transcribe(service, Buffer.from("x"), { "Content-Type": "text/plain" })).status).toBe(415)
        expect((yield* transcribe(service, form1(), { "X-Api-Key": "nodot" })).status).toBe(401)
        expect((yield* transcribe(service, form1(), { "X-Api-Key": "any.key" })).status).toBe(200)
      })
    )
  })
)

it.scopedLive("the clients get the recorded answers from a layer, and do not retry what is not recorded", () =>
  Effect.gen(function* () {
    const folder = yield* recorded
    const clients = LocalService.layerClients.pipe(
      Layer.provideMerge(Layer.merge(LocalService.layer({ replay: folder }), NodeTransport.layer))
    )
    yield* Effect.gen(function* () {
      const [stt, tts, service] = [yield* SpeechToText, yield* TextToSpeech, yield* LocalService]
      const { text } = yield* stt.transcribe({
        model,
        audio: AudioSource.fromBytes(wav({ samples: 100 }), { filename: "other.wav" })
      })
      expect(text).toBe("t1")
      const speech = yield* tts.synthesize({ text: "The train on platform two leaves at nine.", lang: "en" })
      expect(speech.bytes.length).toBe(400)
      const error = yield* Effect.flip(tts.synthesize({ text: "The train", lang: "en" }))
      expect(error.message).toContain("record it with --record")
      expect((yield* service.requests).map(({ status }) => status)).toEqual([200, 200, 400])
    }).pipe(Effect.provide(clients))
  })
)

it.scopedLive("the speech in the folder is a WAV file, and the text of a response can be changed by hand", () =>
  Effect.gen(function* () {
    const folder = yield* recorded
    const files = yield* filesIn(folder)
    const wavs = [...files].filter(([name]) => name.endsWith(".wav")).map(([, bytes]) => Wav.decode(bytes))
    expect(wavs.map(Either.isRight)).toEqual([true, true])
    expect(wavs.map((file) => Either.getOrThrow(file).bytes.length).toSorted()).toEqual([200, 400])
    yield* Effect.promise(async () => {
      const name = [...files.keys()].find((each) => each.startsWith("transcribe")) ?? ""
      const text = await readFile(join(folder, name), "utf8")
      await writeFile(join(folder, name), text.replaceAll("t1", "by hand").replaceAll("\n", "\r\n"))
    })
    expect(yield* replaying(folder, (service) => statuses(service, 1))).toEqual(["200 by hand"])
  })
)

const failing = (options: LocalServiceOptions) => Effect.flip(Effect.scoped(start(options)))

it.scopedLive("a folder that is missing, empty or damaged fails the layer, and the error names the file", () =>
  Effect.gen(function* () {
    const folder = yield* recorded
    const names = [...(yield* filesIn(folder)).keys()]
    const named = (beginning: string) => names.find((name) => name.startsWith(beginning)) ?? ""
    const [exchange, speech] = [
      named("synthesize"),
      JSON.parse(yield* Effect.promise(() => readFile(join(folder, named("synthesize")), "utf8"))).responses[0].body
        .file
    ]
    const damages: ReadonlyArray<readonly [string, (folder: string) => Promise<unknown>, RegExp]> = [
      [
        exchange,
        (at) => writeFile(join(at, exchange), "{"),
        /is not JSON; is there a merge conflict in it\? Mend it, restore it, or delete it and record its request again/
      ],
      [exchange, (at) => writeFile(join(at, exchange), "{}"), /is no exchange of this version/],
      [speech, (at) => rm(join(at, speech)), /does not exist as a file; restore it/],
      [speech, (at) => truncate(join(at, speech), 100), /has 100 bytes, and not 400/],
      ["synthesize-x.json", (at) => cp(join(at, exchange), join(at, "synthesize-x.json")), /holds the same request as/],
      [
        exchange,
        async (at) =>
          writeFile(
            join(at, exchange),
            (await readFile(join(at, exchange), "utf8")).replace(/audio\/\w+\.wav/, "audio/../../x")
          ),
        /is no exchange/
      ]
    ]
    for (const [path, damage, message] of damages) {
      const copy = join(yield* temporaryFolder, "copy")
      yield* Effect.promise(() => cp(folder, copy, { recursive: true }))
      yield* Effect.promise(() => damage(copy))
      const error = yield* failing({ replay: copy })
      expect(error).toMatchObject({
        _tag: "LocalServiceExchangesUnusable",
        path: join(copy, path),
        message: expect.stringMatching(message)
      })
    }
    const empty = yield* temporaryFolder
    expect((yield* failing({ replay: empty })).message).toContain(
      "holds no exchanges; record some with --record FOLDER of speech run or speech serve"
    )
    expect((yield* failing({ replay: join(empty, "none") })).message).toContain("can't be read (ENOENT)")
    const file = join(empty, "file")
    yield* Effect.promise(() => writeFile(file, ""))
    expect(yield* failing({ record: { folder: file, apiKey: Redacted.make("a.b") } })).toMatchObject({
      _tag: "LocalServiceExchangesUnusable",
      path: file
    })
  })
)

it.effect(
  "a replay, a recording and recordings to learn exclude each other, and a recording needs a key and https",
  () => {
    const record = { folder: "x", apiKey: Redacted.make("a.b") }
    const wrong: ReadonlyArray<readonly [LocalServiceOptions, string]> = [
      [{ replay: "x", record }, "The option replay can't be given together with record."],
      [{ replay: "x", recordings: "y" }, "The option replay can't be given together with recordings."],
      [{ record, models: {} }, "The option record can't be given together with models."],
      [{ replay: "" }, "The option replay must be the path of a folder."],
      [{ record: { ...record, folder: "" } }, "The option record.folder must be the path of a folder."],
      [
        { record: { ...record, apiKey: Redacted.make("key") } },
        "The option record.apiKey is no API key: it has no dot between a prefix and a secret."
      ],
      [
        { record: { ...record, sttBaseUrl: "http://stt.example" } },
        "The option record.sttBaseUrl is plain http to another machine, which would show the key; use https."
      ],
      [
        { record: { ...record, ttsBaseUrl: "x" } },
        "The option record.ttsBaseUrl is not a URL; give one like https://host.example."
      ]
    ]
    return Effect.forEach(wrong, ([options, message]) =>
      Effect.map(failing(options), (error) =>
        expect(error).toMatchObject({ _tag: "LocalServiceOptionInvalid", message })
      )
    )
  }
)
