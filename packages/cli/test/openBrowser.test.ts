import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { onTestFinished, vi } from "vitest"
import { openBrowser } from "../src/openBrowser.js"

const link = 'http://127.0.0.1:8102/#a-code&"<b>'

/** Puts a program in PATH that the system would open a page with. It writes down its arguments. */
const withOpener = (script: string) => {
  const folder = mkdtempSync(join(tmpdir(), "open-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const temporary = join(folder, "temporary")
  mkdirSync(temporary)
  const program = join(folder, process.platform === "darwin" ? "open" : "xdg-open")
  writeFileSync(program, `#!/bin/sh\nprintf '%s\\n' "$@" > '${folder}/arguments'\n${script}\n`, { mode: 0o755 })
  vi.stubEnv("PATH", [folder, process.env.PATH].join(delimiter))
  for (const name of ["TMPDIR", "HOME"]) vi.stubEnv(name, temporary)
  onTestFinished(() => void vi.unstubAllEnvs())
  return { readArguments: () => readFileSync(join(folder, "arguments"), "utf8").trimEnd().split("\n") }
}

describe.skipIf(process.platform === "win32")("a page that is opened in the browser", () => {
  it.live("has its link in a file that only the user can read, which is removed afterwards", () =>
    Effect.gen(function* () {
      const { readArguments } = withOpener("")
      const path = yield* Effect.scoped(
        Effect.gen(function* () {
          expect(yield* openBrowser(link)).toBe(true)
          const [file = "", ...others] = readArguments()
          expect(others).toEqual([])
          expect(file).not.toContain("code")
          expect(statSync(file).mode & 0o777).toBe(0o600)
          expect(statSync(dirname(file)).mode & 0o777).toBe(0o700)
          const html = readFileSync(file, "utf8")
          expect(html).toContain('content="0;url=http://127.0.0.1:8102/#a-code&amp;&quot;&lt;b&gt;"')
          return file
        })
      )
      expect(existsSync(path)).toBe(false)
      expect(existsSync(dirname(path))).toBe(false)
    })
  )

  it.live.each(["exit 3", "kill -KILL $$"])("is not opened if the program of the system ends with %s", (script) =>
    Effect.gen(function* () {
      withOpener(script)
      expect(yield* Effect.scoped(openBrowser(link))).toBe(false)
    })
  )
})
