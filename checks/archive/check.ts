/**
 * What an archive promises, on its real parts: `pnpm verify archive`, with `--seed N`; `--quick` for fewer files and kills, and
 * `--only PART,…`. README.md says what each part shows.
 */
import { readOptions, refuseOptions } from "../../test/support/options.js"
import { exitStatus } from "../../test/support/report.js"
import { checkDisk } from "./disk.js"
import { checkHistories } from "./histories.js"
import { checkKill } from "./kill.js"
import { checkList } from "./list.js"
import { checkMachines } from "./machines.js"
import { checkOverhead } from "./overhead.js"
import { checkPoison } from "./poison.js"
import { checkRefusal } from "./refusal.js"
import { checkSaturation } from "./saturation.js"
import { checkStop } from "./stop.js"
import { checkStore } from "./store.js"
import type { Settings } from "./support.js"

const parts: Readonly<Record<string, (settings: Settings) => Promise<void>>> = {
  overhead: checkOverhead,
  kill: checkKill,
  histories: checkHistories,
  stop: checkStop,
  machines: checkMachines,
  refusal: checkRefusal,
  list: checkList,
  poison: checkPoison,
  disk: checkDisk,
  store: checkStore,
  saturation: checkSaturation
}

const values = readOptions({
  only: { type: "string" },
  quick: { type: "boolean", default: false },
  seed: { type: "string", default: "1" }
})
const seed = Number(values.seed)
if (!Number.isInteger(seed)) refuseOptions("--seed takes an integer.")
const chosen = values.only?.split(",") ?? Object.keys(parts)
for (const part of chosen) {
  const check = parts[part] ?? refuseOptions(`--only takes some of ${Object.keys(parts).join(", ")}.`)
  await check({ quick: values.quick, seed })
}
process.exitCode = exitStatus()
