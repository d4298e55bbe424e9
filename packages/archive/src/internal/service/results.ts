/**
 * What became of each file, as a program gets it.
 */
import * as Printable from "@effect-speech/common/Printable"
import { unsafeInstance } from "@effect-speech/common/Structural"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { ArchiveStoreFailed } from "../../ArchiveError.js"
import { Segment, SynthesisResult, TranscriptionResult, UnreadableResult } from "../../Output.js"
import {
  DoneFile,
  FailedFile,
  FileError,
  type FileRecord,
  type FileState,
  HeldFile,
  PendingFile,
  StartedFile
} from "../../Run.js"
import type { StoredFile, StoreService } from "../store/Store.js"
import type { ArchiveService } from "./ArchiveService.js"

// What is stored is checked once, and the values are made without their constructors: a run may have millions of segments.
const isRow = Schema.is(
  Schema.encodedSchema(
    Schema.Union(
      PendingFile,
      StartedFile,
      Schema.Struct({ ...DoneFile.fields, result: Schema.Unknown }),
      FailedFile,
      HeldFile
    )
  )
)
const isTranscription = Schema.is(Schema.encodedSchema(TranscriptionResult))
const isSynthesis = Schema.is(Schema.encodedSchema(SynthesisResult))

const segmentOf = ({ confidence, end, start, text }: typeof Segment.Encoded): Segment =>
  unsafeInstance(Segment, {
    startMillis: start,
    endMillis: end,
    text,
    ...(confidence !== undefined && { confidence })
  })

const resultOf = (stored: unknown): DoneFile["result"] => {
  if (isTranscription(stored)) {
    const { confidence, durationMillis, segments, text, warnings } = stored
    return unsafeInstance(TranscriptionResult, {
      text,
      ...(durationMillis !== undefined && { durationMillis }),
      ...(confidence !== undefined && { confidence }),
      segments: segments.map(segmentOf),
      warnings
    })
  }
  if (isSynthesis(stored)) {
    const { bytes, durationMillis, encoding, sampleRate, warnings } = stored
    return unsafeInstance(SynthesisResult, { durationMillis, sampleRate, encoding, bytes, warnings })
  }
  return unsafeInstance(UnreadableResult, { stored: stored ?? null })
}

/** `undefined`: the row lacks what each row of its state has. */
const recordOf = (file: StoredFile): FileRecord | undefined => {
  const row: unknown = file
  if (!isRow(row)) return undefined
  const { attempts, billing, callId, credits, modifiedMillis, path, seq, size } = row
  const fields = { seq, path, size, modifiedMillis, attempts, callId, ...(credits !== undefined && { credits }) }
  const earlier = { ...fields, ...(billing !== undefined && { billing }) }
  switch (row.state) {
    case "pending":
      return unsafeInstance(PendingFile, { ...earlier, state: row.state })
    case "started":
      return unsafeInstance(StartedFile, { ...earlier, state: row.state })
    case "done":
      return unsafeInstance(DoneFile, {
        ...fields,
        state: row.state,
        billing: row.billing,
        credits: row.credits,
        result: resultOf(row.result)
      })
    case "failed":
      return unsafeInstance(FailedFile, { ...earlier, state: row.state, error: unsafeInstance(FileError, row.error) })
    case "held":
      return unsafeInstance(HeldFile, {
        ...fields,
        state: row.state,
        billing: row.billing,
        error: unsafeInstance(FileError, row.error)
      })
  }
}

export const make =
  (store: StoreService): ArchiveService["results"] =>
  <State extends FileState>(run: string, choice?: { readonly states?: ReadonlyArray<State> | undefined }) => {
    const unreadable = (path: string) =>
      new ArchiveStoreFailed({
        store: store.name,
        message: Printable.line(
          `The row of ${path} in the store can't be read: another program has changed it, or another version of this package. (${store.name})`
        )
      })
    const records = Stream.mapChunksEffect(store.files(run, choice?.states), (page) =>
      Effect.suspend(() => {
        const read: Array<Extract<FileRecord, { readonly state: State }>> = []
        for (const file of page) {
          const record = recordOf(file)
          if (record === undefined) return unreadable(file.path)
          // The store gives the states that are asked for.
          read.push(record as Extract<FileRecord, { readonly state: State }>)
        }
        return Effect.succeed(Chunk.unsafeFromArray(read))
      })
    )
    return Stream.unwrap(Effect.as(store.run(run), records))
  }
