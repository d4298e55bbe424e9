/**
 * A file to transcribe, or a line to synthesize, as a {@link Source} lists it.
 *
 * @example
 * ```ts
 * import { Source } from "@effect-speech/archive"
 *
 * export const item: Source.SourceItem = { path: "2026/call-17.wav", size: 160_044, modifiedMillis: 1_795_000_000_000 }
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface SourceItem {
  /** Relative to the root, with `/` between folders; the id of a line. */
  readonly path: string
  /** In bytes. */
  readonly size: number
  /** Milliseconds since 1970. 0 for a line. */
  readonly modifiedMillis: number
  /** SHA-256 of the content as 64 hexadecimal digits: of a line always, of a file if it is known by its content. */
  readonly content?: string | undefined
  /** The fields of a line: `text`, and what overrides the operation. Absent for a file. */
  readonly line?: Readonly<Record<string, unknown>> | undefined
  /** Set if there is nothing to call, such as a link to nothing: it is recorded as failed with this tag and sentence. */
  readonly problem?: { readonly tag: string; readonly message: string } | undefined
}
