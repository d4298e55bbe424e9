/**
 * An example as a process of its own, from the build: it starts in half the time, with the packages as users have them.
 */

import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

export interface ExampleOptions {
  /** The folder that it runs in. */
  readonly folder: string
  readonly parameters?: ReadonlyArray<string>
  readonly environment?: Readonly<Record<string, string>>
}

export interface Outcome {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface ExampleProcess {
  /** Gives it something to read. */
  readonly write: (text: string) => Effect.Effect<void>
  /** What it printed, on either output, as soon as something matches. It is a defect that it ends without. */
  readonly printed: (pattern: RegExp) => Effect.Effect<RegExpExecArray>
  /** Asks it to end. */
  readonly terminate: Effect.Effect<void>
  /** Ends what it can read, and waits for it. */
  readonly ended: Effect.Effect<Outcome>
}

const root = fileURLToPath(new URL("../..", import.meta.url))

/** To start is work for a processor, of which there are few. */
const slots = Effect.unsafeMakeSemaphore(3)

/** Starts an example, which is killed if it still runs when the scope closes. */
export const start = (file: string, options: ExampleOptions): Effect.Effect<ExampleProcess, never, Scope.Scope> =>
  Effect.gen(function* () {
    yield* Effect.acquireRelease(slots.take(1), () => slots.release(1))
    const script = `${root}examples/dist/${file.replace(/\.ts$/, ".js")}`
    const child = spawn(process.execPath, [script, ...(options.parameters ?? [])], {
      cwd: options.folder,
      env: { PATH: process.env.PATH, ...options.environment },
      stdio: "pipe"
    })
    const output = { stdout: "", stderr: "" }
    child.stdout.setEncoding("utf8").on("data", (text: string) => (output.stdout += text))
    child.stderr.setEncoding("utf8").on("data", (text: string) => (output.stderr += text))
    // One that has ended already reads no more.
    child.stdin.on("error", () => undefined)
    const closed = once(child, "close")
    yield* Effect.addFinalizer(() => {
      child.kill("SIGKILL")
      return Effect.promise(() => closed)
    })

    return {
      write: (text) => Effect.sync(() => child.stdin.write(text)),
      printed: (pattern) =>
        Effect.async((resume) => {
          const look = () => {
            const match = pattern.exec(output.stdout) ?? pattern.exec(output.stderr)
            if (match !== null) resume(Effect.succeed(match))
          }
          child.stdout.on("data", look)
          child.stderr.on("data", look)
          child.on("close", () => {
            resume(Effect.dieMessage(`${file} ended and never printed ${pattern}: ${output.stdout}${output.stderr}`))
          })
          look()
        }),
      terminate: Effect.sync(() => child.kill("SIGTERM")),
      ended: Effect.promise(async () => {
        child.stdin.end()
        await closed
        return { code: child.exitCode, ...output }
      })
    }
  })

/** Runs an example to its end. */
export const run = (file: string, options: ExampleOptions): Effect.Effect<Outcome> =>
  Effect.scoped(Effect.flatMap(start(file, options), ({ ended }) => ended))
