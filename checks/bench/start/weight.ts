/** The size of an installation and of a bundle. Needs the network. */
import { readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { root, temporaryFolder } from "effect-speech-test-support/processes"
import { table, title, whole } from "effect-speech-test-support/report"
import { build } from "esbuild"
import { startRegistry } from "../../packages/registry.js"
import { packAll } from "../../packages/tarballs.js"
import { install, makeProject, type Project, packagesIn } from "../../packages/user.js"
import { peers, versions } from "../peers/index.js"

const sizeOf = (project: Project) => {
  const modules = join(project.folder, "node_modules")
  const entries = readdirSync(modules, { recursive: true, encoding: "utf8" }).map((file) =>
    statSync(join(modules, file))
  )
  const files = entries.filter((stats) => stats.isFile())
  const bytes = files.reduce((sum, { size }) => sum + size, 0)
  return [whole(packagesIn(project).length), whole(files.length), (bytes / 1e6).toFixed(1)]
}

/** A minified program that only imports a client, in kilobytes before and after gzip. */
const bundle = async (clientName: string, packageName: string, resolveDir: string) => {
  const stdin = { contents: `export { ${clientName} } from "${packageName}"`, resolveDir }
  const options = {
    bundle: true,
    minify: true,
    format: "esm",
    platform: "node",
    write: false,
    logLevel: "error"
  } as const
  const { outputFiles } = await build({ stdin, ...options })
  const bytes = outputFiles[0]?.contents ?? new Uint8Array()
  return [bytes, gzipSync(bytes)].map(({ byteLength }) => whole(byteLength / 1000))
}

export const run = async () => {
  const temporary = temporaryFolder("bench-weight-")
  const registry = await startRegistry(await packAll(temporary))
  const clients = ["@effect-speech/stt", "@effect-speech/tts"]
  const effect = ["effect@3", "@effect/platform@0.97"]
  const node = ["@effect-speech/transport", "@effect/platform-node@0.108"]
  const cases = [
    { name: "both clients with `effect` and `@effect/platform`", packages: [...clients, ...effect] },
    { name: "`effect` and `@effect/platform` alone", packages: effect },
    { name: "both clients with the layer for Node", packages: [...clients, ...node, ...effect] },
    ...Object.entries(versions).map(([name, version]) => ({ name: `\`${name}\``, packages: [`${name}@${version}`] }))
  ]
  title("An installation")
  console.log("By npm in an empty project.\n")
  const rows: Array<ReadonlyArray<string>> = [["installed", "packages", "files", "MB"]]
  for (const [index, { name, packages }] of cases.entries()) {
    console.error(`install ${packages.join(" ")}`)
    const project = makeProject(join(temporary, String(index)), "npm", registry)
    await install(project, packages)
    rows.push([name, ...sizeOf(project)])
  }
  table(rows)

  title("A bundle")
  console.log("A program that only imports a client, minified by esbuild for Node.\n")
  const peersFolder = fileURLToPath(new URL("../peers", import.meta.url))
  const ofPeers = Object.values(peers).map(async ({ client, package: name }) => [
    `\`${client}\``,
    ...(await bundle(client, name, peersFolder))
  ])
  table([
    ["client", "kB", "kB in gzip"],
    ["`TextToSpeech`", ...(await bundle("TextToSpeech", "@effect-speech/tts", root))],
    ["`SpeechToText`", ...(await bundle("SpeechToText", "@effect-speech/stt", root))],
    ...(await Promise.all(ofPeers))
  ])
}
