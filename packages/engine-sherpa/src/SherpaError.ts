/**
 * Why an engine can't start.
 */
import { cloneable } from "@effect-speech/common/Cloneable"
import * as Data from "effect/Data"

/**
 * The package `sherpa-onnx-node` is not installed.
 *
 * @since 0.1.0
 * @category errors
 */
export class SherpaNotInstalled extends cloneable(Data.TaggedError("SherpaNotInstalled"))<{
  readonly message: string
}> {}

/**
 * A model can't be loaded: its files are damaged, or are not what they seem to be.
 *
 * @since 0.1.0
 * @category errors
 */
export class SherpaModelRefused extends cloneable(Data.TaggedError("SherpaModelRefused"))<{
  /** Name of the model. */
  readonly model: string
  readonly message: string
}> {}

/**
 * The folder has no model of the kind that is needed, or none of the name that is to be loaded.
 *
 * @since 0.1.0
 * @category errors
 */
export class SherpaModelMissing extends cloneable(Data.TaggedError("SherpaModelMissing"))<{
  readonly folder: string
  readonly message: string
}> {}
