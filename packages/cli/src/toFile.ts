import type { Given } from "./declaration.js"

/** A synthesis whose output is known. */
export interface ToFile extends Given<"synthesize"> {
  /** A file, or `-` for standard output. */
  readonly out: string
  /** Whether the file is only played, and removed then. */
  readonly isTemporary: boolean
}
