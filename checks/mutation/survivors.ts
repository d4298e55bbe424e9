/** The part that is used here of what Stryker writes. */
export interface Report {
  readonly files: Readonly<Record<string, { readonly source: string; readonly mutants: ReadonlyArray<Mutant> }>>
}

export interface Mutant {
  readonly status: string
  readonly replacement?: string
  readonly location: { readonly start: Place; readonly end: Place }
}

/** Both count from 1. */
interface Place {
  readonly line: number
  readonly column: number
}

/** A change of the source that no test notices. */
export interface Survivor {
  readonly file: string
  readonly line: number
  /** What stands there, and what it is changed to. */
  readonly change: string
}

/** One that a report tells of. */
interface Found extends Survivor {
  /** As Stryker is told of places, where columns count from 0. */
  readonly place: string
}

/** How the changes of a report ended. */
export const tallyOf = ({ files }: Report) => {
  const statuses = Object.values(files).flatMap(({ mutants }) => mutants.map(({ status }) => status))
  const count = (...of: ReadonlyArray<string>) => statuses.filter((status) => of.includes(status)).length
  return {
    all: statuses.length,
    Killed: count("Killed"),
    Timeout: count("Timeout"),
    Survived: count("Survived"),
    NoCoverage: count("NoCoverage"),
    Ignored: count("Ignored"),
    invalid: count("CompileError", "RuntimeError", "Pending")
  }
}

const longest = 70

/** In one line of a table, and not too long. */
export const inShort = (code: string, length = longest): string => {
  const line = code.replace(/\s+/g, " ").trim()
  return line.length > length ? `${line.slice(0, length)}…` : line
}

const between = (source: string, { end, start }: Mutant["location"]): string => {
  const lines = source.split("\n").slice(start.line - 1, end.line)
  const last = lines.length - 1
  return lines
    .map((line, index) => line.slice(index === 0 ? start.column - 1 : 0, index === last ? end.column - 1 : undefined))
    .join("\n")
}

const isUnnoticed = ({ status }: Mutant): boolean => status === "Survived" || status === "NoCoverage"

/** What came of it when those that no test noticed were tested by others. */
export const merged = ({ files }: Report, others: Report): Report => {
  const idOf = ({ location: { end, start }, replacement }: Mutant) =>
    JSON.stringify([start.line, start.column, end.line, end.column, replacement])
  return {
    files: Object.fromEntries(
      Object.entries(files).map(([file, { mutants, source }]) => {
        const other = others.files[file]
        const known = new Map(other?.source === source ? other.mutants.map((mutant) => [idOf(mutant), mutant]) : [])
        const after = mutants.map((mutant) => {
          const again = isUnnoticed(mutant) ? known.get(idOf(mutant)) : undefined
          // That these tests do not run it either makes no difference.
          return again === undefined || again.status === "NoCoverage" ? mutant : again
        })
        return [file, { mutants: after, source }]
      })
    )
  }
}

const survivorsIn = ({ files }: Report): ReadonlyArray<Found> =>
  Object.entries(files).flatMap(([file, { mutants, source }]) =>
    mutants.filter(isUnnoticed).map(({ location, replacement = "" }) => {
      const { end, start } = location
      return {
        file,
        line: start.line,
        change: `${inShort(between(source, location))} → ${inShort(replacement)}`,
        place: `${file}:${start.line}:${start.column - 1}-${end.line}:${end.column - 1}`
      }
    })
  )

/** A cell of a Markdown table that holds code. */
const inCell = (code: string): string => `\`\`\` ${code.replaceAll("|", "\\|")} \`\`\``

/** As rows of the table of answers, which lack the answer alone. */
export const shownMutants = (
  survivors: ReadonlyArray<Survivor>
): ReadonlyArray<readonly [change: string, where: string]> =>
  survivors.map(({ change, file, line }) => [inCell(change), `${file}:${line}`])

/** The rows of the tables in a document that answer a change. A line that has moved is no other. */
export const answersIn = (document: string): ReadonlyArray<Survivor> =>
  Array.from(
    document.matchAll(/^\| (?<fence>`+) ?(?<change>.+?) ?\k<fence> +\| (?<file>\S+):(?<line>\d+) +\| *[^ |].*\|$/gm),
    ({ groups = {} }) => ({
      change: groups.change?.replaceAll("\\|", "|") ?? "",
      file: groups.file ?? "",
      line: Number(groups.line)
    })
  )

/** A row answers one change: another in the same words, elsewhere in the file, needs a row of its own. */
export const unanswered = (report: Report, answers: ReadonlyArray<Survivor>): ReadonlyArray<Found> => {
  const left = [...answers]
  return survivorsIn(report).filter(({ change, file }) => {
    const at = left.findIndex((answer) => answer.file === file && answer.change === change)
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
}
