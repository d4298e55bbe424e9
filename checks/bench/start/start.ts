/** The start: an import of the clients, and a process of the command. */
import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"
import { root } from "../../../test/support/processes.js"
import { median, spread, table, title, whole } from "../../../test/support/report.js"
import { interleave, millisOf, type Side } from "../../support/interleave.js"
import type { Setting } from "../harness.js"
import { versions } from "../peers/index.js"

/** Prints the times of new processes, in milliseconds. The first round fills the caches. */
const compare = async (header: string, rounds: number, sides: ReadonlyArray<Side<number>>) => {
  const all = await interleave(sides, { rounds, warmUp: true })
  table([
    [header, "median, ms", "least to most"],
    ...all.map(({ name, results }) => [name, whole(median(results)), spread(results, whole)])
  ])
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

export const runProcesses = async ({ quick }: Setting) => {
  const rounds = roundsOf(quick)
  const speech = join(root, "packages/cli/dist/bin.js")
  const command = (name: string, ...parameters: ReadonlyArray<string>): Side<number> => ({
    name,
    run: () => millisOf(() => execFileSync(process.execPath, parameters, { stdio: ["ignore", "pipe", "inherit"] }))
  })
  title("The command")
  console.log(`From the start of a process to its end, ${rounds} times each.\n`)
  await compare("process", rounds, [
    command("`node -e 0`", "-e", "0"),
    command("`speech --help`", speech, "--help"),
    command("`speech transcribe --help`", speech, "transcribe", "--help"),
    command("`speech synthesize --help`", speech, "synthesize", "--help")
  ])
}
