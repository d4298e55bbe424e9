/**
 * A service with models, when things go wrong and when there is much to do: `pnpm verify engines`, with `--seed N`; `--quick` for a
 * short form, and `--only PART,…`. It needs Linux.
 *
 * | part       | what it shows                                                                                          |
 * | ---------- | ------------------------------------------------------------------------------------------------------ |
 * | `breaks`   | Damaged models and wrong requests: the service stays up, says why, and the next request works.         |
 * | `kills`    | The process of a model is killed in each kind of work: retries bridge it, and nothing is billed twice. |
 * | `overload` | 200 requests at once: memory is bounded, and each request has a response.                              |
 * | `hour`     | An hour of audio: memory is flat, the event loop is free, and the work ends when its client leaves.    |
 * | `cost`     | What a request takes beside the engine alone.                                                          |
 */
import { readOptions } from "effect-speech-test-support/options"
import { integerOf, runParts } from "../support/parts.js"
import { checkBreaks } from "./breaks.js"
import { checkCost } from "./cost.js"
import { checkHour } from "./hour.js"
import { checkKills } from "./kills.js"
import { checkOverload } from "./overload.js"
import type { Settings } from "./support.js"

const { only, quick, ...values } = readOptions({
  only: { type: "string" },
  quick: { type: "boolean", default: false },
  seed: { type: "string", default: "1" }
})
const settings: Settings = { quick, seed: integerOf("--seed", values.seed) }
const parts = {
  breaks: checkBreaks,
  kills: checkKills,
  overload: checkOverload,
  hour: checkHour,
  cost: checkCost
}
await runParts(Object.fromEntries(Object.entries(parts).map(([name, check]) => [name, () => check(settings)])), only)
