import { createHash } from "node:crypto"
import { readFile } from "node:fs/promises"
import { extname } from "node:path"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { systemCode } from "@effect-speech/common/SystemCode"
import * as Effect from "effect/Effect"
import type { Problem } from "../http/problems.js"
import { type BaseUrls, page, style } from "./page.js"

/** The build of the page, from the sources and from the build of this module alike. */
const buildFolder = new URL("../../../dist/console/", import.meta.url)

const mediaTypes: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2"
}

/** As esbuild writes it, before the extension. */
const digest = /-[A-Z0-9]{8}\.\w+$/

const policyOf = (styles: string): string =>
  [
    "default-src 'self'",
    `style-src ${styles}`,
    "img-src 'self' data:",
    "media-src 'self' blob:",
    "connect-src 'self' blob:",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'"
  ].join("; ")

const headersOf = (cacheControl: string, styles = "'self'") => ({
  "Cache-Control": cacheControl,
  "Content-Security-Policy": policyOf(styles),
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff"
})

/** A file of the build. `undefined` if there is none. */
const read = (name: string, folder: URL): Effect.Effect<Buffer | undefined> =>
  Effect.promise(() =>
    readFile(new URL(name, folder)).catch((error: unknown) => {
      if (["ENOENT", "ENOTDIR", "EISDIR"].includes(systemCode(error) ?? "")) return undefined
      throw error
    })
  )

/** The console. Without a build: a small page that says what this is. */
export const consolePage = (urls: BaseUrls, folder: URL = buildFolder) =>
  Effect.map(read("index.html", folder), (index) => {
    const contentType = "text/html; charset=utf-8"
    if (index !== undefined) {
      return HttpServerResponse.uint8Array(index, { contentType, headers: headersOf("no-store") })
    }
    const hash = createHash("sha256").update(style).digest("base64")
    return HttpServerResponse.text(page(urls), { contentType, headers: headersOf("no-store", `'sha256-${hash}'`) })
  })

/** A file of the console. A browser keeps those whose name has the digest of their content. */
export const consoleFile = (
  name: string,
  folder: URL = buildFolder
): Effect.Effect<HttpServerResponse.HttpServerResponse, Problem> =>
  Effect.gen(function* () {
    const contentType = mediaTypes[extname(name)]
    const isName = /^\w[\w.-]*$/.test(name)
    const bytes = isName && contentType !== undefined ? yield* read(name, folder) : undefined
    if (bytes === undefined || contentType === undefined) {
      return yield* Effect.fail<Problem>({ status: 404, message: "the console has no file of this name" })
    }
    const cacheControl = digest.test(name) ? "public, max-age=31536000, immutable" : "no-cache"
    return HttpServerResponse.uint8Array(bytes, { contentType, headers: headersOf(cacheControl) })
  })
