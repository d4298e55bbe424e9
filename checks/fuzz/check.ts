/**
 * `pnpm verify fuzz`: runs each law on random and damaged input.
 *
 * | option         | meaning                                                          |
 * | -------------- | ---------------------------------------------------------------- |
 * | `--seconds N`  | time per law. Default: 10                                        |
 * | `--only WORDS` | only laws whose topic or sentence contains these words           |
 * | `--seed N`     | first seed. Default: from the clock                              |
 *
 * A broken law is printed with the smallest counterexample and its seed.
 */

import * as Effect from "effect/Effect"
import * as Record from "effect/Record"
import { readOptions, refuseOptions } from "effect-speech-test-support/options"
import { temporaryFolder } from "effect-speech-test-support/processes"
import { bar, sum, title } from "effect-speech-test-support/report"
import { wavLaws } from "../../packages/audio-codec/test/wavLaws.js"
import { tableOf } from "../support/print.js"
import { law, type Topic, type Tried, tryLaw } from "./law.js"
import { topics } from "./topics.js"

const values = readOptions({
  only: { type: "string", default: "" },
  seconds: { type: "string", default: "10" },
  seed: { type: "string" }
})
const seconds = Number(values.seconds)
const seed = values.seed === undefined ? Date.now() % 1_000_000_000 : Number(values.seed)
if (!(seconds > 0 && Number.isFinite(seconds) && Number.isSafeInteger(seed))) {
  refuseOptions("--seconds takes a number above 0, --seed a whole number.")
}

// After Ctrl-C no scope closes, so the services keep their files in this folder, which is always removed.
process.env.TMPDIR = temporaryFolder("fuzz-")

/** The tests of the codec run these laws themselves. */
const wav: Topic = Effect.succeed(Record.map(wavLaws, (property) => law(300, property)))
const all: Readonly<Record<string, Topic>> = { wav, ...topics }
// The servers of other topics do not start.
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
  tableOf(tried, {
    law: ([sentence]) => sentence,
    runs: ([, { runs }]) => runs,
    seconds: ([, { seconds }]) => seconds.toFixed(1),
    outcome: ([, { failure }]) => (failure === undefined ? "held" : "FAILED")
  })
  for (const [sentence, { failure }] of tried) {
    if (failure !== undefined) console.log(`### ${sentence}\n\n\`\`\`\n${failure}\n\`\`\`\n`)
  }
}

if (outcomes.length === 0) {
  refuseOptions(`No topic or sentence contains "${values.only}". The topics are ${Object.keys(all).join(", ")}.`)
}
const runs = sum(outcomes.map(([, tried]) => tried.runs))
const failed = outcomes.filter(([, { failure }]) => failure !== undefined)
console.log(`Seed ${seed}.\n`)
bar("every law holds", failed.length === 0, `${failed.length} of ${outcomes.length} failed, ${runs} runs`)
// An abandoned response that is still being read would keep the process running.
process.exit(failed.length === 0 ? 0 : 1)
