/**
 * Tests in a real browser. The tests of a file share one browser, one tab and one local service, because a new tab costs more than
 * most tests. Each test begins with the service reset, without cookies, and with a page that is loaded anew.
 */
import { existsSync } from "node:fs"
import { LocalService } from "@effect-speech/local-service"
import type { SpeechToText } from "@effect-speech/stt"
import type { TextToSpeech } from "@effect-speech/tts"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import type { Browser, BrowserContext, ConsoleMessage, Locator, Page, WebError } from "playwright-core"
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
  /** What `service` runs, for this test alone. Default: the shared service, with espeak-ng and the recogniser of known recordings. */
  readonly clients: (() => Clients) | undefined
  readonly service: Service
  readonly messages: Messages
  /** The context of the tab. It has no cookies. */
  readonly context: BrowserContext
  /** A page that shows nothing yet. */
  readonly blank: Page
  /** The console of `service`, signed in. */
  readonly page: Page
}

/** What the tests of a file share. */
interface Shared {
  readonly sharedService: Service
  readonly tab: Tab
}

const startService = async (clients: Clients) => {
  if (!existsSync(page)) throw new Error("The console is not built: run pnpm build:console first.")
  const runtime = ManagedRuntime.make(clients)
  const { adminToken, consoleLink, platformUrl, ttsBaseUrl } = await runtime.runPromise(LocalService)
  const service: Service = {
    platformUrl,
    ttsBaseUrl,
    link: async () => Redacted.value(await runtime.runPromise(consoleLink)),
    adminToken: Redacted.value(adminToken),
    run: (program) => runtime.runPromise(program)
  }
  return { service, stop: () => runtime.dispose() }
}

const viewport = { width: 1280, height: 720 }

const makeTab = (browser: Browser) => {
  let opened: Page | undefined
  const open = async (): Promise<Page> => {
    const context = await browser.newContext({
      acceptDownloads: true,
      permissions: ["clipboard-read", "clipboard-write", "microphone"],
      viewport
    })
    context.setDefaultTimeout(timeout)
    await context.addInitScript(helpers)
    return await context.newPage()
  }
  return {
    open: async () => {
      opened ??= await open()
      return opened
    },
    /** Leaves nothing of a test that succeeded. */
    clear: async (tab: Page) => {
      const context = tab.context()
      for (const page of context.pages()) if (page !== tab) await page.close()
      await tab.unrouteAll()
      await tab.evaluate("localStorage.clear()")
      await tab.goto("about:blank")
      await tab.setViewportSize(viewport)
      await tab.emulateMedia({ colorScheme: null, reducedMotion: null })
      await context.clearCookies()
    },
    /** After a test that failed, and may have left anything. */
    close: async () => {
      await opened?.context().close()
      opened = undefined
    }
  }
}
type Tab = ReturnType<typeof makeTab>

/** A test in a browser. */
export const it = test.extend<Fixtures & Shared & { readonly collected: Collected }>({
  browser: [
    // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the names of the fixtures from a pattern.
    async ({}, use) => {
      const browser = await startChromium()
      await use(browser)
      await browser.close()
    },
    { scope: "file" }
  ],
  sharedService: [
    // biome-ignore lint/correctness/noEmptyPattern: as above.
    async ({}, use) => {
      const { service, stop } = await startService(localClients())
      await use(service)
      await stop()
    },
    { scope: "file" }
  ],
  tab: [
    async ({ browser }, use) => {
      const tab = makeTab(browser)
      await use(tab)
      await tab.close()
    },
    { scope: "file" }
  ],
  // biome-ignore lint/correctness/noEmptyPattern: as above.
  clients: async ({}, use) => {
    await use(undefined)
  },
  service: async ({ clients, sharedService }, use) => {
    if (clients === undefined) {
      await sharedService.run(Effect.flatMap(LocalService, ({ reset }) => reset()))
      return await use(sharedService)
    }
    const { service, stop } = await startService(clients())
    await use(service)
    await stop()
  },
  // biome-ignore lint/correctness/noEmptyPattern: as above.
  collected: async ({}, use) => {
    const collected: Collected = { messages: [], accepted: [] }
    await use(collected)
  },
  messages: async ({ collected }, use) => {
    await use({ accept: (pattern) => collected.accepted.push(pattern), list: collected.messages })
  },
  context: async ({ collected: { accepted, messages }, tab, task }, use) => {
    const page = await tab.open()
    const context = page.context()
    const onMessage = (message: ConsoleMessage) => messages.push(`${message.type()}: ${message.text()}`)
    const onError = (error: WebError) => messages.push(`uncaught: ${error.error().stack ?? error.error()}`)
    context.on("console", onMessage).on("weberror", onError)
    await use(context)
    await (task.result?.state === "fail" ? tab.close() : tab.clear(page))
    context.off("console", onMessage).off("weberror", onError)
    expect(messages.filter((message) => !accepted.some((pattern) => pattern.test(message)))).toEqual([])
  },
  blank: async ({ context: _, tab }, use) => {
    await use(await tab.open())
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
  expect.poll(read, { timeout: limit, interval: 50 })

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
