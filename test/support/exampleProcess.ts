/** An example as a process of its own, bundled: it starts several times as fast. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { temporaryFolder } from "./processes.js"

export interface ExampleOptions {
  /** The working folder. */
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
  /** Writes to its standard input. */
  readonly write: (text: string) => Effect.Effect<void>
  /** Waits until stdout or stderr matches. Dies if the example ends without a match. */
  readonly printed: (pattern: RegExp) => Effect.Effect<RegExpExecArray>
  /** Sends SIGTERM. */
  readonly terminate: Effect.Effect<void>
  /** Closes its standard input, and waits for its end. */
  readonly ended: Effect.Effect<Outcome>
}

/** The folder of the bundles: each has the name of its example. The test makes them. */
export const bundles = temporaryFolder("examples-")

/** A start keeps a processor busy, so only a few run at once. */
const slots = Effect.unsafeMakeSemaphore(3)

/** Starts an example. If it still runs when the scope closes, it is killed. */
export const start = (file: string, options: ExampleOptions): Effect.Effect<ExampleProcess, never, Scope.Scope> =>
  Effect.gen(function* () {
    yield* Effect.acquireRelease(slots.take(1), () => slots.release(1))
    const script = file.replace(/\.ts$/, ".mjs")
    // Else V8 of Node 20 optimizes the HTTP parser of undici at the first response, which takes a fifth of the process.
    const flags = ["--wasm-tiering-budget=200000000"]
    const child = spawn(process.execPath, [...flags, join(bundles, script), ...(options.parameters ?? [])], {
      cwd: options.folder,
      env: { PATH: process.env.PATH, ...options.environment },
      stdio: "pipe"
    })
    const output = { stdout: "", stderr: "" }
    child.stdout.setEncoding("utf8").on("data", (text: string) => (output.stdout += text))
    child.stderr.setEncoding("utf8").on("data", (text: string) => (output.stderr += text))
    // The process may end before it reads everything.
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
