/**
 * The error of every call: one class, and a union of its tags for each operation.
 */
import type { CallReport } from "./Call.js"

/**
 * What an error concerns, for handlers that treat many errors alike.
 *
 * | value        | meaning | what helps |
 * | ------------ | ------- | ---------- |
 * | `request`    | the request or an option breaks a rule | another request |
 * | `recording`  | the recording can't be read or transcribed | another recording |
 * | `account`    | the key, the account or its credit is refused: every call fails until that changes | the owner of the account |
 * | `service`    | the service, or a gateway in front of it, failed or sent something that can't be used | a later try, or the right base URL |
 * | `connection` | there is no complete response in time | a later try, a better network, or longer deadlines |
 * | `file`       | a file of this machine can't be written or read | another path, or space on the disk |
 *
 * @since 0.1.0
 * @category models
 */
export type Category = "request" | "recording" | "account" | "service" | "connection" | "file"

/**
 * The error as plain data, as `JSON.stringify` writes it.
 *
 * @since 0.1.0
 * @category models
 */
export interface SpeechErrorJson<Tag extends string = string, Facts extends object = object> {
  readonly name: "SpeechError"
  readonly tag: Tag
  readonly category: Category
  readonly message: string
  /** Whether the same call may succeed if it is made again. */
  readonly retryable: boolean
  readonly facts: Facts
  readonly call: CallReport
}

/** What an error is made of. It is the `cause` too, since `structuredClone` and `postMessage` keep only that. */
type Cause<Tag extends string, Facts extends object> = Omit<SpeechErrorJson<Tag, Facts>, "name" | "message">

/**
 * The error of a call. `message` says what happened, and what to do. Its stack has the frames of your code that made the call.
 *
 * ```ts
 * try {
 *   await speech.speak("नमस्ते", { lang: "hi" })
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
  override readonly cause: Cause<Tag, Facts>

  constructor(message: string, cause: Cause<Tag, Facts>) {
    super(message)
    this.cause = cause
  }
  /** What happened, such as `SttCreditExhausted`. */
  get tag(): Tag {
    return this.cause.tag
  }
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
  toJSON(): SpeechErrorJson<Tag, Facts> {
    return { name: "SpeechError", message: this.message, ...this.cause }
  }
}
Object.defineProperty(SpeechError.prototype, "name", { value: "SpeechError", writable: true, configurable: true })
