/** The start: an import of the clients, and a process of the command. */
import { execFileSync } from "node:child_process"
import { once } from "node:events"
import { rmSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import type { Readable } from "node:stream"
import { fileURLToPath } from "node:url"
import { root, start, temporaryFolder } from "effect-speech-test-support/processes"
import { bar, median, ratio, spread, table, title, whole } from "effect-speech-test-support/report"
import { build } from "esbuild"
import { interleave, millisOf, resultsOf, type Side } from "../../support/interleave.js"
import type { Setting } from "../harness.js"
import { versions } from "../peers/index.js"

/** Prints the times of new processes, in milliseconds. The first round fills the caches. Returns the median of a side. */
const compare = async (header: string, rounds: number, sides: ReadonlyArray<Side<number>>) => {
  const all = await interleave(sides, { rounds, warmUp: true })
  table([
    [header, "median, ms", "least to most"],
    ...all.map(({ name, results }) => [name, whole(median(results)), spread(results, whole)])
  ])
  return (name: string) => median(resultsOf(all, name))
}
const roundsOf = (quick: boolean) => (quick ? 3 : 15)

/** Imports modules one after another, in a new process. */
const imports = (name: string, specifiers: ReadonlyArray<string>, cwd = root): Side<number> => {
  const script = `const began = performance.now()
    ${specifiers.map((specifier) => `await import(${JSON.stringify(specifier)})`).join("\n")}
    process.stdout.write(String(performance.now() - began), () => process.exit())`
  return { name, run: () => Number(execFileSync(process.execPath, ["--input-type=module", "--eval", script], { cwd })) }
}

/** The modules of Effect that a package imports. */
const modulesOfEffect = async (name: string): Promise<ReadonlyArray<string>> => {
  const stdin = { contents: `export * from "${name}"`, resolveDir: root }
  const options = { bundle: true, format: "esm", platform: "node", metafile: true, write: false } as const
  const { metafile } = await build({ stdin, ...options, external: ["effect", "@effect/platform"] })
  const imported = Object.values(metafile.outputs).flatMap((output) => output.imports.map(({ path }) => path))
  return [...new Set(imported)].filter((path) => !path.startsWith("node:"))
}

export const runImports = async ({ quick }: Setting) => {
  const rounds = roundsOf(quick)
  const peers = fileURLToPath(new URL("../peers", import.meta.url))
  const effect = ["effect", "@effect/platform"]
  const clients = ["@effect-speech/stt", "@effect-speech/tts"]
  title("An import")
  console.log(`In a new process that has imported nothing else, ${rounds} times each.\n`)
  await compare("import", rounds, [
    imports("`@effect-speech/tts`", ["@effect-speech/tts"]),
    imports("the modules of Effect that it imports", await modulesOfEffect("@effect-speech/tts")),
    imports("`@effect-speech/stt`", ["@effect-speech/stt"]),
    imports("the modules of Effect that it imports", await modulesOfEffect("@effect-speech/stt")),
    imports("`effect` and `@effect/platform`, whole", effect),
    imports("the same, and then both clients", [...effect, ...clients]),
    ...Object.keys(versions).map((name) => imports(`\`${name}\``, [name], peers))
  ])
}

/** A process, from its start to its end. */
const untilEnd = (name: string, ...parameters: ReadonlyArray<string>): Side<number> => ({
  name,
  run: () => millisOf(() => execFileSync(process.execPath, parameters, { stdio: ["ignore", "pipe", "inherit"] }))
})

/** A process, from its start to its first line. Then it is ended. */
const untilLine = (cwd: string, name: string, ...parameters: ReadonlyArray<string>): Side<number> => ({
  name,
  run: async () => {
    const child = start(process.execPath, parameters, { cwd })
    const exited = once(child, "exit")
    const millis = await millisOf(() =>
      Promise.race([
        once(createInterface(child.stdout as Readable), "line"),
        exited.then(([status]) => Promise.reject(new Error(`${name} ended with ${status} before its first line.`)))
      ])
    )
    child.kill("SIGTERM")
    await exited
    return millis
  }
})

/** Compiles the modules of the command without a bundle. Returns the folder, where they find their packages. */
const compileCommand = async () => {
  const folder = join(root, "packages/cli/node_modules/.cache/unbundled")
  await build({ entryPoints: [join(root, "packages/cli/src/**/*.ts")], outdir: folder, format: "esm" })
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export const runProcesses = async ({ quick }: Setting) => {
  const rounds = roundsOf(quick)
  const speech = join(root, "packages/cli/dist/bin.js")
  const nothing = untilEnd("`node -e 0`", "-e", "0")
  title("The command")
  console.log(`From the start of a process to its end, ${rounds} times each.\n`)
  const help = ["`speech --help`", "`speech transcribe --help`", "`speech synthesize --help`"]
  const toEnd = await compare("process", rounds, [
    nothing,
    ...help.map((name) => untilEnd(name, speech, ...name.replaceAll("`", "").split(" ").slice(1)))
  ])
  for (const name of help) {
    const times = toEnd(name) / toEnd(nothing.name)
    bar(`${name} takes at most 3 times \`node -e 0\``, times <= 3, `${times.toFixed(2)}x`)
  }

  title("The first line")
  console.log(
    `From the start of a process to its first line, ${rounds} times each. \`speech serve\` accepts connections then. The demo runs ` +
      "from the sources.\n"
  )
  const unbundled = join(await compileCommand(), "bin.js")
  const demo = join(root, "examples/demo.ts")
  const cwd = temporaryFolder("bench-start-")
  const sources = "--conditions=@effect-speech/source"
  const pairs = [
    [
      untilLine(cwd, "`speech serve --json`", speech, "serve", "--json"),
      untilLine(cwd, "the same, unbundled", unbundled, "serve", "--json")
    ],
    [
      untilLine(cwd, "`pnpm demo`, without pnpm", join(root, "scripts/run.js"), demo),
      untilLine(cwd, "the same, by tsx", sources, "--import", import.meta.resolve("tsx"), demo)
    ]
  ] as const
  const toLine = await compare("process", rounds, [nothing, ...pairs.flat()])
  for (const [ours, other] of pairs) {
    const [millis, otherMillis] = [toLine(ours.name), toLine(other.name)]
    bar(`${ours.name} takes at most half of ${other.name}`, millis <= otherMillis / 2, ratio(millis, otherMillis))
  }
}
