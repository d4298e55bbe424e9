/**
 * `speech models FOLDER`: lists a folder of models.
 */
import { withoutLink } from "@effect-speech/common/ErrorPage"
import * as Printable from "@effect-speech/common/Printable"
import * as ModelFolder from "@effect-speech/engine-sherpa/ModelFolder"
import * as Sherpa from "@effect-speech/engine-sherpa/Sherpa"
import * as Console from "effect/Console"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Given } from "../declaration.js"
import * as ExitCode from "../exitCode.js"
import { AlreadyReported } from "../failure.js"
import { applying, count, note } from "../message.js"

type Model = ModelFolder.ModelDescription

/** The first few, and how many more there are. */
const some = (all: ReadonlyArray<string>, shown: number): string =>
  all.length <= shown ? all.join(", ") : `${all.slice(0, shown).join(", ")} and ${count(all.length - shown)} more`

const sizeOf = (bytes: number): string =>
  bytes < 1e6 ? `${count(Math.ceil(bytes / 1000))} kB` : `${count(Math.round(bytes / 1e6))} MB`

const columns = ["model", "family", "languages", "voices", "rate", "size", "licence"]

const cellsOf = (model: Model): ReadonlyArray<string> => [
  model.name,
  model.family,
  some(model.languages, 4),
  model._tag === "Voice" ? some(Object.keys(model.voices), 3) : "",
  `${model.sampleRate / 1000} kHz`,
  sizeOf(model.bytes),
  Printable.line(model.licence ?? "not stated")
]

/** The rows of the table, each cell as wide as the widest of its column. */
const rowsOf = (models: ReadonlyArray<Model>): ReadonlyArray<string> => {
  const rows = models.length === 0 ? [] : [columns, ...models.map(cellsOf)]
  const widths = columns.map((_, at) => Math.max(...rows.map((cells) => cells[at]?.length ?? 0)))
  return rows.map((cells) =>
    cells
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join("  ")
      .trimEnd()
  )
}

const namesFor = (option: string, names: ReadonlyArray<string>): string | false => {
  const all = [...new Set(names)]
  return all.length > 0 && `For ${option}: ${some(all, 8)}${all.length > 8 ? " (--json prints all)" : ""}.`
}

const describe = ({ models, notUnderstood, recognisers, voices }: ModelFolder.Contents): string => {
  // Aliases first: programs that use the service have them already.
  const byUse = [...recognisers.filter(({ aliasOf }) => aliasOf !== undefined), ...recognisers]
  const names = applying(
    namesFor(
      "--model",
      byUse.map(({ name }) => name)
    ),
    namesFor(
      "--voice",
      voices.map(({ name }) => name)
    )
  )
  const problems = notUnderstood.map(({ name, reason }) => Printable.line(`${name}: ${reason}`))
  const parts = [rowsOf(models), names, problems.length === 0 ? [] : ["Not understood:", ...problems]]
  return parts.flatMap((lines) => (lines.length === 0 ? [] : [lines.join("\n")])).join("\n\n")
}

/** What became of loading a model and having it work. */
type Check = { readonly works: true; readonly seconds: number } | { readonly works: false; readonly reason: string }

const check = (model: Model) =>
  Sherpa.check(model).pipe(
    Effect.map((took): Check => ({ works: true, seconds: Math.round(Duration.toMillis(took)) / 1000 })),
    Effect.catchTag("SherpaModelRefused", ({ message }) =>
      Effect.succeed<Check>({ works: false, reason: withoutLink(message) })
    )
  )

/** Checks one model after the other: two at once would slow each other down. Prints each when it is done, unless `json`. */
const checkAll = (models: ReadonlyArray<Model>, json: boolean) =>
  Effect.gen(function* () {
    if (!json && models.length > 0) yield* Console.log("\nChecks:")
    const checks = new Map<string, Check>()
    for (const model of models) {
      const result = yield* check(model)
      checks.set(model.name, result)
      if (json) continue
      yield* Console.log(result.works ? `${model.name}: works. It took ${result.seconds} s.` : result.reason)
    }
    return checks
  })

const toJson = (
  { folder, models, notes, notUnderstood, recognisers, voices }: ModelFolder.Contents,
  checks: ReadonlyMap<string, Check>
): object => ({
  folder,
  models: models.map(({ _tag, ...model }) => ({
    ...model,
    operation: _tag === "Recogniser" ? "transcribe" : "synthesize",
    check: checks.get(model.name)
  })),
  recognisers: recognisers.map(({ model, ...names }) => ({ ...names, model: model.name })),
  voices: voices.map(({ model, ...names }) => ({ ...names, model: model.name })),
  notUnderstood,
  notes
})

export const modelsOfFolder = ({ check, json, operands: [folder = ""] }: Given<"models">) =>
  Effect.gen(function* () {
    const contents = yield* ModelFolder.read(folder)
    const { models, notes, notUnderstood } = contents
    const isEmpty = models.length === 0 && notUnderstood.length === 0
    if (!json && !isEmpty) yield* Console.log(describe(contents))
    const checks = check ? yield* checkAll(models, json) : new Map<string, Check>()
    if (json) yield* Console.log(JSON.stringify(toJson(contents, checks)))
    else {
      yield* note(
        ...notes,
        ...applying(isEmpty && `There is no model in ${folder}. Put a folder of each model into it.`)
      )
    }
    const allWork = [...checks.values()].every(({ works }) => works)
    if (isEmpty || notUnderstood.length > 0 || !allWork)
      return yield* new AlreadyReported({ code: ExitCode.fileFailed })
  })
