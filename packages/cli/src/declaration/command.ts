/**
 * What a command is declared to be.
 */
import type { Operands, Option } from "../option.js"

export interface Command {
  /** One sentence, in the imperative. */
  readonly summary: string
  readonly examples: ReadonlyArray<string>
  readonly operands?: Operands
  /** The options. Each key is the name of the value in the code. An option that sets a field of a request has the name of the field. */
  readonly options: Readonly<Record<string, Option<unknown>>>
  /** Options of earlier versions: they are read, and neither described nor completed. */
  readonly former?: Readonly<Record<string, Option<unknown>>>
}
