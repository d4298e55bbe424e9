/** The tests of `examples/recorded`, run from its recorded exchanges by the built command. */
import { join } from "node:path"
import { root, run } from "./processes.js"

const folder = join(root, "examples/recorded")
const bin = join(root, "packages/cli/dist/bin.js")

/**
 * Runs them. Returns what they print, without the times that differ, and what the command says.
 *
 * @param prefix A command that runs the command, such as one that takes its network away.
 */
export const runRecordedExample = async (prefix: ReadonlyArray<string> = []) => {
  const tests = [process.execPath, "--test", "--test-reporter=tap", "app.test.js"]
  const [command = "", ...parameters] = [
    ...prefix,
    ...[process.execPath, bin, "run", "--replay", "exchanges", "--", ...tests]
  ]
  const { status, stderr, stdout } = await run(command, parameters, { cwd: folder, mayFail: true })
  return { status, stderr, tests: stdout.replace(/^.*duration_ms.*\n/gm, "") }
}
