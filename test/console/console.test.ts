import { describe } from "vitest"
import { hasChromium, noChromium } from "../support/chromium.js"
import { theBrowser } from "./theBrowser.js"

describe.skipIf(!hasChromium && !process.env.CI)(
  `the console in a browser${hasChromium ? "" : ` (${noChromium})`}`,
  () => {
    theBrowser()
  }
)
