/**
 * What calls of `@effect-speech/promise` leave behind: `pnpm verify promise`; `--only aborts|calls|memory` for one part, `--quick` for a
 * short form, `--seed N` for other moments.
 */
import { readOptions } from "effect-speech-test-support/options"
import { integerOf, runParts } from "../support/parts.js"
import { checkAborts } from "./aborts.js"
import { checkCalls } from "./calls.js"
import { checkMemory } from "./memory.js"

const values = readOptions({
  only: { type: "string" },
  quick: { type: "boolean", default: false },
  seed: { type: "string", default: "1" }
})
const { only, quick } = values
const seed = integerOf("--seed", values.seed)

await runParts(
  {
    aborts: () => checkAborts({ count: quick ? 36 : 200, seed }),
    calls: () => checkCalls({ count: quick ? 200 : 1000 }),
    memory: () => checkMemory({ quick })
  },
  only
)
