import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { pathToFileURL } from "node:url"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { afterAll } from "vitest"
import { consoleFile, consolePage } from "../src/internal/consoleBackend/files.js"

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

it.effect("The page is that of the build, or a small one without a build.", () =>
  Effect.gen(function* () {
    const { headers } = yield* consolePage(urls, folder)
    expect(headers).toMatchObject({ "cache-control": "no-store", "content-length": "15" })
    expect(headers["content-security-policy"]).toContain("style-src 'self';")
    const small = yield* consolePage(urls, pathToFileURL(`${parent}/nowhere/`))
    expect(small.headers["content-security-policy"]).toMatch(/style-src 'sha256-[\w+/]{43}=';/)
  })
)

it.effect.each([
  ["main-ABCD1234.js", "text/javascript; charset=utf-8", "public, max-age=31536000, immutable"],
  ["style-ABCD1234.css", "text/css; charset=utf-8", "public, max-age=31536000, immutable"],
  ["icon.svg", "image/svg+xml", "no-cache"]
] as const)("%s has its media type, and is kept by the browser if its name has a digest.", ([name, type, cache]) =>
  Effect.gen(function* () {
    const { headers } = yield* consoleFile(name, folder)
    expect(headers).toMatchObject({ "content-type": type, "cache-control": cache, "x-content-type-options": "nosniff" })
  })
)

it.effect.each([
  "../outside.js",
  "..%2foutside.js",
  "/etc/passwd.js",
  "folder.js",
  "nowhere.js",
  "index.html",
  "notes.txt",
  "a\0.js"
])("There is no file %j.", (name) =>
  Effect.gen(function* () {
    expect(yield* Effect.flip(consoleFile(name, folder))).toMatchObject({ status: 404 })
  })
)
