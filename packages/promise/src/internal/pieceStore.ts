import type { FileSystem } from "@effect/platform/FileSystem"
import { PieceStore, type PieceStoreError } from "@effect-speech/long-form/PieceStore"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import { type InvalidRequest, invalidRequest, type Operation } from "./errors.js"
import { pathOf } from "./paths.js"

/** Where the pieces of a long form are kept. */
export const pieceStore = (
  keepIn: string | URL | undefined,
  operation: Operation
): Layer.Layer<PieceStore, PieceStoreError | InvalidRequest, FileSystem> =>
  keepIn === undefined
    ? none
    : Either.match(pathOf(keepIn), {
        onLeft: (problem) => Layer.fail(invalidRequest(operation, "keepIn", problem)),
        onRight: (path) => PieceStore.layerFolder(path)
      })

/**
 * Keeps nothing. No later call could find a piece in memory, so that its error would promise too much, and a long speech would not fit.
 */
const none = Layer.succeed(PieceStore, { get: () => Effect.succeedNone, put: () => Effect.void })
