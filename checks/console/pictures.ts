/** Pictures of each room, in light and dark colours and at several widths, for a person to look at: `--pictures FOLDER`. */
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import type { Browser } from "playwright-core"
import { inEachLook } from "./looks.js"

/** Takes the pictures `ROOM-LOOK.png`. */
export const takePictures = async (browser: Browser, folder: string): Promise<void> => {
  mkdirSync(folder, { recursive: true })
  await inEachLook(browser, "filled", async (page, room, look) => {
    await page.screenshot({ path: join(folder, `${room}-${look}.png`) })
  })
}
