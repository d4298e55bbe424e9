import { LocalService } from "@effect-speech/local-service"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import { TextToSpeech } from "@effect-speech/tts"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { eventually, it } from "effect-speech-test-support/browser"
import { describe, expect } from "vitest"
import { openRoom, readClipboard, readKeys, speak, spoken, text } from "./page.js"

const markup = `<img src=x> "kiosk"`

export const faultsAndAccountTests = () =>
  describe("Faults and Account", () => {
    it("sets a fault by one click, and says what the client of each request did after it", async ({
      messages,
      page,
      service
    }) => {
      messages.accept(/status of 422/)
      const faults = await openRoom(page, "Faults")
      const preset = faults.getByRole("switch", { name: "The next synthesis fails with 502." })
      await preset.check()
      await faults.getByText("on · has not happened yet").waitFor()
      await faults.getByText("No request has met a fault yet.").waitFor()
      // The client of another program retries.
      await spoken(service, text)
      await faults.getByText("spent · happened once").waitFor()
      expect(await preset.isChecked()).toBe(false)
      const row = faults.getByRole("row", { name: /^Request 1 .*502.*Retried after .*: succeeded\. Request 2$/ })
      await row.waitFor()
      await preset.check()
      await speak(page, text)
      await page.getByRole("alert").getByText("TtsBackendFailed").waitFor()
      await openRoom(page, "Faults")
      await faults.getByRole("row", { name: /^Request 3 .*502.*Gave up at once\.$/ }).waitFor()
      await faults.getByRole("button", { name: "Turn all off" }).click()
      await faults.getByText("No fault is set").waitFor()
    })

    it("makes a fault by its kind, says what is wrong with a field, and shows markup as text", async ({
      page,
      service
    }) => {
      const faults = await openRoom(page, "Faults")
      await faults.getByRole("combobox", { name: "Operation" }).selectOption("synthesize")
      await faults.getByRole("combobox", { name: "Requests" }).selectOption("every")
      await faults.getByText("Every third synthesis fails with 503.").waitFor()
      const status = faults.getByRole("textbox", { name: "Status" })
      await status.fill("99")
      await faults.getByRole("button", { name: "Set the fault" }).click()
      await faults.getByText("Write a whole number from 200 to 599.").waitFor()
      await eventually(() => status.evaluate((field) => field === field.ownerDocument.activeElement)).toBe(true)

      await faults.getByRole("radio", { name: "Malformed" }).check()
      expect(await status.count()).toBe(0)
      await faults.getByRole("combobox", { name: "What is malformed" }).selectOption("headers")
      await faults.getByRole("textbox", { name: /^Headers/ }).fill("X-Note: <img src=x>")
      await faults.getByRole("button", { name: "Set the fault" }).click()
      const set = faults.getByRole("listitem").filter({ hasText: "Every third synthesis has X-Note: <img src=x>." })
      await set.waitFor()
      const fault = { operation: "synthesize", every: 3, headers: { "X-Note": "<img src=x>" } }
      expect(await service.run(Effect.flatMap(LocalService, (each) => each.faults.list))).toMatchObject([{ fault }])
      expect(await page.locator("img").count()).toBe(0)
      await set.getByRole("button", { name: /^Turn off/ }).click()
      await eventually(() => set.count()).toBe(0)
    })

    it("shows a new key once, after you confirm that the active one is revoked; changes its scopes, and revokes it", async ({
      page,
      service
    }) => {
      const account = await openRoom(page, "Account")
      await account.getByRole("textbox", { name: "Name of a new key" }).fill(markup)
      await account.getByRole("button", { name: "Create", exact: true }).click()
      await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click()
      expect((await readKeys(service)).active?.name).toBe("local")
      await account.getByRole("button", { name: "Create", exact: true }).click()
      await page.getByRole("dialog").getByRole("button", { name: "Create and revoke" }).click()
      await account.getByRole("button", { name: "Copy the key" }).click()
      await eventually(() => readClipboard(page)).toMatch(/^\S{20,}$/)
      const key = await readClipboard(page)
      expect(await page.content()).toContain(key)
      await account.getByRole("button", { name: "Done" }).click()
      await account.getByText(markup, { exact: true }).first().waitFor()
      expect(await page.content()).not.toContain(key)
      expect(await page.locator("img").count()).toBe(0)

      const withKey = TextToSpeech.layer({
        apiKey: Redacted.make(key),
        baseUrl: service.ttsBaseUrl,
        allowInsecureHttp: true
      }).pipe(Layer.provide(NodeTransport.layer))
      await Effect.runPromise(
        Effect.flatMap(TextToSpeech, (tts) => tts.synthesize({ text, lang: "en" })).pipe(Effect.provide(withKey))
      )

      await account.getByRole("checkbox", { name: "stt:transcribe" }).click()
      await eventually(async () => (await readKeys(service)).active?.scopes).toEqual(["tts:synth"])
      await account.getByRole("button", { name: "Revoke" }).click()
      await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click()
      await account.getByText("No key is active.").waitFor()
      await account.getByText("2 revoked keys").click()
      await account.getByRole("listitem").getByText("local").waitFor()
      expect((await readKeys(service)).active).toBeNull()
    })

    it("adds credit, shows the usage of another program by day, says how to run one, and suspends the account", async ({
      page,
      service
    }) => {
      const account = await openRoom(page, "Account")
      await account.getByText("1,000,000").waitFor()
      await account.getByRole("textbox", { name: "Top up by" }).fill("500")
      await account.getByRole("button", { name: "Add" }).click()
      await account.getByText("1,000,500").waitFor()
      await spoken(service, text)
      await account.getByText("1,000,468").waitFor()
      await account.getByText("Usage as a table").click()
      await account.getByRole("row", { name: /\d{4}-\d\d-\d\d synthesize 1 32 32/ }).waitFor()

      await account.getByRole("button", { name: "Copy" }).click()
      await eventually(() => readClipboard(page)).toMatch(/SPEECH_TTS_BASE_URL=http:.*SPEECH_API_KEY= +# your key/s)
      await account.getByRole("radio", { name: "suspended" }).check()
      await account.getByText("Requests of every key fail while the account is suspended.").waitFor()
      await account.getByRole("button", { name: "Set to 0" }).click()
      await eventually(() => service.run(Effect.flatMap(LocalService, (each) => each.accounts.account))).toMatchObject({
        state: "suspended",
        credits: 0
      })
    })
  })
