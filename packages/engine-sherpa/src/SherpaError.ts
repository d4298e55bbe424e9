/**
 * Why an engine can't start.
 */
import { cloneable } from "@effect-speech/common/Cloneable"
import * as Data from "effect/Data"

/**
 * The package `sherpa-onnx-node` is not installed, or it has no build for this machine.
 *
 * @since 0.1.0
 * @category errors
 */
export class SherpaNotInstalled extends cloneable(Data.TaggedError("SherpaNotInstalled"))<{
  readonly message: string
}> {}

/**
 * A model can't be loaded at all: its files are damaged, or are not what they seem to be.
 *
 * @since 0.1.0
 * @category errors
 */
export class SherpaModelRefused extends cloneable(Data.TaggedError("SherpaModelRefused"))<{
  /** Name of the model. */
  readonly model: string
  readonly message: string
}> {}
