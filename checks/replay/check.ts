/**
 * What is recorded is replayed: `pnpm verify replay`; `--only bytes|folder|writers|sizes|offline` for one part, `--quick` for a short
 * form, `--seed N` for other requests.
 */
import { readPartOptions, runParts } from "../support/parts.js"
import { checkBytes } from "./bytes.js"
import { checkFolder } from "./folders.js"
import { checkOffline } from "./offline.js"
import { checkSizes } from "./sizes.js"
import { checkWriters } from "./writers.js"

const { only, quick, seed } = readPartOptions()

await runParts(
  {
    // Fewer requests would not meet each fault.
    bytes: () => checkBytes({ count: quick ? 260 : 500, seed }),
    folder: () => checkFolder({ count: quick ? 60 : 200, seed }),
    writers: () => checkWriters({ count: 100, kills: quick ? 2 : 10, seed }),
    sizes: () => checkSizes({ quick }),
    offline: checkOffline
  },
  only
)
