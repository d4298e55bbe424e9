#!/usr/bin/env node
/**
 * The process of `speech`. What the arguments alone decide is printed at once; the rest of the command is loaded to run.
 */
import { parse } from "./parse.js"
import { load } from "./programs.js"
import { reportUnwritable } from "./standardStreams.js"
import { viewOf } from "./terminal.js"

const invocation = parse(process.argv.slice(2), viewOf(process.stdout))
/** The beginning of a message. */
const failure = /^speech:/

if (invocation._tag === "Printed") {
  const { code, stream, text } = invocation
  reportUnwritable(() => {})
  process.exitCode = code
  const shown = stream === "stderr" ? text.replace(failure, viewOf(process.stderr).failure) : text
  process[stream].write(`${shown}\n`)
} else {
  // The deprecations of a library are not for its users: pg prints one on each machine of an archive.
  Object.assign(process, { noDeprecation: true })
  // By itself, V8 of Node 20 optimizes the HTTP parser of undici at the first response. That takes 0.1 s of CPU and 30 MB, which only
  // a long process gets back. Newer versions wait longer, and may not know the flag.
  if (process.versions.node.startsWith("20.")) {
    const { setFlagsFromString } = await import("node:v8")
    setFlagsFromString("--wasm-tiering-budget=200000000")
  }
  const { main, start } = await load(invocation)
  main(invocation, start)
}
