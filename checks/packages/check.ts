/**
 * The packages as a user installs them: `pnpm verify packages`. Packs each package, checks its tarball, and installs it in empty
 * projects with npm and pnpm, where it takes a new user's first steps. Needs the npm registry.
 */
import { copyFileSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { root, run, temporaryFolder } from "effect-speech-test-support/processes"
import { recipes } from "effect-speech-test-support/recipes"
import { bar, exitStatus, title } from "effect-speech-test-support/report"
import { build, transform } from "esbuild"
import { useModels } from "./engines.js"
import { startRegistry } from "./registry.js"
import * as Tarballs from "./tarballs.js"
import { compile, copy, install, type Manager, makeProject, type Project, packagesIn, serve, warnings } from "./user.js"

const temporary = temporaryFolder("check-packages-")

/** A bar that is met if there are no problems. */
const check = (claim: string, problems: ReadonlyArray<string>) => {
  bar(claim, problems.length === 0, problems.length === 1 ? "1 problem" : `${problems.length} problems`)
  for (const problem of problems) console.log(`  - ${problem.trim().replaceAll("\n", "\n    ")}`)
}

/** A step of a user, which returns its problems. */
const checkStep = async (claim: string, step: () => Promise<ReadonlyArray<string>>) =>
  check(claim, await step().catch((error: Error) => [error.message]))

const recordings = join(root, "packages/audio-decoder/test/recordings")
const greeting = "नमस्ते"
const is = (expected: string, actual: string) => (actual === expected ? [] : [`it is ${JSON.stringify(actual)}`])

console.log(`# The packages as a user gets them, Node ${process.version}`)

const tarballs = await Tarballs.packAll(temporary)
const versions = new Set(tarballs.map(({ manifest }) => manifest.version))
title("In the tarballs")
check(`all have one version, ${[...versions].join(", ")}`, versions.size === 1 ? [] : ["they have several"])
for (const tarball of tarballs) {
  const { bytes, files, manifest } = tarball
  console.log(`\n\`${manifest.name}\`: ${files.length} files, ${(bytes.length / 1024).toFixed(0)} KiB packed\n`)
  check("it has the built files, sources, license, README and log, and nothing else", Tarballs.misplacedFiles(tarball))
  check("no file names the workspace or a folder of this machine", Tarballs.traces(tarball))
  if (Tarballs.isBundle(tarball)) {
    check("it has the licence of every package in its bundle", Tarballs.missingLicences(tarball))
  } else {
    check("every source map points to a source in the tarball", Tarballs.brokenMaps(tarball))
  }
  check("publint finds nothing", await Tarballs.lint(tarball))
  const modules = Tarballs.entryPoints(tarball).length
  if (modules > 0)
    check(
      `the types of its ${modules} modules are right for the kinds of modules that it has`,
      await Tarballs.wrongTypes(tarball)
    )
}

const registry = await startRegistry(tarballs)
const ours = tarballs.map(({ manifest }) => manifest.name)

/** The installed packages of this project. */
const oursIn = (project: Project): string => {
  const names = packagesIn(project).map(({ name }) => name)
  const found = ours.filter((name) => names.includes(name)).toSorted()
  return found.map((name) => name.replace("@effect-speech/", "")).join(" ")
}

/** The packages that a README says to install. */
const installed = (name: string) => {
  const [, packages] = /^npm install (.+)$/m.exec(readFileSync(join(root, "packages", name, "README.md"), "utf8")) ?? []
  if (packages === undefined) throw new Error(`The README of ${name} does not say how to install it.`)
  return packages.split(" ").filter((word) => !word.startsWith("-"))
}

/** The oldest TypeScript that the README promises. */
const [, oldestTypescript] = /TypeScript (\d+\.\d+) or newer/.exec(readFileSync(join(root, "README.md"), "utf8")) ?? []
if (oldestTypescript === undefined) throw new Error("The README does not say which TypeScript is needed.")
const typescript = ["typescript@5.9", `oldest-typescript@npm:typescript@${oldestTypescript}`, "@types/node@20"]
/** Those of docs/guides/bundling.md. */
const bundlers = ["esbuild@0.28", "vite@7", "bun@1.4"]
const compilersOf = ({ folder }: Project) => [
  join(folder, "node_modules/typescript/bin/tsc"),
  join(folder, "node_modules/oldest-typescript/bin/tsc"),
  join(root, "node_modules/typescript/bin/tsc")
]

const everyModule = tarballs.flatMap((tarball) =>
  Tarballs.entryPoints(tarball).map((entryPoint) => tarball.manifest.name + entryPoint.slice(1))
)
const everything = `${everyModule.map((name, at) => `import * as module${at} from "${name}"`).join("\n")}
console.log([${everyModule.map((_, at) => `module${at}`).join(", ")}].length)
`

/** Installs a version of Node. Returns its folder. */
const nodeOf = async (version: string) => {
  const project = makeProject(join(temporary, `node-${version}`), "npm", registry)
  await install(project, [`node@${version}`])
  return join(project.folder, "node_modules/node/bin")
}

const { engines }: { engines: { node: string } } = JSON.parse(
  readFileSync(join(root, "packages/cli/package.json"), "utf8")
)
const oldestNode = engines.node.replace(">=", "")

const managers: ReadonlyArray<Manager> = ["npm", "pnpm"]
for (const manager of managers) {
  title(`Installed by ${manager}`)
  console.error(`${manager}: all packages`)
  const all = makeProject(join(temporary, manager, "all"), manager, registry)
  const cli = join(all.folder, "node_modules/.bin/speech")
  const packages = new Set([...ours, ...["stt", "tts", "audio-codec", "local-service"].flatMap(installed)])
  await checkStep("all packages install without a warning", () => install(all, [...packages, ...typescript]))
  const service = await serve(cli, all.folder)
  const asUser = { cwd: all.folder, env: service.environment }
  const out = join(all.folder, "a.wav")
  await checkStep(`\`speech synthesize\` and \`speech transcribe\` return ${greeting}`, async () => {
    await run(cli, ["synthesize", greeting, "--out", out], asUser)
    return is(`${greeting}\n`, (await run(cli, ["transcribe", out, "--model", "hi-general-v2-8khz"], asUser)).stdout)
  })
  copy(all, join(root, "examples/quickstart.ts"), "quickstart.ts")
  await checkStep("the quick start compiles, with the module resolution of Node and of a bundler", () =>
    compile(all, ["quickstart.ts"], compilersOf(all))
  )
  await checkStep("the quick start runs", async () =>
    is(`${greeting}\n`, (await run(process.execPath, ["out/quickstart.js"], asUser)).stdout)
  )
  copy(all, join(root, "packages/local-service/test/announcement.test.ts"), "announcement.test.ts")
  await checkStep("the test in the local service's README passes", async () => {
    await run(join(all.folder, "node_modules/.bin/vitest"), ["run"], { cwd: all.folder })
    return []
  })
  writeFileSync(join(all.folder, "everything.ts"), everything)
  await checkStep(`all ${everyModule.length} modules compile, their declarations included`, () =>
    compile(all, ["everything.ts"], compilersOf(all))
  )
  await checkStep("all modules load", async () =>
    is(`${everyModule.length}\n`, (await run(process.execPath, ["out/everything.js"], asUser)).stdout)
  )

  console.error(`${manager}: programs`)
  const programs = readdirSync(join(root, "checks/packages/programs"))
  for (const program of programs) copy(all, join(root, "checks/packages/programs", program), program)
  await checkStep(`${programs.length} programs and tests of a user compile, and emit declarations`, () =>
    compile(all, programs, compilersOf(all))
  )
  for (const program of programs.filter((name) => !name.endsWith(".test.ts"))) {
    await checkStep(`${program} runs`, async () => {
      const { stdout } = await run(process.execPath, [join("out", program.replace(/ts$/, "js"))], { cwd: all.folder })
      return /^ok\b/m.test(stdout) ? [] : [`it printed ${JSON.stringify(stdout)}`]
    })
  }
  await checkStep("the tests of a user pass", async () => {
    await run(join(all.folder, "node_modules/.bin/vitest"), ["run"], { cwd: all.folder })
    return []
  })

  console.error(`${manager}: the clients alone`)
  const alone = makeProject(join(temporary, manager, "alone"), manager, registry)
  const clients = ["@effect-speech/stt", "@effect-speech/tts", "effect@3", "@effect/platform@0.97"]
  await checkStep("the two clients install without a warning beside their peer dependencies", () =>
    install(alone, [...clients, ...typescript])
  )
  copy(alone, join(root, "checks/packages/clientsAlone.ts"), "program.ts")
  await checkStep("a program with the two clients compiles, and runs over `fetch`", async () => {
    const errors = await compile(alone, ["program.ts"], compilersOf(alone))
    const { stdout } = await run(process.execPath, ["out/program.js", out], { ...asUser, cwd: alone.folder })
    return [...errors, ...is(`${greeting}\n`, stdout)]
  })
  check("they install nothing under the GPL, and of our packages only transport, audio-codec and common", [
    ...packagesIn(alone).flatMap(({ license, name }) => (/GPL/.test(String(license)) ? [`${name}: ${license}`] : [])),
    ...is("audio-codec common stt transport tts", oursIn(alone))
  ])
  await service.stop()

  console.error(`${manager}: the decoder`)
  const long = makeProject(join(temporary, manager, "long"), manager, registry)
  await checkStep("what the README of audio-decoder says to install installs without a warning", () =>
    install(long, [...installed("audio-decoder"), ...typescript])
  )
  copy(long, join(root, "examples/longMp3.ts"), "program.ts")
  const words = "He has a bad cat."
  copy(long, join(recordings, "cat.wav"), "cat.wav")
  writeFileSync(join(long.folder, "cat.txt"), words)
  copy(long, join(recordings, "join.mp3"), "long.mp3")
  await checkStep(
    "its example compiles, and cuts an MP3 into two pieces, whose words are in its subtitles",
    async () => {
      const errors = await compile(long, ["program.ts"], compilersOf(long))
      const taught = await serve(cli, long.folder, {}, ["--recordings", long.folder])
      const options = { cwd: long.folder, env: taught.environment }
      const parameters = ["out/program.js", "long.mp3", "en-general-v2-8khz", "2"]
      const { stderr, stdout } = await run(process.execPath, parameters, options).finally(taught.stop)
      const spoken = stdout.split("\n").filter((line) => line === words)
      return [...errors, ...is("long.mp3: 2 pieces\n", stderr), ...is(`${words} ${words}`, spoken.join(" "))]
    }
  )
  check(
    "of our packages it installs the decoder, those of long texts and recordings, and nothing of the local service",
    [
      ...is("audio-codec audio-decoder common long-form stt transport tts", oursIn(long)),
      ...packagesIn(long).flatMap(({ name }) => (/espeak|libsql/.test(name) ? [name] : []))
    ]
  )
}

title("Alone")
await checkStep("one client alone installs its dependencies", async () => {
  const project = makeProject(join(temporary, "one"), "npm", registry)
  const warned = await install(project, ["@effect-speech/tts"])
  const effect = packagesIn(project).flatMap(({ name, version }) => (name === "effect" ? [version] : []))
  const isOne = effect.length === 1 && effect[0]?.startsWith("3.")
  return isOne ? warned : [...warned, `the versions of effect are ${effect}`]
})

await checkStep(
  "beside Effect 4 npm fails with ERESOLVE, and the command in the README then installs Effect 3",
  async () => {
    const project = makeProject(join(temporary, "effect-4"), "npm", registry)
    await install(project, ["effect@4"])
    const refused = await install(project, ["@effect-speech/stt"]).then(
      () => ["npm installs it"],
      (error: Error) => (error.message.includes("ERESOLVE") ? [] : [error.message])
    )
    const warned = await install(project, installed("stt"))
    const effect = packagesIn(project).flatMap(({ name, version }) => (name === "effect" ? [version] : []))
    return [...refused, ...warned, ...is("3", effect.map((version) => version.split(".")[0]).join(", "))]
  }
)

for (const name of ours.filter((name) => !name.endsWith("/cli"))) {
  await checkStep(`a bundle that imports \`${name}\` and uses nothing is empty`, async () => {
    const stdin = { contents: `import "${name}"`, resolveDir: join(temporary, "npm", "all") }
    // esbuild warns that it drops the import.
    const options = { bundle: true, format: "esm", platform: "node", write: false, logLevel: "error" } as const
    const bundled = await build({ stdin, ...options })
    return is("", bundled.outputFiles[0]?.text.trim() ?? "")
  })
}

title("Bundled")
const bundling = makeProject(join(temporary, "bundling"), "npm", registry)
const nodes = [await nodeOf(oldestNode), undefined]
await checkStep("the packages install beside the bundlers without a warning", () =>
  install(bundling, [...installed("stt"), ...installed("tts"), ...installed("local-service"), ...bundlers])
)
copy(bundling, join(root, "examples/quickstart.ts"), "program.ts")
for (const program of ["fetch.ts", "service.ts"]) {
  copy(bundling, join(root, "test/support/bundled", program), program)
}
const bundled = await serve(join(temporary, "npm", "all", "node_modules/.bin/speech"), temporary)
for (const { command, config, entry, megabytes, name, output } of recipes) {
  console.error(`bundled: ${name}`)
  await checkStep(`the recipe "${name}" of the guide makes a bundle that returns ${greeting}`, async () => {
    if (config !== undefined) writeFileSync(join(bundling.folder, "vite.config.js"), config)
    const path = `${join(bundling.folder, "node_modules/.bin")}:${process.env.PATH}`
    await run("sh", ["-c", command], { cwd: bundling.folder, env: { PATH: path } })
    const bundle = join(bundling.folder, output)
    const size = statSync(bundle).size / 1e6
    console.log(`\n${output}: ${size.toFixed(2)} MB\n`)
    // That of the local service needs the packages beside it.
    const folder = entry === "service.ts" ? bundling.folder : makeProject(join(temporary, name), "npm", registry).folder
    const file = join(folder, basename(output))
    copyFileSync(bundle, file)
    const problems: Array<string> = []
    if (megabytes !== undefined && Math.abs(size - megabytes) > 0.1) {
      problems.push(`${output} has ${size.toFixed(2)} MB, not ${megabytes}`)
    }
    for (const node of nodes) {
      const command = node === undefined ? process.execPath : join(node, "node")
      const { stdout } = await run(command, [file], { cwd: folder, env: bundled.environment })
      problems.push(...is(`${greeting}\n`, stdout))
    }
    return problems
  })
}
await bundled.stop()

// Effect is loaded twice there: as CommonJS by this program, and as ES modules by the packages.
const commonjs = await transform(readFileSync(join(root, "examples/quickstart.ts")), { loader: "ts", format: "cjs" })
writeFileSync(join(temporary, "npm", "all", "commonjs.cjs"), commonjs.code)
const prefix = join(temporary, "global")
await checkStep("the command installs globally without a warning", async () =>
  warnings(
    await run("npm", ["install", "--global", "--prefix", prefix, "@effect-speech/cli"], {
      cwd: temporary,
      env: { "npm_config_@effect-speech:registry": registry }
    })
  )
)
/** The variables with which another Node runs the command, and its version. */
const environmentOf = async (version: string | undefined) => {
  const path = version === undefined ? process.env.PATH : `${await nodeOf(version)}:${process.env.PATH}`
  const env = { PATH: String(path) }
  const { stdout } = await run("node", ["--version"], { cwd: temporary, env })
  return { env, node: stdout.trim() }
}
// The oldest supported version, the current one, and a later one.
for (const version of [oldestNode, undefined, "24"]) {
  const { env, node } = await environmentOf(version)
  await checkStep(`on Node ${node} the command and the quick start run, also as CommonJS`, async () => {
    const speech = join(prefix, "bin/speech")
    const service = await serve(speech, temporary, env)
    const options = { cwd: temporary, env: { ...service.environment, ...env } }
    await run(speech, ["synthesize", greeting, "--out", "b.wav"], options)
    const heard = await run(speech, ["transcribe", "b.wav", "--model", "hi-general-v2-8khz"], options)
    const quick = await run("node", [join(temporary, "npm", "all", "out/quickstart.js")], options)
    const required = await run("node", [join(temporary, "npm", "all", "commonjs.cjs")], options)
    await service.stop()
    return is(`${greeting}\n`.repeat(3), heard.stdout + quick.stdout + required.stdout)
  })
}

title("With models of the user")
await checkStep("without sherpa-onnx-node, `speech serve --models` says what to install", async () => {
  const speech = join(prefix, "bin/speech")
  const { status, stderr } = await run(speech, ["serve", "--models", "."], { cwd: temporary, mayFail: true })
  const says = /npm install --global sherpa-onnx-node@\d+\.\d+/.test(stderr)
  return says && status === 2 ? [] : [`it ended with ${status}: ${stderr}`]
})
const withModels = makeProject(join(temporary, "with-models"), "npm", registry)
await checkStep("the command, the engine and sherpa-onnx-node install without a warning", () =>
  install(withModels, ["@effect-speech/cli", "@effect-speech/engine-sherpa", "sherpa-onnx-node"])
)
for (const version of [oldestNode, "22", "24"]) {
  const { env, node } = await environmentOf(version)
  console.error(`models: Node ${node}`)
  await checkStep(
    `on Node ${node} a service with models speaks and transcribes: SRT, 20,000 code points, an archive of 200 files`,
    () =>
      useModels({
        speech: join(withModels.folder, "node_modules/.bin/speech"),
        folder: join(temporary, `models-${node}`),
        env
      })
  )
}
process.exitCode = exitStatus()
