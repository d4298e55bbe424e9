import { randomUUID } from "node:crypto"
import { join } from "node:path"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Files from "@effect-speech/common/Files"
import { codeOrName } from "@effect-speech/common/SystemCode"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

/** The file of a data directory with the key that was created last. Only its owner can read it. */
export const keyFileName = "api-key"

/** The key that was created last, so that the next start can print it again. The database has only its digest. */
export interface KeptKey {
  /** `undefined`: there is none, such as in a data directory of an earlier version. It may be revoked. */
  readonly read: Effect.Effect<string | undefined>
  readonly write: (key: string) => Effect.Effect<void>
}

/** Without a data directory a key ends with the service. */
export const keepsNone: KeptKey = { read: Effect.succeed(undefined), write: () => Effect.void }

/** Keeps the key in a data directory. */
export const keepIn = (
  directory: string,
  temporaryFolder: string
): Effect.Effect<KeptKey, never, FileSystem.FileSystem> =>
  Effect.map(FileSystem.FileSystem, (fs) => {
    const file = join(directory, keyFileName)
    return {
      read: fs.readFileString(file).pipe(
        Effect.option,
        Effect.map((text) => Option.getOrUndefined(text)?.trim())
      ),
      write: (key) =>
        Files.replace(
          file,
          (temporary) => fs.writeFileString(temporary, `${key}\n`, { flag: "wx", mode: 0o600 }),
          // The next start removes it after a crash.
          { temporary: join(temporaryFolder, randomUUID()) }
        ).pipe(
          Effect.provideService(FileSystem.FileSystem, fs),
          // The key works. An older one in its place would not.
          Effect.catchAll((error) =>
            Effect.zipRight(
              Effect.logWarning(
                `The key can't be kept in ${file} (${codeOrName(error)}); the next start can't print it.`
              ),
              Effect.ignore(fs.remove(file, { force: true }))
            )
          )
        )
    }
  })
