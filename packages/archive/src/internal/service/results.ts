/**
 * What became of each file, as a program gets it.
 */
import * as Printable from "@effect-speech/common/Printable"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { ArchiveStoreFailed } from "../../ArchiveError.js"
import { FileRecord, type FileState } from "../../Run.js"
import type { StoredFile, StoreService } from "../store/Store.js"
import type { ArchiveService } from "./ArchiveService.js"

const decode = Schema.decodeUnknown(FileRecord)

export const make =
  (store: StoreService): ArchiveService["results"] =>
  <State extends FileState>(run: string, choice?: { readonly states?: ReadonlyArray<State> | undefined }) => {
    const toRecord = (file: StoredFile) =>
      Effect.mapBoth(decode(file), {
        onFailure: () =>
          new ArchiveStoreFailed({
            store: store.name,
            message: Printable.line(
              `The row of ${file.path} in the store can't be read: another program has changed it, or another version of this package. (${store.name})`
            )
          }),
        // The store gives the states that are asked for.
        onSuccess: (record) => record as Extract<FileRecord, { readonly state: State }>
      })
    const records = Stream.mapChunksEffect(store.files(run, choice?.states), (page) =>
      Effect.map(Effect.forEach(page, toRecord), Chunk.unsafeFromArray)
    )
    return Stream.unwrap(Effect.as(store.run(run), records))
  }
