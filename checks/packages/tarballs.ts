import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs"
import { homedir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core"
import { problemAffectsResolutionKind } from "@arethetypeswrong/core/problems"
import { pnpm, root } from "effect-speech-test-support/processes"
import { publint } from "publint"
import { formatMessage } from "publint/utils"

export interface Manifest {
  readonly name: string
  readonly version: string
  readonly bin?: Readonly<Record<string, string>>
  readonly exports: Readonly<Record<string, unknown>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

export interface Tarball {
  readonly manifest: Manifest
  readonly bytes: Buffer
  /** The unpacked tarball. */
  readonly folder: string
  /** The paths of all files, relative to the folder. */
  readonly files: ReadonlyArray<string>
}

/** Packs a package of the workspace as for the registry, and unpacks it. */
export const pack = async (name: string, folder: string): Promise<Tarball> => {
  const destination = join(folder, name)
  mkdirSync(destination)
  await pnpm(["pack", "--pack-destination", destination], { cwd: join(root, "packages", name) })
  const archive = join(destination, String(readdirSync(destination).find((file) => file.endsWith(".tgz"))))
  execFileSync("tar", ["-xzf", archive, "-C", destination])
  const unpacked = join(destination, "package")
  const files = readdirSync(unpacked, { recursive: true, encoding: "utf8" }).filter((file) =>
    statSync(join(unpacked, file)).isFile()
  )
  const manifest = JSON.parse(readFileSync(join(unpacked, "package.json"), "utf8"))
  return { manifest, bytes: readFileSync(archive), folder: unpacked, files }
}

export const packAll = async (folder: string): Promise<ReadonlyArray<Tarball>> => {
  const packed: Array<Tarball> = []
  for (const name of readdirSync(join(root, "packages"))) packed.push(await pack(name, folder))
  return packed
}

/** Whether it has other packages in its code: the command, and the one for programs without Effect. */
export const isBundle = ({ manifest }: Tarball): boolean =>
  manifest.bin !== undefined || manifest.peerDependencies === undefined

const read = ({ folder }: Tarball, file: string) => readFileSync(join(folder, file), "utf8")

/** The modules that a user can import, as `.` and `./Wav`. */
export const entryPoints = ({ files, manifest }: Tarball): ReadonlyArray<string> =>
  manifest.exports["."] === undefined
    ? []
    : files.flatMap((file) => {
        const [, module] = /^dist\/(\w+)\.js$/.exec(file) ?? []
        return module === undefined ? [] : [module === "index" ? "." : `./${module}`]
      })

/** The files of `dist`, by the sources in the tarball. */
const builtFromSources = ({ files }: Tarball): ReadonlyArray<string> =>
  files
    .filter((file) => /^src\/.*\.[jt]s$/.test(file) && !file.endsWith(".d.ts"))
    .flatMap((source) => {
      const built = source.replace(/^src/, "dist").replace(/\.[jt]s$/, "")
      return [`${built}.js`, `${built}.js.map`, `${built}.d.ts`, `${built}.d.ts.map`]
    })

/** Missing files, and files that should not be published. */
export const misplacedFiles = (tarball: Tarball): ReadonlyArray<string> => {
  const { files } = tarball
  // The build of a bundle empties its folder first, so it holds nothing old. publint looks for what the manifest names.
  const [built, others] = isBundle(tarball)
    ? [["dist/licences.txt"], /^(src|dist)\//]
    : [builtFromSources(tarball), /^src\/|^kernel\/kernel\.wat$|^dist\/console\//]
  const expected = ["LICENSE", "README.md", "CHANGELOG.md", "package.json", ...built]
  const missing = expected.filter((file) => !files.includes(file))
  // Else an old build of a removed source would be published.
  const unexpected = files.filter((file) => !expected.includes(file) && !others.test(file))
  const tests = files.filter((file) => /\.test\.|(^|\/)test\//.test(file))
  return [
    ...missing.map((file) => `${file} is missing`),
    ...[...unexpected, ...tests].map((file) => `${file} should not be published`)
  ]
}

/** Source maps that point out of the tarball or nowhere, and code without a source map. */
export const brokenMaps = (tarball: Tarball): ReadonlyArray<string> => {
  const mapped = tarball.files.filter((file) => /^dist\/(?!console\/)/.test(file) && !file.endsWith(".map"))
  const unmapped = mapped.filter((file) => !/\/\/# sourceMappingURL=[\w.-]+\.map\s*$/.test(read(tarball, file)))
  const broken = tarball.files
    .filter((file) => file.endsWith(".map"))
    .flatMap((file) => {
      const { sourceRoot = "", sources }: { sourceRoot?: string; sources: ReadonlyArray<string> } = JSON.parse(
        read(tarball, file)
      )
      return sources
        .map((source) => resolve(dirname(join(tarball.folder, file)), sourceRoot, source))
        .filter((source) => !source.startsWith(join(tarball.folder, "src/")) || !existsSync(source))
        .map((source) => `${file} points to ${source}`)
    })
  return [...unmapped.map((file) => `${file} has no source map`), ...broken]
}

/** Paths of this machine, and dependencies that are not a range of versions. */
export const traces = (tarball: Tarball): ReadonlyArray<string> => {
  const machine = [root, `${homedir()}/`]
  return [
    ...tarball.files
      .filter((file) => machine.some((path) => read(tarball, file).includes(path)))
      .map((file) => `${file} names a folder of this machine`),
    ...Object.entries({ ...tarball.manifest.dependencies, ...tarball.manifest.peerDependencies })
      .filter(([, range]) => !/^\^\d+\.\d+\.\d+$/.test(range))
      .map(([dependency, range]) => `${dependency} has the version ${range}, which is not a range`)
  ]
}

/** Packages whose code is in a bundle, but not in its licences. */
export const missingLicences = (tarball: Tarball): ReadonlyArray<string> => {
  const licences = read(tarball, "dist/licences.txt")
  // esbuild writes the path of each module before its code.
  const bundled = tarball.files
    .filter((file) => /^dist\/(?!console\/).*\.c?js$/.test(file))
    .flatMap((file) => [...read(tarball, file).matchAll(/^ *(?:\/\/ |").*node_modules\/((?:@[^/]+\/)?[^/]+)\//gm)])
    .map(([, name = ""]) => name)
  if (bundled.length === 0) return ["no module of a package was found"]
  return [...new Set(bundled)].filter((name) => !licences.split("\n").some((line) => line.startsWith(`${name} `)))
}

/** The findings of publint. */
export const lint = async ({ folder }: Tarball): Promise<ReadonlyArray<string>> => {
  const { messages, pkg } = await publint({ pkgDir: folder, pack: false, strict: true })
  return messages.map((message) => formatMessage(message, pkg, { color: false }) ?? message.code)
}

/** The findings of "are the types wrong" for every module, for ES modules and bundlers, and for CommonJS if the package has it. */
export const wrongTypes = async (tarball: Tarball): Promise<ReadonlyArray<string>> => {
  const entrypoints = [...entryPoints(tarball)]
  const analysis = await checkPackage(createPackageFromTarballData(tarball.bytes), { entrypoints })
  if (analysis.types === false) return entrypoints.length === 0 ? [] : ["there are no types"]
  const { problems } = analysis
  const kinds = ["node16-esm", "bundler", ...(isBundle(tarball) ? (["node10", "node16-cjs"] as const) : [])] as const
  return problems
    .filter((problem) => kinds.some((kind) => problemAffectsResolutionKind(problem, kind, analysis)))
    .map((problem) => JSON.stringify(problem))
}
