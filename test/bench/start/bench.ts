/**
 * What it costs to begin: the `speech` command until its help is there, an import of the clients beside other SDKs, and
 * what an installation and a bundle weigh: `pnpm bench:start`, `--quick` for a short form that only shows that it runs,
 * `--only processes`, `--only imports` or `--only weight` for one part. Prints Markdown, and its progress to stderr. The
 * weight needs the network.
 */
import { execFileSync } from "node:child_process"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { cpus } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { gzipSync } from "node:zlib"
import { build } from "esbuild"
import { root } from "../../packages/commands.js"
import { startRegistry } from "../../packages/registry.js"
import { packAll } from "../../packages/tarballs.js"
import { install, makeProject, type Project, packagesIn } from "../../packages/user.js"
import { median, spread, table, title, whole } from "../../support/report.js"
import { temporaryFolder } from "../../support/serviceProcess.js"

const { values: options } = parseArgs({ options: { only: { type: "string" }, quick: { type: "boolean" } } })
const { only, quick = false } = options
if (only !== undefined && !["processes", "imports", "weight"].includes(only)) {
  console.error(`There is no part ${only}; there are processes, imports and weight.`)
  process.exit(1)
}
const rounds = quick ? 3 : 15

const peers = join(root, "test/bench/start/peers")
const { devDependencies: versions }: { devDependencies: Record<string, string> } = JSON.parse(
  readFileSync(join(peers, "package.json"), "utf8")
)

console.log(`# The start, ${new Date().toISOString().slice(0, 10)}${quick ? " (quick: too short to conclude)" : ""}\n`)
console.log(
  `${cpus()[0]?.model}, ${cpus().length} cores; Node ${process.version}, ${process.platform}. ` +
    `${Object.entries(versions)
      .map(([name, version]) => `${name} ${version}`)
      .join(", ")}.`
)

interface Contestant {
  readonly name: string
  /** Does it once, in a new process, and gives the milliseconds. */
  readonly run: () => number
}

/** All in turn, round after round, so that what else the machine does meets them alike; the first round fills the caches. */
const race = (contestants: ReadonlyArray<Contestant>) => {
  const results = contestants.map(({ name, run }) => ({ name, run, times: [] as Array<number> }))
  for (let round = 0; round <= rounds; round++) {
    console.error(`round ${round} of ${rounds}`)
    for (const { run, times } of results) {
      const time = run()
      if (round > 0) times.push(time)
    }
  }
  return results
}

const tell = (header: string, results: ReturnType<typeof race>) =>
  table([
    [header, "median, ms", "least to most"],
    ...results.map(({ name, times }) => [name, whole(median(times)), spread(times, whole)])
  ])

/** A process of plain Node, until it has ended. */
const command = (name: string, parameters: ReadonlyArray<string>): Contestant => ({
  name,
  run: () => {
    const began = performance.now()
    execFileSync(process.execPath, parameters, { stdio: ["ignore", "pipe", "inherit"] })
    return performance.now() - began
  }
})

const measureProcesses = () => {
  const speech = join(root, "packages/cli/dist/bin.js")
  title("The command")
  console.log(`From the start of a process to its end, ${rounds} times each.\n`)
  tell(
    "process",
    race([
      command("`node -e 0`", ["-e", "0"]),
      command("`speech --help`", [speech, "--help"]),
      command("`speech transcribe --help`", [speech, "transcribe", "--help"]),
      command("`speech synthesize --help`", [speech, "synthesize", "--help"])
    ])
  )
}

/** Imports, one after another, in a process that has imported nothing else: from the first to the last. */
const imports = (name: string, specifiers: ReadonlyArray<string>, cwd = root): Contestant => {
  const script = `const began = performance.now()
    ${specifiers.map((specifier) => `await import(${JSON.stringify(specifier)})`).join("\n")}
    process.stdout.write(String(performance.now() - began), () => process.exit())`
  return {
    name,
    run: () => Number(execFileSync(process.execPath, ["--input-type=module", "--eval", script], { cwd }))
  }
}

/** The modules of others that a client is made of. */
const foreignModules = async (name: string): Promise<ReadonlyArray<string>> => {
  const { metafile } = await build({
    stdin: { contents: `export * from "${name}"`, resolveDir: root },
    bundle: true,
    format: "esm",
    platform: "node",
    external: ["effect", "@effect/platform"],
    metafile: true,
    write: false
  })
  const foreign = Object.values(metafile.outputs).flatMap((output) => output.imports.map(({ path }) => path))
  return [...new Set(foreign)].filter((path) => !path.startsWith("node:"))
}

const measureImports = async () => {
  title("An import")
  console.log(`In a process of its own, which has imported nothing else, ${rounds} times each.\n`)
  const effect = ["effect", "@effect/platform"]
  tell(
    "import",
    race([
      imports("`@effect-speech/tts`", ["@effect-speech/tts"]),
      imports("the modules of Effect that it is made of", await foreignModules("@effect-speech/tts")),
      imports("`@effect-speech/stt`", ["@effect-speech/stt"]),
      imports("the modules of Effect that it is made of", await foreignModules("@effect-speech/stt")),
      imports("`effect` and `@effect/platform`, whole", effect),
      imports("the same, and then both clients", [...effect, "@effect-speech/stt", "@effect-speech/tts"]),
      ...Object.keys(versions).map((name) => imports(`\`${name}\``, [name], peers))
    ])
  )
}

const weigh = (project: Project) => {
  const modules = join(project.folder, "node_modules")
  const entries = readdirSync(modules, { recursive: true, encoding: "utf8" }).map((file) =>
    statSync(join(modules, file))
  )
  const files = entries.filter((stats) => stats.isFile())
  const bytes = files.reduce((sum, { size }) => sum + size, 0)
  return [whole(packagesIn(project).length), whole(files.length), (bytes / 1e6).toFixed(1)]
}

/** A program that names the client of a package and nothing else, minified, in kilobytes before and after gzip. */
const bundle = async (contents: string, resolveDir: string) => {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir },
    bundle: true,
    minify: true,
    format: "esm",
    platform: "node",
    write: false,
    logLevel: "error"
  })
  const bytes = outputFiles[0]?.contents ?? new Uint8Array()
  return [bytes, gzipSync(bytes)].map(({ byteLength }) => whole(byteLength / 1000))
}

const measureWeight = async () => {
  const temporary = temporaryFolder("bench-start-")
  const registry = await startRegistry(await packAll(temporary))
  const clients = ["@effect-speech/stt", "@effect-speech/tts"]
  const effect = ["effect@3", "@effect/platform@0.97"]
  const node = ["@effect-speech/transport", "@effect/platform-node@0.108"]
  const peer = (name: string) => `${name}@${versions[name]}`
  const cases = [
    { name: "both clients with `effect` and `@effect/platform`", packages: [...clients, ...effect] },
    { name: "`effect` and `@effect/platform` alone", packages: effect },
    { name: "both clients with the layer for Node", packages: [...clients, ...node, ...effect] },
    ...Object.keys(versions).map((name) => ({ name: `\`${name}\``, packages: [peer(name)] }))
  ]
  title("An installation")
  console.log("By npm in an empty project.\n")
  const rows: Array<ReadonlyArray<string>> = [["installed", "packages", "files", "MB"]]
  for (const [at, { name, packages }] of cases.entries()) {
    console.error(`install ${packages.join(" ")}`)
    const project = makeProject(join(temporary, String(at)), "npm", registry)
    await install(project, packages)
    rows.push([name, ...weigh(project)])
  }
  table(rows)

  title("A bundle")
  console.log("Minified by esbuild for Node, of a program that names a client and nothing else.\n")
  const named = (clientName: string, packageName: string) => `export { ${clientName} } from "${packageName}"`
  table([
    ["client", "kB", "kB in gzip"],
    ["`TextToSpeech`", ...(await bundle(named("TextToSpeech", "@effect-speech/tts"), root))],
    ["`SpeechToText`", ...(await bundle(named("SpeechToText", "@effect-speech/stt"), root))],
    ["`OpenAI`", ...(await bundle(named("OpenAI", "openai"), peers))],
    ["`DeepgramClient`", ...(await bundle(named("DeepgramClient", "@deepgram/sdk"), peers))],
    ["`AssemblyAI`", ...(await bundle(named("AssemblyAI", "assemblyai"), peers))],
    ["`ElevenLabsClient`", ...(await bundle(named("ElevenLabsClient", "@elevenlabs/elevenlabs-js"), peers))]
  ])
}

if (only === undefined || only === "processes") measureProcesses()
if (only === undefined || only === "imports") await measureImports()
if (only === undefined || only === "weight") await measureWeight()
