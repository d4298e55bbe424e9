import { cooperatively, type Steps } from "@effect-speech/common/Cooperative"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"

export interface JsonLimits {
  readonly bytes: number
  /** Objects, arrays, strings, numbers and so on, without the names of fields. */
  readonly values: number
  readonly objectsAndArrays: number
  /** Maximum fields per object. */
  readonly fields: number
  readonly levels: number
}

/**
 * A response may have at most this. Each number allows about 100 hours of speech with a time for each word, and the
 * objects of a text of that size take about 300 MB.
 */
export const limits: JsonLimits = {
  bytes: 64 * 1024 * 1024,
  values: 6_000_000,
  objectsAndArrays: 1_200_000,
  /** A larger object blocks the event loop each time it grows. */
  fields: 100_000,
  /** Functions that read the result may recurse, such as `JSON.stringify`. */
  levels: 100
}

/** Bytes that are read at once: a few milliseconds, however they are filled. */
const pieceSize = 64 * 1024

/**
 * Reads a body as JSON, with `clean` for each string and each name of a field. The left side says what is wrong.
 *
 * The value is built while the bytes arrive: there is no copy of the body, a body beyond a limit ends the reading at once,
 * and a large one does not block the event loop, as `JSON.parse` would.
 */
export const readJson = <E>(
  pull: Effect.Effect<Uint8Array | undefined, E>,
  clean: (text: string) => string,
  { bytes, ...others }: JsonLimits = limits
): Effect.Effect<Either.Either<unknown, string>, E> =>
  Effect.suspend(() => {
    const reader = new JsonReader(clean, others)
    let decoder: typeof wholeText | undefined
    let length = 0
    function* push(chunk: Uint8Array, isFirst: boolean): Steps<void> {
      if (isFirst && isShortAndWhole(chunk)) reader.push(wholeText.decode(chunk))
      else {
        // A byte order mark is one only at the beginning.
        decoder ??= new TextDecoder("utf-8", { ignoreBOM: !isFirst })
        for (let at = 0; at < chunk.byteLength; at += pieceSize) {
          reader.push(decoder.decode(chunk.subarray(at, at + pieceSize), { stream: true }))
          yield
        }
      }
    }
    function* end(): Steps<unknown> {
      if (decoder !== undefined) reader.push(decoder.decode())
      yield
      return reader.end()
    }
    const readNext: Effect.Effect<Either.Either<unknown, string>, E> = Effect.flatMap(pull, (chunk) => {
      if (chunk === undefined) return cooperatively(attempt(end()))
      const isFirst = length === 0
      length += chunk.byteLength
      if (length > bytes) return Effect.succeed(Either.left(`it is longer than ${bytes} bytes`))
      return Effect.flatMap(cooperatively(attempt(push(chunk, isFirst))), (pushed) =>
        Either.isLeft(pushed) ? Effect.succeed(pushed) : readNext
      )
    })
    return readNext
  })

/** Most bodies are one such chunk. To make a decoder costs more than to decode it. */
const isShortAndWhole = (chunk: Uint8Array): boolean => chunk.byteLength <= pieceSize && (chunk.at(-1) ?? 0) < 0x80

const wholeText = new TextDecoder()

const notJson = "it is not JSON"

/** The problem of a body that begins as JSON and ends within an object or an array. */
export const cutOff = "its JSON is cut off"

function* attempt<A>(steps: Steps<A>): Steps<Either.Either<A, string>> {
  try {
    return Either.right(yield* steps)
  } catch (error) {
    return Either.left(error instanceof KnownProblem ? error.message : notJson)
  }
}

class KnownProblem extends Error {}

const check = (isExpected: boolean): void => {
  if (!isExpected) throw new SyntaxError(notJson)
}

type Container = Array<unknown> | Record<string, unknown>

type Expected = "value" | "value or end" | "name" | "name or end" | "colon" | "comma or end" | "nothing"

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a]
const [openArray, closeArray, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d]
const isSpace = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09
/** A separate loop reads megabytes of spaces in a quarter of the time. */
const skipSpaces = (text: string, start: number): number => {
  let at = start
  while (at < text.length && isSpace(text.charCodeAt(at))) at++
  return at
}
const endsScalar = (code: number): boolean =>
  code === comma || code === closeArray || code === closeObject || isSpace(code)

/** Maximum number of cached names: names of fields repeat in each object. */
const cachedNames = 1000

/** In characters. V8 copies a part of this length; a longer part keeps the whole piece in memory. */
const copiedLength = 12

const parseString = (raw: string): string => {
  if (raw.length > copiedLength) return JSON.parse(`"${raw}"`)
  for (let at = 0; at < raw.length; at++) {
    const code = raw.charCodeAt(at)
    if (code < 0x20 || code === backslash) return JSON.parse(`"${raw}"`)
  }
  return raw
}

/**
 * Builds the value of a JSON text that comes in pieces. `JSON.parse` reads each string, number and word; this reads what is
 * around them. `push` and `end` throw if the text is not JSON or beyond a limit.
 */
export class JsonReader {
  readonly #clean: (text: string) => string
  readonly #maximum: Omit<JsonLimits, "bytes">
  readonly #outer: Array<Container | undefined> = []
  /** The numbers of fields of the outer and the inner objects. */
  readonly #outerFields: Array<number> = []
  readonly #names = new Map<string, string>()
  #fields = 0
  #inner: Container | undefined
  #root: unknown
  #name = ""
  #expected: Expected = "value"
  #values = 0
  #containers = 0
  /** The token that continues in the next piece, and what was read of it so far. */
  #token: "string" | "scalar" | undefined
  #beginning = ""
  /** An escape sequence that the end of the last piece cut. */
  #cut = ""

  constructor(clean: (text: string) => string, maximum: Omit<JsonLimits, "bytes"> = limits) {
    this.#clean = clean
    this.#maximum = maximum
  }

  push(piece: string): void {
    const text = this.#cut + piece
    this.#cut = ""
    for (let at = 0; at < text.length; ) {
      if (this.#token === "string") at = this.#readString(text, at)
      else if (this.#token === "scalar") at = this.#readScalar(text, at)
      else {
        at = skipSpaces(text, at)
        if (at === text.length) return
        this.#readStructure(text.charCodeAt(at))
        // The first character of a scalar belongs to it.
        if (this.#token !== "scalar") at++
      }
    }
  }

  /** The value, after the last piece. */
  end(): unknown {
    if (this.#inner !== undefined) throw new KnownProblem(cutOff)
    if (this.#token === "scalar") this.#endScalar()
    check(this.#token === undefined && this.#expected === "nothing")
    return this.#root
  }

  #expectsValue(): boolean {
    return this.#expected === "value" || this.#expected === "value or end"
  }

  #expectsName(): boolean {
    return this.#expected === "name" || this.#expected === "name or end"
  }

  #add(value: unknown): void {
    const inner = this.#inner
    const maximum = this.#maximum.values
    if (++this.#values > maximum) throw new KnownProblem(`it has more than ${maximum} values`)
    if (inner === undefined) this.#root = value
    else if (Array.isArray(inner)) inner.push(value)
    // An assignment would set the prototype.
    else if (this.#name === "__proto__")
      Object.defineProperty(inner, this.#name, { value, configurable: true, enumerable: true, writable: true })
    else inner[this.#name] = value
    this.#expected = inner === undefined ? "nothing" : "comma or end"
  }

  #open(container: Container, next: Expected): void {
    check(this.#expectsValue())
    const { levels, objectsAndArrays } = this.#maximum
    if (++this.#containers > objectsAndArrays) {
      throw new KnownProblem(`it has more than ${objectsAndArrays} objects and arrays`)
    }
    if (this.#outer.length === levels) throw new KnownProblem(`it is nested more than ${levels} levels deep`)
    this.#add(container)
    this.#outer.push(this.#inner)
    this.#outerFields.push(this.#fields)
    this.#fields = 0
    this.#inner = container
    this.#expected = next
  }

  #close(): void {
    this.#inner = this.#outer.pop()
    this.#fields = this.#outerFields.pop() ?? 0
    this.#expected = this.#inner === undefined ? "nothing" : "comma or end"
  }

  #parseName(raw: string): string {
    const known = this.#names.get(raw)
    if (known !== undefined) return known
    const parsed = this.#clean(parseString(raw))
    // The parsed one, because `raw` may keep its whole piece in memory.
    if (parsed === raw && this.#names.size < cachedNames) this.#names.set(parsed, parsed)
    return parsed
  }

  /** Reads a string from `start` on. Returns where it ends. */
  #readString(text: string, start: number): number {
    let at = start
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code === quote) break
      if (code === backslash) {
        const length = text[at + 1] === "u" ? 6 : 2
        if (at + length > text.length) break
        at += length - 1
      }
    }
    const raw = text.slice(start, at)
    if (text.charCodeAt(at) !== quote) {
      this.#beginning += parseString(raw)
      this.#cut = text.slice(at)
      return text.length
    }
    this.#token = undefined
    const beginning = this.#beginning
    if (this.#expectsName()) {
      const maximum = this.#maximum.fields
      if (++this.#fields > maximum) throw new KnownProblem(`an object has more than ${maximum} fields`)
      this.#name = beginning === "" ? this.#parseName(raw) : this.#clean(beginning + parseString(raw))
      this.#expected = "colon"
    } else {
      this.#add(this.#clean(beginning + parseString(raw)))
    }
    this.#beginning = ""
    return at + 1
  }

  #endScalar(): void {
    const raw = this.#beginning
    this.#token = undefined
    this.#beginning = ""
    this.#add(JSON.parse(raw))
  }

  /** Reads a number, `true`, `false` or `null` from `start` on. Returns where it ends. */
  #readScalar(text: string, start: number): number {
    let at = start
    while (at < text.length && !endsScalar(text.charCodeAt(at))) at++
    this.#beginning += text.slice(start, at)
    if (at < text.length) this.#endScalar()
    return at
  }

  #readStructure(code: number): void {
    const expected = this.#expected
    switch (code) {
      case quote:
        check(this.#expectsValue() || this.#expectsName())
        this.#token = "string"
        break
      case openArray:
        this.#open([], "value or end")
        break
      case openObject:
        this.#open({}, "name or end")
        break
      case closeArray:
        check(Array.isArray(this.#inner) && (expected === "value or end" || expected === "comma or end"))
        this.#close()
        break
      case closeObject:
        check(!Array.isArray(this.#inner) && (expected === "name or end" || expected === "comma or end"))
        this.#close()
        break
      case comma:
        check(expected === "comma or end")
        this.#expected = Array.isArray(this.#inner) ? "value" : "name"
        break
      case colon:
        check(expected === "colon")
        this.#expected = "value"
        break
      default:
        check(this.#expectsValue())
        this.#token = "scalar"
    }
  }
}
