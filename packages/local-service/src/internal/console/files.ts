import { randomBytes } from "node:crypto"
import { readFile } from "node:fs/promises"
import { extname } from "node:path"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import { errorCode } from "../errorCode.js"
import type { Problem } from "../http/problems.js"
import type { BaseUrls } from "../platform/openApiParts.js"
import { page } from "../platform/page.js"

/** The build of the page, from the sources and from the build of this module alike. */
const folder = new URL("../../../dist/console/", import.meta.url)

const mediaTypes: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2",
  ".map": "application/json",
  ".json": "application/json"
}

/** The place in `index.html` of the nonce, which a style needs that a script makes. */
const noncePlace = "%NONCE%"

const headers = (nonce: string | undefined, cacheControl: string) => ({
  "Cache-Control": cacheControl,
  "Content-Security-Policy": [
    "default-src 'self'",
    `style-src 'self'${nonce === undefined ? "" : ` 'nonce-${nonce}'`}`,
    "img-src 'self' data:",
    "media-src 'self' blob:",
    "connect-src 'self' blob:",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'"
  ].join("; "),
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff"
})

/** A file of the build. `undefined` if there is none. */
const read = (name: string): Effect.Effect<Buffer | undefined> =>
  Effect.promise(() =>
    readFile(new URL(name, folder)).catch((error: unknown) => {
      if (["ENOENT", "ENOTDIR", "EISDIR"].includes(errorCode(error))) return undefined
      throw error
    })
  )

/** The console. Without a build: a small page that says what this is. */
export const consolePage = (urls: BaseUrls) =>
  Effect.map(read("index.html"), (index) => {
    const nonce = randomBytes(16).toString("base64")
    const html = index === undefined ? page(urls) : index.toString("utf8")
    return HttpServerResponse.text(html.replaceAll(noncePlace, nonce), {
      contentType: "text/html; charset=utf-8",
      headers: headers(nonce, "no-store")
    })
  })

/** A file of the console. Its name has the hash of its content. */
export const consoleFile = (name: string): Effect.Effect<HttpServerResponse.HttpServerResponse, Problem> =>
  Effect.gen(function* () {
    const isName = /^\w[\w.-]*$/.test(name) && name !== "index.html"
    const bytes = isName ? yield* read(name) : undefined
    if (bytes === undefined) {
      return yield* Effect.fail<Problem>({ status: 404, message: "the console has no file of this name" })
    }
    return HttpServerResponse.uint8Array(bytes, {
      contentType: mediaTypes[extname(name)] ?? "application/octet-stream",
      headers: headers(undefined, "public, max-age=31536000, immutable")
    })
  })
