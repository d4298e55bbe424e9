/**
 * The programs that the command is made of. Each is loaded when it runs, and `build.ts` says which of them share code.
 */
import type { FileSystem } from "@effect/platform/FileSystem"
import type * as Effect from "effect/Effect"
import type { CommandName, Given } from "./declaration.js"
import type { CommandError } from "./failure.js"
import type { main } from "./main.js"
import type { Invocation } from "./parse.js"

interface Program<Name extends CommandName> {
  readonly commands: {
    readonly [Each in Name]: (given: Given<Each>) => Effect.Effect<void, CommandError, FileSystem>
  }
  readonly main: typeof main
}

const archive = () => import("./programs/archive.js")
const service = () => import("./programs/service.js")
const checks = () => import("./programs/checks.js")
const programs: { readonly [Name in CommandName]: () => Promise<Program<Name>> } = {
  synthesize: () => import("./programs/synthesize.js"),
  transcribe: () => import("./programs/transcribe.js"),
  "listen-back": checks,
  "archive run": archive,
  "archive status": archive,
  "archive pause": archive,
  "archive resume": archive,
  "archive retry": archive,
  "archive export": archive,
  "archive repair": archive,
  "archive work": archive,
  serve: service,
  run: service,
  models: checks,
  voices: checks,
  doctor: checks
}

/** Loads the program of a command. `start` begins the command. */
export const load = async <Name extends CommandName>({ given, name }: Invocation<Name>) => {
  const { commands, main } = await programs[name]()
  return { main, start: () => commands[name](given) }
}
