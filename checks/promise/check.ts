/**
 * What calls of `@effect-speech/promise` leave behind: `pnpm verify promise`; `--only aborts|calls|memory` for one part, `--quick` for a
 * short form, `--seed N` for other moments.
 */
import { readPartOptions, runParts } from "../support/parts.js"
import { checkAborts } from "./aborts.js"
import { checkCalls } from "./calls.js"
import { checkMemory } from "./memory.js"

const { only, quick, seed } = readPartOptions()

await runParts(
  {
    aborts: () => checkAborts({ count: quick ? 36 : 200, seed }),
    calls: () => checkCalls({ count: quick ? 200 : 1000 }),
    memory: () => checkMemory({ quick })
  },
  only
)
