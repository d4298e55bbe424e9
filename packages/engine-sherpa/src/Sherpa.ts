/**
 * `Voice` and `Recogniser` from a folder of models, over sherpa-onnx.
 *
 * Each model has a process of its own, which starts with its first request. If a model ends its process, only that one starts again.
 *
 * ```ts
 * const engine = Sherpa.layer({ folder: "models", preload: true })
 * ```
 */
import { availableParallelism } from "node:os"
import type * as FileSystem from "@effect/platform/FileSystem"
import { Recogniser, type RecogniserService, Voice, type VoiceService } from "@effect-speech/engine"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { Contents, ModelDescription } from "./internal/folder/description.js"
import { ensureInstalled } from "./internal/host/library.js"
import { type Loadable, openModel, type Settings } from "./internal/models.js"
import { recogniserOf, voiceOf } from "./internal/services.js"
import { type ModelFolderUnreadable, read } from "./ModelFolder.js"
import { SherpaModelMissing, type SherpaModelRefused, type SherpaNotInstalled } from "./SherpaError.js"

/**
 * Options of the engine: which folder, and how much work it does at once. An option out of its range is a defect, a `RangeError`.
 *
 * @example
 * ```ts
 * import type { Sherpa } from "@effect-speech/engine-sherpa"
 *
 * export const options: Sherpa.SherpaOptions = {
 *   folder: "models",
 *   threads: 2,
 *   queue: 16,
 *   preload: ["sherpa-onnx-whisper-small"],
 *   idle: "10 minutes"
 * }
 * ```
 *
 * @since 0.1.0
 * @category options
 */
export interface SherpaOptions {
  /** Path of the folder, in which each model has a folder. `ModelFolder` says what it may hold. */
  readonly folder: string
  /** Threads of a model for each piece of work, 1 to 256, unless its `model.json` says it. Default: half of the cores, at most 4. */
  readonly threads?: number | undefined
  /** Pieces of work that a model does at once, 1 to 64. Default: 2. */
  readonly concurrency?: number | undefined
  /**
   * Requests that may wait for a model, 0 to 100,000, beside those that it works on. Others fail as `Overloaded`. One that waits holds up to
   * 30 seconds of its recording in memory: 2 MB. Default: 128, twice the calls that a client makes at once.
   */
  readonly queue?: number | undefined
  /**
   * Which models to load at the start: all (`true`), or those of these names. A name is that of the model, or one by which requests ask for it.
   * A model that can't be loaded is then an error of the layer. Default: none. A model loads with its first request.
   */
  readonly preload?: boolean | ReadonlyArray<string> | undefined
  /** After so long without a request, a model ends its process. Its next request loads it again. Default: never. */
  readonly idle?: Duration.DurationInput | undefined
}

/**
 * What the models of a folder make.
 *
 * @example
 * ```ts
 * import type { Sherpa } from "@effect-speech/engine-sherpa"
 *
 * export const describe = ({ contents, recogniser, voice }: Sherpa.SherpaEngine): string =>
 *   `${contents.models.length} models${recogniser ? ", recognises" : ""}${voice ? ", speaks" : ""}`
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface SherpaEngine {
  /** What is in the folder, also what was not understood. */
  readonly contents: Contents
  /** `undefined` if no model of the folder recognises. */
  readonly recogniser: RecogniserService | undefined
  /** `undefined` if no model of the folder speaks. */
  readonly voice: VoiceService | undefined
}

/**
 * Why an engine can't start.
 *
 * @since 0.1.0
 * @category errors
 */
export type SherpaError = ModelFolderUnreadable | SherpaNotInstalled | SherpaModelRefused | SherpaModelMissing

/**
 * Starts an engine until the end of the scope. Use it if the folder may have models of one kind alone; otherwise use {@link layer}.
 *
 * Fails with `ModelFolderUnreadable` if the folder can't be read, with `SherpaNotInstalled` if `sherpa-onnx-node` is not installed, with
 * `SherpaModelMissing` if `preload` names a model that is not in the folder, or not of the kind that the layer loads, and with `SherpaModelRefused` if a model to preload can't be
 * loaded, or the `tokens.txt` of a model can't be read.
 *
 * @example
 * ```ts
 * import { NodeFileSystem } from "@effect/platform-node"
 * import { Sherpa } from "@effect-speech/engine-sherpa"
 * import { Console, Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const { recogniser, voice } = yield* Sherpa.make({ folder: "models" })
 *   yield* Console.log(recogniser === undefined ? "It recognises nothing." : `It recognises at ${recogniser.sampleRate} Hz.`)
 *   yield* Console.log(voice === undefined ? "It speaks nothing." : `It has ${voice.voices.length} voices.`)
 * })
 *
 * Effect.runPromise(program.pipe(Effect.scoped, Effect.provide(NodeFileSystem.layer)))
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  options: SherpaOptions
): Effect.Effect<SherpaEngine, SherpaError, FileSystem.FileSystem | Scope.Scope> => makeOf(options, () => true)

const makeOf = (options: SherpaOptions, isWanted: (model: ModelDescription) => boolean) =>
  Effect.gen(function* () {
    const settings = settingsOf(options)
    yield* ensureInstalled
    const contents = yield* read(options.folder)
    const models = yield* Effect.forEach(contents.models.filter(isWanted), (model) => openModel(model, settings))
    yield* Effect.forEach(yield* preloadedOf(options, contents, models), ({ load }) => load, { concurrency: 2 })
    return {
      contents,
      recogniser: recogniserOf(contents.recognisers, models),
      voice: voiceOf(contents.voices, models)
    }
  })

/**
 * Both services, from a folder that has models of both kinds.
 *
 * Fails with `SherpaModelMissing` if no model of the folder recognises, or none speaks, and otherwise as {@link make}.
 *
 * @example
 * ```ts
 * import { NodeFileSystem } from "@effect/platform-node"
 * import { Sherpa } from "@effect-speech/engine-sherpa"
 * import { LocalService } from "@effect-speech/local-service"
 * import { Layer } from "effect"
 *
 * export const ServiceLive = LocalService.layerWithoutDependencies({ port: 8100 }).pipe(
 *   Layer.provide(Sherpa.layer({ folder: "models", preload: true })),
 *   Layer.provide(NodeFileSystem.layer)
 * )
 * ```
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: SherpaOptions): Layer.Layer<Recogniser | Voice, SherpaError, FileSystem.FileSystem> =>
  Layer.scopedContext(
    Effect.gen(function* () {
      const engine = yield* make(options)
      const recogniser = yield* needed(options.folder, engine.recogniser, "recognises")
      const voice = yield* needed(options.folder, engine.voice, "speaks")
      return Context.make(Recogniser, recogniser).pipe(Context.add(Voice, voice))
    })
  )

/**
 * The recogniser alone. Models that speak are not loaded. Use it with another voice, such as `Espeak.layer` of local-service.
 *
 * Fails with `SherpaModelMissing` if no model of the folder recognises, and otherwise as {@link make}.
 *
 * @example
 * ```ts
 * import { NodeFileSystem } from "@effect/platform-node"
 * import { Sherpa } from "@effect-speech/engine-sherpa"
 * import { Espeak, LocalService } from "@effect-speech/local-service"
 * import { Layer } from "effect"
 *
 * export const ServiceLive = LocalService.layerWithoutDependencies().pipe(
 *   Layer.provide([Sherpa.layerRecogniser({ folder: "models" }), Espeak.layer]),
 *   Layer.provide(NodeFileSystem.layer)
 * )
 * ```
 *
 * @since 0.1.0
 * @category layers
 */
export const layerRecogniser = (options: SherpaOptions): Layer.Layer<Recogniser, SherpaError, FileSystem.FileSystem> =>
  Layer.scoped(
    Recogniser,
    Effect.flatMap(
      makeOf(options, ({ _tag }) => _tag === "Recogniser"),
      ({ recogniser }) => needed(options.folder, recogniser, "recognises")
    )
  )

/**
 * The voice alone. Models that recognise are not loaded. Use it with another recogniser, such as `KnownRecordings.layer` of local-service.
 *
 * Fails with `SherpaModelMissing` if no model of the folder speaks, and otherwise as {@link make}.
 *
 * @example
 * ```ts
 * import { NodeFileSystem } from "@effect/platform-node"
 * import { Sherpa } from "@effect-speech/engine-sherpa"
 * import { KnownRecordings, LocalService } from "@effect-speech/local-service"
 * import { Layer } from "effect"
 *
 * export const ServiceLive = LocalService.layerWithoutDependencies().pipe(
 *   Layer.provide([Sherpa.layerVoice({ folder: "models" }), KnownRecordings.layer()]),
 *   Layer.provide(NodeFileSystem.layer)
 * )
 * ```
 *
 * @since 0.1.0
 * @category layers
 */
export const layerVoice = (options: SherpaOptions): Layer.Layer<Voice, SherpaError, FileSystem.FileSystem> =>
  Layer.scoped(
    Voice,
    Effect.flatMap(
      makeOf(options, ({ _tag }) => _tag === "Voice"),
      ({ voice }) => needed(options.folder, voice, "speaks")
    )
  )

/**
 * Loads a model in a process of its own, has it work once, and ends the process: a recogniser gets a second of silence, and a voice
 * speaks the name of its language, if it can. Returns how long that took, without the end of the process.
 *
 * Fails with `SherpaNotInstalled` if `sherpa-onnx-node` is not installed, and with `SherpaModelRefused` if the model can't be loaded or does not
 * work.
 *
 * @example
 * ```ts
 * import { NodeFileSystem } from "@effect/platform-node"
 * import { ModelFolder, Sherpa } from "@effect-speech/engine-sherpa"
 * import { Console, Duration, Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const { models } = yield* ModelFolder.read("models")
 *   for (const model of models) yield* Console.log(model.name, Duration.format(yield* Sherpa.check(model)))
 * })
 *
 * Effect.runPromise(Effect.provide(program, NodeFileSystem.layer))
 * ```
 *
 * @since 0.1.0
 * @category operations
 */
export const check = (
  model: ModelDescription,
  options: Pick<SherpaOptions, "threads"> = {}
): Effect.Effect<Duration.Duration, SherpaModelRefused | SherpaNotInstalled, FileSystem.FileSystem> =>
  ensureInstalled.pipe(
    Effect.zipRight(Effect.suspend(() => openModel(model, settingsOf(options)))),
    Effect.flatMap(({ load }) => load),
    Effect.timed,
    Effect.map(([took]) => took),
    Effect.scoped
  )

const integer = (name: string, value: number, least: number, most: number): number => {
  if (Number.isInteger(value) && value >= least && value <= most) return value
  throw new RangeError(`${name} must be an integer from ${least} to ${most}, not ${value}.`)
}

const settingsOf = (options: Partial<SherpaOptions>): Settings => ({
  threads: integer("threads", options.threads ?? Math.min(4, Math.ceil(availableParallelism() / 2)), 1, 256),
  concurrency: integer("concurrency", options.concurrency ?? 2, 1, 64),
  queue: integer("queue", options.queue ?? 128, 0, 100_000),
  idle: options.idle === undefined ? Number.POSITIVE_INFINITY : Duration.toMillis(options.idle)
})

const preloadedOf = (
  { folder, preload = false }: SherpaOptions,
  { recognisers, voices }: Contents,
  models: ReadonlyArray<Loadable>
): Effect.Effect<ReadonlyArray<Loadable>, SherpaModelMissing> => {
  if (typeof preload === "boolean") return Effect.succeed(preload ? models : [])
  return Effect.forEach(preload, (name) => {
    const offered = [...recognisers, ...voices].find((offer) => offer.name === name)
    const model = models.find(({ description }) => description.name === name || description === offered?.model)
    if (model !== undefined) return Effect.succeed(model)
    const names = models.map(({ description }) => description.name).join(", ")
    const message = `The folder ${folder} has no model ${name} to load at the start. It has ${names || "none"}.`
    return Effect.fail(new SherpaModelMissing({ folder, message }))
  })
}

const needed = <Service>(
  folder: string,
  service: Service | undefined,
  does: "recognises" | "speaks"
): Effect.Effect<Service, SherpaModelMissing> =>
  service === undefined
    ? Effect.fail(new SherpaModelMissing({ folder, message: `The folder ${folder} has no model that ${does}.` }))
    : Effect.succeed(service)
