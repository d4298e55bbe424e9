/**
 * A synthesis into a file.
 */
import * as AudioFormat from "@effect-speech/audio-codec/AudioFormat"
import type { WavFile } from "@effect-speech/audio-codec/Wav"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import type { Given } from "./declaration.js"
import { unlessQuiet } from "./message.js"

/** A synthesis whose output is known. */
export interface ToFile extends Given<"synthesize"> {
  /** A file, or `-` for standard output. */
  readonly out: string
  /** Whether the file is only played, and removed then. */
  readonly isTemporary: boolean
}

interface Result {
  readonly requestId: string
  /** How many pieces it has, in words. Default: it is not divided. */
  readonly pieces?: string
  /** Prints the warnings. JSON has them in its fields. */
  readonly printWarnings: Effect.Effect<void>
  /** Further fields of JSON. */
  readonly fields: Readonly<Record<string, unknown>>
}

/** Prints the file that was written, as JSON or as a line. */
export const printFile = (
  { isTemporary, json }: ToFile,
  { path, ...file }: WavFile,
  { fields, pieces, printWarnings, requestId }: Result
): Effect.Effect<void> => {
  if (json) return Console.log(JSON.stringify({ path: isTemporary ? undefined : path, ...file, requestId, ...fields }))
  const facts = [`${(file.durationMillis / 1000).toFixed(2)} s`, AudioFormat.describe(file.format), pieces]
  const line = [...facts.filter((fact) => fact !== undefined), `request ${requestId}`].join(", ")
  return Effect.zipRight(printWarnings, unlessQuiet(Console.error(`${isTemporary ? "spoken" : path}: ${line}`)))
}
