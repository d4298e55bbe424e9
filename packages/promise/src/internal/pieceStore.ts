import type { FileSystem } from "@effect/platform/FileSystem"
import { PieceStore, type PieceStoreError } from "@effect-speech/long-form/PieceStore"
import type * as Layer from "effect/Layer"

/** Where the pieces of a long form are kept. */
export const pieceStore = (keepIn: string | undefined): Layer.Layer<PieceStore, PieceStoreError, FileSystem> =>
  keepIn === undefined ? PieceStore.layerMemory : PieceStore.layerFolder(keepIn)
