/**
 * Where the archive of a run is, and how the command opens it.
 */
import { existsSync } from "node:fs"
import { resolve } from "node:path"
import type * as FileSystem from "@effect/platform/FileSystem"
import { Archive, type RequiredBy } from "@effect-speech/archive/Archive"
import type { ArchiveError } from "@effect-speech/archive/ArchiveError"
import type { Operation } from "@effect-speech/archive/Operation"
import { synthesis, transcription, type Worker } from "@effect-speech/archive/Worker"
import * as NodeAudioDecoder from "@effect-speech/audio-decoder/NodeAudioDecoder"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { type CallSettings, speechToText, textToSpeech } from "../clients.js"
import { InputFailed, refuse } from "../failure.js"

/** A file on this machine, or a PostgreSQL. */
export type Store =
  | { readonly _tag: "File"; readonly path: string; readonly isDefault: boolean }
  /** `shown` has neither the user nor the password, once the archive has accepted the URL. */
  | { readonly _tag: "Database"; readonly url: Redacted.Redacted; readonly shown: string }

/** Where a run is. */
export interface Place {
  readonly out?: string | undefined
  readonly store?: string | undefined
}

const variable = "SPEECH_ARCHIVE_STORE"

const fromEnvironment = Config.string(variable).pipe(
  Config.withDefault(""),
  Config.map((text) => (text === "" ? undefined : text))
)

/** No message has the text: it may hold a password. */
export const storeOf = (place: Place) =>
  Effect.gen(function* () {
    const { out, store } = place
    const text = store ?? (yield* fromEnvironment)
    const name = store === undefined ? variable : "--store"
    if (text === undefined) {
      if (out === undefined)
        return yield* refuse("out" in place ? "Give --out, or --store." : `Give --store, or set ${variable}.`)
      return { _tag: "File", path: resolve(out, "archive.db"), isDefault: true } satisfies Store
    }
    if (!isAddress(text)) return { _tag: "File", path: resolve(text), isDefault: false } satisfies Store
    const trimmed = text.trim()
    if (!/^postgres(ql)?:\/\//i.test(trimmed)) {
      return yield* refuse(
        `${name} must be a file, or an address that begins with postgresql://. For a file whose name has a colon, write ./ before it.`
      )
    }
    if (!URL.canParse(trimmed)) {
      return yield* refuse(
        `${name} can't be read: write it as postgresql://user:password@host:port/database, and percent-encode special characters of the password: %2F for /, %23 for #, %3F for ?, %25 for %.`
      )
    }
    const { host, pathname } = new URL(trimmed)
    return { _tag: "Database", url: Redacted.make(trimmed), shown: `${host}${pathname}` } satisfies Store
  })

/** An address that is misspelt may hold a password, which must not become the name of a file. */
const isAddress = (text: string): boolean =>
  !/^(\.{0,2}[/\\](?!\/)|[a-z]:[/\\])/i.test(text) &&
  /^[^/\\]*:|^\/\/|:.*@|^[^/\\]*\b(host|user|dbname|password)\s*=/is.test(text)

/** An archive that this process reads and changes, but calls nothing for. */
export const client = (store: Store) =>
  Layer.unwrapEffect(
    Effect.gen(function* () {
      if (store._tag === "Database") return Archive.layerClient({ url: store.url })
      if (!existsSync(store.path)) {
        return yield* new InputFailed({ message: `There is no archive at ${store.path}: check --out and --store.` })
      }
      return Archive.layerClient({ path: store.path })
    })
  )

/** An archive for a plan, which stores nothing: without a file, it is empty and in memory. */
export const planner = (store: Store) =>
  store._tag === "File" && !existsSync(store.path) ? Archive.layerClient({ path: ":memory:" }) : client(store)

/** How this process makes calls. */
export interface Machine {
  readonly concurrency: number | undefined
  readonly allowInsecureHttp: boolean
}

const defaultConcurrency = 16

/** Whether this process makes calls itself: always for a file, which no other can work on. */
export const makesCalls = (store: Store, { work }: { readonly work: boolean }): boolean => store._tag === "File" || work

const recordings = (settings: CallSettings) =>
  Layer.provide(Layer.merge(speechToText(settings), NodeAudioDecoder.layer), NodeTransport.layer)

const texts = (settings: CallSettings) => Layer.provide(textToSpeech(settings), NodeTransport.layer)

/** An archive whose calls this process makes, for runs with these operations. */
export const machine = (store: Store, operations: ReadonlyArray<Operation["_tag"]>, options: Machine) => {
  const { allowInsecureHttp, concurrency = defaultConcurrency } = options
  const settings = { allowInsecureHttp, concurrency, timeout: undefined }
  const open = <const Workers extends ReadonlyArray<Worker<unknown>>>(
    workers: Workers
  ): Layer.Layer<Archive, ArchiveError, RequiredBy<Workers> | FileSystem.FileSystem> =>
    store._tag === "File"
      ? Archive.layerEmbedded({ path: store.path, concurrency, workers })
      : Archive.layerMachine({ url: store.url, concurrency, workers })
  if (!operations.includes("Synthesize")) return Layer.provide(open([transcription]), recordings(settings))
  if (!operations.includes("Transcribe")) return Layer.provide(open([synthesis]), texts(settings))
  return Layer.provide(open([transcription, synthesis]), Layer.merge(recordings(settings), texts(settings)))
}

/** The operations for which this machine has an address. */
export const configuredOperations = Effect.gen(function* () {
  const isSet = (name: string) => Effect.map(Config.option(Config.nonEmptyString(name)), Option.isSome)
  const found: ReadonlyArray<readonly [Operation["_tag"], boolean]> = [
    ["Transcribe", yield* isSet("SPEECH_STT_BASE_URL")],
    ["Synthesize", yield* isSet("SPEECH_TTS_BASE_URL")]
  ]
  const set = found.flatMap(([operation, isThere]) => (isThere ? operation : []))
  // Without any, the client says which setting is missing.
  return set.length === 0 ? (["Transcribe"] as const) : set
})
