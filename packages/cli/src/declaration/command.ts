/**
 * What a command is declared to be.
 */
import type { Operands, Option } from "../option.js"

export interface Command {
  /** One sentence, in the imperative. */
  readonly summary: string
  readonly examples: ReadonlyArray<string>
  readonly operands?: Operands
  /** By the name that the code gives each value. For a field of a request it is the field's. */
  readonly options: Readonly<Record<string, Option<unknown>>>
  /** Options of earlier versions: they are read, and neither described nor completed. */
  readonly former?: Readonly<Record<string, Option<unknown>>>
}
