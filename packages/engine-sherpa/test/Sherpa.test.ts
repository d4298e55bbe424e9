import { join } from "node:path"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { describe, expect, it } from "@effect/vitest"
import { Recogniser, Voice, type VoiceFailed } from "@effect-speech/engine"
import { Sherpa } from "@effect-speech/engine-sherpa"
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Stream from "effect/Stream"
import { tinyFolder, tinyName } from "effect-speech-test-support/tinyModels"
import { ModelFolder } from "../src/index.js"
import { copyOf, edit, modelProcesses } from "./support/tinyModel.js"

const folder = tinyFolder()

describe("the services of a folder of models", () => {
  it.scopedLive("say what each model is, and how it is", () =>
    Effect.gen(function* () {
      const recogniser = yield* Recogniser
      const { details, ...model } = recogniser.models?.find(({ name }) => name === tinyName("zipformer")) ?? {}
      expect(model).toEqual({
        name: tinyName("zipformer"),
        model: tinyName("zipformer"),
        lang: "en",
        hotwords: true,
        aliasOf: undefined
      })
      expect(details).toMatchObject({ family: "transducer", licence: "MIT", bytes: expect.any(Number) })
      expect(modelProcesses().length).toBe(1)
      const status = (yield* recogniser.status ?? Effect.succeed([])).map(({ name, state }) => [name, state])
      expect(Object.fromEntries(status)).toEqual({
        [tinyName("nemo-ctc")]: "ready",
        [tinyName("whisper")]: "unloaded",
        [tinyName("zipformer")]: "unloaded"
      })
      const unknown = { model: "other", lang: "en", samples: new Float32Array(1), hotwords: [] }
      const failure = yield* Effect.flip(recogniser.recognise(unknown))
      expect(failure).toMatchObject({ reason: "Failed", message: "There is no model other." })
    }).pipe(
      Effect.provide(Sherpa.layerRecogniser({ folder, preload: ["en-general-v2-8khz", tinyName("nemo-ctc")] })),
      Effect.provide(NodeFileSystem.layer)
    )
  )

  it.scopedLive("take more requests at once than a client makes", () =>
    Effect.gen(function* () {
      const { recognise } = yield* Recogniser
      const request = { model: tinyName("nemo-ctc"), lang: "en", samples: new Float32Array(400), hotwords: [] }
      yield* Effect.replicateEffect(recognise(request), 100, { concurrency: "unbounded", discard: true })
    }).pipe(Effect.provide(Sherpa.layerRecogniser({ folder })), Effect.provide(NodeFileSystem.layer))
  )

  it.scopedLive("are there for the models that the folder has", () =>
    Effect.gen(function* () {
      const models = copyOf("vits")
      const { recogniser, voice } = yield* Sherpa.make({ folder: models })
      expect(recogniser).toBe(undefined)
      const names = ["default_female", "default_male", "tiny_loud", "tiny_soft"]
      expect(voice?.voices.map(({ name }) => name)).toEqual(names)
      const speech = voice?.speak({ text: "a", lang: "hi", voice: "tiny_loud", speed: 1, pronunciations: {} })
      const failure = yield* Effect.flip(Stream.runDrain(speech as Stream.Stream<Float32Array, VoiceFailed>))
      expect(failure).toMatchObject({ reason: "Failed", message: "There is no voice tiny_loud for hi." })
      const missing = Effect.provide(Recogniser, Sherpa.layer({ folder: models }))
      expect((yield* Effect.flip(missing)).message).toBe(`The folder ${models} has no model that recognises.`)
      const unknown = Effect.provide(Voice, Sherpa.layerVoice({ folder: models, preload: ["other"] }))
      expect(yield* Effect.flip(unknown)).toMatchObject({
        _tag: "SherpaModelMissing",
        message: `The folder ${models} has no model other to load at the start. It has ${tinyName("vits")}.`
      })
      const nowhere = Effect.provide(Voice, Sherpa.layerVoice({ folder: join(models, "nowhere") }))
      expect(yield* Effect.flip(nowhere)).toMatchObject({ _tag: "ModelFolderUnreadable" })
    }).pipe(Effect.provide(NodeFileSystem.layer))
  )

  it.live("fail at the start if a model is to be loaded that can't be", () =>
    Effect.gen(function* () {
      const models = copyOf("nemo-ctc")
      edit(join(models, tinyName("nemo-ctc"), "model.int8.onnx"), "MatMul", "MatMux")
      const start = (preload: boolean) =>
        Effect.provide(Recogniser, Sherpa.layerRecogniser({ folder: models, preload })).pipe(Effect.either)
      expect((yield* start(false))._tag).toBe("Right")
      const failure = Either.getOrThrow(Either.flip(yield* start(true)))
      expect(failure).toMatchObject({ _tag: "SherpaModelRefused", model: tinyName("nemo-ctc") })
      expect(failure.message).toMatch(/^The model tiny-nemo-ctc-en can't be loaded: .*MatMux/)
      expect(failure.message).not.toContain(models)
    }).pipe(Effect.provide(NodeFileSystem.layer))
  )

  it.scopedLive("check a model by having it work once", () =>
    Effect.gen(function* () {
      const { models } = yield* ModelFolder.read(folder)
      for (const model of models) {
        expect(Duration.toMillis(yield* Sherpa.check(model)), model.name).toBeGreaterThan(0)
      }
      expect(modelProcesses()).toEqual([])
    }).pipe(Effect.provide(NodeFileSystem.layer))
  )

  it.scopedLive("check no model with an option out of its range", () =>
    Effect.gen(function* () {
      const { models } = yield* ModelFolder.read(folder)
      for (const model of models.slice(0, 1)) {
        const defect = Cause.squash(yield* Effect.flip(Effect.sandbox(Sherpa.check(model, { threads: 0 }))))
        expect(defect).toEqual(new RangeError("threads must be an integer from 1 to 256, not 0."))
      }
    }).pipe(Effect.provide(NodeFileSystem.layer))
  )

  it.each([{ threads: 0 }, { concurrency: 65 }, { queue: -1 }, { threads: 1.5 }])("do not take %o", (options) => {
    const make = Effect.scoped(Sherpa.make({ folder, ...options })).pipe(Effect.provide(NodeFileSystem.layer))
    expect(() => Effect.runSync(make)).toThrow(/must be an integer from/)
  })
})
