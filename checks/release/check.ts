/**
 * A release as a user gets it: `pnpm verify release`. Publishes the packages of the last commit to a registry of its own, from a copy with
 * addresses in it, as `pnpm release` does. Installs each in an empty folder by the line of its README, and runs its first example. Then
 * publishes a second version, and installs it over the first. `--contents` lists each file of each tarball. Needs the npm registry.
 */
import { execFileSync } from "node:child_process"
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { connect } from "@effect-speech/promise"
import { readOptions } from "effect-speech-test-support/options"
import { pnpm, root, run, temporaryFolder } from "effect-speech-test-support/processes"
import { bar, exitStatus, table, title } from "effect-speech-test-support/report"
import { startService } from "effect-speech-test-support/serviceProcess"
import { addressesOf } from "../../scripts/release/published.js"
import { publish, stage } from "../../scripts/release/stage.js"
import { type Manager, packagesIn, warnings } from "../packages/user.js"
import { installLine, prints, runExample, type User } from "./readme.js"
import { published, startRegistry } from "./registry.js"

const { contents } = readOptions({ contents: { type: "boolean" } })
const temporary = temporaryFolder("check-release-")
const folderIn = (...path: ReadonlyArray<string>) => {
  const folder = join(temporary, ...path)
  mkdirSync(folder, { recursive: true })
  return folder
}
const packages = readdirSync(join(root, "packages"))
const addresses = addressesOf("https://github.com/some-owner/some-name")
const greeting = "नमस्ते"

/** A step that returns its problems. */
const step = async (claim: string, work: () => Promise<ReadonlyArray<string>>) => {
  const began = Date.now()
  const problems = await work().catch((error: Error) => [error.message])
  const seconds = ((Date.now() - began) / 1000).toFixed(0)
  bar(
    claim,
    problems.length === 0,
    problems.length === 0 ? `${seconds} s` : `${problems.length} problems, ${seconds} s`
  )
  for (const problem of problems) console.log(`  - ${problem.trim().replaceAll("\n", "\n    ")}`)
}

console.log(`# A release, Node ${process.version}`)
console.error("the registry")
const { stop: stopRegistry, url: registry } = await startRegistry(folderIn("registry"))
// npm asks for a login before it publishes. The registry takes any.
const npmrc = join(temporary, "npmrc")
writeFileSync(npmrc, `registry=${registry}\n//${new URL(registry).host}/:_authToken=any\n`)
// pnpm, which runs this, sets the variable of its own registry.
const asUser = { npm_config_registry: registry }
const asPublisher = { ...asUser, npm_config_userconfig: npmrc }

/** The repository, in which the second version is made. */
const source = join(temporary, "source")
await run("git", ["clone", "--quiet", "--no-tags", root, source])
const versionOf = () => JSON.parse(readFileSync(join(source, "packages/stt/package.json"), "utf8")).version as string

const release = async (version: string) => {
  title(`Version ${version}`)
  console.error(`version ${version}: staged, built and published`)
  const folder = join(temporary, "stage")
  await step(`all ${packages.length} packages are published with this version`, async () => {
    await stage(source, folder, addresses, { provenance: false })
    const done = await publish(folder, asPublisher)
    const missing = packages.filter(
      (name) => !done.some((each) => each.name === `@effect-speech/${name}` && each.version === version)
    )
    return missing.map((name) => `${name} is not published`)
  })
  await step("a second publication finds nothing to publish", async () =>
    (await publish(folder, asPublisher)).map(({ name }) => `${name} was published again`)
  )
}

/** The tarballs of the first version: what is in them, and what they say. */
const describeTarballs = async (version: string) => {
  const rows: Array<ReadonlyArray<string>> = []
  const lists: Array<string> = []
  const problems: Array<string> = []
  const kilobytes = (bytes: number) => (bytes / 1000).toFixed(0)
  for (const name of packages) {
    const { bytes, manifest } = await published(registry, `@effect-speech/${name}`, version)
    const folder = folderIn("tarballs", name)
    writeFileSync(join(folder, "package.tgz"), bytes)
    execFileSync("tar", ["-xzf", "package.tgz"], { cwd: folder })
    const files = readdirSync(join(folder, "package"), { recursive: true, encoding: "utf8" })
      .map((file) => ({ file, stats: statSync(join(folder, "package", file)) }))
      .filter(({ stats }) => stats.isFile())
      .map(({ file, stats }) => ({ file, size: stats.size }))
      .toSorted((a, b) => (a.file < b.file ? -1 : 1))
    const sizeOf = (part: RegExp) =>
      kilobytes(files.filter(({ file }) => part.test(file)).reduce((sum, { size }) => sum + size, 0))
    rows.push([
      name,
      `${files.length}`,
      ...[kilobytes(bytes.length), sizeOf(/./), sizeOf(/^dist\/.*(?<!\.map)$/), sizeOf(/\.map$/), sizeOf(/^src\//)]
    ])
    lists.push(`### ${name}\n`, ...files.map(({ file, size }) => `- \`${file}\` ${size}`), "")
    const says = JSON.stringify(manifest)
    const readme = readFileSync(join(folder, "package/README.md"), "utf8")
    problems.push(
      ...["homepage", "repository", "bugs", "license", "description", "keywords", "engines"]
        .filter((field) => manifest[field] === undefined)
        .map((field) => `the manifest of ${name} has no ${field}`),
      ...(says.includes(addresses.repository) && says.includes(addresses.site) ? [] : [`${name} has no addresses`]),
      ...(/not published|published yet|is published/.test(readme)
        ? [`the README of ${name} still says that the packages are not published`]
        : []),
      ...(/\]\(\.\.?\//.test(readme) ? [`the README of ${name} has a relative link`] : [])
    )
  }
  title("The tarballs")
  table([["package", "files", "packed, kB", "unpacked, kB", "dist, kB", "source maps, kB", "src, kB"], ...rows])
  if (contents) console.log(lists.join("\n"))
  await step("each manifest has its addresses, and no README a relative link", async () => problems)
}

const userOf = (folder: string): User => ({
  folder,
  greeting: join(temporary, "greeting.wav"),
  env: {
    SPEECH_API_KEY: String(service.apiKey),
    SPEECH_STT_BASE_URL: service.sttBaseUrl,
    SPEECH_TTS_BASE_URL: service.ttsBaseUrl
  }
})

const emptyProject = (folder: string) => {
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "user", private: true, type: "module" }))
}

/** Installs by the line of the README. Returns what npm warns of. */
const installByLine = async (name: string, folder: string) => {
  const prefix: Record<string, string> = name === "cli" ? { npm_config_prefix: join(folder, "global") } : {}
  return warnings(await run("sh", ["-c", installLine(name)], { cwd: folder, env: { ...asUser, ...prefix } }))
}

/**
 * The packages of ours that a folder has in another version. With pnpm only those that were asked for are looked at: it keeps earlier
 * versions of the others in its own folder.
 */
const versionsIn = (folder: string, version: string, manager: Manager = "npm"): ReadonlyArray<string> => {
  const scope = join(folder, "node_modules/@effect-speech")
  const found =
    manager === "npm"
      ? packagesIn({ folder, manager })
      : readdirSync(scope).map((name) => JSON.parse(readFileSync(join(scope, name, "package.json"), "utf8")))
  const ours = found.filter(({ name }) => name?.startsWith("@effect-speech/"))
  const others = ours.filter((each) => each.version !== version)
  return ours.length === 0
    ? ["none of our packages is installed"]
    : others.map((each) => `${each.name} is ${each.version}`)
}
const libraryOf = (name: string, folder: string) => (name === "cli" ? join(folder, "global/lib") : folder)

const exampleOf = async (name: string, folder: string): Promise<ReadonlyArray<string>> => {
  const printed = await runExample(name, userOf(folder))
  if (prints(name) && printed.trim() === "") return ["it prints nothing"]
  const hears = /^(stt|promise|cli)$/.test(name)
  return hears && !printed.includes(greeting) ? [`it prints ${JSON.stringify(printed)}`] : []
}

/** Prints the message of each error that a package exports and that can be made without facts. */
const messagesOf = (name: string) => `
import * as everything from "@effect-speech/${name}"
const found = new Map()
const visit = (value) => {
  if (typeof value === "function" && value.prototype instanceof Error) {
    try { const error = new value({}); if (error._tag) found.set(error._tag, error.message) } catch {}
  } else if (Object.prototype.toString.call(value) === "[object Module]") Object.values(value).forEach(visit)
}
visit(everything)
console.log(JSON.stringify([...found]))`

/** The errors of a package whose message does not name its page. */
const withoutLink = async (name: string, folder: string): Promise<ReadonlyArray<string>> => {
  writeFileSync(join(folder, "messages.js"), messagesOf(name))
  const { stdout } = await run(process.execPath, ["messages.js"], { cwd: folder })
  const messages: ReadonlyArray<readonly [string, string]> = JSON.parse(stdout)
  if (messages.length < 5) return [`${messages.length} errors were made`]
  return messages
    .filter(([tag, message]) => !message.includes(`${addresses.site}errors/${tag}`))
    .map(([tag, message]) => `${tag}: ${message}`)
}

const second = async (first: string) => {
  // What waits may be a minor version, which npm does not install over an earlier one by the line of the README.
  await run("git", ["rm", "--quiet", "--ignore-unmatch", "--", ".changeset/*.md", ":!.changeset/README.md"], {
    cwd: source
  })
  const change = `---\n"@effect-speech/promise": patch\n---\n\nA change that a user notices.\n`
  writeFileSync(join(source, ".changeset/noticed.md"), change)
  await run(process.execPath, [join(root, "node_modules/@changesets/cli/bin.js"), "version"], { cwd: source })
  const version = versionOf()
  await step(`a changeset makes ${version} of ${first}, in all packages, and a line in one log`, async () => {
    const read = (file: string) => readFileSync(join(source, "packages", file), "utf8")
    const others = packages.filter((name) => !read(`${name}/package.json`).includes(`"version": "${version}"`))
    const log = read("promise/CHANGELOG.md")
    const isLogged = log.includes(`## ${version}\n\n### Patch Changes\n\n- A change that a user notices.\n`)
    return [...others, ...(isLogged && log.includes(`## ${first}\n`) ? [] : [log.slice(0, 300)])]
  })
  const author = ["-c", "user.name=release", "-c", "user.email=release@localhost"]
  await run("git", [...author, "commit", "--quiet", "--all", "--message", "release"], { cwd: source })
  return version
}

const service = await startService({}, { temporary })
const { env } = userOf(temporary)
const speaker = connect({ apiKey: String(service.apiKey), ttsBaseUrl: service.ttsBaseUrl })
await speaker.speak(greeting, { lang: "hi" }).toFile(join(temporary, "greeting.wav"))

const first = versionOf()
await release(first)
await describeTarballs(first)

title("In an empty folder, by the line of the README")
for (const name of packages) {
  console.error(`npm: ${name}`)
  const folder = folderIn("npm", name)
  emptyProject(folder)
  await step(`\`${installLine(name).replace(/ *#.*/, "")}\` installs ${first} without a warning`, async () => [
    ...(await installByLine(name, folder)),
    ...versionsIn(libraryOf(name, folder), first)
  ])
  await step(`the first example of ${name} runs`, () => exampleOf(name, folder))
}

const managers: ReadonlyArray<Manager> = ["npm", "pnpm"]
const together = folderIn("pnpm")
emptyProject(together)
const names = packages.flatMap((name) =>
  installLine(name)
    .replace(/ *#.*/, "")
    .split(" ")
    .slice(2)
    .filter((word) => !word.startsWith("-"))
)
/** Installs or updates all packages by pnpm. Its `add` keeps a version that is installed, so the second version needs `update`. */
const addAll = async (version: string, command: ReadonlyArray<string>) => [
  ...warnings(await pnpm(command, { cwd: together, env: asUser })),
  ...versionsIn(together, version, "pnpm")
]
console.error("pnpm: all packages")
await step(`pnpm installs all packages together without a warning`, () => addAll(first, ["add", ...new Set(names)]))
for (const name of ["stt", "promise"]) {
  await step(`there, the first example of ${name} runs`, () => exampleOf(name, together))
}

title("Links in messages")
for (const name of ["stt", "tts"]) {
  await step(`each error of ${name} names its page on the site`, () => withoutLink(name, join(temporary, "npm", name)))
}
await step("so does the command", async () => {
  const speech = join(temporary, "npm/cli/global/bin/speech")
  const refused = { ...env, SPEECH_API_KEY: "wrong.key" }
  const parameters = ["synthesize", greeting, "--out", "refused.wav"]
  const { stderr } = await run(speech, parameters, { cwd: temporary, env: refused, mayFail: true })
  return stderr.includes(`${addresses.site}errors/TtsUnauthorized`) ? [] : [stderr]
})

title("The second version")
const next = await second(first)
await release(next)
for (const manager of managers) {
  console.error(`${manager}: ${next} over ${first}`)
  const folders = manager === "npm" ? packages : ["all packages"]
  for (const name of folders) {
    const folder = join(temporary, "npm", name)
    await step(`${manager} installs ${next} of ${name} over ${first}`, () =>
      manager === "pnpm"
        ? addAll(next, ["update", "@effect-speech/*"])
        : installByLine(name, folder).then((warned) => [...warned, ...versionsIn(libraryOf(name, folder), next)])
    )
  }
}
for (const name of packages) {
  await step(`the first example of ${name} runs with ${next}`, () => exampleOf(name, join(temporary, "npm", name)))
}
await service.stop()
stopRegistry()
// 100,000 files, which Node removes slowly.
await run("rm", ["-rf", temporary])
process.exitCode = exitStatus()
