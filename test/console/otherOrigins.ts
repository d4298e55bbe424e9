/** A page of another site, and a page of another port of this machine, in a browser with a session of the console. */
import { createServer } from "node:http"
import { LocalService } from "@effect-speech/local-service"
import * as Effect from "effect/Effect"
import type { Page } from "playwright-core"
import { describe, expect } from "vitest"
import { it, type Service } from "../support/browser.js"
import { startLoopback } from "../support/loopback.js"
import { noise } from "../support/recordings.js"
import { readKeys } from "./page.js"

/** A path below the platform, with a body that the route would accept. */
interface Call {
  readonly method: string
  readonly path: string
  readonly body?: string | undefined
}

/** For each route of the OpenAPI document that needs a session or changes one. */
const bodies: Readonly<Record<string, unknown>> = {
  "PATCH /platform/api/account": { credits: 1 },
  "POST /platform/api/keys": { name: "another", confirm: true },
  "PATCH /platform/api/keys/{id}": { scopes: [] },
  "PUT /platform/api/faults": [{ status: 502 }],
  "POST /platform/api/reset": {},
  "POST /platform/api/speech": { text: "Platform two." },
  "POST /platform/api/transcripts": noise(1000).toString("latin1"),
  "POST /platform/api/recordings": noise(1000).toString("latin1")
}

const queries: Readonly<Record<string, string>> = {
  "POST /platform/api/transcripts": "?model=en-general-v2-8khz",
  "POST /platform/api/recordings": "?text=Platform%20two."
}

/** Calls of all routes but the public ones: the page, its files and the document. */
const readCalls = async (service: Service): Promise<ReadonlyArray<Call>> => {
  const { adminToken, platformUrl } = service
  const keys = await readKeys(service)
  const document = (await (await fetch(`${platformUrl}/openapi.json`)).json()) as {
    readonly paths: Readonly<Record<string, object>>
  }
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    /^\/(platform\/api|console\/session)/.test(path)
      ? Object.keys(operations).flatMap((key) => {
          const method = key.toUpperCase()
          if (!["GET", "POST", "PUT", "PATCH", "DELETE"].includes(method)) return []
          const route = `${method} ${path}`
          const body = path === "/console/session" && method === "POST" ? { token: adminToken } : bodies[route]
          return {
            method,
            path: path.replace("{id}", keys.active?.id ?? "") + (queries[route] ?? ""),
            body: body === undefined || typeof body === "string" ? body : JSON.stringify(body)
          }
        })
      : []
  )
}

const readState = ({ run }: Service) =>
  run(
    Effect.flatMap(LocalService, ({ accounts, faults, requests }) =>
      Effect.all({ account: accounts.account, keys: accounts.keys, faults: faults.list, requests })
    )
  )

/** Sends a call from a page. Returns the status, or "no answer" if the page may not read it. */
const callFrom = (page: Page, url: string, { body, method }: Call, init: RequestInit): Promise<number | "no answer"> =>
  page.evaluate(
    async ({ body, init, method, url }) => {
      try {
        // Server-sent events do not end.
        const response = await fetch(url, { method, body, ...init, signal: AbortSignal.timeout(2000) })
        return response.type === "opaque" ? "no answer" : response.status
      } catch {
        return "no answer"
      }
    },
    { url, method, body: body ?? null, init }
  )

export const otherOriginsTests = () =>
  describe.each([
    ["another port of this machine", "127.0.0.1"],
    ["another site", "another.example"]
  ])("a page of %s", (_, host) => {
    it("reads nothing and changes nothing, though the browser has a session", async ({
      context,
      messages,
      onTestFinished,
      page,
      service
    }) => {
      // The browser itself reports the requests that it blocked.
      messages.accept(/^error: (Access to fetch|Failed to load resource|Refused to|.*EventSource)/)
      const other = await startLoopback(
        createServer((_, response) => response.setHeader("content-type", "text/html").end("<title>Other</title>"))
      )
      onTestFinished(other.close)
      const calls = await readCalls(service)
      expect(calls.length).toBeGreaterThan(15)
      const before = await readState(service)

      const foreign = await context.newPage()
      const statuses: Array<string> = []
      foreign.on("response", (response) => {
        if (!response.url().startsWith(service.platformUrl) || response.request().method() === "OPTIONS") return
        if (response.status() < 400)
          statuses.push(`${response.request().method()} ${response.url()}: ${response.status()}`)
      })
      await foreign.goto(`http://${host}:${new URL(other.url).port}/`)
      for (const call of calls) {
        const url = `${service.platformUrl}${call.path}`
        const json = { "content-type": "application/json" }
        expect(await callFrom(foreign, url, call, { credentials: "include", headers: json })).toBe("no answer")
        if (!["GET", "POST"].includes(call.method)) continue
        expect(await callFrom(foreign, url, call, { credentials: "include", mode: "no-cors" })).toBe("no answer")
      }
      expect(statuses).toEqual([])
      expect(await readState(service)).toEqual(before)

      // The session goes on, and its own page still reads and acts.
      expect(await callFrom(page, "/platform/api/account", { method: "GET", path: "" }, {})).toBe(200)
      expect(await callFrom(page, "/platform/api/reset", { method: "POST", path: "" }, {})).toBe(204)
    })

    it("sends no form", async ({ context, messages, onTestFinished, page, service }) => {
      messages.accept(/Failed to load resource/)
      const other = await startLoopback(
        createServer((_, response) =>
          response
            .setHeader("content-type", "text/html")
            .end(
              `<title>Other</title><form method="post" enctype="text/plain" action="${service.platformUrl}/platform/api/keys"><input type="hidden" name='{"confirm":true,"name":"' value='"}'><button>Send</button></form>`
            )
        )
      )
      onTestFinished(other.close)
      await page.goto("about:blank")
      const before = await readState(service)
      const foreign = await context.newPage()
      await foreign.goto(`http://${host}:${new URL(other.url).port}/`)
      const answered = foreign.waitForResponse(`${service.platformUrl}/**`)
      await foreign.getByRole("button", { name: "Send" }).click()
      expect((await answered).status()).toBeGreaterThanOrEqual(400)
      expect(await readState(service)).toEqual(before)
    })

    it("can't show the console in a frame", async ({ context, messages, onTestFinished, page, service }) => {
      messages.accept(/frame/)
      const other = await startLoopback(
        createServer((_, response) =>
          response
            .setHeader("content-type", "text/html")
            .end(`<title>Other</title><iframe src="${service.platformUrl}/"></iframe>`)
        )
      )
      onTestFinished(other.close)
      await page.goto("about:blank")
      const foreign = await context.newPage()
      await foreign.goto(`http://${host}:${new URL(other.url).port}/`)
      const frame = foreign.frameLocator("iframe")
      expect(await frame.getByRole("heading").count()).toBe(0)
      expect(foreign.frames().map((each) => each.url())).not.toContain(`${service.platformUrl}/`)
    })
  })
