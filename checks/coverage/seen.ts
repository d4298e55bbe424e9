import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { allGeneratedPositionsFor, TraceMap } from "@jridgewell/trace-mapping"

/** What V8 writes of a script: ranges by their offsets, of which an inner one says more than the one around it. */
interface ScriptCoverage {
  readonly url: string
  readonly functions: ReadonlyArray<{
    readonly ranges: ReadonlyArray<{ readonly startOffset: number; readonly endOffset: number; readonly count: number }>
  }>
}

/** How often each process ran what stands at a place of a source file; lines count from 1, columns from 0. */
export type Runs = (file: string, line: number, column: number) => ReadonlyArray<number>

const offsetIn = (lines: ReadonlyArray<number>, line: number, column: number): number =>
  (lines[line - 1] ?? Number.NaN) + column

const lineStarts = (text: string): ReadonlyArray<number> => [
  0,
  ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1)
]

const runsAt = ({ functions }: ScriptCoverage, offset: number): number => {
  let innermost: { readonly length: number; readonly count: number } | undefined
  for (const { ranges } of functions) {
    for (const { count, endOffset, startOffset } of ranges) {
      const length = endOffset - startOffset
      if (startOffset <= offset && offset < endOffset && (innermost === undefined || length <= innermost.length)) {
        innermost = { length, count }
      }
    }
  }
  return innermost?.count ?? 0
}

/** What processes have written into a folder, of the sources below `root` or of what is built of them. */
export const runsOfProcesses = (root: string, folder: string): Runs => {
  const scripts = new Map<string, Array<ScriptCoverage>>()
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    // Vitest changes a module before it runs it, so that places in it are others. Threads take it as it is.
    const isThread = !/-0\.json$/.test(name)
    const { result }: { result: ReadonlyArray<ScriptCoverage> } = JSON.parse(readFileSync(join(folder, name), "utf8"))
    for (const script of result) {
      if (!script.url.startsWith("file:")) continue
      const file = relative(root, fileURLToPath(script.url))
      if (!(isThread ? /^packages\/[^/]+\/(src|dist)\// : /^packages\/[^/]+\/dist\//).test(file)) continue
      scripts.set(file, [...(scripts.get(file) ?? []), script])
    }
  }
  const texts = new Map<string, ReadonlyArray<number>>()
  const startsOf = (file: string) => {
    const starts = texts.get(file) ?? lineStarts(readFileSync(join(root, file), "utf8"))
    texts.set(file, starts)
    return starts
  }
  const maps = new Map<string, TraceMap>()
  const mapOf = (built: string) => {
    const map = maps.get(built) ?? new TraceMap(readFileSync(join(root, `${built}.map`), "utf8"))
    maps.set(built, map)
    return map
  }
  const runsIn = (file: string, line: number, column: number) =>
    (scripts.get(file) ?? []).map((script) => runsAt(script, offsetIn(startsOf(file), line, column)))
  return (file, line, column) => {
    const built = file.replace("/src/", "/dist/").replace(/\.ts$/, ".js")
    if (!scripts.has(built)) return runsIn(file, line, column)
    const map = mapOf(built)
    const [source = null] = map.sources
    const [place] = source === null ? [] : allGeneratedPositionsFor(map, { source, line, column })
    return [...runsIn(file, line, column), ...(place === undefined ? [] : runsIn(built, place.line, place.column))]
  }
}
