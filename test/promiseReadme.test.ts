/** Runs each example of the documents of promise in a folder that has this package as it is built, and neither Effect nor anything else. */
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

const pages = [
  "packages/promise/README.md",
  "docs/guides/without-effect.md",
  "docs/guides/promise-options.md",
  "docs/guides/servers-and-browsers.md",
  "docs/guides/testing.md"
]

/** The examples that import nothing but this package and modules of Node, as JavaScript, by their page and heading. */
const examples = async () => {
  const found: Array<{ readonly name: string; readonly code: string }> = []
  for (const page of pages) {
    let heading = ""
    for (const token of lexer(readFileSync(join(root, page), "utf8"))) {
      if (token.type === "heading") heading = token.text
      if (token.type !== "code" || token.lang !== "ts" || / from "(?!node:|@effect-speech\/promise")/.test(token.text))
        continue
      const { code } = await transform(token.text, { loader: "ts", target: "node20", supported: { using: false } })
      found.push({ name: `${found.length} ${heading.replaceAll(/[^\w ]/g, "")}`, code })
    }
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
const { readFileSync } = require("node:fs")
const sound = async (response) => {
  const bytes = new Uint8Array(await response.arrayBuffer())
  const stated = response.headers.get("content-length")
  const container = Buffer.from(bytes.subarray(0, 4)).toString()
  console.log(response.status, response.headers.get("content-type"), container, stated === null || +stated === bytes.length)
}
const drive = async (load, files) => {
  for (const file of files) {
    console.log("# " + file.replace(/^.*\\/|\\.\\w+$/g, ""))
    const { GET, POST, say, sayTo } = await load(file)
    if (GET) {
      await sound(await GET(new Request("http://host.example/say?text=Platform%20two")))
      const refused = await GET(new Request("http://host.example/say"))
      console.log(refused.status, await refused.text())
    }
    if (POST) {
      const posted = (body) => POST(new Request("http://host.example/transcribe", { method: "POST", body }))
      console.log(await (await posted(readFileSync("article.wav"))).json())
      console.log((await posted("")).status)
    }
    if (sayTo) {
      const lengths = []
      await sayTo({ send: ({ length }) => lengths.push(length) }, "Platform two")
      console.log(lengths.length, lengths.slice(0, -1).every((length) => length === 320))
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
  "effectspeechpromise\n300 ms: नमस्ते\n",
  "Errors\n",
  "Use it without Effect\nनमस्ते\n",
  "Speak a text\n600 ms\n",
  "Speak or transcribe something long\n",
  "Show progress and abort a call\nWaiting\nAnswered\n24000\n",
  "Options of promise\n600\n",
  'Servers and browsers\n200 audio/wav RIFF true\n400 {"error":"TtsInvalidRequest"}\n',
  "Express and nodehttp\n200 audio/wav RIFF true\n",
  "Transcribe an upload\n{ text: 'The first sentence is here.\\n\\nThe second one follows it.' }\n400\n",
  "A bot on a WebSocket\n30 true\n",
  expect.stringMatching(/^Test your program\n[\s\S]*\bpass 2\b[\s\S]*\bfail 0\b/)
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
  "the examples of the README and of the guides run without Effect, by %s",
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
