/**
 * Finds the models in a folder, without loading any: what each is, what it can, and by which names requests ask for it.
 *
 * ```ts
 * const models = Effect.map(ModelFolder.read("models"), ({ models }) => models.map(({ name, languages }) => `${name}: ${languages}`))
 * ```
 */
import type * as FileSystem from "@effect/platform/FileSystem"
import { documented, linkOf } from "@effect-speech/common/ErrorPage"
import * as Printable from "@effect-speech/common/Printable"
import { systemCode } from "@effect-speech/common/SystemCode"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { Contents } from "./internal/folder/description.js"
import { problemOf, readContents } from "./internal/folder/read.js"

export type {
  Contents,
  CtcFiles,
  Description,
  Family,
  ModelDescription,
  NotUnderstood,
  OfferedRecogniser,
  OfferedVoice,
  RecogniserDescription,
  StyledFiles,
  TransducerFiles,
  VitsFiles,
  VoiceDescription,
  WhisperFiles
} from "./internal/folder/description.js"

/**
 * The folder of models can't be read: it does not exist, is no folder, or its permissions forbid it. Check its path and its permissions.
 *
 * @example
 * ```ts
 * import { NodeFileSystem } from "@effect/platform-node"
 * import { ModelFolder } from "@effect-speech/engine-sherpa"
 * import { Console, Effect } from "effect"
 *
 * export const program = ModelFolder.read("models").pipe(
 *   Effect.catchTag("ModelFolderUnreadable", ({ message }) => Console.error(message)),
 *   Effect.provide(NodeFileSystem.layer)
 * )
 * ```
 *
 * @since 0.1.0
 * @category errors
 */
export class ModelFolderUnreadable extends documented(Data.TaggedError("ModelFolderUnreadable"))<{
  /** The path that was given. */
  readonly folder: string
  /** What is wrong, as it follows the folder in a sentence: `does not exist; check the path`. */
  readonly problem: string
  /** The code of the system, such as `ENOENT`, if the system reported the error. */
  readonly code: string | undefined
}> {
  override get message(): string {
    return Printable.line(`The folder of models ${this.folder} ${this.problem}.`) + linkOf("ModelFolderUnreadable")
  }
}

/**
 * Reads a folder in which each model has a folder, without loading a model. Use it to show what a folder offers.
 *
 * Each model is recognised by its files and by the metadata in them, as published for sherpa-onnx; `model.json` in its folder says what they
 * do not. A folder that is no model is in `notUnderstood`, with its reason. Of a model of a gigabyte it reads some kilobytes, and its list of
 * tokens.
 *
 * Fails with `ModelFolderUnreadable` if `folder` does not exist, is no folder, or may not be read. A folder in it that can't be read is in
 * `notUnderstood`.
 *
 * @example
 * ```ts
 * import { NodeFileSystem } from "@effect/platform-node"
 * import { ModelFolder } from "@effect-speech/engine-sherpa"
 * import { Console, Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const { models } = yield* ModelFolder.read("models")
 *   for (const { family, name } of models) yield* Console.log(`${name}: ${family}`)
 * })
 *
 * Effect.runPromise(Effect.provide(program, NodeFileSystem.layer))
 * ```
 *
 * @since 0.1.0
 * @category encoding and decoding
 */
export const read = (folder: string): Effect.Effect<Contents, ModelFolderUnreadable, FileSystem.FileSystem> =>
  Effect.mapError(
    readContents(folder),
    (error) => new ModelFolderUnreadable({ folder, problem: problemOf(error), code: systemCode(error) })
  )
