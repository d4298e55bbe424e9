/**
 * Why an engine can't start.
 */
import { documented } from "@effect-speech/common/ErrorPage"
import * as Data from "effect/Data"

/**
 * The package `sherpa-onnx-node` is not installed, which runs the models. It is looked for beside this package, then from the current folder. The
 * message says what to install.
 *
 * @example
 * ```ts
 * import { NodeFileSystem } from "@effect/platform-node"
 * import { Sherpa } from "@effect-speech/engine-sherpa"
 * import { KnownRecordings } from "@effect-speech/local-service"
 * import { Effect, Layer } from "effect"
 *
 * // Without the package, recognise only what was taught.
 * export const RecogniserLive = Sherpa.layerRecogniser({ folder: "models" }).pipe(
 *   Layer.catchAll((error) =>
 *     error._tag === "SherpaNotInstalled" ? KnownRecordings.layer() : Layer.fail(error)
 *   ),
 *   Layer.provide(NodeFileSystem.layer),
 *   Layer.tapError(Effect.logError)
 * )
 * ```
 *
 * @since 0.1.0
 * @category errors
 */
export class SherpaNotInstalled extends documented(Data.TaggedError("SherpaNotInstalled"))<{
  /** Where the package was looked for, and what to install. */
  readonly message: string
}> {}

/**
 * A model can't be loaded: its files are damaged or can't be read, or are not what they seem to be. Download the model again, or remove its
 * folder.
 *
 * @since 0.1.0
 * @category errors
 */
export class SherpaModelRefused extends documented(Data.TaggedError("SherpaModelRefused"))<{
  /** Name of the model. */
  readonly model: string
  /** Which model, and the reason: that of sherpa-onnx, without the paths of your machine, or that its `tokens.txt` can't be read. */
  readonly message: string
}> {}

/**
 * The folder has no model of the kind that is needed, or none of the name that is to be loaded. For a name, the message says which models
 * it has.
 *
 * @since 0.1.0
 * @category errors
 */
export class SherpaModelMissing extends documented(Data.TaggedError("SherpaModelMissing"))<{
  /** The path of the folder of models. */
  readonly folder: string
  /** What is missing. */
  readonly message: string
}> {}
