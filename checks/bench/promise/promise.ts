/** The package for programs without Effect: its calls beside those in Effect, its size, and its import, beside other SDKs. */
import { execFileSync } from "node:child_process"
import { mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { pnpm, root, run as runCommand, temporaryFolder } from "effect-speech-test-support/processes"
import { measuredBar, median, spread, table, title, whole } from "effect-speech-test-support/report"
import { interleave, resultsOf, type Side } from "../../support/interleave.js"
import { compareOne, headings, planOf } from "../calls/calls.js"
import { type Setting, startServer } from "../harness.js"
import { versions } from "../peers/index.js"

const name = "@effect-speech/promise"
const peers = ["openai", "@elevenlabs/elevenlabs-js"]

const compareCalls = async (setting: Setting) => {
  const server = await startServer()
  const plan = planOf(setting, server.url, (client) => ["ours", "promise", "openai", "elevenlabs"].includes(client))
  for (const operation of ["synthesis", "transcription"] as const) {
    const compared = await compareOne(operation, plan, `${headings[operation]} without Effect`)
    const [many = Number.NaN, alone = Number.NaN] = compared.paired("promise", "ours")
    measuredBar(
      `${compared.label("promise")}, 64 at a time: at most 1.1x the CPU of ${compared.label("ours")}, median of the rounds`,
      many <= 1.1,
      `${many.toFixed(2)}x; alone ${alone.toFixed(2)}x`
    )
  }
  await server.stop()
}

/** The bytes of all files in a folder. */
const sizeOf = (folder: string) => {
  let bytes = 0
  for (const file of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (file.isFile()) bytes += statSync(join(file.parentPath, file.name)).size
  }
  return bytes
}

/** A project of npm with one package, from the registry or from a tarball. */
interface Installed {
  readonly name: string
  readonly folder: string
  readonly tarballBytes: number
}

/** Packs ours as for the registry, and installs each by npm in a folder of its own. */
const install = async (): Promise<ReadonlyArray<Installed>> => {
  const temporary = temporaryFolder("bench-promise-")
  await pnpm(["pack", "--pack-destination", temporary], { cwd: join(root, "packages/promise") })
  const installed: Array<Installed> = []
  for (const [index, packageName] of [name, ...peers].entries()) {
    const folder = join(temporary, String(index))
    mkdirSync(folder)
    writeFileSync(join(folder, "package.json"), "{}")
    if (packageName !== name) {
      const version = `${packageName}@${Reflect.get(versions, packageName)}`
      await runCommand("npm", ["pack", "--pack-destination", folder, version], { cwd: folder })
    }
    const from = packageName === name ? temporary : folder
    const tarball = join(from, String(readdirSync(from).find((file) => file.endsWith(".tgz"))))
    const parameters = ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline", tarball]
    await runCommand("npm", parameters, { cwd: folder })
    installed.push({ name: packageName, folder, tarballBytes: statSync(tarball).size })
  }
  return installed
}

const printSizes = (installed: ReadonlyArray<Installed>) => {
  title("The size of a package without Effect")
  console.log("The tarball, and what npm installs of it and of all that it needs.\n")
  table([
    ["package", "tarball, kB", "installed, kB", "files", "packages"],
    ...installed.map(({ folder, name, tarballBytes }) => {
      const modules = join(folder, "node_modules")
      const files = readdirSync(modules, { recursive: true, encoding: "utf8" })
      const packages = files.filter((file) => /(^|node_modules\/)(@[^/]+\/)?[^/@]+\/package\.json$/.test(file))
      return [
        `\`${name}\``,
        whole(tarballBytes / 1000),
        whole(sizeOf(modules) / 1000),
        String(files.filter((file) => statSync(join(modules, file)).isFile()).length),
        String(packages.length)
      ]
    })
  ])
}

interface Start {
  readonly millis: number
  readonly cpuMillis: number
  readonly residentBytes: number
}

/** A process that loads a module, and nothing else. It is as a program is, so it takes no loader. */
const load = (label: string, how: "import" | "require", specifier: string | undefined, cwd: string): Side<Start> => {
  const statement = { import: `await import("${specifier}")`, require: `require("${specifier}")` }[how]
  const script = `const began = performance.now(), cpu = process.cpuUsage()
    ${specifier === undefined ? "" : statement}
    const { user, system } = process.cpuUsage(cpu)
    const start = { millis: performance.now() - began, cpuMillis: (user + system) / 1000, residentBytes: process.memoryUsage.rss() }
    process.stdout.write(JSON.stringify(start), () => process.exit())`
  const type = how === "import" ? "module" : "commonjs"
  return {
    name: label,
    run: () =>
      JSON.parse(execFileSync(process.execPath, [`--input-type=${type}`, "--eval", script], { cwd, encoding: "utf8" }))
  }
}

const compareStarts = async ({ quick }: Setting, installed: ReadonlyArray<Installed>) => {
  title("The import of a package without Effect")
  console.log("In a new process that has imported nothing else. Memory is resident, of the whole process.\n")
  const empty = load("nothing", "import", undefined, fileURLToPath(new URL(".", import.meta.url)))
  const sides = installed.flatMap(({ folder, name }) =>
    (["import", "require"] as const).map((how) => load(`\`${name}\`, \`${how}\``, how, name, folder))
  )
  const all = await interleave([empty, ...sides], { rounds: quick ? 3 : 11, warmUp: true })
  const figures = (side: string, figure: keyof Start) => resultsOf(all, side).map((start) => start[figure])
  table([
    ["import", "median, ms", "least to most", "CPU, ms", "memory, MB"],
    ...all.map(({ name }) => [
      name,
      whole(median(figures(name, "millis"))),
      spread(figures(name, "millis"), whole),
      whole(median(figures(name, "cpuMillis"))),
      whole(median(figures(name, "residentBytes")) / 1e6)
    ])
  ])
}

export const run = async (setting: Setting) => {
  await compareCalls(setting)
  const installed = await install()
  printSizes(installed)
  await compareStarts(setting, installed)
}
