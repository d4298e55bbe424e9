import * as Channel from "effect/Channel"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { UploadFailed } from "../../unstable/Failure.js"
import { type Chunks, chunkLimit, type Source, type Upload } from "../../unstable/Upload.js"
import type { CallTimer } from "../timer/callTimer.js"
import { toUploadFailed } from "./classifyConnectionError.js"
import type { UploadObserver } from "./httpDriver.js"
import { piecesOf } from "./piecesOf.js"
import { makeUploadProgress } from "./uploadProgress.js"

/** Follows the fiber that reads an upload. */
export interface ReadingObserver {
  /** Runs at the start, in that fiber. */
  readonly begin: Effect.Effect<void>
  readonly onFailure: (failure: UploadFailed) => void
}

/** The channel of a `Stream` of bytes. */
type Bytes = Channel.Channel<Chunk.Chunk<Uint8Array>, unknown, UploadFailed>

/**
 * Makes the stream by which any HttpClient sends an upload. Its pieces have at most 256 KiB. The progress of the upload counts a
 * piece when the client asks for it.
 *
 * It is one channel: each combinator of Stream would add a channel, and a step of its own to each piece.
 */
export const makeUploadStream = (
  upload: Upload,
  timer: CallTimer,
  observer: UploadObserver | undefined,
  { begin, onFailure }: ReadingObserver
): Chunks => {
  const progress = makeUploadProgress(upload.byteLength, timer, observer)
  const write = (pieces: ReadonlyArray<Uint8Array>, index = 0): Bytes => {
    const piece = pieces[index]
    if (piece === undefined) return Channel.void
    progress.pass(piece.byteLength)
    return Channel.flatMap(Channel.write(Chunk.of(piece)), () => write(pieces, index + 1))
  }
  let isRead = false
  const sending = Channel.suspend((): Bytes => {
    if (isRead) return Channel.fail(readTwice)
    isRead = true
    return send(upload, write)
  })
  return Stream.fromChannel(
    Channel.fromEffect(begin).pipe(
      Channel.flatMap(() => sending),
      Channel.catchAllCause((cause) => {
        onFailure(toUploadFailed(cause))
        return Channel.failCause(cause)
      }),
      Channel.flatMap(() => Channel.sync(progress.end))
    )
  )
}

/** An upload is opened for one attempt, and its source may be used up. */
const readTwice: UploadFailed = {
  _tag: "UploadFailed",
  problem: "the HttpClient sent it a second time; remove its retries and use the option retries"
}

type Write = (pieces: ReadonlyArray<Uint8Array>) => Bytes

const send = (upload: Upload, write: Write): Bytes => {
  switch (upload._tag) {
    case "Memory":
      return write(cut(upload.parts))
    case "Source":
      return sendSource(upload, write)
    case "Stream":
      return sendChunks(upload.stream, write)
  }
}

const cut = (parts: ReadonlyArray<Uint8Array>): ReadonlyArray<Uint8Array> =>
  parts.flatMap((part) => piecesOf(part, chunkLimit))

const sendChunks = (stream: Chunks, write: Write): Bytes => {
  const sending: Channel.Channel<
    Chunk.Chunk<Uint8Array>,
    Chunk.Chunk<Uint8Array>,
    UploadFailed,
    UploadFailed
  > = Channel.readWithCause({
    onInput: (chunk: Chunk.Chunk<Uint8Array>) =>
      Channel.flatMap(write(cut(Chunk.toReadonlyArray(chunk))), () => sending),
    onFailure: Channel.failCause,
    onDone: () => Channel.void
  })
  return Channel.pipeTo(Stream.toChannel(stream), sending)
}

/** In bytes. A larger block needs fewer reads. */
const blockSize = 1024 * 1024

/** Each block is new: the client may keep a piece for as long as it likes. */
const sendSource = ({ byteLength, fill }: Source, write: Write): Bytes => {
  let left = byteLength
  const read = Effect.suspend(() => {
    const block = new Uint8Array(Math.min(blockSize, left))
    return Effect.map(fill(block), (length) => {
      left -= length
      return block.subarray(0, length)
    })
  })
  const sendNext: Bytes = Channel.flatMap(Channel.fromEffect(read), (bytes) =>
    bytes.byteLength === 0 ? Channel.void : Channel.flatMap(write(piecesOf(bytes, chunkLimit)), () => sendNext)
  )
  return sendNext
}
