import { execFileSync } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "@effect/vitest"
import { freePort } from "effect-speech-test-support/freePort"

const root = fileURLToPath(new URL("..", import.meta.url))
const packages = readdirSync(`${root}packages`)
const manifest = (name: string) => JSON.parse(readFileSync(`${root}packages/${name}/package.json`, "utf8"))

/** The outcome of imports in plain Node, from the build. */
const importing = (specifiers: ReadonlyArray<string>): Record<string, string> => {
  const script = `
    const outcomes = {}
    for (const specifier of ${JSON.stringify(specifiers)}) {
      outcomes[specifier] = await import(specifier).then(() => "loaded", (error) => error.code)
    }
    console.log(JSON.stringify(outcomes))`
  return JSON.parse(execFileSync(process.execPath, ["--input-type=module", "--eval", script], { cwd: root }).toString())
}

/** What to do about a README that is too long. */
const moveToDocs = "move what is over to a page of docs, and link to it"

describe("the built packages", () => {
  it("load by every public name, but their internals do not", () => {
    const names = packages.filter((name) => name !== "cli")
    const modules = names.flatMap((name) =>
      readdirSync(`${root}packages/${name}/dist`)
        .filter((file) => /^(?!index\.)\w+\.js$/.test(file))
        .map((file) => `@effect-speech/${name}/${file.slice(0, -3)}`)
    )
    const internals = names.flatMap((name) =>
      readdirSync(`${root}packages/${name}/src`, { recursive: true, encoding: "utf8" })
        .filter((file) => /^internal\/.+\.ts$/.test(file))
        .map((file) => `@effect-speech/${name}/${file.slice(0, -3)}`)
    )
    expect(modules.length).toBeGreaterThan(25)
    expect(internals.length).toBeGreaterThan(10)
    const outcomes = importing([...names.map((name) => `@effect-speech/${name}`), ...modules, ...internals])
    const failed = Object.keys(outcomes).filter((specifier) => outcomes[specifier] !== "loaded")
    expect(failed).toEqual(internals)
  })

  it("declare no error of the HTTP client and none of the schemas", () => {
    const declarations = packages.flatMap((name) =>
      readdirSync(`${root}packages/${name}/dist`)
        .filter((file) => /\.d\.c?ts$/.test(file))
        .map((file) => `${root}packages/${name}/dist/${file}`)
    )
    expect(declarations.length).toBeGreaterThan(30)
    const showing = declarations.filter((file) =>
      // A comment may name them, such as in an example.
      /\b(HttpClientError|ParseError)\b/.test(readFileSync(file, "utf8").replaceAll(/\/\*[\s\S]*?\*\//g, ""))
    )
    expect(showing).toEqual([])
  })

  it("have one version, and the fields that a registry shows", () => {
    const manifests = packages.map(manifest)
    expect(manifests.length).toBe(13)
    for (const field of ["version", "engines", "type"]) {
      expect(new Set(manifests.map((of) => JSON.stringify(of[field]))).size, field).toBe(1)
    }
    for (const { description, files, keywords, license, name, publishConfig } of manifests) {
      expect(description, name).toMatch(/\.$/)
      expect(keywords, name).toContain("effect")
      expect(files, name).toEqual(expect.arrayContaining(["dist", "src", "CHANGELOG.md"]))
      expect(publishConfig.access, name).toBe("public")
      const terms = readFileSync(`${root}packages/${name.replace("@effect-speech/", "")}/LICENSE`, "utf8")
      expect(terms, name).toContain(license === "MIT" ? "MIT License" : "GNU GENERAL PUBLIC LICENSE")
    }
  })

  it("say in README.md how to try them, to install them and to start, in this order and in 900 words", () => {
    const readme = readFileSync(`${root}README.md`, "utf8")
    expect(readme.match(/^## .+$/gm)).toEqual(
      ["Try it", "Install", "First example", "Packages", "Where to go on"].map((title) => `## ${title}`)
    )
    // What CI runs is a command of the README.
    const commands = readFileSync(`${root}.ci/run`, "utf8").match(/^npx .+$/gm) ?? []
    for (const command of ["npx -y pnpm@10.34.9 demo", ...commands]) expect(readme).toContain(`\n${command} `)
    expect(readme.split("\n").slice(0, 20).join("\n")).toMatch(/\bpromises\b[\s\S]*\bEffect\b.* 3\b/)
    for (const start of ["npm install @effect-speech/promise", "await speech.speak("]) expect(readme).toContain(start)
    const ofResolution = readme.split("\n").filter((line) => line.includes("ERESOLVE"))
    expect(ofResolution).toEqual([
      "If npm fails with `ERESOLVE`, [install `effect@3`](docs/guides/installing.md#eresolve)."
    ])
    expect(readme.split(/\s+/).filter((word) => word !== "").length, moveToDocs).toBeLessThanOrEqual(900)
  })

  it.each(packages)(
    "say what they are, how to install them, and a first example in 500 words, in the README of %s",
    (name) => {
      const readme = readFileSync(`${root}packages/${name}/README.md`, "utf8")
      expect(readme).toMatch(
        new RegExp(`^# @effect-speech/${name}\\n\\n[A-Z\`][\\s\\S]*?^npm install [\\s\\S]*?^\`\`\`(ts|sh)$`, "m")
      )
      expect(readme.split(/\s+/).filter((word) => word !== "").length, moveToDocs).toBeLessThanOrEqual(500)
    }
  )

  it.each(packages.filter((name) => "effect" in (manifest(name).peerDependencies ?? {})))(
    "say what they are first, and then in one line that they need Effect 3, in the README of %s",
    (name) => {
      const paragraphs = readFileSync(`${root}packages/${name}/README.md`, "utf8").split("\n\n")
      expect(paragraphs[1]).not.toContain("ERESOLVE")
      const [line, ...others] = paragraphs.filter((paragraph) => paragraph.includes("ERESOLVE"))
      expect(line).toContain(
        "It needs Effect 3: if npm fails with `ERESOLVE`, [install `effect@3`](../../docs/guides/installing.md#eresolve)."
      )
      expect(others).toEqual([])
    }
  )

  it("are installed beside the versions that they need, in the command of their README", () => {
    const catalog = readFileSync(`${root}pnpm-workspace.yaml`, "utf8")
    for (const name of packages.filter((each) => manifest(each).peerDependencies !== undefined)) {
      const readme = readFileSync(`${root}packages/${name}/README.md`, "utf8")
      const installed = (readme.match(/^npm install .+$/gm) ?? []).join("\n")
      for (const peer of Object.keys(manifest(name).peerDependencies)) {
        const [, range] = new RegExp(`^ {2}"?${peer}"?: \\^(.+)$`, "m").exec(catalog) ?? []
        const [, line] = new RegExp(`(?:^| )${peer}@(\\S+)`).exec(installed) ?? []
        expect(range?.startsWith(`${line}.`), `${peer} in the README of ${name}`).toBe(true)
      }
    }
  })

  it("can be packed, for which the tests that they share need a version too", () => {
    expect(manifest("../test/support")).toMatchObject({ private: true, version: expect.any(String) })
  })

  it("have a log whose last entry is for their version, and which the log of all names", () => {
    const all = readFileSync(`${root}CHANGELOG.md`, "utf8")
    for (const name of packages) {
      const [, version] = /^## (.+)$/m.exec(readFileSync(`${root}packages/${name}/CHANGELOG.md`, "utf8")) ?? []
      expect(version, name).toBe(manifest(name).version)
      expect(all).toContain(`\n- [${name}](packages/${name}/CHANGELOG.md)\n`)
    }
  })

  it("with the MIT licence have Effect as a peer, and depend on MIT packages of this project and of Effect", () => {
    const published = packages.filter((name) => manifest(name).license === "MIT")
    expect(published.toSorted()).toEqual([
      "archive",
      "audio-codec",
      "common",
      "engine",
      "engine-sherpa",
      "long-form",
      "promise",
      "stt",
      "transport",
      "tts"
    ])
    // The two databases, and readers of lists. Each has the MIT licence.
    const ofEffect = ["@effect/experimental", "@effect/sql", "@effect/sql-libsql", "@effect/sql-pg"]
    const others = ["@libsql/client", "libsql", "csv-parse", "picomatch"]
    for (const name of published.filter((each) => each !== "promise")) {
      const { dependencies = {}, peerDependencies } = manifest(name)
      expect(Object.keys(peerDependencies)).toContain("effect")
      const allowed = [
        ...published.map((other) => `@effect-speech/${other}`),
        ...(name === "archive" ? [...ofEffect, ...others] : [])
      ]
      for (const dependency of Object.keys(dependencies)) expect(allowed, name).toContain(dependency)
    }
  })

  it.each([
    ["cli", "dist", ["@libsql/core", "@humanwhocodes/momoa", "pg-types", "pgpass", "undici", "llhttp"]],
    ["promise", "dist", ["effect", "undici", "llhttp", "formdata-polyfill"]],
    ["local-service", "dist/console", ["effect", "preact", "wavesurfer.js"]]
  ])("have the whole licence of each package in the bundle of %s", (name, folder, some) => {
    const licences = readFileSync(`${root}packages/${name}/${folder}/licences.txt`, "utf8")
    const parts = licences.split(`\n${"-".repeat(80)}\n\n`).map((part) => part.split(/\n\n([\s\S]*)/))
    const names = parts.flatMap(([names = ""]) => names.split("\n").map((line) => line.replace(/,? .*/, "")))
    expect(names).toEqual(expect.arrayContaining(some))
    const partial = parts.filter(([, text = ""]) => text.length < 600 || !/WARRANT/i.test(text))
    expect(partial.map(([names]) => names)).toEqual([])
  })

  it("for programs without Effect need no other package, in their code and in their types", () => {
    const { dependencies, optionalDependencies, peerDependencies } = manifest("promise")
    expect({ dependencies, optionalDependencies, peerDependencies }).toEqual({})
    const dist = `${root}packages/promise/dist/`
    const imported = readdirSync(dist)
      .filter((file) => file !== "licences.txt")
      .flatMap((file) => {
        // The comments of a library may name its types.
        const code = readFileSync(`${dist}${file}`, "utf8").replaceAll(/\/\*[\s\S]*?\*\//g, "")
        const imports = file.endsWith(".cjs") ? /\brequire\("([^"]+)"\)/g : /(?:\bfrom |\bimport\()["']([^"']+)["']/g
        return [...code.matchAll(imports)].map(([, name = ""]) => name)
      })
    expect(imported).toContain("node:net")
    // Not every version of Node has every module of Node.
    const others = imported.filter((name) => !name.startsWith("./") && !name.startsWith("node:"))
    expect(others).toEqual([])
  })

  it("for programs without Effect are one instance in a process that imports and requires them", () => {
    const script = `
      import * as imported from "@effect-speech/promise"
      import { createRequire } from "node:module"
      const required = createRequire(process.cwd() + "/")("@effect-speech/promise")
      const names = (module) => Object.keys(module).sort().join()
      console.log(names(imported) === names(required), Object.keys(required).every((name) => imported[name] === required[name]))`
    const output = execFileSync(process.execPath, ["--input-type=module", "--eval", script], { cwd: root }).toString()
    expect(output).toBe("true true\n")
  })

  it("for programs without Effect name the class of an error, which a terminal prints before it", () => {
    const script = `console.log((await import("@effect-speech/promise")).SpeechError.name)`
    const output = execFileSync(process.execPath, ["--input-type=module", "--eval", script], { cwd: root }).toString()
    expect(output).toBe("SpeechError\n")
  })

  it("for programs without Effect leave the global object of a process as it is", async () => {
    const closed = await freePort()
    const script = `
      const before = Reflect.ownKeys(globalThis)
      const { connect, connectTest } = await import("@effect-speech/promise")
      const speech = connectTest({ transcribe: "नमस्ते" })
      const { text } = await speech.transcribe(new Uint8Array(1), { model: "hi-general-v2-8khz" })
      const nowhere = connect({ apiKey: "some.key", sttBaseUrl: "http://127.0.0.1:${closed}", retries: 0 })
      const { tag } = await nowhere.transcribe(new Uint8Array(1), { model: "hi-general-v2-8khz" }).catch((error) => error)
      console.log(text, tag, Reflect.ownKeys(globalThis).filter((key) => !before.includes(key)))`
    const output = execFileSync(process.execPath, ["--input-type=module", "--eval", script], { cwd: root }).toString()
    expect(output).toBe("नमस्ते SttConnectionFailed []\n")
  })
})
