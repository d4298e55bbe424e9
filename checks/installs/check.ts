/**
 * `@effect-speech/promise` as other programs install it: `pnpm verify installs`; `--only next,jest` for some of them.
 *
 * Packs it, and installs it from the tarball with npm in empty folders, beside what each program uses. There, the program speaks a
 * text, transcribes it, and reads the error of a refused call, against a local service. Needs the npm registry.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { freePort } from "effect-speech-test-support/freePort"
import { readOptions, refuseOptions } from "effect-speech-test-support/options"
import { run, start, temporaryFolder } from "effect-speech-test-support/processes"
import { bar, exitStatus, list, table } from "effect-speech-test-support/report"
import { startService } from "effect-speech-test-support/serviceProcess"
import { startRegistry } from "../packages/registry.js"
import { pack } from "../packages/tarballs.js"
import { install, makeProject, type Project, packagesIn } from "../packages/user.js"
import * as programs from "./programs.js"
import { compileAll, compilers } from "./typescript.js"

interface Program {
  /** What is installed beside the package. */
  readonly beside: ReadonlyArray<string>
  readonly files: Readonly<Record<string, string>>
  /** Whether a `.js` file is CommonJS there. Default: an ES module. */
  readonly commonjs?: boolean
  /** Runs it. Returns the problems. */
  readonly use: (project: Project) => Promise<ReadonlyArray<string>>
}

const temporary = temporaryFolder("check-installs-")
const service = await startService({}, { temporary })
const environment = {
  SPEECH_API_KEY: String(service.apiKey),
  SPEECH_STT_BASE_URL: service.sttBaseUrl,
  SPEECH_TTS_BASE_URL: service.ttsBaseUrl
}

const is = (expected: string, actual: string) => (actual === expected ? [] : [`it is ${JSON.stringify(actual)}`])

/** Runs a command in a folder. Its own commands come first. */
const runIn = ({ folder }: Project, command: string, parameters: ReadonlyArray<string>) => {
  const path = `${join(folder, "node_modules/.bin")}:${process.env.PATH}`
  const env = { ...environment, PATH: path, CI: "1", NEXT_TELEMETRY_DISABLED: "1", DENO_NO_UPDATE_CHECK: "1" }
  return run(command, parameters, { cwd: folder, env, timeoutMillis: 300_000 })
}

/** Runs a program that prints what it heard. */
const prints = (...command: ReadonlyArray<string>) => {
  const [name = "", ...parameters] = command
  return async (project: Project) => is(programs.printed, (await runIn(project, name, parameters)).stdout)
}

/** Runs commands that need to succeed, then a program that prints what it heard. */
const builds = (commands: ReadonlyArray<ReadonlyArray<string>>, ...program: ReadonlyArray<string>) => {
  return async (project: Project) => {
    for (const [name = "", ...parameters] of commands) await runIn(project, name, parameters)
    return prints(...program)(project)
  }
}

/** Runs a command that fails if there is a problem. */
const passes = (name: string, ...parameters: ReadonlyArray<string>) => {
  return async (project: Project): Promise<ReadonlyArray<string>> => {
    await runIn(project, name, parameters)
    return []
  }
}

const waitUntilListening = async (url: string): Promise<void> => {
  for (let left = 300; left > 0; left--) {
    const response = await fetch(url).catch(() => undefined)
    if (response !== undefined) return void (await response.arrayBuffer())
    await new Promise((done) => setTimeout(done, 200))
  }
  throw new Error("The server does not listen.")
}

/**
 * What is wrong with the responses of a server at `/say`: a WAV file with its length, a status for a refused text, and for audio that
 * was cut a response that is cut too. Next.js removes the length of each response.
 */
const responses = async (url: string, isNext: boolean): Promise<ReadonlyArray<string>> => {
  const response = await fetch(`${url}/say?text=${encodeURIComponent("नमस्ते")}`)
  const bytes = Buffer.from(await response.arrayBuffer())
  const refused = await fetch(`${url}/say?text=`)
  await service.platform("PUT", "faults", [{ operation: "synthesize", truncateAtByte: 20_000 }])
  const cut = await fetch(`${url}/say?text=cut`, { signal: AbortSignal.timeout(10_000) })
    .then((failing) => failing.arrayBuffer())
    .then(
      () => "whole",
      ({ name }: Error) => name
    )
  await service.platform("PUT", "faults", [])
  const facts = [
    response.status,
    response.headers.get("content-type"),
    response.headers.get("content-length") === (isNext ? null : String(bytes.byteLength)),
    bytes.subarray(0, 4).toString(),
    bytes.byteLength > 10_000,
    refused.status,
    await refused.text(),
    cut
  ]
  return is(`200 audio/wav true RIFF true 400 {"error":"TtsInvalidRequest"} TypeError`, facts.join(" "))
}

/** Builds a server, starts it, and asks it. */
const serves = (commands: ReadonlyArray<ReadonlyArray<string>>, ...server: ReadonlyArray<string>) => {
  return async (project: Project) => {
    for (const [name = "", ...parameters] of commands) await runIn(project, name, parameters)
    const port = String(await freePort())
    const [name = "", ...parameters] = server.map((word) => word.replace("PORT", port))
    const path = `${join(project.folder, "node_modules/.bin")}:${process.env.PATH}`
    const env = { ...environment, PATH: path, PORT: port, NEXT_TELEMETRY_DISABLED: "1" }
    const child = start(name, parameters, { cwd: project.folder, env })
    let output = ""
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding("utf8").on("data", (text) => (output += text))
    const url = `http://127.0.0.1:${port}`
    const problems = await waitUntilListening(`${url}/say?text=`)
      .then(() => responses(url, name === "next"))
      .catch((error: Error) => [error.message])
      .finally(() => child.pid !== undefined && process.kill(-child.pid, "SIGKILL"))
    return problems.length === 0 ? [] : [...problems, output]
  }
}

/** A Node of the registry. */
const onNode = (version: string): Program => {
  const node = ["npx", "--yes", `--package=node@${version}`, "node"]
  return {
    beside: [],
    files: { "program.mjs": programs.module, "program.cjs": programs.commonjs, "both.mjs": programs.both },
    use: async (project) => [
      ...(await prints(...node, "program.mjs")(project)),
      ...(await prints(...node, "program.cjs")(project)),
      ...(await prints(...node, "both.mjs")(project))
    ]
  }
}

const module = { "program.mjs": programs.module }
const nextFolder = { beside: ["next@16", "react@19", "react-dom@19"], files: programs.next }
const nextStart = ["next", "start", "--port", "PORT", "--hostname", "127.0.0.1"] as const

/** All is in the bundle. */
const vite = (version: string): Program => ({
  beside: [`vite@${version}`],
  files: {
    ...module,
    "vite.config.mjs": `export default { build: { ssr: "program.mjs", target: "node20" }, ssr: { noExternal: true } }`
  },
  use: builds([["vite", "build"]], "node", "dist/program.js")
})

const all: Readonly<Record<string, Program>> = {
  node20: onNode("20.19.0"),
  node22: onNode("22.23.3"),
  node24: onNode("24.21.0"),
  node26: onNode("26.10.0"),
  effect4: {
    beside: ["effect@4"],
    files: { "program.mjs": programs.effect4 },
    use: async (project) => {
      const versions = packagesIn(project).flatMap(({ name, version }) => (name === "effect" ? [version] : []))
      return [
        ...is("4", versions.map((each) => each.split(".")[0]).join()),
        ...(await prints("node", "program.mjs")(project))
      ]
    }
  },
  bun: { beside: [], files: module, use: prints("npx", "--yes", "--package=bun@1.4.5", "bun", "program.mjs") },
  deno: {
    beside: [],
    files: module,
    use: prints(..."npx --yes --package=deno@2.9.6 deno run --allow-all --no-lock --quiet program.mjs".split(" "))
  },
  typescript: {
    beside: [...compilers.map((version) => `typescript-${version}@npm:typescript@${version}`), "@types/node@20"],
    files: { "types.mts": programs.types, "types.cts": programs.types, "types.ts": programs.types },
    use: compileAll
  },
  next: { ...nextFolder, use: serves([["next", "build"]], ...nextStart) },
  "next-webpack": { ...nextFolder, use: serves([["next", "build", "--webpack"]], ...nextStart) },
  express: { beside: ["express@5"], files: { "server.mjs": programs.express }, use: serves([], "node", "server.mjs") },
  nest: {
    beside: [
      ..."@nestjs/common@12 @nestjs/core@12 @nestjs/platform-express@12 reflect-metadata rxjs".split(" "),
      ..."typescript@5.9 @types/node@20".split(" ")
    ],
    files: {
      "server.ts": programs.nest,
      "tsconfig.json": JSON.stringify({
        compilerOptions: {
          ...{ module: "nodenext", target: "ES2022", strict: true, types: ["node"], skipLibCheck: true },
          ...{ experimentalDecorators: true, emitDecoratorMetadata: true }
        },
        files: ["server.ts"]
      })
    },
    use: serves([["tsc"]], "node", "server.js")
  },
  vitest: {
    beside: ["vitest@4"],
    files: {
      "speech.test.mjs": programs.test(
        `import { connect, connectTest, SpeechError } from "@effect-speech/promise"\nimport { expect, test } from "vitest"`
      )
    },
    use: passes("vitest", "run")
  },
  jest: {
    beside: ["jest@30"],
    commonjs: true,
    files: {
      "speech.test.js": programs.test(`const { connect, connectTest, SpeechError } = require("@effect-speech/promise")`)
    },
    use: passes("jest", "--detectOpenHandles")
  },
  esbuild: {
    beside: ["esbuild@0.28"],
    files: { ...module, "program.cjs": programs.commonjs },
    use: async (project) => {
      const bundled = ["--bundle", "--platform=node", "--outdir=out"]
      const require = `import { createRequire } from "node:module"; const require = createRequire(import.meta.url);`
      const asModule = ["--format=esm", "--out-extension:.js=.mjs", `--banner:js=${require}`]
      const asCommonjs = ["--format=cjs", "--out-extension:.js=.cjs"]
      return [
        ...(await builds([["esbuild", "program.mjs", ...bundled, ...asModule]], "node", "out/program.mjs")(project)),
        ...(await builds([["esbuild", "program.cjs", ...bundled, ...asCommonjs]], "node", "out/program.cjs")(project))
      ]
    }
  },
  vite7: vite("7"),
  vite8: vite("8"),
  "bun-build": {
    beside: [],
    files: module,
    use: builds(
      ["npx --yes --package=bun@1.4.5 bun build program.mjs --target=node --outfile=out/program.mjs".split(" ")],
      "node",
      "out/program.mjs"
    )
  }
}

const { only } = readOptions({ only: { type: "string", default: Object.keys(all).join() } })
const chosen = only.split(",")
if (chosen.some((name) => !Object.hasOwn(all, name)))
  refuseOptions(`--only takes some of ${Object.keys(all).join(", ")}.`)

const tarball = await pack("promise", temporary)
const registry = await startRegistry([tarball])

/** The versions of what is installed beside the package. */
const versionsOf = ({ folder }: Project, beside: ReadonlyArray<string>) =>
  beside.map((each) => {
    const name = each.replace(/(.)@.*/, "$1")
    const { version } = JSON.parse(readFileSync(join(folder, "node_modules", name, "package.json"), "utf8"))
    return each.includes("@npm:") ? `${each.replace(/.*@npm:|@[^@]*$/g, "")} ${version}` : `${name} ${version}`
  })

console.log(`# @effect-speech/promise ${tarball.manifest.version} in other programs, Node ${process.version}\n`)
const rows: Array<ReadonlyArray<string>> = [["program", "beside", "result", "time"]]
const problems: Array<string> = []
for (const name of chosen) {
  const { beside, commonjs, files, use } = all[name] as Program
  console.error(name)
  const project = makeProject(join(temporary, name), "npm", registry)
  if (commonjs) writeFileSync(join(project.folder, "package.json"), JSON.stringify({ name: "user", private: true }))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(project.folder, path)), { recursive: true })
    writeFileSync(join(project.folder, path), text)
  }
  const began = performance.now()
  const found = await install(project, ["@effect-speech/promise", ...beside])
    .then(async (warnings) => [...warnings.filter((line) => /ERESOLVE|peer/.test(line)), ...(await use(project))])
    .catch((error: Error) => [error.message])
  const seconds = ((performance.now() - began) / 1000).toFixed(0)
  const versions = found.length > 0 ? beside : versionsOf(project, beside)
  rows.push([name, versions.join(", ") || "nothing", found.length === 0 ? "ok" : "fails", `${seconds} s`])
  problems.push(...found.map((problem) => `${name}: ${problem}`))
}
await service.stop()
table(rows, "left")
list(problems)
bar("each program installs it without a conflict, and works", problems.length === 0, `${problems.length} problems`)
process.exitCode = exitStatus()
