/**
 * The console of the command. Nothing that it prints controls a terminal, wherever the text comes from.
 */
import { format } from "node:util"
import * as Printable from "@effect-speech/common/Printable"
import type * as Console from "effect/Console"

/**
 * | writes             | where           | what becomes of the text |
 * | ------------------ | --------------- | ------------------------ |
 * | `log`              | a terminal      | printable lines |
 * | `log`              | a file, a pipe  | exact |
 * | `log` with `--json`| anywhere        | one printable line of JSON, with the same value |
 * | `error`            | standard error  | one printable line, so that a file name can't look like another message |
 * | a logger           | standard error  | printable lines |
 */
export const safeConsole = (base: Console.Console, options: { readonly json: boolean }): Console.Console => {
  const result = options.json ? Printable.line : process.stdout.isTTY === true ? Printable.lines : undefined
  const unsafe: Console.UnsafeConsole = Object.create(base.unsafe)
  unsafe.error = (...parts) => base.unsafe.error(Printable.lines(format(...parts)))
  return {
    ...base,
    log: (...parts) => (result === undefined ? base.log(...parts) : base.log(result(format(...parts)))),
    error: (...parts) => base.error(Printable.line(format(...parts))),
    unsafe
  }
}
