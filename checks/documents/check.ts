/**
 * The site of the documents, built and opened in a browser: `pnpm verify documents`. It counts what the reference has of each export,
 * follows all links and anchors, searches, and looks for parts that break a rule of WCAG 2.2, in light and dark colours, on a desktop and
 * a phone.
 *
 * `--pictures FOLDER` also writes pictures of some pages, for a person to look at.
 */
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { startChromium } from "effect-speech-test-support/chromium"
import { readOptions } from "effect-speech-test-support/options"
import { root } from "effect-speech-test-support/processes"
import { bar, exitStatus, title } from "effect-speech-test-support/report"
import { barOfNone, tableOf } from "../support/print.js"
import { findJoinedWords } from "./joinedWords.js"
import { findBrokenLinks } from "./links.js"
import { serveSite } from "./serveSite.js"
import { searchFor, visitPages } from "./visit.js"

const { pictures } = readOptions({ pictures: { type: "string" } })

/** An export in the reference, as `docs/site/reference.js` writes it. */
interface Entry {
  readonly export: string
  readonly sentence: boolean
  readonly example: boolean
  /** Whether its type has errors. */
  readonly fails: boolean
  /** Whether its text says when it fails. */
  readonly errors: boolean
}

const measureCoverage = (entries: ReadonlyArray<Entry>) => {
  title("The reference")
  const names = [...new Set(entries.map((each) => each.export.split("/")[0] ?? ""))]
  const rows = [...names, ""].map((name) => ({ name, all: entries.filter((each) => each.export.startsWith(name)) }))
  const share = (all: ReadonlyArray<Entry>, has: (entry: Entry) => boolean) => {
    const count = all.filter(has).length
    return all.length === 0 ? "-" : `${count} (${Math.floor((100 * count) / all.length)} %)`
  }
  const failing = (all: ReadonlyArray<Entry>) => all.filter(({ fails }) => fails)
  tableOf(rows, {
    package: ({ name }) => name || "all",
    exports: ({ all }) => all.length,
    "first sentence": ({ all }) => share(all, ({ sentence }) => sentence),
    example: ({ all }) => share(all, ({ example }) => example),
    "with errors": ({ all }) => failing(all).length,
    "errors in words": ({ all }) => share(failing(all), ({ errors }) => errors)
  })
  const without = (key: "sentence" | "errors") => entries.filter((each) => !each[key]).map((each) => each.export)
  barOfNone("each export has a first sentence", without("sentence"), `${without("sentence").length} without`)
  barOfNone("each export that can fail says when", without("errors"), `${without("errors").length} without`)
  const examples = entries.filter(({ example }) => example).length
  bar(
    "60 % of the exports have an example",
    examples >= 0.6 * entries.length,
    share(entries, ({ example }) => example)
  )
}

const { status } = spawnSync(process.execPath, ["scripts/docs.js", "build"], { cwd: root, stdio: ["ignore", 2, 2] })
if (status !== 0) throw new Error("The site could not be built. The reason is above.")

const dist = join(root, "docs/.vitepress/dist")
measureCoverage(JSON.parse(readFileSync(join(root, "docs/.site/coverage.json"), "utf8")))

title("Links")
const { broken, links, pages } = findBrokenLinks(dist)
barOfNone(`${links} links on ${pages} pages lead to a page and a heading that exist`, broken, `${broken.length} broken`)

title("Words")
const joined = findJoinedWords(dist)
barOfNone("a space is between a word and the next", joined, `${joined.length} joined`)

const site = await serveSite(dist)
const browser = await startChromium()
try {
  title("In a browser")
  await visitPages(browser, site.url, pictures)
  title("Search")
  await searchFor(browser, site.url, pictures)
} finally {
  await browser.close()
  await site.close()
}
process.exitCode = exitStatus()
