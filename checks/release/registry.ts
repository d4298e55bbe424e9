import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { freePort } from "effect-speech-test-support/freePort"
import { run, start } from "effect-speech-test-support/processes"

/** The newest that runs on Node 20. */
const verdaccio = "verdaccio@6.8.0"

/** Our packages are published here, all others come from the registry of this machine's npm. */
const settings = (port: number, uplink: string) => `
storage: ./storage
uplinks:
  npm: { url: "${uplink}", maxage: 60m }
packages:
  "@effect-speech/*": { access: $all, publish: $all }
  "**": { access: $all, proxy: npm }
max_body_size: 100mb
log: { type: stdout, format: pretty, level: warn }
web: { enable: false }
listen: 127.0.0.1:${port}
`

const isReady = (url: string) =>
  fetch(`${url}-/ping`).then(
    ({ ok }) => ok,
    () => false
  )

/** Installs verdaccio into a folder, and starts it there. */
export const startRegistry = async (folder: string) => {
  // One of its dependencies asks for a tag of node-fetch, which not every mirror of npm has.
  const manifest = { private: true, overrides: { "node-fetch": "^2.7.0" } }
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest))
  await run("npm", ["install", "--no-audit", "--no-fund", verdaccio], { cwd: folder })
  const port = await freePort()
  const uplink = (await run("npm", ["config", "get", "registry"], { cwd: folder })).stdout.trim()
  writeFileSync(join(folder, "config.yaml"), settings(port, uplink))
  const server = start(join(folder, "node_modules/.bin/verdaccio"), ["--config", "config.yaml"], { cwd: folder })
  let output = ""
  for (const stream of [server.stdout, server.stderr])
    stream?.setEncoding("utf8").on("data", (text) => (output += text))
  const url = `http://127.0.0.1:${port}/`
  for (let left = 300; left > 0 && server.exitCode === null; left--) {
    if (await isReady(url)) return { url, stop: () => server.kill() }
    await new Promise((done) => setTimeout(done, 200))
  }
  throw new Error(`${verdaccio} does not listen:\n${output}`)
}

export interface Published {
  readonly manifest: Readonly<Record<string, unknown>> & { readonly version: string }
  readonly bytes: Buffer
}

/** A version of a package as the registry has it. Without a version: the one that a user gets. */
export const published = async (registry: string, name: string, version?: string): Promise<Published> => {
  const { "dist-tags": tags, versions } = await fetch(`${registry}${name.replace("/", "%2f")}`).then(
    (response) => response.json() as Promise<{ "dist-tags": { latest: string }; versions: Record<string, Manifest> }>
  )
  const manifest = versions[version ?? tags.latest]
  if (manifest === undefined) throw new Error(`The registry has no ${name} ${version ?? tags.latest}.`)
  const tarball = await fetch(manifest.dist.tarball)
  return { manifest, bytes: Buffer.from(await tarball.arrayBuffer()) }
}

type Manifest = Published["manifest"] & { readonly dist: { readonly tarball: string } }
