/**
 * The packages as a user gets them: `pnpm verify packages`. Each is packed, its tarball looked through, and installed in
 * empty projects, by npm and by pnpm, where a new user's first steps are taken. Prints Markdown; fails if anything is not
 * as it should be. Needs the network for what the packages depend on.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { build } from "esbuild"
import { root, run } from "../../test/support/processes.js"
import { title } from "../../test/support/report.js"
import { startRegistry } from "./registry.js"
import {
  brokenCommands,
  brokenMaps,
  entryPoints,
  lint,
  misplacedFiles,
  packAll,
  traces,
  wrongTypes
} from "./tarballs.js"
import { compile, copy, install, type Manager, makeProject, type Project, packagesIn, serve, warnings } from "./user.js"

const temporary = mkdtempSync(join(tmpdir(), "check-packages-"))
process.once("exit", () => rmSync(temporary, { recursive: true, force: true, maxRetries: 5 }))
process.once("SIGINT", () => process.exit(130))
process.once("SIGTERM", () => process.exit(143))

/** A claim, and what contradicts it. */
const holds = (claim: string, contradictions: ReadonlyArray<string>) => {
  console.log(contradictions.length === 0 ? `- holds: ${claim}` : `- DOES NOT HOLD: ${claim}`)
  for (const contradiction of contradictions) console.log(`  - ${contradiction.trim().replaceAll("\n", "\n    ")}`)
  if (contradictions.length > 0) process.exitCode = 1
}

/** A step of a user, which succeeds or says why not. */
const succeeds = async (claim: string, step: () => Promise<ReadonlyArray<string>>) =>
  holds(claim, await step().catch((error: Error) => [error.message]))

const greeting = "नमस्ते"
const is = (expected: string, actual: string) => (actual === expected ? [] : [`it is ${JSON.stringify(actual)}`])

console.log(`# The packages as a user gets them, Node ${process.version}`)

const tarballs = await packAll(temporary)
const versions = new Set(tarballs.map(({ manifest }) => manifest.version))
title("In the tarballs")
holds(`all have one version, ${[...versions].join(", ")}`, versions.size === 1 ? [] : ["they have several"])
for (const tarball of tarballs) {
  const { bytes, files, manifest } = tarball
  console.log(`\n\`${manifest.name}\`: ${files.length} files, ${(bytes.length / 1024).toFixed(0)} KiB packed\n`)
  holds("what is built is there with its sources, licence, README and log, and nothing else", misplacedFiles(tarball))
  holds("every source map leads to a source in the tarball", brokenMaps(tarball))
  holds("nothing names the workspace or a folder of this machine", traces(tarball))
  if (manifest.bin !== undefined) holds("its command can be run", brokenCommands(tarball))
  holds("publint has nothing to say", await lint(tarball))
  const modules = entryPoints(tarball).length
  if (modules > 0) holds(`the types of its ${modules} modules are right for ES modules`, await wrongTypes(tarball))
}

const registry = await startRegistry(tarballs)
const ours = tarballs.map(({ manifest }) => manifest.name)

/** What a README tells to install. */
const installed = (name: string) => {
  const [, packages] = /^npm install (.+)$/m.exec(readFileSync(join(root, "packages", name, "README.md"), "utf8")) ?? []
  if (packages === undefined) throw new Error(`The README of ${name} does not say how to install it.`)
  return packages.split(" ").filter((word) => !word.startsWith("-"))
}

const typescript = ["typescript@5.9", "@types/node@20"]
const compilersOf = ({ folder }: Project) => [
  join(folder, "node_modules/typescript/bin/tsc"),
  join(root, "node_modules/typescript/bin/tsc")
]

/** Each of them imported by its name. */
const everyModule = tarballs.flatMap((tarball) =>
  entryPoints(tarball).map((entryPoint) => tarball.manifest.name + entryPoint.slice(1))
)
const everything = `${everyModule.map((name, at) => `import * as module${at} from "${name}"`).join("\n")}
console.log([${everyModule.map((_, at) => `module${at}`).join(", ")}].length)
`

/** Where there is a Node of a version. */
const nodeOf = async (version: string) => {
  const project = makeProject(join(temporary, `node-${version}`), "npm", registry)
  await install(project, [`node@${version}`])
  return join(project.folder, "node_modules/node/bin")
}

const managers: ReadonlyArray<Manager> = ["npm", "pnpm"]
for (const manager of managers) {
  title(`Installed by ${manager}`)
  console.error(`${manager}: all packages`)
  const all = makeProject(join(temporary, manager, "all"), manager, registry)
  const cli = join(all.folder, "node_modules/.bin/speech")
  const packages = new Set([...ours, ...["stt", "tts", "audio-codec", "local-service"].flatMap(installed)])
  await succeeds("all packages install without a warning", () => install(all, [...packages, ...typescript]))
  const service = await serve(cli, all.folder)
  const asUser = { cwd: all.folder, env: service.environment }
  const out = join(all.folder, "a.wav")
  await succeeds(`\`speech synthesize\` and \`speech transcribe\` bring back ${greeting}`, async () => {
    await run(cli, ["synthesize", greeting, "--out", out], asUser)
    return is(`${greeting}\n`, (await run(cli, ["transcribe", out, "--model", "hi-general-v2-8khz"], asUser)).stdout)
  })
  copy(all, join(root, "examples/quickstart.ts"), "quickstart.ts")
  await succeeds("the quick start compiles, resolved as by Node and as by a bundler", () =>
    compile(all, "quickstart.ts", compilersOf(all))
  )
  await succeeds("the quick start runs", async () =>
    is(`${greeting}\n`, (await run(process.execPath, ["out/quickstart.js"], asUser)).stdout)
  )
  copy(all, join(root, "packages/local-service/test/announcement.test.ts"), "announcement.test.ts")
  await succeeds("the test in the local service's README passes", async () => {
    await run(join(all.folder, "node_modules/.bin/vitest"), ["run"], { cwd: all.folder })
    return []
  })
  writeFileSync(join(all.folder, "everything.ts"), everything)
  await succeeds(`all ${everyModule.length} modules compile, their declarations included`, () =>
    compile(all, "everything.ts", compilersOf(all))
  )
  await succeeds("all modules load", async () =>
    is(`${everyModule.length}\n`, (await run(process.execPath, ["out/everything.js"], asUser)).stdout)
  )

  console.error(`${manager}: the clients alone`)
  const alone = makeProject(join(temporary, manager, "alone"), manager, registry)
  const clients = ["@effect-speech/stt", "@effect-speech/tts", "effect@3", "@effect/platform@0.97"]
  await succeeds("the two clients install without a warning beside what they ask for", () =>
    install(alone, [...clients, ...typescript])
  )
  copy(alone, join(root, "checks/packages/clientsAlone.ts"), "program.ts")
  await succeeds("a program of theirs compiles, and runs over `fetch`", async () => {
    const errors = await compile(alone, "program.ts", compilersOf(alone))
    const { stdout } = await run(process.execPath, ["out/program.js", out], { ...asUser, cwd: alone.folder })
    return [...errors, ...is(`${greeting}\n`, stdout)]
  })
  const come = packagesIn(alone)
  const oursAlone = [...new Set(come.map(({ name }) => name).filter((name) => ours.includes(name)))].toSorted()
  holds("with them comes nothing under the GPL, and nothing else of ours than transport and audio-codec", [
    ...come.flatMap(({ license, name }) => (/GPL/.test(String(license)) ? [`${name}: ${license}`] : [])),
    ...is("audio-codec stt transport tts", oursAlone.map((name) => name.replace("@effect-speech/", "")).join(" "))
  ])
  await service.stop()
}

title("By itself")
await succeeds("one client, named alone, brings what it asks for", async () => {
  const project = makeProject(join(temporary, "one"), "npm", registry)
  const told = await install(project, ["@effect-speech/tts"])
  const effect = packagesIn(project).flatMap(({ name, version }) => (name === "effect" ? [version] : []))
  return [...told, ...(effect.length === 1 && effect[0]?.startsWith("3.") ? [] : [`effect is there as ${effect}`])]
})

for (const name of ours.filter((name) => !name.endsWith("/cli"))) {
  await succeeds(`a bundle that imports \`${name}\` and uses nothing has nothing of it`, async () => {
    const bundled = await build({
      stdin: { contents: `import "${name}"`, resolveDir: join(temporary, "npm", "all") },
      bundle: true,
      format: "esm",
      platform: "node",
      write: false,
      // That the import is dropped is what is asked for.
      logLevel: "error"
    })
    return is("", bundled.outputFiles[0]?.text.trim() ?? "")
  })
}

const prefix = join(temporary, "global")
await succeeds("the command installs globally without a warning", async () =>
  warnings(
    await run("npm", ["install", "--global", "--prefix", prefix, "@effect-speech/cli"], {
      cwd: temporary,
      env: { "npm_config_@effect-speech:registry": registry }
    })
  )
)
const { engines }: { engines: { node: string } } = JSON.parse(
  readFileSync(join(root, "packages/cli/package.json"), "utf8")
)
// The least that is asked for, the one at hand, and those that come after it.
for (const version of [engines.node.replace(">=", ""), undefined, "22", "24"]) {
  const path = version === undefined ? process.env.PATH : `${await nodeOf(version)}:${process.env.PATH}`
  const env = { PATH: String(path) }
  const { stdout: node } = await run("node", ["--version"], { cwd: temporary, env })
  await succeeds(`on Node ${node.trim()} it speaks and transcribes, and the quick start runs`, async () => {
    const speech = join(prefix, "bin/speech")
    const service = await serve(speech, temporary, env)
    const options = { cwd: temporary, env: { ...service.environment, ...env } }
    await run(speech, ["synthesize", greeting, "--out", "b.wav"], options)
    const heard = await run(speech, ["transcribe", "b.wav", "--model", "hi-general-v2-8khz"], options)
    const quick = await run("node", [join(temporary, "npm", "all", "out/quickstart.js")], options)
    await service.stop()
    return is(`${greeting}\n${greeting}\n`, heard.stdout + quick.stdout)
  })
}
