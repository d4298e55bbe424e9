/**
 * The clients on other runtimes: `pnpm verify runtimes`; `--only node22,bun` for some of them.
 *
 * On each runtime, the tests that it can run, and a smoke test of the built packages over each HttpClient layer and of
 * `@effect-speech/promise`, against a local service on this Node. The differences that docs/guides/http-clients.md lists must be there too.
 */
import { createServer, type ServerResponse } from "node:http"
import { fileURLToPath } from "node:url"
import { stripVTControlCharacters } from "node:util"
import { startLoopback } from "effect-speech-test-support/loopback"
import { readOptions, refuseOptions } from "effect-speech-test-support/options"
import { root, run as runCommand, temporaryFolder } from "effect-speech-test-support/processes"
import { openRefusedAddress } from "effect-speech-test-support/refusedAddress"
import { bar, exitStatus, table } from "effect-speech-test-support/report"
import { startService } from "effect-speech-test-support/serviceProcess"
import { bun, deno, install, nodeOf, type Runtime } from "../support/runtimes.js"
import type { Layer, Outcome, Setting } from "./smoke.js"

interface Tested extends Runtime {
  readonly tests: ReadonlyArray<string>
  /** The layers, with the checks of the smoke test that are expected to fail on each. */
  readonly layers: Readonly<Partial<Record<Layer, ReadonlyArray<string>>>>
  /** Those of the smoke test of `@effect-speech/promise`. */
  readonly promise: ReadonlyArray<string>
}

const ofFetch = ["a recording is sent with its length", "a redirect of a recording fails with its status"]
const withoutReasons = [
  "a refused connection of a text",
  "a refused connection of a recording",
  "a reset connection"
].map((connection) => `${connection} has its reason`)

const layersOfNode = { "NodeTransport.layer": [], "NodeHttpClient.layerUndici": [], "NodeHttpClient.layer": [] }
const node = (version: string): Tested => ({
  ...nodeOf(version),
  tests: [
    ..."audio-codec transport stt tts".split(" ").map((name) => `packages/${name}/`),
    "test/faults/",
    "test/endToEnd"
  ],
  layers: { ...layersOfNode, "FetchHttpClient.layer": ofFetch },
  promise: []
})

const runtimes: Readonly<Record<string, Tested>> = {
  // The oldest that the packages support.
  node20: node("20.19.0"),
  node22: node("22.23.3"),
  node24: node("24.21.0"),
  node26: node("26.10.0"),
  bun: {
    ...bun,
    // Other tests need undici, which Bun does not have, or watch the calls of `node:fs`, which vitest can't replace in Bun.
    tests: [
      ..."audio-codec transport tts".split(" ").map((name) => `packages/${name}/`),
      ..."undiciDriver proxy smallFile".split(" ").map((name) => `--exclude=**/${name}.test.ts`)
    ],
    layers: { "NodeTransport.layer": ofFetch, "NodeHttpClient.layer": [], "FetchHttpClient.layer": ofFetch },
    promise: []
  },
  deno: {
    ...deno,
    // Other tests start Node, name languages that Deno does not know, or check the reasons of fetch.
    tests: ["packages/transport/", "packages/tts/"],
    layers: { ...layersOfNode, "FetchHttpClient.layer": [...ofFetch, ...withoutReasons] },
    promise: []
  }
}

const { only } = readOptions({ only: { type: "string", default: Object.keys(runtimes).join() } })
const chosen = only.split(",")
const unknown = chosen.filter((name) => !Object.hasOwn(runtimes, name))
if (unknown.length > 0) refuseOptions(`--only takes some of ${Object.keys(runtimes).join(", ")}.`)

/** Runs a program of a runtime. Returns what it printed, and how it ended unless with 0. */
const output = async (path: string, parameters: ReadonlyArray<string>) => {
  const env = { DENO_NO_UPDATE_CHECK: "1" }
  const { status, stdout } = await runCommand(path, parameters, { env, mayFail: true, progress: true })
  return { text: stdout, failure: status === 0 ? undefined : `it ended with ${status}` }
}

interface Result {
  readonly passed: string
  readonly problems: ReadonlyArray<string>
}

const runTests = async (path: string, { run, tests }: Tested): Promise<Result> => {
  const vitest = `${root}node_modules/vitest/vitest.mjs`
  const { failure, text } = await output(path, [...run, vitest, "run", "--reporter=dot", ...tests])
  const [passed = "none"] = /(?<=Tests +).*/.exec(stripVTControlCharacters(text)) ?? []
  // The reporter has printed each failure to stderr.
  return { passed, problems: failure === undefined ? [] : [failure] }
}

type Exceptions = ReadonlyArray<string>

const runSmoke = async (
  path: string,
  { run }: Runtime,
  smoke: "smoke.js" | "promise.js",
  setting: Omit<Setting, "layer"> | Setting,
  exceptions: Exceptions
): Promise<Result> => {
  const program = fileURLToPath(new URL(smoke, import.meta.url))
  const { failure, text } = await output(path, [...run, program, JSON.stringify(setting)])
  const outcomes: ReadonlyArray<Outcome> = text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line))
  const problems = outcomes.flatMap(({ name, problem }) => {
    if (exceptions.includes(name)) return problem === null ? [`${name}: it passes, but is listed as an exception`] : []
    return problem === null ? [] : [`${name}: ${problem}`]
  })
  if (outcomes.length === 0) problems.push("it printed nothing")
  // Else a renamed check would stay an exception.
  for (const name of exceptions.filter((each) => outcomes.every((outcome) => outcome.name !== each))) {
    problems.push(`${name}: there is no such check`)
  }
  const passed = outcomes.filter(({ problem }) => problem === null).length
  return {
    passed: `${passed} of ${outcomes.length}${exceptions.length > 0 ? `; ${exceptions.length} exceptions` : ""}`,
    problems: failure === undefined ? problems : [...problems, failure]
  }
}

/** The responses at `/silent` that have not ended. */
const held = new Set<ServerResponse>()
const scripted = await startLoopback(
  createServer((request, response) => {
    request.resume()
    if (request.url === "/held") return response.end(String(held.size))
    if (request.url?.startsWith("/silent/")) {
      held.add(response)
      response.once("close", () => held.delete(response))
      if (request.url !== "/silent/tts/bytes") return
      response.writeHead(200, { "x-sample-rate": "8000", "x-encoding": "pcm16", "x-audio-duration-ms": "60000" })
      return response.write(new Uint8Array(100_000))
    }
    const text = request.headers["content-length"] === undefined ? "chunked" : "exact"
    request.once("end", () => response.end(JSON.stringify({ status: "success", text, call_id: "1" })))
  })
)
const refused = await openRefusedAddress()
const service = await startService({}, { temporary: temporaryFolder("check-runtimes-") })
const { adminToken, platformUrl, sttBaseUrl, ttsBaseUrl } = service
const ours = { adminToken, platformUrl, sttBaseUrl, ttsBaseUrl }
const addresses = { ...ours, scriptedUrl: scripted.url, refusedUrl: refused.url }

const rows: Array<ReadonlyArray<string>> = [["runtime", "version", "what ran", "passed", "time"]]
const problems: Array<string> = []
const report = async (name: string, version: string, what: string, run: () => Promise<Result>) => {
  console.error(`${name} ${version}: ${what}`)
  const began = performance.now()
  const result = await run()
  rows.push([name, version, what, result.passed, `${((performance.now() - began) / 1000).toFixed(1)} s`])
  problems.push(...result.problems.map((problem) => `${name}, ${what}: ${problem}`))
}

for (const [name, runtime] of Object.entries(runtimes)) {
  if (!chosen.includes(name)) continue
  const { path, version } = await install(runtime)
  for (const [layer, exceptions] of Object.entries(runtime.layers)) {
    const setting: Setting = { ...addresses, layer: layer as Layer }
    await report(name, version, `smoke test, ${layer}`, () => runSmoke(path, runtime, "smoke.js", setting, exceptions))
  }
  await report(name, version, "smoke test, `@effect-speech/promise`", () =>
    runSmoke(path, runtime, "promise.js", addresses, runtime.promise)
  )
  await report(name, version, "tests", () => runTests(path, runtime))
}

await service.stop()
await scripted.close()
refused.release()
table(rows)
for (const problem of problems) console.log(`- ${problem}`)
bar("every runtime does what docs/guides/http-clients.md says", problems.length === 0, `${problems.length} problems`)
process.exitCode = exitStatus()
