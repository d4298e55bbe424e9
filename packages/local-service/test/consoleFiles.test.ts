import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { pathToFileURL } from "node:url"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { afterAll } from "vitest"
import { consoleFile, consolePage } from "../src/internal/console/files.js"

const parent = mkdtempSync(`${tmpdir()}/console-files-`)
afterAll(() => rmSync(parent, { recursive: true, force: true }))
mkdirSync(`${parent}/console/folder.js`, { recursive: true })
writeFileSync(`${parent}/outside.js`, "secret")
writeFileSync(`${parent}/console/index.html`, "<!doctype html>")
writeFileSync(`${parent}/console/main-ABCD1234.js`, "1")
writeFileSync(`${parent}/console/style-ABCD1234.css`, "a {}")
writeFileSync(`${parent}/console/icon.svg`, "<svg/>")
writeFileSync(`${parent}/console/notes.txt`, "notes")
const folder = pathToFileURL(`${parent}/console/`)
const urls = { sttBaseUrl: "http://stt", ttsBaseUrl: "http://tts" }

it.effect("The page is that of the build, or a small one without a build, with a strict policy.", () =>
  Effect.gen(function* () {
    const { headers } = yield* consolePage(urls, folder)
    expect(headers).toMatchObject({
      "cache-control": "no-store",
      "content-length": "15",
      "content-type": "text/html; charset=utf-8",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "content-security-policy": expect.stringMatching(/^default-src 'self'; style-src 'self';/)
    })
    expect(headers["content-security-policy"]).not.toContain("unsafe")
    const small = yield* consolePage(urls, pathToFileURL(`${parent}/nowhere/`))
    expect(small.headers["content-security-policy"]).toMatch(/style-src 'sha256-[\w+/]{43}=';/)
  })
)

it.effect("A file has its media type, and is kept by the browser if its name has a digest.", () =>
  Effect.gen(function* () {
    const kept = "public, max-age=31536000, immutable"
    for (const [name, type, cache] of [
      ["main-ABCD1234.js", "text/javascript; charset=utf-8", kept],
      ["style-ABCD1234.css", "text/css; charset=utf-8", kept],
      ["icon.svg", "image/svg+xml", "no-cache"]
    ] as const) {
      const { headers } = yield* consoleFile(name, folder)
      expect(headers).toMatchObject({
        "content-type": type,
        "cache-control": cache,
        "x-content-type-options": "nosniff"
      })
    }
  })
)

it.effect("There is no other file.", () =>
  Effect.gen(function* () {
    const outside = ["../outside.js", "..%2foutside.js", "/etc/passwd.js"]
    for (const name of [...outside, "folder.js", "nowhere.js", "index.html", "notes.txt", "a\0.js"]) {
      expect(yield* Effect.flip(consoleFile(name, folder)), name).toMatchObject({ status: 404 })
    }
  })
)
