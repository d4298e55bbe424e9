/** Runs each example of the README of promise in a folder that has this package as it is built, and neither Effect nor anything else. */
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { expect, it } from "@effect/vitest"
import { KnownRecordings, LocalService } from "@effect-speech/local-service"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { noiseOf, sampleRate } from "effect-speech-test-support/cannedSpeech"
import { cannedVoice } from "effect-speech-test-support/cannedVoice"
import { root, run, temporaryFolder } from "effect-speech-test-support/processes"
import { transform } from "esbuild"
import { lexer } from "marked"

const here = join(root, "packages/promise")

/** The examples of the README, as JavaScript, by their headings. */
const examples = async () => {
  const found: Array<{ readonly name: string; readonly code: string }> = []
  let heading = "Start"
  for (const token of lexer(readFileSync(join(here, "README.md"), "utf8"))) {
    if (token.type === "heading" && token.depth > 1) heading = token.text
    if (token.type !== "code" || token.lang !== "ts") continue
    const { code } = await transform(token.text, { loader: "ts", target: "node20", supported: { using: false } })
    found.push({ name: `${found.length} ${heading}`, code })
  }
  return found
}

/** A module of CommonJS waits in a function. It exports what the function returns. */
const commonJs = (code: string) => {
  const body = code.replace(/^import (\{.+\}|\w+) from (".+");$/gm, (_, names, module) => {
    return `const ${names.replace(/ as /g, ": ")} = require(${module});`
  })
  const exported = [...body.matchAll(/^export async function (\w+)/gm)].map(([, name]) => name)
  return `module.exports = (async () => {\n${body.replace(/^export (?=async )/gm, "")}\nreturn { ${exported.join(", ")} };\n})();\n`
}

/** Runs the examples one after the other, and uses what they export. */
const driver = `
const { createServer, get } = require("node:http")
const { once } = require("node:events")
const sound = async (response) => {
  const bytes = new Uint8Array(await response.arrayBuffer())
  const stated = response.headers.get("content-length")
  const container = Buffer.from(bytes.subarray(0, 4)).toString()
  console.log(response.status, response.headers.get("content-type"), container, stated === null || +stated === bytes.length)
}
const drive = async (load, files) => {
  for (const file of files) {
    console.log("# " + file.replace(/^.*\\/|\\.\\w+$/g, ""))
    const { GET, say } = await load(file)
    if (GET) {
      await sound(await GET(new Request("http://host.example/say?text=Platform%20two")))
      const refused = await GET(new Request("http://host.example/say"))
      console.log(refused.status, await refused.text())
    }
    if (say) {
      const server = createServer(say).listen(0, "127.0.0.1")
      await once(server, "listening")
      const address = "http://127.0.0.1:" + server.address().port + "/?text=hello"
      await sound(await fetch(address, { headers: { connection: "close" } }))
      // A rejection of the example would end this process.
      const leaving = get(address).on("error", () => undefined)
      await once(server, "request")
      leaving.destroy()
      server.close()
      await once(server, "close")
    }
  }
}
module.exports = { drive }
`

const ways = {
  import: { extension: "mjs", written: (code: string) => code, load: "(file) => import(file)" },
  require: { extension: "cjs", written: commonJs, load: "(file) => require(file)" }
}

/** What the examples print, by their headings. */
const printed = [
  "Start\n300 ms: नमस्ते\n",
  "Speech\n600 ms\n",
  "Any length\n",
  "Progress and abort\nWaiting\nAnswered\n24000\n",
  "Errors\n",
  'In a server\n200 audio/wav RIFF true\n400 {"error":"TtsInvalidRequest"}\n',
  "In a server\n200 audio/wav RIFF true\n",
  expect.stringMatching(/^Tests\n[\s\S]*\bpass 2\b[\s\S]*\bfail 0\b/)
]
const problems = "missing.wav: it does not exist; check the path\n"
const files = [
  "article.pieces",
  "article.srt",
  "article.txt",
  "article.wav",
  "heard.pieces",
  "heard.vtt",
  "namaste.wav"
]

/** The local service, whose voice is noise: it is made at once, and recognised like speech. */
const service = LocalService.layerWithoutDependencies().pipe(
  Layer.provide([
    cannedVoice(({ text }) => noiseOf(text), { sampleRate }),
    KnownRecordings.layer(),
    NodeFileSystem.layer
  ]),
  Layer.orDie
)

it.scopedLive.each(["import", "require"] as const)(
  "the examples of the README run without Effect, by %s",
  (way) =>
    Effect.gen(function* () {
      const { apiKey, sttBaseUrl, ttsBaseUrl } = yield* LocalService
      const { extension, load, written } = ways[way]
      const folder = temporaryFolder("promise-readme-")
      const installed = join(folder, "node_modules/@effect-speech/promise")
      mkdirSync(installed, { recursive: true })
      cpSync(join(here, "package.json"), join(installed, "package.json"))
      cpSync(join(here, "dist"), join(installed, "dist"), { recursive: true })
      writeFileSync(join(folder, "article.txt"), "The first sentence is here.\n\nThe second one follows it.\n")
      writeFileSync(join(folder, "call.wav"), "")
      writeFileSync(join(folder, "driver.cjs"), driver)
      const programs = (yield* Effect.promise(examples)).map(({ code, name }) => {
        const file = join(folder, `${name}.${extension}`)
        writeFileSync(file, written(code))
        return file
      })
      writeFileSync(
        join(folder, "all.cjs"),
        `require("./driver.cjs").drive(${load}, ${JSON.stringify(programs)}).catch((error) => { console.error(error); process.exitCode = 1 })`
      )
      const env = {
        SPEECH_API_KEY: Redacted.value(apiKey),
        SPEECH_STT_BASE_URL: sttBaseUrl,
        SPEECH_TTS_BASE_URL: ttsBaseUrl
      }
      const output = yield* Effect.promise(() =>
        run(process.execPath, ["all.cjs"], { cwd: folder, env, mayFail: true })
      )
      const sections = output.stdout.split(/^# \d+ /m).slice(1)
      expect({ ...output, stdout: sections }).toEqual({ status: 0, stdout: printed, stderr: problems })
      const kept = readdirSync(folder).filter((name) => /article|heard|namaste/.test(name))
      expect(kept.toSorted()).toEqual(files)
    }).pipe(Effect.provide(service)),
  60_000
)
