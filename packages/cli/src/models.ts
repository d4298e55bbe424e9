/**
 * The engines of a folder of models, and what the command says of it. Only `--models` loads this module.
 */
import type { Contents, ModelDescription } from "@effect-speech/engine-sherpa/ModelFolder"
import * as Sherpa from "@effect-speech/engine-sherpa/Sherpa"
import { SherpaModelMissing } from "@effect-speech/engine-sherpa/SherpaError"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Given } from "./declaration.js"
import { refuse } from "./failure.js"
import { applying, count } from "./message.js"

/** Opens the models of a folder until the scope closes. A folder without any is an error that says why. */
export const openModels = (folder: string, { capacity, idle, preload, queue, recordings, threads }: Given<"run">) =>
  Effect.gen(function* () {
    const time = idle === undefined ? undefined : Duration.minutes(idle)
    const engine = yield* Sherpa.make({ folder, idle: time, preload, queue, threads })
    const { models, notUnderstood } = engine.contents
    if (models.length === 0) {
      const reasons = notUnderstood.map(({ name, reason }) => `${name}: ${reason}`)
      const advice = reasons.length === 0 ? ["Put a folder of each model into it."] : reasons
      return yield* new SherpaModelMissing({
        folder,
        message: [`The folder of models ${folder} has no model.`, ...advice].join(" ")
      })
    }
    const ofBuiltIn = recordings === undefined ? capacity === undefined || "--capacity" : "--recordings"
    if (engine.recogniser !== undefined && ofBuiltIn !== true) {
      return yield* refuse(`${ofBuiltIn} is for the built-in recogniser, which the models in ${folder} replace.`)
    }
    return engine
  })

/** Of more names or languages the first ones are shown. */
const mostListed = 8

/** `a, b or c`. Of many the first ones, and how many more there are. */
const listed = (names: ReadonlyArray<string>, word: "and" | "or"): string => {
  const shown = names.length > mostListed ? names.slice(0, 3) : names.slice(0, -1)
  const last = names.length > mostListed ? `${count(names.length - 3)} more` : names.at(-1)
  return shown.length === 0 ? `${last}` : `${shown.join(", ")} ${word} ${last}`
}

/** The names by which requests ask for a model. */
const namesOf = (model: ModelDescription, { recognisers, voices }: Contents): ReadonlySet<string> => {
  const offers = model._tag === "Recogniser" ? recognisers : voices
  return new Set(offers.flatMap((offer) => (offer.model === model ? offer.name : [])))
}

const describeModel = (model: ModelDescription, contents: Contents): string => {
  const names = namesOf(model, contents)
  const [does, option] = model._tag === "Recogniser" ? ["transcribes", "--model"] : ["speaks", "--voice"]
  return `${model.name} ${does} ${listed(model.languages, "and")}: ${option} ${listed([...names], "or")}.`
}

/** Why a folder or a file is no model. */
export const describeProblems = ({ notUnderstood }: Contents): ReadonlyArray<string> =>
  notUnderstood.map(({ name, reason }) => `${name} is not used: ${reason}`)

/** What each model does and by which names, what is not used, and what stays as without models. */
export const describeContents = (contents: Contents): ReadonlyArray<string> => [
  ...contents.models.map((model) => describeModel(model, contents)),
  ...applying(
    contents.models.some((model) => Math.max(model.languages.length, namesOf(model, contents).size) > mostListed) &&
      `speech models ${contents.folder} --json prints all names and languages.`
  ),
  ...describeProblems(contents),
  ...contents.notes,
  ...applying(
    contents.voices.length === 0 && "No model speaks, so the built-in voice does.",
    contents.recognisers.length === 0 &&
      "No model transcribes, so the built-in recogniser does. It knows only what this service has spoken, and --recordings."
  )
]
