/** The command, from its start until its help is there. */
import { join } from "node:path"
import { root } from "../../../test/support/processes.js"
import { title } from "../../../test/support/report.js"
import type { Setting } from "../harness.js"
import { command, race, roundsOf } from "./race.js"

export const run = ({ quick }: Setting) => {
  const rounds = roundsOf(quick)
  const speech = join(root, "packages/cli/dist/bin.js")
  title("The command")
  console.log(`From the start of a process to its end, ${rounds} times each.\n`)
  race("process", rounds, [
    command("`node -e 0`", ["-e", "0"]),
    command("`speech --help`", [speech, "--help"]),
    command("`speech transcribe --help`", [speech, "transcribe", "--help"]),
    command("`speech synthesize --help`", [speech, "synthesize", "--help"])
  ])
}
