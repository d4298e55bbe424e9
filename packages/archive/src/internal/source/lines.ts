import { createReadStream, existsSync } from "node:fs"
import { resolve } from "node:path"
import { Readable } from "node:stream"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Printable from "@effect-speech/common/Printable"
import { CsvError, parse } from "csv-parse"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Stream from "effect/Stream"
import { ArchiveSourceFailed } from "../../ArchiveError.js"
import { type List, pathBelow, sourceFailed } from "./files.js"
import type { Line } from "./texts.js"

/** In bytes. A file without line breaks is an error, and does not fill the memory. */
const longestLine = 16 * 1024 * 1024

interface RawLine {
  readonly bytes: Uint8Array
  /** From 1. */
  readonly number: number
}

const newline = 10

/** A pipe has no places to read at, as the file system does. It is opened when it is read. */
const pipeOf = (path: string): AsyncIterable<Uint8Array> => ({
  [Symbol.asyncIterator]: () => createReadStream(path)[Symbol.asyncIterator]()
})

/** The bytes of a file or a pipe, which is opened when they are read. */
const bytesOf = (path: string) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const found = yield* Effect.option(fs.stat(path))
    return Option.exists(found, ({ type }) => type === "FIFO" || type === "Socket" || type === "CharacterDevice")
      ? pipeOf(path)
      : yield* Stream.toAsyncIterableEffect(fs.stream(path))
  })

/** The lines of a file, a chunk at a time. With `nul`, a file whose first chunk has a NUL is separated by NUL. */
async function* rawLines(
  path: string,
  file: AsyncIterable<Uint8Array>,
  nul: boolean
): AsyncGenerator<ReadonlyArray<RawLine>> {
  let parts: Array<Uint8Array> = []
  let length = 0
  let number = 0
  let separator: number | undefined
  const take = (bytes: Uint8Array): RawLine => {
    const line = parts.length === 0 ? bytes : Buffer.concat([...parts, bytes])
    parts = []
    length = 0
    number += 1
    const from = number === 1 && line[0] === 0xef && line[1] === 0xbb && line[2] === 0xbf ? 3 : 0
    const to = separator === newline && line.at(-1) === 13 ? line.length - 1 : line.length
    return { bytes: line.subarray(from, to), number }
  }
  for await (const chunk of file) {
    separator ??= nul && chunk.includes(0) ? 0 : newline
    const lines: Array<RawLine> = []
    let from = 0
    for (;;) {
      const at = chunk.indexOf(separator, from)
      if (at === -1) break
      lines.push(take(chunk.subarray(from, at)))
      from = at + 1
    }
    const rest = chunk.subarray(from)
    if (rest.length > 0) parts.push(rest)
    length += rest.length
    if (length > longestLine) {
      throw lineFailed(path, number + 1, `is longer than ${longestLine} bytes. Check that the file has line breaks.`)
    }
    yield lines
  }
  if (parts.length > 0) yield [take(Buffer.alloc(0))]
}

const lineFailed = (path: string, line: number, sentence: string): ArchiveSourceFailed =>
  new ArchiveSourceFailed({ path, line, message: Printable.line(`Line ${line} of ${path} ${sentence}`) })

const ofLists: ReadonlySet<number> = new Set([...Buffer.from("\0\t\n\r")])

/** A control character that hardly any list has. A recording has some of them in its header. */
const isBinary = (byte: number): boolean => (byte < 0x20 || byte === 0x7f) && !ofLists.has(byte)

/** The paths of a list, relative to the root. */
export const pathLines = (list: List, root: string) =>
  Effect.map(bytesOf(list.path), (file) => () => pathsIn(list, root, file))

async function* pathsIn(list: List, root: string, file: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  try {
    for await (const lines of rawLines(list.path, file, true)) {
      for (const { bytes, number } of lines) {
        // The name of a file may have them.
        if (bytes.some(isBinary) && !existsSync(resolve(root, decoder.decode(bytes).replaceAll("\0", "")))) {
          const message = `${list.path} is no list of paths: line ${number} is no text. Give a text file with a path on each line. For one recording, give the folder that it is in.`
          throw new ArchiveSourceFailed({ path: list.path, line: number, message: Printable.line(message) })
        }
        if (bytes.length > 0) yield pathBelow(root, decoder.decode(bytes), number, list)
      }
    }
  } catch (error) {
    throw error instanceof ArchiveSourceFailed ? error : sourceFailed(list.path, error)
  }
}

/** The texts of a file. */
export type ReadLines = (path: string) => Stream.Stream<Line, ArchiveSourceFailed, FileSystem.FileSystem>

const toStream = (
  path: string,
  lines: (file: AsyncIterable<Uint8Array>) => AsyncIterable<ReadonlyArray<Line>>
): Stream.Stream<Line, ArchiveSourceFailed, FileSystem.FileSystem> =>
  Stream.unwrap(
    Effect.map(bytesOf(path), (file) =>
      Stream.fromAsyncIterable(lines(file), (error) =>
        error instanceof ArchiveSourceFailed ? error : sourceFailed(path, error)
      )
    )
  ).pipe(Stream.map(Chunk.unsafeFromArray), Stream.flattenChunks)

/** The objects of a JSONL file. Empty lines are left out. */
export const jsonLines: ReadLines = (path) =>
  toStream(path, async function* (file) {
    const decoder = new TextDecoder("utf-8", { fatal: true })
    for await (const lines of rawLines(path, file, false)) {
      const found: Array<Line> = []
      for (const { bytes, number } of lines) {
        let text: string
        try {
          text = decoder.decode(bytes)
        } catch {
          throw lineFailed(path, number, "is not UTF-8. Convert the file.")
        }
        if (text.trim() === "") continue
        let value: unknown
        try {
          value = JSON.parse(text)
        } catch {
          throw lineFailed(path, number, "is not JSON. Write one JSON object a line.")
        }
        found.push({ value: withTextId(value), number })
      }
      yield found
    }
  })

/** A number is an id too, and null is absent. */
const withTextId = (value: unknown): unknown => {
  if (!Predicate.isRecord(value)) return value
  const given = Object.fromEntries(Object.entries(value).filter(([, field]) => field !== null))
  return typeof given.id === "number" ? { ...given, id: String(given.id) } : given
}

const columns: ReadonlyArray<string> = ["id", "text", "lang", "voice", "speed", "numStep", "outputFormat"]
const numbers: ReadonlySet<string> = new Set(["speed", "numStep"])

/** The rows of a CSV file by the names of its columns. */
export const csvLines: ReadLines = (path) =>
  toStream(path, async function* (bytes) {
    const parser = parse({
      bom: true,
      columns: (names: Array<string>) => {
        const unknown = names.find((name) => !columns.includes(name))
        if (unknown !== undefined) {
          throw lineFailed(path, 1, `names the column ${unknown}, which is not known. Use ${columns.join(", ")}.`)
        }
        // Its last one would be taken.
        const twice = names.find((name, index) => names.indexOf(name) !== index)
        if (twice !== undefined) throw lineFailed(path, 1, `names the column ${twice} twice. Remove one of them.`)
        return names
      },
      info: true,
      max_record_size: longestLine,
      skip_empty_lines: true
    })
    const file = Readable.from(bytes)
    file.on("error", (error) => parser.destroy(error))
    try {
      for await (const { info, record } of file.pipe(parser) as AsyncIterable<Row>) {
        const fields = Object.entries(record).filter(([, field]) => field !== "")
        if (fields.some(([, field]) => field.includes("\ufffd"))) {
          throw lineFailed(path, info.lines, "is not UTF-8. Convert the file.")
        }
        const value = Object.fromEntries(
          fields.map(([name, field]) => [name, numbers.has(name) && field.trim() !== "" ? Number(field) : field])
        )
        yield [{ value, number: info.lines }]
      }
    } catch (error) {
      if (!(error instanceof CsvError)) throw error
      throw lineFailed(path, Number(error.lines ?? 1), `is not CSV (${error.code}). Correct it.`)
    } finally {
      file.destroy()
    }
  })

interface Row {
  readonly info: { readonly lines: number }
  readonly record: Readonly<Record<string, string>>
}
