/**
 * The error of every call.
 */
import type { CallReport } from "./Call.js"
import type { Category, ErrorFacts, SpeechErrorJson } from "./ErrorFacts.js"
import { describeTag } from "./internal/describeError.js"
import { readJson } from "./internal/errorJson.js"

/** What an error is made of. It is the `cause` too, since `structuredClone` and `postMessage` keep only that. */
type Cause<Tag extends string, Facts extends object> = Omit<SpeechErrorJson<Tag, Facts>, "name" | "message">

/**
 * The error of a call. `message` says what happened, and what to do. Its stack has the frames of your code that made the call.
 *
 * Narrow it by `isSpeakError` or `isTranscribeError`, and then by its `tag`. In a test, make one by `SpeechError.of`. If one comes from
 * another process or from JSON, `SpeechError.from` makes it again.
 *
 * @example
 * ```ts
 * import { connect, isSpeakError } from "@effect-speech/promise"
 *
 * try {
 *   await connect().speak("नमस्ते", { lang: "hi" })
 * } catch (error) {
 *   if (!isSpeakError(error)) throw error
 *   if (error.tag === "TtsBadRequest") console.error(error.facts.field)
 * }
 * ```
 *
 * @since 0.1.0
 * @category errors
 */
export class SpeechError<Tag extends string = string, Facts extends object = object> extends Error {
  declare readonly cause: Cause<Tag, Facts>

  constructor(message: string, cause: Cause<Tag, Facts>) {
    super(message, { cause })
  }

  /** What happened, such as `SttCreditExhausted`. */
  get tag(): Tag {
    return this.cause.tag
  }
  /** What the error concerns. */
  get category(): Category {
    return this.cause.category
  }
  /** Whether the same call may succeed if it is made again a little later. */
  get retryable(): boolean {
    return this.cause.retryable
  }
  /** The facts of this tag, such as `status`. */
  get facts(): Facts {
    return this.cause.facts
  }
  /** The attempts, and what is known of billing. */
  get call(): CallReport {
    return this.cause.call
  }
  /** The error as plain data. {@link SpeechError.from} makes the error again. */
  toJSON(): SpeechErrorJson<Tag, Facts> {
    return { name: "SpeechError", message: this.message, ...this.cause }
  }

  /**
   * An error for a test, with the message and the category that the client gives it. A fact that is absent has a default, such as
   * `status: 402`; the call is one that sent nothing.
   */
  static of<Tag extends keyof ErrorFacts>(
    tag: Tag,
    facts: Partial<ErrorFacts[Tag]> = {},
    call: Partial<CallReport> = {}
  ): SpeechError<Tag, ErrorFacts[Tag]> {
    const { message, ...cause } = describeTag(tag, facts, call)
    return new SpeechError(message, cause as Cause<Tag, ErrorFacts[Tag]>)
  }

  /**
   * The error again from its `structuredClone`, from what `postMessage` delivers, or from its parsed JSON. An error of this class is
   * given back as it is. `undefined` for anything else.
   */
  static from(value: unknown): SpeechError | undefined {
    if (value instanceof SpeechError) return value
    const read = readJson(value)
    if (read === undefined) return undefined
    const { message, stack, ...cause } = read
    const error = new SpeechError(message, cause)
    error.stack = stack ?? `${error.name}: ${message}`
    return error
  }
}

// A bundler may name the class anew, and a terminal prints that name.
Object.defineProperty(SpeechError, "name", { value: "SpeechError" })
Object.defineProperties(SpeechError.prototype, {
  name: { value: "SpeechError", writable: true, configurable: true },
  // Loggers copy what `for … in` finds.
  ...Object.fromEntries(
    ["tag", "category", "retryable", "facts", "call"].map((name) => [
      name,
      { ...Object.getOwnPropertyDescriptor(SpeechError.prototype, name), enumerable: true }
    ])
  )
})
