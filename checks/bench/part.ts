/** One part of the benchmark: `node --import tsx part.ts NAME QUICK`. */
import { parts } from "./parts.js"

const [name = "", quick] = process.argv.slice(2)
const run = await parts[name]?.()
await run?.({ quick: quick === "true" })
