/** A service that plays the real one, recordings of it, and their replays. */
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { LocalService, type LocalServiceOptions, type RecordOptions } from "@effect-speech/local-service"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { formType } from "../blackbox/support/messages.js"
import { cannedService } from "../blackbox/support/service.js"
import { exchange } from "../blackbox/support/wire.js"

export type Service = LocalService["Type"]

/** A service of its own, until the scope closes. */
export const start = (options: LocalServiceOptions = {}) =>
  Effect.map(Layer.build(cannedService(options)), (context) => Context.get(context, LocalService))

export const temporaryFolder = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "exchanges-"))),
  (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true }))
)

/** Records into a folder while `use` runs. */
export const recording = <A, E, R>(
  folder: string,
  real: Omit<RecordOptions, "folder">,
  use: (service: Service) => Effect.Effect<A, E, R>
) => {
  const { apiKey, sttBaseUrl, ttsBaseUrl } = real
  return Effect.scoped(Effect.flatMap(start({ record: { folder, apiKey, sttBaseUrl, ttsBaseUrl } }), use))
}

/** Replays a folder while `use` runs. */
export const replaying = <A, E, R>(folder: string, use: (service: Service) => Effect.Effect<A, E, R>) =>
  Effect.scoped(Effect.flatMap(start({ replay: folder }), use))

type Headers = Readonly<Record<string, string>>

export const synthesize = (service: Pick<Service, "ttsBaseUrl" | "apiKey">, body: unknown, headers: Headers = {}) =>
  Effect.promise(() =>
    exchange(service.ttsBaseUrl, {
      path: "/tts/bytes",
      headers: { "X-API-Key": Redacted.value(service.apiKey), "Content-Type": "application/json", ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body)
    })
  )

export const transcribe = (
  service: Pick<Service, "sttBaseUrl" | "apiKey">,
  form: Uint8Array,
  headers: Headers = {},
  query = ""
) =>
  Effect.promise(() =>
    exchange(service.sttBaseUrl, {
      path: `/api/transcribe${query}`,
      headers: { "X-Api-Key": Redacted.value(service.apiKey), "Content-Type": formType, ...headers },
      body: form
    })
  )

/** The paths of all files of a folder, sorted. */
export const namesIn = (folder: string) =>
  Effect.promise(async () => {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true })
    const files = entries.filter((entry) => entry.isFile())
    return files.map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1)).toSorted()
  })

/** All files of a folder by their paths. A temporary file may be gone before it is read. */
export const filesIn = (folder: string) =>
  Effect.flatMap(namesIn(folder), (names) =>
    Effect.promise(async () => {
      const read = async (name: string) => {
        const bytes = await readFile(join(folder, name)).catch((error) => {
          if (error.code !== "ENOENT") throw error
        })
        return bytes === undefined ? [] : [[name, bytes] as const]
      }
      return new Map((await Promise.all(names.map(read))).flat())
    })
  )
