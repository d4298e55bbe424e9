/** What the tests do with the page: locators by role and name, as a person or a screen reader finds them. */
import { Wav } from "@effect-speech/audio-codec"
import { LocalService } from "@effect-speech/local-service"
import { TextToSpeech } from "@effect-speech/tts"
import * as Effect from "effect/Effect"
import { eventually, type Service } from "effect-speech-test-support/browser"
import type { FileChooser, Locator, Page } from "playwright-core"

export const text = "Platform two, the train is late."

/** A part of the page by its heading. */
export const region = (page: Page, name: string): Locator => page.getByRole("region", { name, exact: true })

export type RoomName = "Try" | "Requests" | "Runs" | "Faults" | "Account"

export const roomLink = (page: Page, name: RoomName): Locator =>
  page.getByRole("navigation", { name: "Rooms" }).getByRole("link", { name: new RegExp(`^${name}\\b`) })

/** Shows a room of the page, by its link. */
export const openRoom = async (page: Page, name: RoomName): Promise<Locator> => {
  await roomLink(page, name).click()
  return region(page, name)
}

/** Goes to an address of the page, as a link that was shared does: `#/requests/12`. */
export const goTo = (page: Page, address: string): Promise<void> =>
  page.evaluate(`location.hash = ${JSON.stringify(address)}`)

/** Speaks an English text. */
export const speak = async (page: Page, text: string): Promise<void> => {
  await openRoom(page, "Try")
  const speech = region(page, "Speak")
  await speech.getByRole("textbox", { name: "Text" }).fill(text)
  await speech.getByRole("combobox", { name: "Language" }).selectOption("en")
  await speech.getByRole("button", { name: "Speak" }).click()
}

/** The position that a player shows, in seconds. */
export const positionOf = async (part: Locator, label: string): Promise<number> =>
  Number(await part.getByRole("slider", { name: `Position in ${label}` }).inputValue())

/** The requests that the service has seen, oldest first. */
export const journal = (service: Service) => service.run(Effect.flatMap(LocalService, ({ requests }) => requests))

/** The same, after all of them have ended: one that is sent again goes on after the page shows it. */
export const endedJournal = async (service: Service) => {
  const read = () => journal(service)
  await eventually(async () => (await read()).every(({ sentBytes }) => sentBytes !== undefined)).toBe(true)
  return await read()
}

/** The keys of the account. */
export const readKeys = (service: Service) => service.run(Effect.flatMap(LocalService, ({ accounts }) => accounts.keys))

/** A WAV file of what another program had spoken. The service recognises it. */
export const spoken = (service: Service, text: string): Promise<Buffer> =>
  service.run(
    Effect.map(
      Effect.flatMap(TextToSpeech, (tts) => tts.synthesize({ text, lang: "en", outputFormat: "8000:pcm16" })),
      ({ bytes, format }) => Buffer.from(Wav.encode(bytes, format))
    )
  )

/** Chooses a model that knows what `spoken` returns. */
export const chooseEnglish = async (page: Page): Promise<void> => {
  await openRoom(page, "Try")
  await region(page, "Listen").getByRole("combobox", { name: "Model" }).selectOption("en-general-v2-8khz")
}

/** Gives a recording to the file chooser. */
export const choose = (page: Page, name: string, buffer: Buffer): Promise<void> =>
  chooseFile(page, { name, mimeType: "audio/wav", buffer })

/** Gives a file to the file chooser, which reads it from a path if it is a string. */
export const chooseFile = async (page: Page, file: Parameters<FileChooser["setFiles"]>[0]): Promise<void> => {
  await openRoom(page, "Try")
  const [chooser] = await Promise.all([
    page.waitForEvent("filechooser"),
    region(page, "Listen").getByText("choose a file").click()
  ])
  await chooser.setFiles(file)
}

/** Writes what is said in a recording that the service does not know, until it is the transcript. */
export const teach = async (page: Page, text: string): Promise<void> => {
  await openRoom(page, "Try")
  const listen = region(page, "Listen")
  await listen.getByRole("textbox", { name: "What is said in this recording?" }).fill(text)
  await listen.getByRole("button", { name: "Teach" }).click()
  await listen.getByText(text, { exact: true }).first().waitFor()
}

/** Drops a recording on a part of the page. */
export const drop = async (page: Page, name: string, buffer: Buffer): Promise<void> => {
  await openRoom(page, "Try")
  const transfer = await page.evaluateHandle(`{
    const bytes = Uint8Array.from(atob(${JSON.stringify(buffer.toString("base64"))}), (each) => each.charCodeAt(0))
    const transfer = new DataTransfer()
    transfer.items.add(new File([bytes], ${JSON.stringify(name)}, { type: "audio/wav" }))
    transfer
  }`)
  for (const type of ["dragenter", "dragover", "drop"]) {
    await region(page, "Listen").getByText("Drop a recording here").dispatchEvent(type, { dataTransfer: transfer })
  }
}

/** The text of the clipboard. */
export const readClipboard = (page: Page): Promise<string> => page.evaluate("navigator.clipboard.readText()")
