/**
 * Node writes what a process ran if `NODE_V8_COVERAGE` is set. A test that starts the command or an example may replace the
 * environment, so this adds the variable to every process.
 */
import childProcess, { type SpawnOptions } from "node:child_process"
import { syncBuiltinESMExports } from "node:module"

const { spawn } = childProcess
const withCoverage = (command: string, parameters: ReadonlyArray<string>, options: SpawnOptions = {}) => {
  const { NODE_V8_COVERAGE } = process.env
  return spawn(command, parameters, { ...options, env: { ...(options.env ?? process.env), NODE_V8_COVERAGE } })
}
Object.assign(childProcess, { spawn: withCoverage })
syncBuiltinESMExports()
