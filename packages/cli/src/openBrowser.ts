/**
 * Opens a page in the browser of the user.
 */
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { homedir, tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** The program of a system that opens a file, with its arguments. */
const openers: Partial<Record<NodeJS.Platform, readonly [program: string, ...args: ReadonlyArray<string>]>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"]
}

/**
 * Opens a URL that other users of the machine must not see. The arguments of a process are public, so the program of the system gets a
 * file that leads to the URL: only the user can read it, and it is removed when the scope closes. Returns whether the program
 * took it.
 */
export const openBrowser = (url: string): Effect.Effect<boolean, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.tryPromise(() => mkdtemp(join(parent(), "effect-speech-console-"))),
    (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true }).catch(() => undefined))
  ).pipe(
    Effect.flatMap((folder) => {
      const file = join(folder, "console.html")
      return Effect.as(
        Effect.tryPromise(() => writeFile(file, redirect(url), { flag: "wx", mode: 0o600 })),
        file
      )
    }),
    Effect.flatMap(openFile),
    Effect.orElseSucceed(() => false)
  )

/** A browser from a snap reads no temporary files of others, and no hidden folder. */
const parent = (): string => (process.platform === "linux" && existsSync("/snap") ? homedir() : tmpdir())

const openFile = (file: string): Effect.Effect<boolean> =>
  Effect.async((resume) => {
    const [program, ...args] = openers[process.platform] ?? ["xdg-open"]
    const child = spawn(program, [...args, file], { detached: true, stdio: "ignore" })
    child.once("error", () => resume(Effect.succeed(false)))
    child.once("exit", (code) => resume(Effect.succeed(code === 0)))
    // The browser outlives this command.
    child.unref()
  })

const entities: Readonly<Record<string, string>> = { "&": "&amp;", '"': "&quot;", "<": "&lt;", ">": "&gt;" }

const redirect = (url: string): string => {
  const address = url.replace(/[&"<>]/g, (character) => entities[character] ?? character)
  return `<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0;url=${address}">
<title>Local speech service</title>
<a href="${address}">Open the console</a>
`
}
