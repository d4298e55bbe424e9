/**
 * The pieces of a long file are kept until the file is done, and none is sent once the run has stopped.
 */
import type * as FileSystem from "@effect/platform/FileSystem"
import { PieceStore, PieceStoreError } from "@effect-speech/long-form/PieceStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { piecesOf } from "../output/write.js"
import type { Job } from "./job.js"

/** The code of the error with which a call ends whose run has stopped. */
const stopped = "RUN_STOPPED"

export const isStopped = (error: { readonly _tag: string; readonly code?: string | undefined }): boolean =>
  error._tag === "PieceStoreError" && error.code === stopped

/** Room is made for the result of a piece just before it is sent: it is refused to a run that has stopped. */
export const layer = ({ beginPiece = Effect.succeed(true), file, settings }: Job) => {
  const folder = piecesOf(settings.output.directory, file.callId)
  const refused = new PieceStoreError({
    operation: "reserve",
    store: folder,
    code: stopped,
    message: "The run has stopped, so this piece was not sent."
  })
  return Layer.effect(
    PieceStore,
    Effect.map(PieceStore, (store): PieceStore["Type"] => ({
      ...store,
      reserve: (name, bytes) =>
        Effect.flatMap(beginPiece, (may) => (may ? (store.reserve?.(name, bytes) ?? Effect.void) : refused))
    }))
  ).pipe(Layer.provide(PieceStore.layerFolder(folder))) satisfies Layer.Layer<
    PieceStore,
    PieceStoreError,
    FileSystem.FileSystem
  >
}
