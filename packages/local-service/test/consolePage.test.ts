import { execFile } from "node:child_process"
import { cp, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { gzipSync } from "node:zlib"
import { layer } from "@effect/vitest"
import { Voice } from "@effect-speech/engine/Voice"
import { Espeak, LocalService } from "@effect-speech/local-service"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { isInstalled } from "effect-speech-test-support/programs"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { bundleProgram } from "../../../scripts/bundling.js"
import { buildConsole } from "../console/build.js"
import { asCurl, asEffect } from "../console/src/code.js"
import { cannedService } from "./blackbox/support/service.js"

/** Code points from the Arabic script to Malayalam. */
const southAsian = Array.from({ length: 0xe00 - 0x600 }, (_, index) => index + 0x600)

const root = fileURLToPath(new URL("../../..", import.meta.url))
const hasCurl = isInstalled("curl")

let folder = ""
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "console-page-"))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

describe("the page of the console", () => {
  let built = ""
  let firstLoad: ReadonlyArray<string> = []
  beforeAll(async () => {
    built = join(folder, "console")
    firstLoad = await buildConsole(built)
  })

  const compressed = async (names: ReadonlyArray<string>): Promise<number> => {
    const files = await Promise.all(names.map((name) => readFile(join(built, name))))
    return files.reduce((sum, file) => sum + gzipSync(file).length, 0)
  }

  it("loads at most 125 kB at first, adds at most 240 kB beside its fonts to the tarball, and names files by their content", async () => {
    const all = (await readdir(built)).filter((name) => !name.endsWith(".woff2"))
    expect(await compressed(firstLoad)).toBeLessThanOrEqual(125_000)
    expect(await compressed(all)).toBeLessThanOrEqual(240_000)
    expect(all.length).toBeGreaterThan(firstLoad.length)
    const html = await readFile(join(built, "index.html"), "utf8")
    const linked = [...html.matchAll(/(?:src|href)="console\/([^"]+)"/g)].map(([, name]) => name)
    expect(linked.sort()).toEqual(firstLoad.filter((name) => name !== "index.html").sort())
    expect(linked.every((name) => /-[A-Z0-9]{8}\.(js|css|svg)$/.test(name ?? ""))).toBe(true)
  })

  it("carries the licences of the packages whose code it holds", async () => {
    const licences = await readFile(join(built, "licences.txt"), "utf8")
    for (const name of ["effect", "preact", "wavesurfer.js", "@fontsource/noto-sans-tamil"]) {
      expect(licences).toMatch(new RegExp(`^${name.replace(".", "\\.")} \\d+\\.\\d+\\.\\d+$`, "m"))
    }
    expect(licences).toContain("Redistributions in binary form must reproduce the above copyright")
    expect(licences).toContain("SIL OPEN FONT LICENSE")
  })

  it("has a font for each script of the built-in voice, which a browser loads with a text in it", async () => {
    const styles = (await readdir(built)).filter((name) => name.endsWith(".css"))
    const style = (await Promise.all(styles.map((name) => readFile(join(built, name), "utf8")))).join("")
    const fonts = [...style.matchAll(/@font-face\s*\{([^}]*)\}/g)].map(([, face = ""]) => ({
      file: /url\("?\.\/([^")]+)"?\)/.exec(face)?.[1] ?? "",
      ranges: [...face.matchAll(/U\+([0-9A-F]+)(?:-([0-9A-F]+))?/gi)].map(([, from = "", to = from]) => ({
        from: Number.parseInt(from, 16),
        to: Number.parseInt(to, 16)
      }))
    }))
    // After another font, Chromium would not draw the text again when the file has arrived.
    expect(style).not.toMatch(/,\s*"?Noto Sans Indic/)
    const { voices } = Effect.runSync(Effect.scoped(Effect.provide(Voice, Espeak.layer)))
    const languages = voices.flatMap(({ languages }) => languages).filter((language) => language !== "en")
    for (const language of new Set(languages)) {
      const letter = new RegExp(`^(?=\\p{L})\\p{Script=${new Intl.Locale(language).maximize().script}}$`, "u")
      const letters = southAsian.filter((point) => letter.test(String.fromCodePoint(point)))
      const font = fonts.find(({ ranges }) =>
        letters.every((letter) => ranges.some(({ from, to }) => letter >= from && letter <= to))
      )
      expect(letters.length, language).toBeGreaterThan(30)
      expect(font?.file, language).toMatch(/^noto-sans-\w+-\w+-400-normal-[A-Z0-9]{8}\.woff2$/)
      expect((await stat(join(built, font?.file ?? ""))).size).toBeLessThanOrEqual(51_000)
    }
  })

  it("has nothing inline, which a strict content security policy would block", async () => {
    const html = await readFile(join(built, "index.html"), "utf8")
    expect(html).not.toMatch(/<style|style=|<script>|\son\w+=/)
    const scripts = (await readdir(built)).filter((name) => name.endsWith(".js"))
    for (const name of scripts) {
      const script = await readFile(join(built, name), "utf8")
      expect(script).not.toMatch(/<style|dangerouslySetInnerHTML:|insertAdjacentHTML/)
    }
  })
})

/** A text that a shell, JSON or a program would change if it were quoted wrongly. */
const awkward = `It's "late" & \${PATH} \`id\` $(id) \\n '\n\u2028\u202e</script> नमस्ते $& $\` $' $$`
const awkwardLine = awkward.replaceAll("\n", " ")
const fileName = `it's a "recording" \\ $& $\` $' $$ \${a} \u2028.wav`

const synthesis = {
  text: awkward,
  lang: "en",
  voice: "default_male",
  output_format: "8000:pcm16",
  speed: 1.5,
  g2p_overrides: {}
}
const transcription = { model: "en-general-v2-8khz", aux: "true", hotwords: [{ phrase: awkwardLine }] }
const overrides: Record<string, string> = JSON.parse('{"__proto__":"a","late":"b"}')
const controls = { ...transcription, other: "\u0015\u001b[31m\t\u0003\u007f\u0085'$HOME\\ \\101" }

layer(cannedService(), { excludeTestServices: true })("the code of a request", (it) => {
  const run = (command: string, parameters: ReadonlyArray<string>, cwd: string) =>
    Effect.gen(function* () {
      const { apiKey } = yield* LocalService
      const env = { PATH: process.env.PATH, SPEECH_API_KEY: Redacted.value(apiKey) }
      return yield* Effect.promise(() => promisify(execFile)(command, parameters, { cwd, env }))
    })
  /** The fields that the service received, without the id that each transcription has. */
  const received = Effect.flatMap(LocalService, ({ requests }) =>
    Effect.map(requests, (entries) =>
      entries.map(({ request, status }) => {
        const { transaction_id: _, ...fields } = request ?? {}
        return { status, fields }
      })
    )
  )
  beforeAll(() =>
    cp(fileURLToPath(new URL("../../audio-decoder/test/recordings/cat.wav", import.meta.url)), join(folder, fileName))
  )

  it.effect.skipIf(!hasCurl)("for curl sends the same synthesis and the same transcription", () =>
    Effect.gen(function* () {
      const service = yield* LocalService
      yield* service.reset()
      const identified = { ...transcription, transaction_id: "7f3c0f3e-1b2a-4c5d-8e9f-0a1b2c3d4e5f" }
      yield* run("sh", ["-c", asCurl({ operation: "synthesize", request: synthesis }, service)], folder)
      const call = { operation: "transcribe", request: identified } as const
      yield* run("sh", ["-c", asCurl(call, { ...service, fileName })], folder)
      expect(yield* received).toMatchObject([
        { status: 200, fields: synthesis },
        { status: 200, fields: transcription }
      ])
    })
  )

  it.effect("for Effect sends the same requests, with fields that the client does not know, and writes the audio", () =>
    Effect.gen(function* () {
      const service = yield* LocalService
      yield* service.reset()
      const speech = join(folder, "speech.wav")
      const otherFields = { model: "en-general-v2-8khz", parse_number: "false", language: awkwardLine }
      const options = { ...service, fileName: join(folder, fileName) }
      const programs = [
        { operation: "synthesize", request: { ...synthesis, pitch: [2], g2p_overrides: overrides } } as const,
        { operation: "transcribe", request: transcription } as const,
        { operation: "transcribe", request: otherFields } as const
      ].map((call) => asEffect(call, options).replace('"speech.wav"', JSON.stringify(speech)))
      yield* Effect.promise(async () => {
        // One process runs them, because the start of a process takes longer than a program. Packages are found from there.
        const modules = await mkdtemp(join(root, "node_modules", ".console-page-"))
        try {
          await Promise.all(programs.map((program, index) => writeFile(join(modules, `${index}.mjs`), program)))
          const imports = programs.map((_, index) => `import "./${index}.mjs"`)
          await writeFile(join(modules, "all.mjs"), imports.join("\n"))
          await bundleProgram(join(modules, "all.mjs"), join(modules, "bundle.mjs"))
          const running = run(process.execPath, [join(modules, "bundle.mjs")], root)
          const { stdout } = await Effect.runPromise(Effect.provideService(running, LocalService, service))
          expect(stdout).toContain("speech.wav")
        } finally {
          await rm(modules, { recursive: true })
        }
      })
      const all = yield* received
      expect(all.map(({ status }) => status)).toEqual([200, 200, 200])
      const fields = all.map((each) => each.fields)
      expect(fields).toContainEqual(expect.objectContaining(transcription))
      expect(fields).toContainEqual(otherFields)
      const spoken = fields.find(({ pitch }) => pitch !== undefined)
      expect(spoken).toMatchObject({ ...synthesis, pitch: [2], g2p_overrides: expect.anything() })
      expect(JSON.stringify(spoken?.g2p_overrides)).toBe(JSON.stringify(overrides))
    })
  )

  const controlled = { operation: "transcribe", request: controls } as const
  it.effect("for curl has no character that a terminal obeys", () =>
    Effect.gen(function* () {
      expect(asCurl(controlled, yield* LocalService)).not.toMatch(/(?!\n)\p{Cc}/u)
    })
  )

  it.effect.skipIf(!hasCurl || !isInstalled("bash"))("for curl sends such characters, and a file named by a dash", () =>
    Effect.gen(function* () {
      const service = yield* LocalService
      yield* service.reset()
      yield* Effect.promise(() => cp(join(folder, fileName), join(folder, "-")))
      const identified = { ...controls, transaction_id: "7f3c0f3e-1b2a-4c5d-8e9f-0a1b2c3d4e5f" }
      const call = { operation: "transcribe", request: identified } as const
      yield* run("bash", ["-c", asCurl(call, { ...service, fileName: "-" })], folder)
      expect(yield* received).toMatchObject([{ status: 200, fields: controls }])
    })
  )
})
