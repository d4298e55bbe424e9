/**
 * The console of the command. Nothing that it prints controls a terminal, wherever the text comes from.
 */
import { format } from "node:util"
import * as Printable from "@effect-speech/common/Printable"
import type * as Console from "effect/Console"
import { Coloured } from "./coloured.js"

/**
 * | writes             | where           | what becomes of the text |
 * | ------------------ | --------------- | ------------------------ |
 * | `log`              | a terminal      | printable lines |
 * | `log`              | a file, a pipe  | exact |
 * | `log` with `--json`| anywhere        | one printable line of JSON, with the same value |
 * | `error`            | standard error  | one printable line, so that a file name can't look like another message |
 * | a logger           | standard error  | printable lines |
 */
const plain = (part: unknown): unknown => (part instanceof Coloured ? part.text : part)

export const safeConsole = (base: Console.Console, options: { readonly json: boolean }): Console.Console => {
  const result = options.json ? Printable.line : process.stdout.isTTY === true ? Printable.lines : undefined
  const unsafe: Console.UnsafeConsole = Object.create(base.unsafe)
  unsafe.error = (...parts) => base.unsafe.error(Printable.lines(format(...parts)))
  /** Coloured parts as they are on a stream, and the others as printable text. */
  const shown = (parts: ReadonlyArray<unknown>, printable: (text: string) => string, stream: NodeJS.WriteStream) =>
    parts.map((part) => (part instanceof Coloured ? part.on(stream) : printable(format(part)))).join(" ")
  return {
    ...base,
    log: (...parts) =>
      base.log(result === undefined ? format(...parts.map(plain)) : shown(parts, result, process.stdout)),
    error: (...parts) => base.error(shown(parts, Printable.line, process.stderr)),
    unsafe
  }
}
