import { once } from "node:events"
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import type { Readable } from "node:stream"
import { type Output, pnpm, run, start } from "effect-speech-test-support/processes"

/** The folder of a new user. */
export interface Project {
  readonly folder: string
  readonly manager: Manager
}

export type Manager = "npm" | "pnpm"

export const makeProject = (folder: string, manager: Manager, registry: string): Project => {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "user", private: true, type: "module" }))
  writeFileSync(join(folder, ".npmrc"), `@effect-speech:registry=${registry}\n`)
  // Without hoisting, a package finds only what it declares.
  if (manager === "pnpm") writeFileSync(join(folder, "pnpm-workspace.yaml"), "hoist: false\n")
  return { folder, manager }
}

/** Installs packages. Returns the warnings. */
export const install = async ({ folder, manager }: Project, packages: ReadonlyArray<string>) =>
  warnings(
    manager === "npm"
      ? await run("npm", ["install", "--no-audit", "--no-fund", ...packages], { cwd: folder })
      : await pnpm(["add", ...packages], { cwd: folder })
  )

/** The manifests of all installed packages. */
export const packagesIn = ({ folder }: Project): ReadonlyArray<{ name: string; version: string; license?: unknown }> =>
  readdirSync(join(folder, "node_modules"), { recursive: true, encoding: "utf8" })
    .filter((file) => /(^|\/node_modules\/)(@[^/]+\/)?[^@./][^/]*\/package\.json$/.test(file))
    .map((file) => JSON.parse(readFileSync(join(folder, "node_modules", file), "utf8")))

/** The warnings of an installation, except those about its settings and about scripts of optional packages. */
export const warnings = ({ stderr, stdout }: Output): ReadonlyArray<string> =>
  `${stderr}${stdout}`
    .split("\n")
    .filter((line) => /warn|deprecated|peer|missing/i.test(line))
    .filter((line) => !/(user|env) config|install-scripts|╭ Warning ─/.test(line))

/**
 * The strictest TypeScript settings, which also check declarations of dependencies. A library of a user emits declarations, so
 * each inferred type must have a name that the library can import.
 */
const strict = {
  ...{ target: "ES2022", lib: ["ES2023"], types: ["node"], declaration: true },
  ...{ strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false }
}

const resolutions = {
  NodeNext: { module: "NodeNext", moduleResolution: "NodeNext", outDir: "out" },
  Bundler: { module: "Preserve", moduleResolution: "Bundler", noEmit: true }
}

/**
 * Type-checks files with both module resolutions, and emits them for Node. Returns the errors in the files and in our declarations.
 * Those in Effect's declarations do not count: they need the DOM and the types of ws.
 */
export const compile = async ({ folder }: Project, files: ReadonlyArray<string>, compilers: ReadonlyArray<string>) => {
  const errors: Array<string> = []
  for (const [resolution, compilerOptions] of Object.entries(resolutions)) {
    const config = `tsconfig.${resolution}.json`
    const settings = { compilerOptions: { ...strict, ...compilerOptions }, files }
    writeFileSync(join(folder, config), JSON.stringify(settings))
    for (const compiler of compilers) {
      const parameters = [compiler, "--project", config, "--pretty", "false"]
      const { stdout } = await run(process.execPath, parameters, { cwd: folder, mayFail: true })
      errors.push(...stdout.split("\n").filter((line) => line.includes("error TS") && !inOthers.test(line)))
    }
  }
  return errors
}

const inOthers = /^node_modules\/(?!.*@effect-speech\/)/

export const copy = ({ folder }: Project, file: string, name: string) => copyFileSync(file, join(folder, name))

/** Starts the installed `speech serve`. */
export const serve = async (
  speech: string,
  folder: string,
  env: Readonly<Record<string, string>> = {},
  parameters: ReadonlyArray<string> = []
) => {
  const child = start(speech, ["serve", "--port", "0", "--json", ...parameters], { cwd: folder, env })
  let stderr = ""
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr += text))
  const exited = once(child, "exit")
  const [line] = await Promise.race([
    once(createInterface(child.stdout as Readable), "line"),
    exited.then(([code]) => Promise.reject(new Error(`speech serve ended with ${code}:\n${stderr}`)))
  ])
  const { apiKey, sttBaseUrl, ttsBaseUrl } = JSON.parse(line)
  const stop = async () => {
    child.kill("SIGTERM")
    await exited
  }
  return {
    environment: { SPEECH_API_KEY: apiKey, SPEECH_STT_BASE_URL: sttBaseUrl, SPEECH_TTS_BASE_URL: ttsBaseUrl },
    stop
  }
}
