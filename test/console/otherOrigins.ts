/** A page of another site, and a page of another port of this machine, in a browser with a session of the console. */
import { createServer } from "node:http"
import { LocalService } from "@effect-speech/local-service"
import * as Effect from "effect/Effect"
import { it, type Service } from "effect-speech-test-support/browser"
import { startLoopback } from "effect-speech-test-support/loopback"
import { noise } from "effect-speech-test-support/recordings"
import type { BrowserContext, Page } from "playwright-core"
import { describe, expect, onTestFinished } from "vitest"
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

/** Begins a session in a browser, and opens a page of another server in it. */
const openForeign = async (
  context: BrowserContext,
  service: Service,
  { body, host }: { readonly body: string; readonly host: string }
) => {
  const signedIn = await context.request.post(`${service.platformUrl}/console/session`, {
    headers: { origin: service.platformUrl },
    data: { token: service.adminToken }
  })
  expect(signedIn.status()).toBe(204)
  const server = await startLoopback(
    createServer((_, response) =>
      response.setHeader("content-type", "text/html").end(`<!doctype html><title>Other</title>${body}`)
    )
  )
  onTestFinished(server.close)
  const page = await context.newPage()
  await page.goto(`http://${host}:${new URL(server.url).port}/`)
  return page
}

export const otherOriginsTests = () => {
  describe.each([
    ["another port of this machine", "127.0.0.1"],
    ["another site", "another.example"]
  ])("a page of %s, in a browser with a session", (_, host) => {
    it("reads nothing and changes nothing", async ({ context, messages, page, service }) => {
      // The browser itself reports the requests that it blocked.
      messages.accept(/^error: (Access to fetch|Failed to load resource)/)
      const calls = await readCalls(service)
      expect(calls.length).toBeGreaterThan(15)
      const before = await readState(service)

      const foreign = await openForeign(context, service, { host, body: "" })
      const accepted: Array<string> = []
      foreign.on("response", (response) => {
        const request = response.request()
        if (request.method() === "OPTIONS" || response.status() >= 400) return
        accepted.push(`${request.method()} ${request.url()}: ${response.status()}`)
      })
      for (const call of calls) {
        const url = `${service.platformUrl}${call.path}`
        const headers = { "content-type": "application/json" }
        expect(await callFrom(foreign, url, call, { credentials: "include", headers })).toBe("no answer")
        if (!["GET", "POST"].includes(call.method)) continue
        expect(await callFrom(foreign, url, call, { credentials: "include", mode: "no-cors" })).toBe("no answer")
      }
      expect(accepted).toEqual([])
      expect(await readState(service)).toEqual(before)

      // The session goes on, and its own page still reads and acts.
      expect(await callFrom(page, "/platform/api/account", { method: "GET", path: "" }, {})).toBe(200)
      expect(await callFrom(page, "/platform/api/reset", { method: "POST", path: "" }, {})).toBe(204)
    })

    it("uses up no fault and empties no journal of the operations", async ({ context, messages, service }) => {
      messages.accept(/^error: Failed to load resource/)
      await service.run(Effect.flatMap(LocalService, ({ faults }) => faults.set([{ times: 1, status: 502 }])))
      const before = await readState(service)
      const foreign = await openForeign(context, service, { host, body: "" })
      const statuses: Array<number> = []
      foreign.on("response", (response) => {
        if (response.request().method() === "POST") statuses.push(response.status())
      })
      const { sttBaseUrl, ttsBaseUrl } = await service.run(LocalService)
      for (const url of [`${ttsBaseUrl}/tts/bytes`, `${sttBaseUrl}/api/transcribe`]) {
        await callFrom(foreign, url, { method: "POST", path: "", body: "{}" }, { mode: "no-cors" })
      }
      expect(statuses).toEqual([401, 401])
      expect(await readState(service)).toEqual(before)
    })

    it("sends no form", async ({ context, messages, service }) => {
      // The browser itself reports the response, and some ask for an icon.
      messages.accept(/status of 40[14]/)
      const { active } = await readKeys(service)
      const url = `${service.platformUrl}/platform/api/keys/${active?.id}/revoke`
      const body = `<form method="post" action="${url}"><button>Send</button></form>`
      const foreign = await openForeign(context, service, { host, body })
      const answered = foreign.waitForResponse(url)
      await foreign.getByRole("button", { name: "Send" }).click()
      expect((await answered).status()).toBe(401)
      expect((await readKeys(service)).active).toEqual(active)
    })

    it("can't show the console in a frame", async ({ context, messages, service }) => {
      messages.accept(/frame/)
      const body = `<iframe src="${service.platformUrl}/"></iframe>`
      const foreign = await openForeign(context, service, { host, body })
      expect(await foreign.frameLocator("iframe").getByRole("heading").count()).toBe(0)
      expect(foreign.frames().map((each) => each.url())).not.toContain(`${service.platformUrl}/`)
    })
  })

  it("a name that another site points at this machine reaches nothing", async ({ blank, messages, service }) => {
    messages.accept(/status of 421/)
    const { port } = new URL(service.platformUrl)
    const response = await blank.goto(`http://another.example:${port}/`)
    expect(response?.status()).toBe(421)
  })
}
