/** One part of the benchmark: `node --import tsx part.js NAME QUICK`. Prints Markdown. */
import { at } from "../../test/support/report.js"
import { choose } from "./harness.js"
import { parts } from "./parts.js"

const { run } = await choose(parts, at(process.argv, 2)).load()
await run({ quick: at(process.argv, 3) === "true" })
