import { once } from "node:events"
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import type { Readable } from "node:stream"
import { type Output, pnpm, run, start } from "../../test/support/processes.js"

/** A folder of somebody who has nothing of ours yet. */
export interface Project {
  readonly folder: string
  readonly manager: Manager
}

export type Manager = "npm" | "pnpm"

export const makeProject = (folder: string, manager: Manager, registry: string): Project => {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "user", private: true, type: "module" }))
  writeFileSync(join(folder, ".npmrc"), `@effect-speech:registry=${registry}\n`)
  // Without hoisting a package finds what it declares, and nothing else.
  if (manager === "pnpm") writeFileSync(join(folder, "pnpm-workspace.yaml"), "hoist: false\n")
  return { folder, manager }
}

/** Installs packages, and gives what the manager warned of. */
export const install = async ({ folder, manager }: Project, packages: ReadonlyArray<string>) => {
  return warnings(
    manager === "npm"
      ? await run("npm", ["install", "--no-audit", "--no-fund", ...packages], { cwd: folder })
      : await pnpm(["add", ...packages], { cwd: folder })
  )
}

/** Every package that an installation brought, as its manifest tells. */
export const packagesIn = ({ folder }: Project): ReadonlyArray<{ name: string; version: string; license?: unknown }> =>
  readdirSync(join(folder, "node_modules"), { recursive: true, encoding: "utf8" })
    .filter((file) => /(^|\/node_modules\/)(@[^/]+\/)?[^@./][^/]*\/package\.json$/.test(file))
    .map((file) => JSON.parse(readFileSync(join(folder, "node_modules", file), "utf8")))

/**
 * What an installation says of the packages. What it says of its settings is not about them, nor that scripts of optional
 * accelerators were not run, which none of ours needs.
 */
export const warnings = ({ stderr, stdout }: Output): ReadonlyArray<string> =>
  `${stderr}${stdout}`
    .split("\n")
    .filter((line) => /warn|deprecated|peer|missing/i.test(line))
    .filter((line) => !/(user|env) config|install-scripts|╭ Warning ─/.test(line))

/** TypeScript's settings of a user who is strict, also with the declarations of others. */
const strict = {
  target: "ES2022",
  lib: ["ES2023"],
  types: ["node"],
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: false
}

const resolutions = {
  NodeNext: { module: "NodeNext", moduleResolution: "NodeNext", outDir: "out" },
  Bundler: { module: "Preserve", moduleResolution: "Bundler", noEmit: true }
}

/**
 * Type-checks a file under both ways to resolve a module, and emits it for Node. Gives what is wrong with it and with the
 * declarations of ours: those of Effect ask for the DOM and for the types of ws, which a user need not have.
 */
export const compile = async ({ folder }: Project, file: string, compilers: ReadonlyArray<string>) => {
  const errors: Array<string> = []
  for (const [resolution, compilerOptions] of Object.entries(resolutions)) {
    const config = `tsconfig.${resolution}.json`
    writeFileSync(
      join(folder, config),
      JSON.stringify({ compilerOptions: { ...strict, ...compilerOptions }, files: [file] })
    )
    for (const compiler of compilers) {
      const parameters = [compiler, "--project", config, "--pretty", "false"]
      const { stdout } = await run(process.execPath, parameters, { cwd: folder, mayFail: true })
      errors.push(...stdout.split("\n").filter((line) => line.includes("error TS") && !ofOthers.test(line)))
    }
  }
  return errors
}

const ofOthers = /^node_modules\/(?!.*@effect-speech\/)/

export const copy = ({ folder }: Project, file: string, name: string) => copyFileSync(file, join(folder, name))

export interface Service {
  readonly environment: Readonly<Record<string, string>>
  readonly stop: () => Promise<void>
}

/** Starts `speech serve` as it is installed. */
export const serve = async (
  speech: string,
  folder: string,
  env: Readonly<Record<string, string>> = {}
): Promise<Service> => {
  const child = start(speech, ["serve", "--json"], { cwd: folder, env })
  let complaint = ""
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (complaint += text))
  const exited = once(child, "exit")
  const [line] = await Promise.race([
    once(createInterface(child.stdout as Readable), "line"),
    exited.then(([code]) => Promise.reject(new Error(`speech serve ended with ${code}:\n${complaint}`)))
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
