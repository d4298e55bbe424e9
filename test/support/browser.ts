/**
 * Tests in a real browser: one browser for a file of tests; for each test a local service and a context of its own.
 */
import { existsSync } from "node:fs"
import { LocalService } from "@effect-speech/local-service"
import type { SpeechToText } from "@effect-speech/stt"
import type { TextToSpeech } from "@effect-speech/tts"
import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import type { Browser, BrowserContext, Locator, Page } from "playwright-core"
import { expect, test } from "vitest"
import { startChromium } from "./chromium.js"
import { localClients } from "./localClients.js"

/** What the service serves, as `pnpm build` makes it. */
const page = new URL("../../packages/local-service/dist/console/index.html", import.meta.url)

/** How long a test waits for what it expects of the page, in milliseconds. */
const timeout = 10_000

/** A local service, and both clients as programs beside the page use them. */
export interface Service {
  readonly platformUrl: string
  readonly ttsBaseUrl: string
  readonly adminToken: string
  /** A new link that signs a browser in once. */
  readonly link: () => Promise<string>
  /** Runs a program that uses the service and its clients. */
  readonly run: <A, E>(program: Effect.Effect<A, E, LocalService | SpeechToText | TextToSpeech>) => Promise<A>
}

/** What the console of the browser printed, and errors that no code caught. A test fails if there is any. */
export interface Messages {
  /** Accepts messages that match, such as the browser's own of a response with status 422. */
  readonly accept: (pattern: RegExp) => void
  /** All messages so far. */
  readonly list: ReadonlyArray<string>
}

/** A local service and its clients. */
export type Clients = Layer.Layer<LocalService | SpeechToText | TextToSpeech>

interface Fixtures {
  readonly browser: Browser
  /** What `service` runs. Default: a service with espeak-ng and the recogniser of known recordings. */
  readonly clients: () => Clients
  readonly service: Service
  readonly messages: Messages
  /** A context of its own: no cookies, an empty cache. */
  readonly context: BrowserContext
  /** A page that shows nothing yet. */
  readonly blank: Page
  /** The console of `service`, signed in. */
  readonly page: Page
}

/** A test in a browser. */
export const it = test.extend<Fixtures & { readonly collected: Collected }>({
  browser: [
    // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the names of the fixtures from a pattern.
    async ({}, use) => {
      const browser = await startChromium()
      await use(browser)
      await browser.close()
    },
    { scope: "file" }
  ],
  // biome-ignore lint/correctness/noEmptyPattern: as above.
  clients: async ({}, use) => {
    await use(() => localClients())
  },
  service: async ({ clients }, use) => {
    if (!existsSync(page)) throw new Error("The console is not built: run pnpm build:console first.")
    const runtime = ManagedRuntime.make(clients())
    const { adminToken, consoleLink, platformUrl, ttsBaseUrl } = await runtime.runPromise(LocalService)
    await use({
      platformUrl,
      ttsBaseUrl,
      link: async () => Redacted.value(await runtime.runPromise(consoleLink)),
      adminToken: Redacted.value(adminToken),
      run: (program) => runtime.runPromise(program)
    })
    await runtime.dispose()
  },
  // biome-ignore lint/correctness/noEmptyPattern: as above.
  collected: async ({}, use) => {
    const collected: Collected = { messages: [], accepted: [] }
    await use(collected)
  },
  messages: async ({ collected }, use) => {
    await use({ accept: (pattern) => collected.accepted.push(pattern), list: collected.messages })
  },
  context: async ({ browser, collected: { accepted, messages } }, use) => {
    const context = await browser.newContext({
      acceptDownloads: true,
      permissions: ["clipboard-read", "clipboard-write", "microphone"]
    })
    context.setDefaultTimeout(timeout)
    context.on("console", (message) => messages.push(`${message.type()}: ${message.text()}`))
    context.on("weberror", (error) => messages.push(`uncaught: ${error.error().stack ?? error.error()}`))
    await context.addInitScript(helpers)
    await use(context)
    await context.close()
    expect(messages.filter((message) => !accepted.some((pattern) => pattern.test(message)))).toEqual([])
  },
  blank: async ({ context }, use) => {
    await use(await context.newPage())
  },
  page: async ({ blank, service }, use) => {
    await blank.goto(await service.link())
    await blank.getByRole("region", { name: "Speak" }).waitFor()
    await use(blank)
  }
})

interface Collected {
  readonly messages: Array<string>
  readonly accepted: Array<RegExp>
}

/** An assertion on the result of `read`, which is read again until the assertion holds. */
export const eventually = <A>(read: () => A | Promise<A>, limit: number = timeout) =>
  expect.poll(read, { timeout: limit, interval: 20 })

/**
 * Runs in each page first. It remembers each audio element that plays, also one that is not in the document, and counts
 * pixels in a copy, since the browser warns of a canvas that is read often.
 */
const helpers = `{
  const { play } = HTMLMediaElement.prototype
  const played = new Set()
  HTMLMediaElement.prototype.play = function () {
    played.add(this)
    return play.call(this)
  }
  window.playedSeconds = () => Math.max(0, ...Array.from(played, (element) => element.currentTime))
  window.paintedPixels = (canvas) => {
    const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true })
    copy.drawImage(canvas, 0, 0)
    const { data } = copy.getImageData(0, 0, canvas.width, canvas.height)
    return data.filter((value, index) => index % 4 === 3 && value !== 0).length
  }
}`

interface Helpers {
  readonly playedSeconds: () => number
  readonly paintedPixels: (canvas: unknown) => number
}

/** The position of the audio that a page plays, in seconds. 0 if it has played none. */
export const playedSeconds = (page: Page): Promise<number> =>
  page.evaluate(() => (globalThis as unknown as Helpers).playedSeconds())

/** The number of pixels of a canvas that are not transparent. */
export const paintedPixels = (canvas: Locator): Promise<number> =>
  canvas.evaluate((element) => (globalThis as unknown as Helpers).paintedPixels(element))
