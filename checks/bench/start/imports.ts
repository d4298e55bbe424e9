/** An import of the clients, beside what they are made of and other SDKs. */
import { fileURLToPath } from "node:url"
import { build } from "esbuild"
import { root } from "../../../test/support/processes.js"
import { title } from "../../../test/support/report.js"
import type { Setting } from "../harness.js"
import { versions } from "../peers/index.js"
import { imports, race, roundsOf } from "./race.js"

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

export const run = async ({ quick }: Setting) => {
  const rounds = roundsOf(quick)
  const peers = fileURLToPath(new URL("../peers", import.meta.url))
  const effect = ["effect", "@effect/platform"]
  title("An import")
  console.log(`In a process of its own, which has imported nothing else, ${rounds} times each.\n`)
  race("import", rounds, [
    imports("`@effect-speech/tts`", ["@effect-speech/tts"], root),
    imports("the modules of Effect that it is made of", await foreignModules("@effect-speech/tts"), root),
    imports("`@effect-speech/stt`", ["@effect-speech/stt"], root),
    imports("the modules of Effect that it is made of", await foreignModules("@effect-speech/stt"), root),
    imports("`effect` and `@effect/platform`, whole", effect, root),
    imports("the same, and then both clients", [...effect, "@effect-speech/stt", "@effect-speech/tts"], root),
    ...Object.keys(versions).map((name) => imports(`\`${name}\``, [name], peers))
  ])
}
