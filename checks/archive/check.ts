/**
 * What an archive promises, on its real parts: `pnpm verify archive`, with `--seed N`; `--quick` for fewer files and kills, and
 * `--only PART,…`. README.md says what each part shows.
 */
import { readOptions } from "effect-speech-test-support/options"
import { integerOf, runParts } from "../support/parts.js"
import { checkDisk } from "./disk.js"
import { checkHistories } from "./histories.js"
import { checkKill } from "./kill.js"
import { checkList } from "./list.js"
import { checkMachines } from "./machines.js"
import { checkOverhead } from "./overhead.js"
import { checkSaturation } from "./saturation.js"
import { checkStop } from "./stop.js"
import type { Settings } from "./support.js"

const { only, quick, ...values } = readOptions({
  only: { type: "string" },
  quick: { type: "boolean", default: false },
  seed: { type: "string", default: "1" }
})
const settings: Settings = { quick, seed: integerOf("--seed", values.seed) }
const parts = {
  overhead: checkOverhead,
  kill: checkKill,
  histories: checkHistories,
  stop: checkStop,
  machines: checkMachines,
  list: checkList,
  disk: checkDisk,
  saturation: checkSaturation
}
await runParts(Object.fromEntries(Object.entries(parts).map(([name, check]) => [name, () => check(settings)])), only)
