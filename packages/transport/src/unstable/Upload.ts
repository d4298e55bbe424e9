/**
 * A request body that is read while it is sent: bytes in memory, a source such as a file, or a stream.
 *
 * | `_tag`   | content | how it is sent |
 * | -------- | ------- | -------------- |
 * | `Memory` | parts that are in memory | in pieces of at most 64 KiB over undici, short ones together; else one after another |
 * | `Source` | bytes that can be read into a given block, such as a file's | from one reused block over undici, else from new blocks of 1 MiB |
 * | `Stream` | a stream of bytes | over undici short chunks together and long ones without a copy, else chunk by chunk |
 */
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { piecesOf } from "../internal/http/piecesOf.js"
import type { UploadFailed } from "./Failure.js"

/**
 * A request body that is read while it is sent.
 *
 * @since 0.1.0
 * @category models
 */
export type Upload = Memory | Source | Streamed

/**
 * A stream of bytes that may fail.
 *
 * @since 0.1.0
 * @category models
 */
export type Chunks = Stream.Stream<Uint8Array, UploadFailed>

/**
 * Bytes in memory.
 *
 * @since 0.1.0
 * @category models
 */
export interface Memory {
  readonly _tag: "Memory"
  readonly parts: ReadonlyArray<Uint8Array>
  /** Sum of the lengths of all parts. */
  readonly byteLength: number
}

/**
 * Bytes that are read into a block of the reader's choice, such as those of a file. They are read once, in order.
 *
 * @since 0.1.0
 * @category models
 */
export interface Source {
  readonly _tag: "Source"
  /** Reads the next bytes into the block, from its start on. Returns their number; 0 at the end. */
  readonly fill: (block: Uint8Array) => Effect.Effect<number, UploadFailed>
  /** Exact number of bytes. */
  readonly byteLength: number
}

/**
 * A stream whose chunks stay valid after the next one is pulled.
 *
 * @since 0.1.0
 * @category models
 */
export interface Streamed {
  readonly _tag: "Stream"
  readonly stream: Chunks
  /** Exact number of bytes. If it is `undefined`, the request has no Content-Length. */
  readonly byteLength: number | undefined
}

/**
 * An upload of parts in memory.
 *
 * @since 0.1.0
 * @category constructors
 */
export const fromMemory = (parts: ReadonlyArray<Uint8Array>): Memory => ({
  _tag: "Memory",
  parts,
  byteLength: parts.reduce((sum, part) => sum + part.byteLength, 0)
})

/**
 * An upload of a stream.
 *
 * @since 0.1.0
 * @category constructors
 */
export const fromStream = (stream: Chunks, byteLength: number | undefined): Streamed => ({
  _tag: "Stream",
  stream,
  byteLength
})

/**
 * The same upload between `head` and `tail`, such as the parts of a form.
 *
 * @since 0.1.0
 * @category constructors
 */
export const enclose = (head: Uint8Array, upload: Upload, tail: Uint8Array): Upload => {
  switch (upload._tag) {
    case "Memory":
      return fromMemory([head, ...upload.parts, tail])
    case "Source":
      return encloseSource(head, upload, tail)
    case "Stream":
      return fromStream(
        Stream.make(head).pipe(Stream.concat(upload.stream), Stream.concat(Stream.make(tail))),
        upload.byteLength === undefined ? undefined : head.byteLength + upload.byteLength + tail.byteLength
      )
  }
}

const encloseSource = (head: Uint8Array, { byteLength, fill }: Source, tail: Uint8Array): Source => {
  let ends = { head, tail }
  let left = byteLength
  /** Moves bytes of an end into the block, from `at` on. Returns their number. */
  const take = (end: "head" | "tail", block: Uint8Array, at: number): number => {
    const bytes = ends[end].subarray(0, block.byteLength - at)
    block.set(bytes, at)
    ends = { ...ends, [end]: ends[end].subarray(bytes.byteLength) }
    return bytes.byteLength
  }
  return {
    _tag: "Source",
    fill: (block) =>
      Effect.suspend(() => {
        const before = take("head", block, 0)
        const filling = left === 0 || before === block.byteLength ? Effect.succeed(0) : fill(block.subarray(before))
        return Effect.map(filling, (length) => {
          left -= length
          const filled = before + length
          return left === 0 ? filled + take("tail", block, filled) : filled
        })
      }),
    byteLength: head.byteLength + byteLength + tail.byteLength
  }
}

/**
 * Longest chunk, in bytes: deadlines and events see the progress of an upload chunk by chunk.
 *
 * @since 0.1.0
 * @category constants
 */
export const chunkLimit = 256 * 1024

/** Size of a reused block, in bytes. A larger one needs fewer reads. */
const reusedBlockSize = 1024 * 1024

/**
 * Reads an upload in chunks of at most 256 KiB, each in memory of its own.
 *
 * @since 0.1.0
 * @category combinators
 */
export const chunks = (upload: Upload): Chunks =>
  upload._tag === "Source"
    ? blocks(upload, () => new Uint8Array(Math.min(chunkLimit, upload.byteLength)))
    : split(upload._tag === "Memory" ? Stream.fromIterable(upload.parts) : upload.stream)

/**
 * Makes the block into which a source is read again and again: it has at most 1 MiB.
 *
 * @since 0.1.0
 * @category constructors
 */
export const reusedBlock = ({ byteLength }: Source): Uint8Array => new Uint8Array(Math.min(reusedBlockSize, byteLength))

/**
 * Like {@link chunks}, but a chunk is valid only until the next one is pulled: a source is read into one reused block.
 *
 * @since 0.1.0
 * @category combinators
 */
export const borrowedChunks = (upload: Upload): Chunks =>
  upload._tag === "Source"
    ? Stream.suspend(() => {
        const block = reusedBlock(upload)
        return blocks(upload, () => block)
      })
    : chunks(upload)

const blocks = ({ fill }: Source, nextBlock: () => Uint8Array): Chunks =>
  Stream.repeatEffectOption(
    Effect.suspend(() => {
      const block = nextBlock()
      return Effect.matchEffect(fill(block), {
        onFailure: (failure) => Effect.fail(Option.some(failure)),
        onSuccess: (length) => (length === 0 ? Effect.fail(Option.none()) : Effect.succeed(block.subarray(0, length)))
      })
    })
  )

const split = Stream.mapChunks<Uint8Array, Uint8Array>((bytes) =>
  Chunk.every(bytes, (part) => part.byteLength <= chunkLimit)
    ? bytes
    : Chunk.flatMap(bytes, (part) => Chunk.unsafeFromArray(piecesOf(part, chunkLimit)))
)
