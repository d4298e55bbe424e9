/** `speech serve` again: the same addresses and the same settings at the next start. */
import { execFileSync } from "node:child_process"
import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { parseEnv } from "node:util"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import { describeExposure, setVariables, writeEnvFile } from "../src/envFile.js"
import { choosePort, usualPort } from "../src/servePorts.js"
import { until } from "./builtCommand.js"
import { recordingConsole, run, runOn, temporaryFolder } from "./environment.js"

const settings = { SPEECH_STT_BASE_URL: "http://127.0.0.1:7800", SPEECH_API_KEY: "local_1.secret" }

describe("a file of settings", () => {
  it.each([
    ["is made", "", "SPEECH_STT_BASE_URL=http://127.0.0.1:7800\nSPEECH_API_KEY=local_1.secret\n"],
    [
      "keeps other lines, in their place",
      "# mine\nA=1\nexport SPEECH_API_KEY='old' # note\nB=\"x y\"",
      '# mine\nA=1\nSPEECH_API_KEY=local_1.secret\nB="x y"\nSPEECH_STT_BASE_URL=http://127.0.0.1:7800\n'
    ],
    [
      "has each setting once, with the line breaks of the file",
      "SPEECH_API_KEY=a\r\nSPEECH_STT_BASE_URL=b\r\nSPEECH_API_KEY=c\r\n",
      "SPEECH_API_KEY=local_1.secret\r\nSPEECH_STT_BASE_URL=http://127.0.0.1:7800\r\n"
    ],
    ["is left if a value of several lines looks like a setting", 'A="\nSPEECH_API_KEY=x\n"\n', undefined]
  ])("%s", (_, before, after) => {
    expect(setVariables(before, settings)).toBe(after)
  })

  it("never changes another variable", () => {
    const name = FastCheck.constantFrom("A", "B", "SPEECH_API_KEY", "SPEECH_KEY", "OTHER_SPEECH_API_KEY")
    const value = FastCheck.constantFrom("", "1", "'a b'", '"x\ny"', "# no", "`q", '"open', "é=ü")
    const line = FastCheck.tuple(FastCheck.constantFrom("", "export ", "  ", "# "), name, value)
    const lines = FastCheck.array(line, { maxLength: 6 })
    FastCheck.assert(
      FastCheck.property(lines, FastCheck.constantFrom("\n", "\r\n", "\n\n"), (lines, lineBreak) => {
        const before = lines.map(([start, name, value]) => `${start}${name}=${value}`).join(lineBreak)
        const after = setVariables(before, settings)
        if (after !== undefined) expect(parseEnv(after)).toEqual({ ...parseEnv(before), ...settings })
        if (after !== undefined) expect(setVariables(after, settings)).toBe(after)
      }),
      { seed: 38, numRuns: 500 }
    )
  })

  it.scoped("is for its owner only, keeps its bytes, and is replaced where a link leads", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const file = join(folder, "real")
      writeFileSync(file, Buffer.from([0x41, 0x3d, 0xff, 0x0a]))
      chmodSync(file, 0o644)
      symlinkSync(file, join(folder, ".env"))
      yield* writeEnvFile(join(folder, ".env"), settings)
      expect([...readFileSync(file).subarray(0, 4)]).toEqual([0x41, 0x3d, 0xff, 0x0a])
      expect(statSync(file).mode & 0o777).toBe(0o600)
      expect(parseEnv(readFileSync(join(folder, ".env"), "latin1"))).toMatchObject(settings)
    }).pipe(Effect.provide(NodeFileSystem.layer))
  )

  it.scoped("is refused before the service starts if it is a folder", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      mkdirSync(join(folder, ".env"))
      const outcome = yield* run(["serve", "--dotenv", join(folder, ".env")], {})
      expect(outcome.stderr).toMatch(/\.env is a folder; give --dotenv the name of a file in it/)
      expect(outcome.code).toBe(3)
    }).pipe(Effect.provide(NodeFileSystem.layer))
  )

  it.scoped("comes with a warning if git would commit it", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const git = (...args: ReadonlyArray<string>) => execFileSync("git", ["-C", folder, ...args])
      const file = join(folder, ".env")
      writeFileSync(file, "")
      expect(yield* describeExposure(file)).toBeUndefined()
      git("init", "-q")
      expect(yield* describeExposure(file)).toMatch(/^git does not ignore .*: name it in \.gitignore\.$/)
      writeFileSync(join(folder, ".gitignore"), ".env\n")
      expect(yield* describeExposure(file)).toBeUndefined()
      git("add", "-f", ".env")
      expect(yield* describeExposure(file)).toMatch(/^git tracks .*: remove it with git rm --cached/)
    }).pipe(Effect.provide(NodeFileSystem.layer))
  )
})

it.scopedLive("with -q prints the settings, and of the rest what nothing else prints", () =>
  Effect.gen(function* () {
    const { console, printed } = yield* recordingConsole
    yield* Effect.forkScoped(runOn(console, ["serve", "--port", "0", "--shell", "sh", "-q"], {}))
    yield* until(Effect.sync(printed), ({ stderr }) => stderr.includes("Console"))
    const { stderr, stdout } = printed()
    expect(stdout).toMatch(/^export SPEECH_STT_BASE_URL=.+\nexport SPEECH_TTS_BASE_URL=.+\nexport SPEECH_API_KEY=.+$/)
    expect(stderr).toMatch(/^Platform: http:.+ with X-Admin-Token: .+\nConsole, by a link that signs in once: http:.+$/)
  })
)

it.scoped("without --port the ports are the same at each start, and others if one is taken", () =>
  Effect.gen(function* () {
    // An address of its own, so that no other service is in the way.
    const host = "127.0.0.38"
    const given = { host, port: undefined }
    expect(yield* choosePort(given)).toEqual({ port: usualPort, notes: [] })
    yield* Effect.acquireRelease(
      Effect.async<ReturnType<typeof createServer>>((resume) => {
        const server = createServer()
        server.listen(usualPort + 2, host, () => resume(Effect.succeed(server)))
      }),
      (server) => Effect.sync(() => server.close())
    )
    const { notes, port } = yield* choosePort(given)
    expect(port).toBe(0)
    expect(notes).toEqual([expect.stringMatching(/^Port 7802 is in use, .* give --port N\.$/)])
    expect(yield* choosePort({ host, port: 9000 })).toEqual({ port: 9000, notes: [] })
  })
)
