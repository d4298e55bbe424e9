/**
 * A request body that is read while it is sent: bytes in memory, a source such as a file, or a stream.
 *
 * | `_tag`   | content | how it is sent |
 * | -------- | ------- | -------------- |
 * | `Memory` | parts that are in memory | one after another, without a copy |
 * | `Source` | bytes that can be read into a given block, such as a file's | from one reused block over undici, else from a new block for each chunk |
 * | `Stream` | a stream of bytes | chunk by chunk |
 */
import * as Stream from "effect/Stream"
import type { UploadFailed } from "./Failure.js"
import { piecesOf } from "./internal/http/piecesOf.js"

export type Upload = Memory | Source | Streamed

/** A stream of bytes that may fail. */
export type Chunks = Stream.Stream<Uint8Array, UploadFailed>

/** Bytes in memory. */
export interface Memory {
  readonly _tag: "Memory"
  readonly parts: ReadonlyArray<Uint8Array>
  /** Sum of the lengths of all parts. */
  readonly byteLength: number
}

/** Bytes that are read into a block of the reader's choice, such as those of a file. */
export interface Source {
  readonly _tag: "Source"
  /** Reads all bytes in order. Each read calls `nextBlock`, fills the block from its start, and emits the filled part. */
  readonly read: (nextBlock: () => Uint8Array) => Chunks
  /** Exact number of bytes. */
  readonly byteLength: number
}

/** A stream whose chunks stay valid after the next one is pulled. */
export interface Streamed {
  readonly _tag: "Stream"
  readonly stream: Chunks
  /** Exact number of bytes. If it is `undefined`, the request has no Content-Length. */
  readonly byteLength: number | undefined
}

/** An upload of parts in memory. */
export const fromMemory = (parts: ReadonlyArray<Uint8Array>): Memory => ({
  _tag: "Memory",
  parts,
  byteLength: parts.reduce((sum, part) => sum + part.byteLength, 0)
})

/** An upload of a stream. */
export const fromStream = (stream: Chunks, byteLength: number | undefined): Streamed => ({
  _tag: "Stream",
  stream,
  byteLength
})

/** The same upload between `head` and `tail`, such as the parts of a form. */
export const enclose = (head: Uint8Array, upload: Upload, tail: Uint8Array): Upload => {
  const around = (chunks: Chunks) => Stream.make(head).pipe(Stream.concat(chunks), Stream.concat(Stream.make(tail)))
  const added = head.byteLength + tail.byteLength
  switch (upload._tag) {
    case "Memory":
      return fromMemory([head, ...upload.parts, tail])
    case "Source":
      return {
        _tag: "Source",
        read: (nextBlock) => around(upload.read(nextBlock)),
        byteLength: upload.byteLength + added
      }
    case "Stream":
      return fromStream(around(upload.stream), upload.byteLength === undefined ? undefined : upload.byteLength + added)
  }
}

/** Longest chunk, in bytes: deadlines and events see the progress of an upload chunk by chunk. */
const chunkLimit = 256 * 1024

/** Size of a reused block, in bytes. A larger one needs fewer reads. */
const reusedBlockSize = 1024 * 1024

/** Reads an upload in chunks of at most 256 KiB, each in memory of its own. */
export const chunks = (upload: Upload): Chunks =>
  read(upload, (byteLength) => () => new Uint8Array(Math.min(chunkLimit, byteLength)))

/**
 * Reads an upload in chunks that are valid only until the next one is pulled: a source is read into one reused block
 * of at most 1 MiB.
 */
export const borrowedChunks = (upload: Upload): Chunks =>
  read(upload, (byteLength) => {
    const block = new Uint8Array(Math.min(reusedBlockSize, byteLength))
    return () => block
  })

const read = (upload: Upload, blocksFor: (byteLength: number) => () => Uint8Array): Chunks => {
  switch (upload._tag) {
    case "Memory":
      return split(Stream.fromIterable(upload.parts))
    case "Source":
      return Stream.suspend(() => upload.read(blocksFor(upload.byteLength)))
    case "Stream":
      return split(upload.stream)
  }
}

/** Emits one chunk at a time, so that the number of emitted chunks shows how much was sent. */
const split = (stream: Chunks): Chunks =>
  stream.pipe(
    Stream.mapConcat((bytes) => piecesOf(bytes, chunkLimit)),
    Stream.rechunk(1)
  )
