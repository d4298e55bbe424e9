import { hasChromium, noChromium } from "effect-speech-test-support/chromium"
import { describe } from "vitest"
import { accessibilityTests } from "./accessibility.js"
import { enginesTests } from "./engines.js"
import { faultsAndAccountTests } from "./faultsAndAccount.js"
import { listenTests } from "./listen.js"
import { otherOriginsTests } from "./otherOrigins.js"
import { requestsTests } from "./requests.js"
import { runsTests } from "./runs.js"
import { sessionTests } from "./session.js"
import { speakTests } from "./speak.js"

// With CI they fail instead.
const isSkipped = !hasChromium && !process.env.CI
if (isSkipped) console.warn(`Skipped the tests of the console in a browser. ${noChromium}`)

// One file, so that one browser serves all tests.
describe.skipIf(isSkipped)("the console in a browser", () => {
  sessionTests()
  otherOriginsTests()
  speakTests()
  listenTests()
  requestsTests()
  runsTests()
  faultsAndAccountTests()
  enginesTests()
  accessibilityTests()
})
