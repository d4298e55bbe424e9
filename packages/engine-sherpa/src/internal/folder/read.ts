/**
 * Reads the facts of each folder of a folder of models.
 */
import { basename, dirname, join, resolve } from "node:path"
import type { PlatformError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as RecordingFile from "@effect-speech/audio-codec/RecordingFile"
import { isMissing } from "@effect-speech/common/Files"
import { isTooManyOpenFiles, systemCode } from "@effect-speech/common/SystemCode"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { parseTokens } from "../families/tokens.js"
import { describe } from "./describe.js"
import type { Contents, ModelDescription, NotUnderstood } from "./description.js"
import { type Facts, type FileFacts, licenceOf } from "./facts.js"
import { type Manifest, parseManifest, type Role, roles } from "./manifest.js"
import { offersOf } from "./offers.js"
import { otherFile, readMetadata } from "./onnx.js"
import { asPiperPublishes, isArchive, otherFormOf } from "./parts.js"

/** What is at a path, behind links. */
type Entry =
  | { readonly _tag: "File"; readonly bytes: number }
  | { readonly _tag: "Folder" }
  | { readonly _tag: "Other"; readonly problem: string }

/** Why a path can't be read, as it follows its name in a sentence. */
export const problemOf = (error: PlatformError): string => {
  const code = systemCode(error)
  if (isTooManyOpenFiles(code)) return `can't be opened: the process has too many open files (${code})`
  if (error._tag === "BadArgument") return "is not a path"
  if (code === "ENOTDIR") return "is not a folder, or its path leads through a file"
  switch (error.reason) {
    case "NotFound":
      return "does not exist; check the path"
    case "PermissionDenied":
      return "can't be read: this process has no permission; check its permissions"
    default:
      return `can't be read (${code ?? error.reason})`
  }
}

const entryAt = (path: string): Effect.Effect<Entry, never, FileSystem.FileSystem> =>
  Effect.flatMap(FileSystem.FileSystem, (fs) =>
    Effect.match(fs.stat(path), {
      onSuccess: ({ size, type }): Entry => {
        if (type === "File") return { _tag: "File", bytes: Number(size) }
        return type === "Directory"
          ? { _tag: "Folder" }
          : { _tag: "Other", problem: "is a pipe or a device, not a file" }
      },
      onFailure: (error): Entry => ({
        _tag: "Other",
        // It was listed, so it is a link, unless it was removed a moment ago.
        problem: isMissing(error)
          ? "is a link to a file that does not exist; mend the link, or copy the file"
          : problemOf(error)
      })
    })
  )

const entriesOf = (folder: string): Effect.Effect<ReadonlyMap<string, Entry>, PlatformError, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const names = (yield* fs.readDirectory(folder)).toSorted()
    const entries = yield* Effect.forEach(names, (name) => entryAt(join(folder, name)), { concurrency: 16 })
    return new Map(names.map((name, at) => [name, entries[at] as Entry]))
  })

/** In bytes. The tokens of Whisper have 0.8 MB. */
const longest = { tokens: 16 * 1024 * 1024, manifest: 64 * 1024, readme: 64 * 1024 }

/** Reads a text of at most so many bytes. The error is the problem, as it follows the name of the file. */
const textOf = (path: string, most: number): Effect.Effect<string, string, FileSystem.FileSystem> =>
  RecordingFile.open(path).pipe(
    Effect.filterOrFail(
      ({ byteLength }) => byteLength <= most,
      () => `has more than ${most.toLocaleString("en")} bytes, which can't be`
    ),
    Effect.flatMap((file) => file.read(0, file.byteLength)),
    Effect.map((bytes) => new TextDecoder().decode(bytes)),
    Effect.catchTag("RecordingFileError", ({ problem }) => Effect.fail(`can't be read: ${problem}`)),
    Effect.scoped
  )

/** The beginning of a text. A file that can't be read has none. */
const beginningOf = (path: string, bytes: number): Effect.Effect<string, never, FileSystem.FileSystem> =>
  RecordingFile.open(path).pipe(
    Effect.flatMap((file) => file.read(0, Math.min(bytes, file.byteLength))),
    Effect.map((found) => new TextDecoder().decode(found)),
    Effect.orElseSucceed(() => ""),
    Effect.scoped
  )

/** What a file may be read as. */
type Kind = "network" | "tokens" | "other"

const kindOf = (path: string): Kind => (isOnnx(path) ? "network" : /tokens\.txt$/i.test(path) ? "tokens" : "other")

const kinds: Readonly<Record<Role, Kind>> = {
  model: "network",
  encoder: "network",
  decoder: "network",
  joiner: "network",
  tokens: "tokens",
  voices: "other",
  bpeVocab: "other"
}

const factsOfFile = (
  path: string,
  bytes: number,
  kind: Kind
): Effect.Effect<FileFacts, never, FileSystem.FileSystem> => {
  if (kind === "other") return Effect.succeed({ bytes })
  const reading: Effect.Effect<Omit<FileFacts, "bytes">, string, FileSystem.FileSystem> = kind === "tokens"
    ? textOf(path, longest.tokens).pipe(
        Effect.flatMap((text) => {
          const problem = otherFile(text)
          return problem === undefined ? parseTokens(text) : Effect.fail(problem)
        }),
        Effect.map((tokens) => ({ tokens }))
      )
    : RecordingFile.open(path).pipe(
        Effect.flatMap(readMetadata),
        Effect.map((metadata) => ({ metadata })),
        Effect.mapError((error) => (error._tag === "NotOnnx" ? error.problem : `can't be read: ${error.problem}`)),
        Effect.scoped
      )
  return Effect.match(reading, {
    onSuccess: (facts) => ({ bytes, ...facts }),
    onFailure: (problem) => ({ bytes, problem })
  })
}

/** The facts of a file that `model.json` names. Through a link, it must still be in the folder. */
const factsOfNamed = (
  folder: string,
  path: string,
  kind: Kind
): Effect.Effect<FileFacts | undefined, never, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const whole = join(folder, path)
    const entry = yield* entryAt(whole)
    if (entry._tag === "Folder") return { bytes: 0, problem: "is a folder; name a file in model.json" }
    const [root, real] = yield* Effect.all([fs.realPath(folder), fs.realPath(whole)])
    if (!real.startsWith(join(root, "/"))) {
      return {
        bytes: 0,
        problem: "is a link that leads out of the folder, and model.json may name only files in it; copy the file"
      }
    }
    return entry._tag === "File" ? yield* factsOfFile(whole, entry.bytes, kind) : { bytes: 0, problem: entry.problem }
  }).pipe(Effect.orElseSucceed(() => undefined))

/**
 * Where ONNX files are searched for, to say where they are. Hugging Face has them three folders deep. A folder that was given by mistake
 * may have thousands of folders.
 */
const search = { levels: 3, foldersOfLevel: 50 }

const isLink = (path: string): Effect.Effect<boolean, never, FileSystem.FileSystem> =>
  Effect.flatMap(FileSystem.FileSystem, (fs) => Effect.isSuccess(fs.readLink(path)))

/** The folders within that have ONNX files and are nearest, by their paths below `folder`. A link may lead to another model. */
const innerFolders = (
  folder: string,
  names: ReadonlyArray<string>
): Effect.Effect<ReadonlyArray<string>, never, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    let paths = names
    for (let level = 0; level < search.levels; level++) {
      const found: Array<string> = []
      const next: Array<string> = []
      for (const path of paths.slice(0, search.foldersOfLevel)) {
        const inner = join(folder, path)
        if (yield* isLink(inner)) continue
        const entries = yield* Effect.orElseSucceed(entriesOf(inner), () => new Map<string, Entry>())
        if ([...entries.keys()].some(isOnnx)) found.push(path)
        next.push(...foldersIn(entries).map((name) => join(path, name)))
      }
      if (found.length > 0) return found
      paths = next
    }
    return []
  })

const foldersIn = (entries: ReadonlyMap<string, Entry>): ReadonlyArray<string> =>
  [...entries].flatMap(([name, { _tag }]) => (_tag === "Folder" ? name : []))

const isOnnx = (name: string): boolean => /\.onnx$/i.test(name)

const readManifest = (
  folder: string,
  entries: ReadonlyMap<string, Entry>
): Effect.Effect<Manifest, string, FileSystem.FileSystem> => {
  const entry = entries.get("model.json")
  if (entry === undefined) return Effect.succeed({})
  if (entry._tag === "Other") return Effect.fail(`model.json ${entry.problem}.`)
  return textOf(join(folder, "model.json"), longest.manifest).pipe(
    Effect.mapError((problem) => `model.json ${problem}.`),
    Effect.flatMap(parseManifest)
  )
}

const factsOf = (folder: string, name: string): Effect.Effect<Facts, string, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const entries = yield* Effect.mapError(entriesOf(folder), (error) => `The folder ${problemOf(error)}.`)
    const manifest = yield* readManifest(folder, entries)
    const files = new Map<string, FileFacts>()
    for (const [path, entry] of entries) {
      if (entry._tag === "File") files.set(path, yield* factsOfFile(join(folder, path), entry.bytes, kindOf(path)))
      if (entry._tag === "Other") files.set(path, { bytes: 0, problem: entry.problem })
    }
    for (const role of roles) {
      const path = manifest.files?.[role]
      const facts = path === undefined ? undefined : yield* factsOfNamed(folder, path, kinds[role])
      if (path !== undefined && facts !== undefined) files.set(path, facts)
    }
    const readme = [...files.keys()].find((path) => /^readme\.md$/i.test(path))
    const folders = foldersIn(entries)
    const data = yield* Effect.orElseSucceed(entriesOf(join(folder, "espeak-ng-data")), () => new Map())
    return {
      name,
      folder,
      files,
      hasEspeakData: ["phontab", "phonindex", "phondata", "intonations"].every((name) => data.has(name)),
      inner: [...files.keys()].some(isOnnx) ? [] : yield* innerFolders(folder, folders),
      manifest,
      licence: readme === undefined ? undefined : licenceOf(yield* beginningOf(join(folder, readme), longest.readme))
    }
  })

interface Read {
  readonly model: ModelDescription
  readonly aliases: ReadonlyArray<string>
}

const readModel = (
  folder: string,
  name: string
): Effect.Effect<Either.Either<Read, NotUnderstood>, never, FileSystem.FileSystem> =>
  Effect.flatMap(factsOf(folder, name), (facts) =>
    Effect.map(describe(facts), (model): Read => ({ model, aliases: facts.manifest.aliases ?? [] }))
  ).pipe(
    Effect.mapError((reason): NotUnderstood => ({ name, reason })),
    Effect.either
  )

/** Files beside models that sherpa-onnx publishes, and that are no models of speech or of recordings. */
const helpers: ReadonlyArray<readonly [name: RegExp, reason: string]> = [
  [
    /^(silero|ten)[-_]vad/i,
    "It finds speech in a recording and writes no text. This engine does not need it: remove it."
  ],
  [/^(vocos|hifigan)/i, "It is a part of voices of Matcha, which are not supported. Remove it."]
]

/** Why an entry beside the folders of models is none. `undefined`: it needs no word. */
const besideModels = (folder: string, name: string, entries: ReadonlyMap<string, Entry>): string | undefined => {
  const entry = entries.get(name)
  if (entry?._tag === "Other") return `It ${entry.problem}.`
  if (isArchive(name)) return `It is an archive. Unpack it in ${folder}: tar xf ${name}`
  if (!isOnnx(name)) return otherFormOf(name)
  if (entries.has(`${name}.json`)) return asPiperPublishes(name)
  const helper = helpers.find(([pattern]) => pattern.test(name))?.[1]
  return helper ?? "Each model has a folder of its own. Move it into one, with its tokens.txt."
}

/** Whether a folder is that of one model, not a folder of models. */
const isOneModel = (names: ReadonlyArray<string>): boolean =>
  names.some(isOnnx) && names.some((name) => name === "model.json" || kindOf(name) === "tokens")

/** Two models of one name: the second is left out. */
const distinct = (found: ReadonlyArray<Read>) => {
  const models = new Map<string, Read>()
  const refused: Array<NotUnderstood> = []
  for (const read of found) {
    const first = models.get(read.model.name)
    if (first === undefined) models.set(read.model.name, read)
    else {
      refused.push({
        name: basename(read.model.folder),
        reason: `Its name is ${read.model.name}, as that of the model in ${basename(first.model.folder)}. Write another name into its model.json.`
      })
    }
  }
  return { models, refused }
}

const byName = <A extends { readonly name: string }>(items: ReadonlyArray<A>): ReadonlyArray<A> =>
  items.toSorted((a, b) => (a.name < b.name ? -1 : 1))

/** Reads a folder of models. A folder in it that is no model is no failure. */
export const readContents = (folder: string): Effect.Effect<Contents, PlatformError, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const entries = yield* entriesOf(folder)
    if (isOneModel([...entries.keys()])) {
      const [name, above] = [basename(resolve(folder)), dirname(resolve(folder))]
      const reason = `This is the folder of one model. Give the folder above it, in which each model has a folder: ${above}`
      return { folder, models: [], recognisers: [], voices: [], notUnderstood: [{ name, reason }], notes: [] }
    }
    const names = foldersIn(entries)
    const read = yield* Effect.forEach(
      names.filter((name) => !name.startsWith(".")),
      (name) => readModel(join(folder, name), name),
      { concurrency: 4 }
    )
    const { models, refused } = distinct(read.flatMap((each) => (Either.isRight(each) ? each.right : [])))
    const beside = [...entries].flatMap(([name, entry]): ReadonlyArray<NotUnderstood> => {
      const reason = entry._tag === "Folder" || name.startsWith(".") ? undefined : besideModels(folder, name, entries)
      return reason === undefined ? [] : [{ name, reason }]
    })
    const hidden = names.filter((name) => name.startsWith("."))
    const described = byName([...models.values()].map(({ model }) => model))
    const offers = offersOf(described, new Map([...models].map(([name, { aliases }]) => [name, aliases])))
    return {
      folder,
      models: described,
      ...offers,
      notUnderstood: byName([...read.flatMap((each) => (Either.isLeft(each) ? each.left : [])), ...refused, ...beside]),
      notes: [
        ...offers.notes,
        ...hidden.map((name) => `${name} is skipped, because its name begins with a dot. If it is a model, rename it.`)
      ]
    }
  })
