/**
 * Opens a page in the browser of the user.
 */
import { spawn } from "node:child_process"
import * as Effect from "effect/Effect"

/** The program of a system that opens a URL, with its arguments. */
const openers: Partial<Record<NodeJS.Platform, readonly [program: string, ...args: ReadonlyArray<string>]>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"]
}

/** Whether the program of the system took the URL. */
export const openBrowser = (url: string): Effect.Effect<boolean> =>
  Effect.async((resume) => {
    const [program, ...args] = openers[process.platform] ?? ["xdg-open"]
    const child = spawn(program, [...args, url], { detached: true, stdio: "ignore" })
    child.once("error", () => resume(Effect.succeed(false)))
    child.once("exit", (code) => resume(Effect.succeed(code === 0)))
    // The browser outlives this command.
    child.unref()
  })
