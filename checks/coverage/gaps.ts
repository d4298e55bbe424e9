import type { Runs } from "./seen.js"

interface Place {
  readonly line?: number | undefined
  readonly column?: number | undefined
}

/** What vitest writes of a file. */
export interface FileCoverage {
  readonly statementMap: Readonly<Record<string, { readonly start: Place }>>
  readonly s: Readonly<Record<string, number>>
  readonly branchMap: Readonly<Record<string, Branch>>
  readonly b: Readonly<Record<string, ReadonlyArray<number>>>
}

interface Branch {
  readonly type: string
  readonly loc: { readonly start: Place }
  /** Of each way that it can go. */
  readonly locations: ReadonlyArray<{ readonly start: Place }>
}

export interface Count {
  readonly all: number
  readonly seen: number
}

export interface Gap {
  /** An `else` is one that is not written. */
  readonly kind: "statement" | "branch" | "else"
  readonly line: number
  readonly column: number
}

export interface Counted {
  readonly statements: Count
  readonly branches: Count
  /** In the order of the file. */
  readonly gaps: ReadonlyArray<Gap>
}

/** What of a file neither the tests ran nor the processes that they started. */
export const countOf = (file: string, { b, branchMap, s, statementMap }: FileCoverage, runs: Runs): Counted => {
  const gaps: Array<Gap> = []
  const runsAt = ({ column = 0, line = 0 }: Place) => runs(file, line, column)
  const wasRun = (place: Place) => runsAt(place).some((count) => count > 0)
  const starts = Object.values(statementMap).map(({ start }) => start)

  const statements = Object.entries(statementMap)
  for (const [id, { start }] of statements) {
    if (s[id] === 0 && !wasRun(start)) gaps.push({ kind: "statement", ...at(start) })
  }
  const branches = Object.entries(branchMap).flatMap(([id, branch]) =>
    branch.locations.map((_, index) => ({ branch, index, count: b[id]?.[index] ?? 0 }))
  )
  for (const { branch, count, index } of branches) {
    if (count > 0) continue
    const { start } = branch.loc
    const place = startOf(branch, index, starts)
    if (place !== undefined) {
      if (!wasRun(place)) gaps.push({ kind: "branch", ...at(place) })
      continue
    }
    // An `else` that is not written has no place of its own: it was taken where the rest was run less often.
    const whole = runsAt(start)
    const then = runsAt(startOf(branch, 0, starts) ?? start)
    if (!whole.some((count, process) => count > (then[process] ?? count))) gaps.push({ kind: "else", ...at(start) })
  }
  const count = (all: number, ...kinds: ReadonlyArray<Gap["kind"]>) => ({
    all,
    seen: all - gaps.filter(({ kind }) => kinds.includes(kind)).length
  })
  return {
    statements: count(statements.length, "statement"),
    branches: count(branches.length, "branch", "else"),
    gaps: gaps.toSorted((one, other) => one.line - other.line || one.column - other.column)
  }
}

const at = ({ column = 0, line = 0 }: Place) => ({ line, column })

const isAfter = (one: Place, other: Place): boolean => {
  const [here, there] = [at(one), at(other)]
  return here.line > there.line || (here.line === there.line && here.column > there.column)
}

/** Where one way of a branch begins; nothing for an `else` that is not written. */
const startOf = ({ locations, type }: Branch, index: number, statements: ReadonlyArray<Place>): Place | undefined => {
  const start = locations[index]?.start
  if (start?.line === undefined) return undefined
  // What an `if` leads to is said to begin with the `if`, which runs anyway.
  if (type !== "if" || index > 0) return start
  return statements.filter((place) => isAfter(place, start)).toSorted((one, other) => (isAfter(one, other) ? 1 : -1))[0]
}
