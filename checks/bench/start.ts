/** The start: an import of the clients, the size of a bundle, and a process of the command. */
import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { root } from "effect-speech-test-support/processes"
import { measuredBar, median, ratio, spread, table, title, whole } from "effect-speech-test-support/report"
import { build } from "esbuild"
import { interleave, millisOf, resultsOf, type Side } from "../support/interleave.js"
import type { Setting } from "./harness.js"
import { peers, versions } from "./peers/index.js"

const peersFolder = fileURLToPath(new URL("peers", import.meta.url))

/** Prints the times of new processes, in milliseconds. The first round fills the caches. Returns the median of a side. */
const compare = async (header: string, { quick }: Setting, sides: ReadonlyArray<Side<number>>) => {
  const all = await interleave(sides, { rounds: quick ? 3 : 15, warmUp: true })
  table([
    [header, "median, ms", "least to most"],
    ...all.map(({ name, results }) => [name, whole(median(results)), spread(results, whole)])
  ])
  return (name: string) => median(resultsOf(all, name))
}

/** Imports modules one after another, in a new process. */
const imports = (name: string, specifiers: ReadonlyArray<string>, cwd = root): Side<number> => {
  const script = `const began = performance.now()
    ${specifiers.map((specifier) => `await import(${JSON.stringify(specifier)})`).join("\n")}
    process.stdout.write(String(performance.now() - began), () => process.exit())`
  return { name, run: () => Number(execFileSync(process.execPath, ["--input-type=module", "--eval", script], { cwd })) }
}

/** A minified program that only imports a client, in kilobytes before and after gzip. */
const bundle = async (clientName: string, packageName: string, resolveDir: string) => {
  const { outputFiles } = await build({
    stdin: { contents: `export { ${clientName} } from "${packageName}"`, resolveDir },
    ...{ bundle: true, minify: true, write: false },
    ...({ format: "esm", platform: "node", logLevel: "error" } as const)
  })
  const bytes = outputFiles?.[0]?.contents ?? new Uint8Array()
  return [`\`${clientName}\``, ...[bytes, gzipSync(bytes)].map(({ byteLength }) => whole(byteLength / 1000))]
}

/** A process, from its start to its end. */
const untilEnd = (name: string, ...parameters: ReadonlyArray<string>): Side<number> => ({
  name,
  run: () => millisOf(() => execFileSync(process.execPath, parameters, { stdio: ["ignore", "pipe", "inherit"] }))
})

export const run = async (setting: Setting) => {
  const effect = ["effect", "@effect/platform"]
  const clients = ["@effect-speech/stt", "@effect-speech/tts"]
  title("An import")
  console.log("In a new process that has imported nothing else.\n")
  await compare("import", setting, [
    ...clients.map((name) => imports(`\`${name}\``, [name])),
    imports("`effect` and `@effect/platform`, whole", effect),
    imports("the same, and then both clients", [...effect, ...clients]),
    ...Object.keys(versions).map((name) => imports(`\`${name}\``, [name], peersFolder))
  ])

  title("A bundle")
  console.log("A program that only imports a client, minified by esbuild for Node.\n")
  table([
    ["client", "kB", "kB in gzip"],
    await bundle("TextToSpeech", "@effect-speech/tts", root),
    await bundle("SpeechToText", "@effect-speech/stt", root),
    ...(await Promise.all(Object.values(peers).map(({ client, package: name }) => bundle(client, name, peersFolder))))
  ])

  title("The command")
  console.log("From the start of a process to its end.\n")
  const speech = join(root, "packages/cli/dist/bin.js")
  const nothing = untilEnd("`node -e 0`", "-e", "0")
  const help = [["--help"], ["transcribe", "--help"], ["synthesize", "--help"]]
  const commands = help.map((parameters) => untilEnd(`\`speech ${parameters.join(" ")}\``, speech, ...parameters))
  const medianOf = await compare("process", setting, [nothing, ...commands])
  for (const { name } of commands) {
    const [millis, least] = [medianOf(name), medianOf(nothing.name)]
    measuredBar(`${name} takes at most 3 times \`node -e 0\``, millis <= 3 * least, ratio(millis, least))
  }
}
