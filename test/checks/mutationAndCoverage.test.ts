/** What `pnpm verify coverage` and `pnpm verify mutation` make of what was measured; to measure takes too long for a test. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { describe, expect, it } from "@effect/vitest"
import { countOf } from "../../checks/coverage/gaps.js"
import { type Runs, runsOfProcesses } from "../../checks/coverage/seen.js"
import {
  answersIn,
  inShort,
  merged,
  type Report,
  shownMutants,
  tallyOf,
  unanswered
} from "../../checks/mutation/survivors.js"

const root = fileURLToPath(new URL("../..", import.meta.url))
const readme = readFileSync(join(root, "checks/mutation/README.md"), "utf8")

describe("the mutants that survived", () => {
  const source = "const a = b || c\nconst d = {\n  e: 1\n}\n"
  const mutant = (status: string, replacement: string, start: readonly number[], end: readonly number[]) => ({
    status,
    replacement,
    location: {
      start: { line: start[0] ?? 0, column: start[1] ?? 0 },
      end: { line: end[0] ?? 0, column: end[1] ?? 0 }
    }
  })
  const report: Report = {
    files: {
      "packages/a/src/A.ts": {
        source,
        mutants: [
          mutant("Survived", "b && c", [1, 11], [1, 17]),
          mutant("NoCoverage", "{}", [2, 11], [4, 2]),
          mutant("Killed", "2", [3, 6], [3, 7]),
          mutant("Timeout", "3", [3, 6], [3, 7])
        ]
      }
    }
  }

  it("are told with what stands there and what it was changed to", () => {
    expect(shownMutants(unanswered(report, []))).toEqual([
      ["``` b \\|\\| c → b && c ```", "packages/a/src/A.ts:1"],
      ["``` { e: 1 } → {} ```", "packages/a/src/A.ts:2"]
    ])
    expect(tallyOf(report)).toMatchObject({ all: 4, Killed: 1, Timeout: 1, Survived: 1, NoCoverage: 1, invalid: 0 })
  })

  it("are those that neither the first tests notice nor the others", () => {
    expect(unanswered(report, []).map(({ place }) => place)).toEqual([
      "packages/a/src/A.ts:1:10-1:16",
      "packages/a/src/A.ts:2:10-4:1"
    ])
    const others = (status: string, text = source): Report => ({
      files: { "packages/a/src/A.ts": { source: text, mutants: [mutant(status, "b && c", [1, 11], [1, 17])] } }
    })
    const left = (then: Report) => unanswered(merged(report, then), []).map(({ change }) => change)
    expect(left(others("Killed"))).toEqual(["{ e: 1 } → {}"])
    expect(left(others("NoCoverage")).length).toBe(2)
    expect(left(others("Killed", `${source} `)).length).toBe(2)
    expect(left({ files: {} }).length).toBe(2)
  })

  it("are answered by a row with the same change of the same file, on whatever line, and by no empty one", () => {
    const answered = (document: string) => unanswered(report, answersIn(document)).map(({ change }) => change)
    expect(answered("| ``` b \\|\\| c → b && c ``` | packages/a/src/A.ts:7 | the same |")).toEqual(["{ e: 1 } → {}"])
    expect(answered("| `b \\|\\| c → b && c`   | packages/a/src/A.ts:1 | as it is formatted |").length).toBe(1)
    expect(answered("| ``` b \\|\\| c → b && c ``` | packages/a/src/B.ts:1 | the same |").length).toBe(2)
    expect(answered("| ``` b \\|\\| c → b && c ``` | packages/a/src/A.ts:1 |  |").length).toBe(2)
  })

  it("are answered one by a row, though another may be told in the same words", () => {
    const twice: Report = {
      files: {
        "packages/a/src/A.ts": {
          source: "let a = true\nlet b = true\n",
          mutants: [mutant("Survived", "false", [1, 9], [1, 13]), mutant("Survived", "false", [2, 9], [2, 13])]
        }
      }
    }
    const row = "| `true → false` | packages/a/src/A.ts:1 | nobody looks |\n"
    expect(unanswered(twice, answersIn(row)).map(({ line }) => line)).toEqual([2])
    expect(unanswered(twice, answersIn(row.repeat(2)))).toEqual([])
  })

  it("have answers that speak of what is there", () => {
    const answers = answersIn(readme)
    expect(answers.length).toBe(readme.match(/^\|.* → /gm)?.length)
    const gone = answers.filter(({ change, file }) => {
      const before = change.slice(0, change.lastIndexOf(" → ")).replace(/…$/, "")
      return !inShort(readFileSync(join(root, file), "utf8"), Number.POSITIVE_INFINITY).includes(before)
    })
    expect(gone).toEqual([])
  })
})

describe("what no test runs", () => {
  const coverage = {
    statementMap: { 0: { start: { line: 1, column: 0 } }, 1: { start: { line: 1, column: 9 } } },
    s: { 0: 2, 1: 0 },
    branchMap: {
      0: {
        type: "if",
        loc: { start: { line: 1, column: 0 } },
        locations: [{ start: { line: 1, column: 0 } }, { start: {} }]
      }
    },
    b: { 0: [0, 0] }
  }

  it("is a gap, unless a process ran it", () => {
    const gaps = (runs: Runs) => countOf("a.ts", coverage, runs).gaps.map(({ column, kind }) => `${kind} ${column}`)
    expect(countOf("a.ts", coverage, () => [])).toMatchObject({
      statements: { all: 2, seen: 1 },
      branches: { all: 2, seen: 0 }
    })
    expect(gaps(() => [])).toEqual(["else 0", "statement 9", "branch 9"])
    expect(gaps(() => [3])).toEqual(["else 0"])
    // That the `if` itself was run says nothing of what it leads to.
    expect(gaps((_, __, column) => [column === 0 ? 3 : 0])).toEqual(["statement 9", "branch 9"])
    expect(gaps((_, __, column) => [column === 0 ? 3 : 2])).toEqual([])
  })

  it("is read from what a thread writes of itself, the innermost range first", () => {
    const folder = mkdtempSync(join(tmpdir(), "unseen-"))
    try {
      const file = "packages/local-service/src/internal/voice/espeakWorker.js"
      const ranges = [
        { startOffset: 0, endOffset: 1000, count: 1 },
        { startOffset: 10, endOffset: 20, count: 0 }
      ]
      const result = [{ url: pathToFileURL(join(root, file)).href, functions: [{ ranges }] }]
      writeFileSync(join(folder, "coverage-1-1-1.json"), JSON.stringify({ result }))
      const runs = runsOfProcesses(root, folder)
      expect([0, 9, 10, 19, 20].map((column) => runs(file, 1, column))).toEqual([[1], [1], [0], [0], [1]])
      expect(runs("packages/local-service/src/internal/recordings/decodeWorker.js", 1, 0)).toEqual([])
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
