/**
 * The laws of WAV files on random ones for a minute: `pnpm fuzz:wav`. A failure prints the smallest file that breaks a
 * law, and the seed that leads to it again.
 */
import * as FastCheck from "effect/FastCheck"
import { wavLaws } from "./wavLaws.js"

const seconds = 60
const laws = Object.entries(wavLaws)
const highest = () => Math.round(process.resourceUsage().maxRSS / 1024)
let runs = 0

for (const [name, law] of laws) {
  const end = Date.now() + (seconds * 1000) / laws.length
  while (Date.now() < end) {
    const result = FastCheck.check(law, { seed: Date.now() | 0, numRuns: 2000 })
    runs += result.numRuns
    if (result.failed) {
      console.error(`${name}: ${FastCheck.defaultReportMessage(result)}`)
      process.exit(1)
    }
  }
  console.log(`${name}: held`)
}
console.log(`${runs} files in ${seconds} s; at most ${highest()} MB of memory.`)
