/**
 * The clients on other runtimes than the one at hand: `pnpm verify runtimes`, or some with `--only node22,bun`. On each the
 * tests that it can run, and a smoke test of the built packages over each HttpClient layer, against a local service that
 * Node runs beside it. What a layer does otherwise there, as the README of transport tells, must be so too.
 */
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { createServer, type RequestListener, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { fileURLToPath } from "node:url"
import { parseArgs, promisify } from "node:util"
import { temporaryFolder } from "../../test/support/processes.js"
import { openRefusedAddress } from "../../test/support/refusedAddress.js"
import { table } from "../../test/support/report.js"
import { startService } from "../../test/support/serviceProcess.js"
import type { Layer, Outcome, Setting } from "./smoke.js"

interface Runtime {
  /** The package of the registry that it comes in, which is named for its command. */
  readonly package: string
  /** How it runs a program, and a line of it. */
  readonly run: ReadonlyArray<string>
  readonly evaluate: string
  readonly tests: ReadonlyArray<string>
  /** The layers, and what of the smoke test each does otherwise. */
  readonly layers: Readonly<Partial<Record<Layer, ReadonlyArray<string>>>>
}

const ofFetch = ["a recording is sent with its length", "a redirect of a recording is told by its status"]
const withoutReasons = [
  "a text whose connection is refused tells so",
  "a recording whose connection is refused tells so",
  "a connection that is reset tells so"
]

const node = (version: string): Runtime => ({
  package: `node@${version}`,
  run: [],
  evaluate: "--eval",
  tests: [
    ...["audio-codec", "transport", "stt", "tts"].map((name) => `packages/${name}/`),
    "test/faults/",
    "test/endToEnd.test.ts"
  ],
  layers: {
    "NodeTransport.layer": [],
    "NodeHttpClient.layerUndici": [],
    "NodeHttpClient.layer": [],
    "FetchHttpClient.layer": ofFetch
  }
})

const runtimes: Readonly<Record<string, Runtime>> = {
  // The oldest that undici takes.
  node20: node("20.18.1"),
  node22: node("22.23.3"),
  node24: node("24.21.0"),
  node26: node("26.10.0"),
  bun: {
    package: "bun@1.4.5",
    run: [],
    evaluate: "--eval",
    // Of the others some are of undici, which it does not have.
    tests: ["packages/audio-codec/", "packages/transport/", "packages/tts/"],
    layers: { "NodeTransport.layer": ofFetch, "NodeHttpClient.layer": [], "FetchHttpClient.layer": ofFetch }
  },
  deno: {
    package: "deno@2.9.6",
    run: ["run", "--allow-all", "--no-lock", "--quiet"],
    evaluate: "eval",
    // Of the others one starts Node, one knows languages by name that it does not, and some are of the reasons of fetch.
    tests: ["packages/transport/", "packages/tts/"],
    layers: {
      "NodeTransport.layer": [],
      "NodeHttpClient.layerUndici": [],
      "NodeHttpClient.layer": [],
      "FetchHttpClient.layer": [...ofFetch, ...withoutReasons]
    }
  }
}

const { values } = parseArgs({ options: { only: { type: "string", default: Object.keys(runtimes).join() } } })
const chosen = values.only.split(",")
const unknown = chosen.filter((name) => !Object.hasOwn(runtimes, name))
if (unknown.length > 0) {
  console.error(`There is no ${unknown.join(", ")} in ${Object.keys(runtimes).join(", ")}.`)
  process.exit(1)
}

const root = fileURLToPath(new URL("../../", import.meta.url))
const smoke = fileURLToPath(new URL("smoke.js", import.meta.url))
const vitest = `${root}node_modules/vitest/vitest.mjs`
const longestMillis = 10 * 60 * 1000

const groups = new Set<number>()
process.once("exit", () => {
  for (const group of groups) endGroup(group)
})

const endGroup = (group: number) => {
  try {
    process.kill(-group, "SIGKILL")
  } catch {
    // All of it has ended.
  }
}

/** What a program prints. It is a group of its own, so that what it starts in turn ends with it. */
const output = async (command: string, parameters: ReadonlyArray<string>) => {
  const child = spawn(command, parameters, {
    cwd: root,
    detached: true,
    // Nothing but the registry is asked for anything.
    env: { ...process.env, DENO_NO_UPDATE_CHECK: "1" },
    stdio: ["ignore", "pipe", "inherit"]
  })
  const group = child.pid
  if (group === undefined) throw new Error(`${command} can't be started.`)
  groups.add(group)
  const timer = setTimeout(() => endGroup(group), longestMillis)
  let text = ""
  child.stdout.setEncoding("utf8").on("data", (part: string) => {
    text += part
  })
  const [status, signal] = await once(child, "close")
  clearTimeout(timer)
  endGroup(group)
  groups.delete(group)
  return { text, ended: status === 0 ? undefined : `it ended with ${signal ?? status}` }
}

/** Takes the runtime from the registry, if it is not there yet: where it is, and its version. */
const install = async ({ evaluate, package: from }: Runtime) => {
  const [name = "", version = ""] = from.split("@")
  const line = "console.log(process.execPath)"
  const { stdout } = await promisify(execFile)("npx", ["--yes", `--package=${from}`, name, evaluate, line], {
    cwd: root
  })
  return { path: stdout.trim(), version }
}

interface Result {
  readonly passed: string
  readonly problems: ReadonlyArray<string>
}

interface TestReport {
  readonly numPassedTests: number
  readonly numTotalTests: number
  readonly testResults: ReadonlyArray<{
    readonly name: string
    readonly status: string
    readonly message: string
    readonly assertionResults: ReadonlyArray<{
      readonly status: string
      readonly fullName: string
      readonly failureMessages: ReadonlyArray<string>
    }>
  }>
}

const runTests = async (path: string, { run, tests }: Runtime): Promise<Result> => {
  const { ended, text } = await output(path, [...run, vitest, "run", "--reporter=json", ...tests])
  if (!text.includes("{")) return { passed: "none", problems: [ended ?? "it told nothing"] }
  const report: TestReport = JSON.parse(text.slice(text.indexOf("{")))
  const failures = report.testResults.flatMap(({ assertionResults, message, name, status }) => {
    const failed = assertionResults.filter((test) => test.status === "failed")
    // A file may fail before its first test.
    if (failed.length === 0) return status === "failed" ? [`${name}: ${message}`] : []
    return failed.map(({ failureMessages, fullName }) => `${fullName}: ${failureMessages[0]?.split(/\n +at /)[0]}`)
  })
  return {
    passed: `${report.numPassedTests} of ${report.numTotalTests}`,
    problems: failures.length === 0 && ended !== undefined ? [ended] : failures
  }
}

const runSmoke = async (
  path: string,
  { run }: Runtime,
  setting: Setting,
  different: ReadonlyArray<string>
): Promise<Result> => {
  const { ended, text } = await output(path, [...run, smoke, JSON.stringify(setting)])
  const outcomes: ReadonlyArray<Outcome> = text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line))
  const problems = outcomes.flatMap(({ name, problem }) => {
    if (different.includes(name)) return problem === null ? [`${name}: it does, and should be told so`] : []
    return problem === null ? [] : [`${name}: ${problem}`]
  })
  if (outcomes.length === 0) problems.push("it told nothing")
  // A check that was renamed would be excused for ever.
  for (const name of different.filter((each) => outcomes.every((outcome) => outcome.name !== each))) {
    problems.push(`${name}: there is no such check`)
  }
  const passed = outcomes.filter(({ problem }) => problem === null).length
  return {
    passed: `${passed} of ${outcomes.length}${different.length > 0 ? `, but for ${different.length} as told` : ""}`,
    problems: ended === undefined ? problems : [...problems, ended]
  }
}

/** Listens on a port of its own, and gives the address. */
const listen = async (listener: RequestListener) => {
  const server = createServer(listener).listen(0, "127.0.0.1")
  await once(server, "listening")
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close }
}

const held = new Set<ServerResponse>()
const scripted = await listen((request, response) => {
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
const refused = await openRefusedAddress()
const service = await startService({}, { temporary: temporaryFolder("check-runtimes-") })
const { adminToken, platformUrl, sttBaseUrl, ttsBaseUrl } = service
const addresses = {
  adminToken,
  platformUrl,
  sttBaseUrl,
  ttsBaseUrl,
  scriptedUrl: scripted.url,
  refusedUrl: refused.url
}

const rows: Array<ReadonlyArray<string>> = [["runtime", "version", "what ran", "passed", "time"]]
const problems: Array<string> = []
const tell = async (name: string, version: string, what: string, run: () => Promise<Result>) => {
  console.error(`${name} ${version}: ${what}`)
  const began = performance.now()
  const result = await run()
  rows.push([name, version, what, result.passed, `${((performance.now() - began) / 1000).toFixed(1)} s`])
  problems.push(...result.problems.map((problem) => `${name}, ${what}: ${problem}`))
}

for (const [name, runtime] of Object.entries(runtimes)) {
  if (!chosen.includes(name)) continue
  const { path, version } = await install(runtime)
  for (const [layer, different] of Object.entries(runtime.layers)) {
    const setting: Setting = { ...addresses, layer: layer as Layer }
    await tell(name, version, `smoke test, ${layer}`, () => runSmoke(path, runtime, setting, different))
  }
  await tell(name, version, "tests", () => runTests(path, runtime))
}

await service.stop()
scripted.close()
refused.release()
table(rows)
for (const problem of problems) console.log(`- ${problem}`)
process.exitCode = problems.length === 0 ? 0 : 1
