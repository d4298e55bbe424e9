/**
 * A test may start the command or an example with an environment of its own. They run outside of vitest, so they are told
 * to write down by themselves what they ran: Node does so at the end of a process, and of a thread, that has this variable.
 */
import childProcess, { type SpawnOptions } from "node:child_process"
import { syncBuiltinESMExports } from "node:module"

const { spawn } = childProcess
const withCoverage = (command: string, parameters: ReadonlyArray<string>, options: SpawnOptions) => {
  const { NODE_V8_COVERAGE } = process.env
  return spawn(command, parameters, { ...options, env: { ...(options.env ?? process.env), NODE_V8_COVERAGE } })
}
Object.assign(childProcess, { spawn: withCoverage })
syncBuiltinESMExports()
