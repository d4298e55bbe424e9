import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import { TextToSpeech } from "@effect-speech/tts"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { eventually, it } from "effect-speech-test-support/browser"
import { describe, expect } from "vitest"
import { readClipboard, readKeys, region, speak, spoken, text } from "./page.js"

const markup = `<img src=x> "kiosk"`

export const faultsAndAccountTests = () =>
  describe("Faults and Account", () => {
    it("fails the next synthesis with the tag of its error, and is then shown as spent", async ({ messages, page }) => {
      messages.accept(/status of 422/)
      const faults = region(page, "Faults")
      const preset = faults.getByRole("switch", { name: "Next synthesis fails with 502" })
      await preset.check()
      await faults.getByText("waiting").waitFor()
      await speak(page, text)
      await region(page, "Speak").getByRole("alert").getByText("TtsBackendFailed").waitFor()
      await faults.getByText("spent, happened 1×").waitFor()
      expect(await preset.isChecked()).toBe(false)
      await region(page, "Requests")
        .getByRole("row", { name: /502 ?faulted/ })
        .waitFor()
      await speak(page, text)
      await region(page, "Requests").getByRole("row", { name: /200/ }).waitFor()
    })

    it("takes any fault from a form, and shows its markup as text", async ({ page }) => {
      const faults = region(page, "Faults")
      await faults.getByText("Make a fault of your own").click()
      await faults.getByRole("button", { name: "Set the fault" }).click()
      await faults
        .getByRole("alert")
        .getByText(/must say what happens/)
        .waitFor()
      await faults.getByRole("textbox", { name: /^Headers/ }).fill("X-Note: <img src=x>")
      await faults.getByRole("textbox", { name: /^Delay in milliseconds/ }).fill("5")
      await faults.getByRole("button", { name: "Set the fault" }).click()
      await faults.getByText("<img src=x>").waitFor()
      expect(await page.locator("img").count()).toBe(0)
      await faults.getByRole("button", { name: /^Remove/ }).click()
      await eventually(() => faults.getByText("<img src=x>").count()).toBe(0)
    })

    it("shows a new key once, after you confirm that the active one is revoked; changes its scopes, and revokes it", async ({
      page,
      service
    }) => {
      const account = region(page, "Account")
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

    it("adds credit, and shows the usage of another program by day and operation", async ({ page, service }) => {
      const account = region(page, "Account")
      await account.getByText("1,000,000").waitFor()
      await account.getByRole("textbox", { name: "Top up by" }).fill("500")
      await account.getByRole("button", { name: "Add" }).click()
      await account.getByText("1,000,500").waitFor()
      await spoken(service, text)
      await account.getByText("1,000,468").waitFor()
      await account.getByText("Usage as a table").click()
      await account.getByRole("row", { name: /\d{4}-\d\d-\d\d synthesize 1 32 32/ }).waitFor()
    })
  })
