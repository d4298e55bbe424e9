/**
 * What holds whatever comes, tried on random and damaged things: `pnpm verify fuzz`. Each law is tried for ten seconds, or
 * `--seconds N`; `--only WORDS` leaves out those whose topic or sentence does not hold them; `--seed N` is where the
 * chance begins. A law that does not hold is told with the smallest thing that breaks it, and the seed that leads there.
 */
import * as Effect from "effect/Effect"
import { readOptions, refuseOptions } from "../../test/support/options.js"
import { bar, megabytes, peakMemory, table, title } from "../../test/support/report.js"
import { temporaryFolder } from "../../test/support/serviceProcess.js"
import { type Topic, type Tried, tryLaw } from "./law.js"
import { topics, wavTopic } from "./topics.js"

const values = readOptions({
  only: { type: "string", default: "" },
  seconds: { type: "string", default: "10" },
  seed: { type: "string" }
})
const seconds = Number(values.seconds)
const seed = values.seed === undefined ? Date.now() % 1_000_000_000 : Number(values.seed)
if (!(seconds > 0 && Number.isFinite(seconds) && Number.isSafeInteger(seed))) {
  refuseOptions("The seconds are a number above 0, and the seed is a whole number.")
}

// At Ctrl-C no scope closes, and what a service has there goes with it.
process.env.TMPDIR = temporaryFolder("fuzz-")

const all: Readonly<Record<string, Topic>> = { wav: wavTopic, ...topics }
// The servers of the others need not start.
const chosen = Object.entries(Object.hasOwn(all, values.only) ? { [values.only]: all[values.only] as Topic } : all)

const outcomes: Array<readonly [law: string, tried: Tried]> = []
for (const [name, topic] of chosen) {
  const tried: typeof outcomes = []
  const tryTopic = Effect.gen(function* () {
    for (const [sentence, law] of Object.entries(yield* topic)) {
      if (!`${name} ${sentence}`.includes(values.only)) continue
      console.error(`${name}: ${sentence}`)
      tried.push([sentence, yield* Effect.promise(() => tryLaw(law, seed, seconds))])
    }
  })
  await Effect.runPromise(Effect.scoped(tryTopic))
  if (tried.length === 0) continue
  outcomes.push(...tried)
  title(name)
  table([
    ["law", "runs", "seconds", "outcome"],
    ...tried.map(([sentence, { failure, runs, seconds }]) => [
      sentence,
      String(runs),
      seconds.toFixed(1),
      failure === undefined ? "held" : "FAILED"
    ])
  ])
  for (const [sentence, { failure }] of tried) {
    if (failure !== undefined) console.log(`### ${sentence}\n\n\`\`\`\n${failure}\n\`\`\`\n`)
  }
}

if (outcomes.length === 0) {
  refuseOptions(
    `No law's topic or sentence holds the words "${values.only}"; the topics are ${Object.keys(all).join(", ")}.`
  )
}
const runs = outcomes.reduce((sum, [, tried]) => sum + tried.runs, 0)
const failed = outcomes.filter(([, { failure }]) => failure !== undefined)
console.log(`With the seed ${seed}, at most ${megabytes(peakMemory())} of memory.\n`)
bar("every law holds", failed.length === 0, `${failed.length} of ${outcomes.length} failed, ${runs} runs`)
// What is still being read of an answer that was given up would keep the process.
process.exit(failed.length === 0 ? 0 : 1)
