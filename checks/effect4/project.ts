/** The copy of the packages that is rewritten: which files it has, its manifest, and what git says of its changes. */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { root, run } from "effect-speech-test-support/processes"

/** Each package after those that it needs. */
export const packages = ["common", "audio-codec", "transport", "stt", "tts", "long-form"]

const read = (path: string) => readFileSync(join(root, path), "utf8")

const filesBelow = (folder: string): ReadonlyArray<string> =>
  existsSync(join(root, folder))
    ? readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(root.length))
        .sort()
    : []

/** The file that an import means, or the package of ours that the copy does not have. */
const target = (
  from: string,
  specifier: string
): { readonly file: string } | { readonly missing: string } | undefined => {
  const support = "effect-speech-test-support/"
  const path = specifier.startsWith(".")
    ? join(dirname(from), specifier)
    : specifier.startsWith(support)
      ? `test/support/${specifier.slice(support.length)}`
      : undefined
  if (path === undefined) {
    const [, name] = /^@effect-speech\/([\w-]+)/.exec(specifier) ?? []
    return name === undefined || packages.includes(name) ? undefined : { missing: name }
  }
  const file = [path, path.replace(/\.js$/, ".ts"), `${path}.ts`, `${path}.js`].find(
    (each) => /\.\w+$/.test(each) && existsSync(join(root, each))
  )
  return file === undefined ? undefined : { file }
}

/** A file with all that it imports: their paths, and the packages of ours among them that the copy does not have. */
const closure = (file: string) => {
  const files = new Set<string>()
  const missing = new Set<string>()
  const visit = (each: string) => {
    if (files.has(each)) return
    files.add(each)
    if (!/\.[jt]s$/.test(each)) return
    for (const [, imported, located = ""] of read(each).matchAll(
      /(?:from|import)\s*\(?\s*"([^"]+)"|new URL\("(\.[^"]+)"/g
    )) {
      const found = target(each, imported ?? located)
      if (found === undefined) continue
      if ("missing" in found) missing.add(found.missing)
      else visit(found.file)
    }
  }
  visit(file)
  return { files, missing }
}

export interface Contents {
  readonly files: ReadonlyArray<string>
  /** The tests that the copy has. */
  readonly tests: ReadonlyArray<string>
  /** The tests that need a package which the copy does not have, with its name. */
  readonly left: ReadonlyArray<readonly [test: string, because: string]>
}

export const contents = (): Contents => {
  const files = new Set(["tsconfig.base.json", "test/support/restoreMethods.ts"])
  const tests: Array<string> = []
  const left: Array<readonly [string, string]> = []
  for (const name of packages) {
    for (const file of filesBelow(`packages/${name}/src`)) files.add(file)
    for (const file of filesBelow(`packages/${name}/test`)) {
      if (!file.endsWith(".test.ts")) {
        if (!/\.[jt]s$/.test(file)) files.add(file)
        continue
      }
      const needs = closure(file)
      if (needs.missing.size > 0) left.push([file, [...needs.missing].join(", ")])
      else {
        tests.push(file)
        for (const each of needs.files) files.add(each)
      }
    }
    for (const file of filesBelow(`packages/${name}/kernel`)) files.add(file)
  }
  for (const file of filesBelow("test/support")) if (/\.pem$/.test(file)) files.add(file)
  return { files: [...files], tests, left }
}

type Versions = Readonly<Record<string, string>>

/** What the packages need beside Effect, in the versions of this workspace. */
const otherDependencies = (): Versions => {
  const catalog = new Map(
    [...read("pnpm-workspace.yaml").matchAll(/^ {2}"?([@\w][^":]*)"?: (\S+)$/gm)].map(([, name = "", version = ""]) => [
      name,
      version
    ])
  )
  const found: Record<string, string> = {}
  for (const name of [...packages.map((each) => `packages/${each}`), "test/support", "."]) {
    const manifest: { dependencies?: Versions; devDependencies?: Versions } = JSON.parse(
      read(join(name, "package.json"))
    )
    for (const each of Object.keys({ ...manifest.dependencies, ...manifest.devDependencies })) {
      const version = catalog.get(each)
      const needed = /^(@types\/node|typescript|tsx|wabt|audio-decode|marked)$/.test(each)
      if (needed && version !== undefined) found[each] = version
    }
  }
  return found
}

const effectPackages: Versions = {
  effect: "^4.1.0",
  "@effect/platform-node": "^4.1.0",
  "@effect/vitest": "^4.0.5",
  "fast-check": "^4.10.2",
  vitest: "^5.1.0",
  // The undici of @effect/platform-node needs Node 22 or newer.
  node: "24.9.0"
}

export const git = async (folder: string, parameters: ReadonlyArray<string>, mayFail = false) =>
  await run("git", ["-c", "user.name=check", "-c", "user.email=check@localhost", ...parameters], {
    cwd: folder,
    mayFail
  })

export const commit = async (folder: string, message: string) => {
  await git(folder, ["add", "--all"])
  await git(folder, ["commit", "--quiet", "--allow-empty", "--message", message])
  await git(folder, ["tag", "--force", message])
}

const vitestConfiguration = `import { defineConfig } from "vitest/config"
export default defineConfig({
  ssr: { resolve: { conditions: ["@effect-speech/source"] } },
  test: {
    include: ["packages/*/test/**/*.test.ts"],
    testTimeout: 20_000,
    env: { HTTP_PROXY: "", HTTPS_PROXY: "", http_proxy: "", https_proxy: "" },
    isolate: false,
    setupFiles: ["test/support/restoreMethods.ts"],
    maxWorkers: 2
  }
})
`

export const copy = (folder: string, { files }: Contents) => {
  for (const file of files) {
    mkdirSync(join(folder, dirname(file)), { recursive: true })
    cpSync(join(root, file), join(folder, file))
  }
  mkdirSync(join(folder, "node_modules/@effect-speech"), { recursive: true })
  const link = (name: string, path: string) => {
    const manifest = JSON.parse(read(join(path, "package.json")))
    writeFileSync(
      join(folder, path, "package.json"),
      JSON.stringify({ name, type: "module", exports: manifest.exports })
    )
  }
  for (const name of packages) link(`@effect-speech/${name}`, `packages/${name}`)
  link("effect-speech-test-support", "test/support")
  writeFileSync(join(folder, ".gitignore"), "node_modules\npackage-lock.json\n*.log\n*.rej\n")
  const { compilerOptions } = JSON.parse(read("tsconfig.json"))
  const configuration = { extends: "./tsconfig.base.json", compilerOptions, include: ["packages", "test"] }
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(configuration))
  writeFileSync(join(folder, "vitest.config.ts"), vitestConfiguration)
  const manifest = { private: true, type: "module", dependencies: { ...otherDependencies(), ...effectPackages } }
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest, undefined, 2))
}

/** Installs Effect 4, and links the packages of the copy. Returns the installed version of each. */
export const install = async (folder: string): Promise<Versions> => {
  if (!existsSync(join(folder, "node_modules/effect")))
    await run("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error", "--force"], {
      cwd: folder,
      progress: true
    })
  const scope = join(folder, "node_modules/@effect-speech")
  mkdirSync(scope, { recursive: true })
  const link = (to: string, path: string) => {
    if (!existsSync(path)) symlinkSync(to, path, "dir")
  }
  for (const name of packages) link(`../../packages/${name}`, join(scope, name))
  link("../test/support", join(folder, "node_modules/effect-speech-test-support"))
  return Object.fromEntries(
    Object.keys(effectPackages).map((name) => [
      name,
      JSON.parse(readFileSync(join(folder, "node_modules", name, "package.json"), "utf8")).version
    ])
  )
}
