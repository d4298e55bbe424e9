/**
 * The ends that `Sentences.split` finds in a marked corpus, compared with bare `Intl.Segmenter` and other libraries, and
 * the time that `TextPieces.split` takes for a long text: `pnpm verify sentences`. `--errors LANG` lists the ends of one
 * language that are missed or wrong, and leaves out the times.
 */
import { readFileSync } from "node:fs"
import { cpus } from "node:os"
import { readOptions, refuseOptions } from "effect-speech-test-support/options"
import { exitStatus, bar as printBar, title } from "effect-speech-test-support/report"
import { compare, languagesOf, precision, recall, type Score, share } from "./score.js"
import { measureTimes } from "./times.js"

const corpora = {
  corpus: "Sentence ends marked before the rules were tuned",
  abbreviations: "Sentence ends beside abbreviations, marked before their rules",
  unseen: "Sentence ends that no rule was tuned on"
}
const { errors } = readOptions({ errors: { type: "string" } })
const languages = languagesOf("unseen")
if (errors !== undefined && !languages.includes(errors)) refuseOptions(`--errors takes one of ${languages.join(", ")}.`)

const { devDependencies } = JSON.parse(readFileSync(new URL("peers/package.json", import.meta.url), "utf8"))
console.log(`${cpus()[0]?.model}; Node ${process.version}, ICU ${process.versions.icu}, CLDR ${process.versions.cldr}`)
for (const [name, version] of Object.entries(devDependencies)) console.log(`${name} ${version}`)

const totals = new Map<string, Score>()
for (const [corpus, heading] of Object.entries(corpora)) {
  title(`${heading}: precision / recall`)
  totals.set(heading, await compare(corpus, errors))
}

const growth = errors === undefined ? measureTimes() : undefined

for (const [heading, total] of totals) {
  printBar(`${heading}: precision of at least .985`, precision(total) >= 0.985, share(precision(total)))
  printBar(`${heading}: recall of at least .97`, recall(total) >= 0.97, share(recall(total)))
}
if (growth !== undefined) {
  const claim = "a text of 1 MB takes at most twice as long per code point as one of 64 KB"
  printBar(claim, growth <= 2, `${growth.toFixed(2)}x`)
}
process.exitCode = exitStatus()
