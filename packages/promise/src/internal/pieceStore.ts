import type { FileSystem } from "@effect/platform/FileSystem"
import { PieceStore, type PieceStoreError } from "@effect-speech/long-form/PieceStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** Where the pieces of a long form are kept. */
export const pieceStore = (keepIn: string | undefined): Layer.Layer<PieceStore, PieceStoreError, FileSystem> =>
  keepIn === undefined ? none : PieceStore.layerFolder(keepIn)

/**
 * Keeps nothing. No later call could find a piece in memory, so that its error would promise too much, and a long speech would not fit.
 */
const none = Layer.succeed(PieceStore, { get: () => Effect.succeedNone, put: () => Effect.void })
