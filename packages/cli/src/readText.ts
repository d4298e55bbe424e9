/**
 * Reads the text of a file or of standard input.
 */
import { closeSync, constants, createReadStream, fstatSync, openSync } from "node:fs"
import { Socket } from "node:net"
import type { Readable } from "node:stream"
import * as NodeStream from "@effect/platform-node/NodeStream"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { InputFailed } from "./failure.js"
import { readFailed } from "./fileFailure.js"

/** In bytes, since a text is held in memory: more than ten times a long novel. */
const largestText = 16 * 1024 * 1024

/**
 * Opens a text. For a pipe it waits as for a connection: in a thread of Node, as for a file, Ctrl-C could not end the wait for
 * a writer.
 */
const openText = (file: string): Readable => {
  try {
    const descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    if (fstatSync(descriptor).isFIFO()) return new Socket({ fd: descriptor, readable: true, writable: false })
    closeSync(descriptor)
  } catch {
    // The stream reports it.
  }
  return createReadStream(file)
}

/** The whole of a text file or of standard input (`-`), without the line break at its end. */
export const readText = (file: string): Effect.Effect<string, InputFailed> =>
  Effect.gen(function* () {
    const name = file === "-" ? "Standard input" : file
    const fail = (problem: string) => new InputFailed({ message: `${name} ${problem}` })
    const bytes = NodeStream.fromReadable<InputFailed, Uint8Array>(
      () => (file === "-" ? process.stdin : openText(file)),
      (error) => readFailed(name, error)
    )
    const decoder = new TextDecoder("utf-8", { fatal: true })
    const decode = (chunk?: Uint8Array) =>
      Effect.try({
        try: () => decoder.decode(chunk, { stream: chunk !== undefined }),
        catch: () => fail("is not text in UTF-8.")
      })
    let length = 0
    const content = yield* Stream.runFoldEffect(bytes, "", (text, chunk) => {
      length += chunk.byteLength
      return length > largestText
        ? fail("is far longer than a text may be: at most 16 MiB.")
        : Effect.map(decode(chunk), (more) => text + more)
    })
    return `${content}${yield* decode()}`.replace(/\r?\n$/, "")
  })
