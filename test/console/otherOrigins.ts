/** A page of another site, and a page of another port of this machine, in a browser with a session of the console. */
import { createServer } from "node:http"
import { LocalService } from "@effect-speech/local-service"
import * as Effect from "effect/Effect"
import { it, type Service } from "effect-speech-test-support/browser"
import { startLoopback } from "effect-speech-test-support/loopback"
import type { Page } from "playwright-core"
import { expect, onTestFinished } from "vitest"
import { readKeys } from "./page.js"

/** One call of each kind: the black-box tests of the local service send all of them, with the headers of such pages. */
const calls: ReadonlyArray<readonly [method: string, path: string, body?: unknown]> = [
  ["GET", "account"],
  ["GET", "events"],
  ["PATCH", "account", { credits: 1 }],
  ["POST", "keys", { name: "another", confirm: true }],
  ["PUT", "faults", [{ status: 503 }]],
  ["POST", "speech", { text: "Platform two." }],
  ["POST", "reset"]
]

const readState = ({ run }: Service) =>
  run(
    Effect.flatMap(LocalService, ({ accounts, faults, requests }) =>
      Effect.all({ account: accounts.account, keys: accounts.keys, faults: faults.list, requests })
    )
  )

/** Sends a call from a page. Returns the status, or "no answer" if the page may not read it. */
const callFrom = (page: Page, url: string, init: RequestInit): Promise<number | "no answer"> =>
  page.evaluate(
    async ({ init, url }) => {
      try {
        // Server-sent events do not end.
        const response = await fetch(url, { credentials: "include", ...init, signal: AbortSignal.timeout(1000) })
        return response.type === "opaque" ? "no answer" : response.status
      } catch {
        return "no answer"
      }
    },
    { url, init }
  )

export const otherOriginsTests = () => {
  it.for([
    ["another port of this machine", "127.0.0.1"],
    ["another site", "another.example"]
  ] as const)(
    "a page of %s, in a browser with a session, reads nothing, changes nothing, sends no form and shows no frame",
    async ([, host], { context, messages, page, service }) => {
      // The browser itself reports the requests and the frame that it blocked, and some ask for an icon.
      messages.accept(/^error: (Access to fetch|Failed to load resource)|frame/)
      const { sttBaseUrl, ttsBaseUrl } = await service.run(LocalService)
      await service.run(Effect.flatMap(LocalService, ({ faults }) => faults.set([{ times: 1, status: 502 }])))
      const before = await readState(service)
      const revoking = `${service.platformUrl}/platform/api/keys/${before.keys.active?.id}/revoke`
      const server = await startLoopback(
        createServer((_, response) =>
          response
            .setHeader("content-type", "text/html")
            .end(
              `<!doctype html><title>Other</title><iframe src="${service.platformUrl}/"></iframe>` +
                `<form method="post" action="${revoking}"><button>Send</button></form>`
            )
        )
      )
      onTestFinished(server.close)
      const foreign = await context.newPage()
      await foreign.goto(`http://${host}:${new URL(server.url).port}/`)
      expect(await foreign.frameLocator("iframe").getByRole("heading").count()).toBe(0)
      expect(foreign.frames().map((each) => each.url())).not.toContain(`${service.platformUrl}/`)

      const accepted: Array<string> = []
      foreign.on("response", (response) => {
        const request = response.request()
        if (request.method() !== "OPTIONS" && response.status() < 400) accepted.push(request.url())
      })
      for (const [method, path, json] of calls) {
        const url = `${service.platformUrl}/platform/api/${path}`
        const init = { method, ...(json !== undefined && { body: JSON.stringify(json) }) }
        const headers = { "content-type": "application/json" }
        expect(await callFrom(foreign, url, { ...init, headers })).toBe("no answer")
        if (["GET", "POST"].includes(method)) {
          expect(await callFrom(foreign, url, { ...init, mode: "no-cors" })).toBe("no answer")
        }
      }
      // They use up no fault, and empty no journal.
      for (const url of [`${ttsBaseUrl}/tts/bytes`, `${sttBaseUrl}/api/transcribe`]) {
        await callFrom(foreign, url, { method: "POST", body: "{}", mode: "no-cors" })
      }
      const answered = foreign.waitForResponse(revoking)
      await foreign.getByRole("button", { name: "Send" }).click()
      expect((await answered).status()).toBe(401)
      expect(accepted).toEqual([])
      expect(await readState(service)).toEqual(before)

      // The session goes on, and its own page still reads and acts.
      expect(await callFrom(page, "/platform/api/account", { method: "GET" })).toBe(200)
      expect(await callFrom(page, "/platform/api/reset", { method: "POST" })).toBe(204)
      expect((await readKeys(service)).active).toEqual(before.keys.active)
    }
  )

  it("a name that another site points at this machine reaches nothing", async ({ blank, messages, service }) => {
    messages.accept(/status of 421/)
    const { port } = new URL(service.platformUrl)
    const response = await blank.goto(`http://another.example:${port}/`)
    expect(response?.status()).toBe(421)
  })
}
