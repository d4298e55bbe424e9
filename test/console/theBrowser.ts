/** What the other tests need of the browser itself, shown with a page of a bare server. */
import { createServer } from "node:http"
import { eventually, it, paintedPixels, playedSeconds } from "effect-speech-test-support/browser"
import { startLoopback } from "effect-speech-test-support/loopback"
import { noise } from "effect-speech-test-support/recordings"
import { describe, expect } from "vitest"

const recording = `data:audio/wav;base64,${noise(16_000).toString("base64")}`

const html = `<!doctype html><title>Test</title><link rel="icon" href="data:,">
<canvas width="10" height="10"></canvas>
<button onclick="new Audio('${recording}').play()">Play</button>
<button onclick="document.querySelector('canvas').getContext('2d').fillRect(0, 0, 5, 2)">Paint</button>
<button onclick="console.warn('careful')">Warn</button>
<button onclick="throw new Error('thrown')">Throw</button>`

export const browserTests = () =>
  describe("the browser", () => {
    it("plays audio, paints, and reports messages and errors", async ({ blank, messages, onTestFinished }) => {
      const { close, url } = await startLoopback(
        createServer((_, response) => response.setHeader("content-type", "text/html").end(html))
      )
      onTestFinished(close)
      await blank.goto(url)

      await blank.getByRole("button", { name: "Play" }).click()
      await eventually(() => playedSeconds(blank)).toBeGreaterThan(0.1)

      const canvas = blank.locator("canvas")
      expect(await paintedPixels(canvas)).toBe(0)
      await blank.getByRole("button", { name: "Paint" }).click()
      expect(await paintedPixels(canvas)).toBe(10)

      messages.accept(/^warning: careful$/)
      messages.accept(/^uncaught: Error: thrown/)
      await blank.getByRole("button", { name: "Warn" }).click()
      await blank.getByRole("button", { name: "Throw" }).click()
      await eventually(() => messages.list.length).toBe(2)
    })
  })
