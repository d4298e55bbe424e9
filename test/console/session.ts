import { eventually, it } from "effect-speech-test-support/browser"
import { describe, expect } from "vitest"
import { openRoom, region } from "./page.js"

export const sessionTests = () =>
  describe("a session", () => {
    it("begins with the link of `speech serve`, whose code is used once", async ({
      blank,
      browser,
      context,
      service
    }) => {
      const link = await service.link()
      await blank.goto(link)
      await region(blank, "Speak").waitFor()
      expect(blank.url()).not.toContain(new URL(link).hash.slice(1))
      const [cookie] = await context.cookies()
      expect(cookie).toMatchObject({ httpOnly: true, sameSite: "Strict", path: "/" })
      expect(cookie?.name).toContain(new URL(link).port)

      // Another browser, with the same link: the browser itself reports the two responses.
      const another = await browser.newContext()
      try {
        const page = await another.newPage()
        await page.goto(link)
        await page.getByText("This link was already used").waitFor()
        expect(await region(page, "Speak").count()).toBe(0)
        expect(await another.cookies()).toEqual([])
      } finally {
        await another.close()
      }
    })

    it("waits for a service that does not respond, says so in any room, and then goes on", async ({
      context,
      messages,
      page
    }) => {
      messages.accept(/net::ERR_/)
      const bar = page.getByRole("alert").getByText("The service does not respond")
      await context.setOffline(true)
      // An open response goes on. This closes the events, and opens them again.
      await page.evaluate(`for (const type of ["pagehide", "pageshow"]) window.dispatchEvent(new Event(type))`)
      await bar.waitFor()
      await openRoom(page, "Faults")
      await bar.waitFor()
      await context.setOffline(false)
      await page.getByText("The service responds again.").waitFor()
      await bar.waitFor({ state: "detached" })
    })

    it("shows a room that has been loaded just after it was first drawn", async ({ blank, service }) => {
      const html = await (await fetch(service.platformUrl)).text()
      const held: Array<string> = []
      let release = () => {}
      const released = new Promise<void>((resolve) => {
        release = resolve
      })
      await blank.route("**/console/chunk-*.js", async (route) => {
        const url = route.request().url()
        if (!html.includes(new URL(url).pathname.slice(1))) {
          held.push(url)
          await released
        }
        await route.continue()
      })
      await blank.goto(await service.link())
      await eventually(() => held.length).toBeGreaterThan(0)
      // What runs after a frame is drawn has to wait.
      await blank.evaluate(`{
        const { requestAnimationFrame, setTimeout } = window
        const waiting = []
        window.requestAnimationFrame = () => 0
        window.setTimeout = (run) => waiting.push(run)
        window.goOn = () => {
          Object.assign(window, { requestAnimationFrame, setTimeout })
          for (const run of waiting) run()
        }
        location.hash = "#/faults"
      }`)
      await blank.locator("main > [aria-busy]").waitFor({ state: "attached" })
      release()
      await blank.evaluate(`Promise.all(${JSON.stringify(held)}.map((url) => import(url))).then(() => {})`)
      await blank.evaluate("goOn()")
      await blank.getByRole("heading", { name: "Faults", level: 1 }).waitFor()
    })

    it("begins with the admin token, goes on if a sign-out fails, ends in every tab when one signs out, and begins in every tab", async ({
      blank,
      context,
      messages,
      service
    }) => {
      // The browser itself reports responses with status 401, and the request that fails.
      messages.accept(/Failed to load resource/)
      await blank.goto(service.platformUrl)
      const field = blank.getByLabel("Admin token")
      await field.fill("a wrong token")
      await blank.getByRole("button", { name: "Sign in" }).click()
      await blank.getByRole("alert").getByText("This is not the admin token.").waitFor()
      await field.fill(service.adminToken)
      await blank.getByRole("button", { name: "Sign in" }).click()
      await region(blank, "Speak").waitFor()
      const other = await context.newPage()
      await other.goto(service.platformUrl)
      await openRoom(other, "Account")
      await openRoom(blank, "Account")
      await blank.route("**/console/session", (route) => route.abort())
      await blank.getByRole("button", { name: "Sign out" }).click()
      await blank.getByRole("alert").getByText("You may still be signed in.").waitFor()
      expect(await field.count()).toBe(0)
      await blank.unroute("**/console/session")
      await blank.getByRole("button", { name: "Sign out" }).click()
      await field.waitFor()
      await blank.getByText(/^You are signed out\./).waitFor()
      await other.getByText(/^Your session has ended:/).waitFor({ timeout: 5000 })
      await blank.reload()
      await field.fill(service.adminToken)
      await blank.getByRole("button", { name: "Sign in" }).click()
      await region(blank, "Account").waitFor()
      await region(other, "Account").waitFor()
    })
  })
