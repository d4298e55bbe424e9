/**
 * The names that a Tab completes: `speech models` and `speech voices` write them to files that the completion scripts read. A script that
 * asked the command would wait for Node at each Tab, and for the service.
 *
 * The folder is `effect-speech` in `XDG_CACHE_HOME`, on Windows in `LOCALAPPDATA`, else in `~/.cache`. A file has the kind of its names and
 * the address of the service in its name, as the scripts find it: `models@http---127-0-0-1-8000`. `models@` has those of the service that
 * was listed last, for a shell without the variable of the address.
 */
import { join } from "node:path"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import type { NameKind } from "./option.js"
import { writeText } from "./output.js"

/** Longer names of files are not possible on most systems. */
const longestAddress = 200

const folder = Config.string("XDG_CACHE_HOME").pipe(
  Config.orElse(() => Config.string("LOCALAPPDATA")),
  Config.orElse(() => Config.map(Config.string("HOME"), (home) => join(home, ".cache"))),
  Config.map((cache) => join(cache, "effect-speech"))
)

/** A shell would run what another name holds: these are completed, and others are not. */
const isPlain = (name: string): boolean => /^[\p{L}\p{M}\p{N}][\p{L}\p{M}\p{N}._:+@-]{0,99}$/u.test(name)

/** Keeps names for completions. It never fails: they are a convenience. */
export const keepNames = (
  kind: NameKind,
  address: string,
  names: ReadonlyArray<string>
): Effect.Effect<void, never, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const path = yield* folder
    yield* fs.makeDirectory(path, { recursive: true, mode: 0o700 })
    const text = names
      .filter(isPlain)
      .map((name) => `${name}\n`)
      .join("")
    const inName = address.replace(/[^A-Za-z0-9]/g, "-")
    for (const of of inName.length > longestAddress ? [""] : ["", inName]) {
      yield* writeText(join(path, `${kind}@${of}`), text)
    }
  }).pipe(Effect.catchAll((error) => Effect.logDebug("The names for completions were not kept", error)))
