/**
 * Where the address of the service and the key come from.
 *
 * | there is                                        | the settings are those of |
 * | ----------------------------------------------- | ------------------------- |
 * | `--env-file FILE`                               | FILE alone                |
 * | one of the three variables, in the environment  | the environment alone     |
 * | a file `.env` in the working directory          | that file alone           |
 *
 * All of them come from one place. A folder of a stranger may have a `.env` with an address of theirs: the key of the environment must
 * never be sent there.
 */
import * as Config from "effect/Config"
import type * as ConfigError from "effect/ConfigError"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { belongsToAnother, readEnvFile } from "./envFile.js"
import { InputFailed } from "./failure.js"
import { note } from "./message.js"
import { typeOf } from "./pathType.js"

const names = ["SPEECH_API_KEY", "SPEECH_STT_BASE_URL", "SPEECH_TTS_BASE_URL"] as const

/** The file of a project. */
const projectFile = ".env"

/** The place of the settings. */
export class SettingsPlace extends Context.Reference<SettingsPlace>()("effect-speech/cli/SettingsPlace", {
  defaultValue: (): { readonly file: string | undefined } => ({ file: undefined })
}) {}

/** The variables of the environment, of these names, that are not empty. */
const inEnvironment = (wanted: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<readonly [string, string]>> =>
  Effect.map(
    Effect.forEach(wanted, (name) =>
      Effect.map(Effect.option(Config.nonEmptyString(name)), (value) =>
        Option.isSome(value) ? [[name, value.value] as const] : []
      )
    ),
    (found) => found.flat()
  )

const fileOf = (envFile: string | undefined): Effect.Effect<string | undefined, InputFailed> =>
  Effect.gen(function* () {
    if (envFile !== undefined) return envFile
    if ((yield* inEnvironment(names)).length > 0 || typeOf(projectFile) !== "file") return undefined
    if (belongsToAnother(projectFile)) {
      return yield* new InputFailed({
        message: `${projectFile} in this folder belongs to another user. To send requests and their key to its addresses, give --env-file ${projectFile}.`
      })
    }
    return projectFile
  })

/** A note if requests go to another machine because of a file that no option names. */
const describeDestination = (settings: ReadonlyMap<string, string>): ReadonlyArray<string> => {
  const hosts = Array.from(settings.values(), (value) => (URL.canParse(value) ? new URL(value).host : ""))
  const others = [...new Set(hosts)].filter(
    (host) => host !== "" && !/^(localhost|127\.[\d.]+|\[::1\])(:|$)/.test(host)
  )
  return others.length === 0
    ? []
    : [`The settings are those of ${projectFile}: requests go to ${others.join(" and ")}.`]
}

/** Runs a command with the settings of their place. */
export const withSettings =
  (envFile: string | undefined) =>
  <A, E, R>(command: Effect.Effect<A, E, R>): Effect.Effect<A, E | InputFailed, R> =>
    Effect.gen(function* () {
      const file = yield* fileOf(envFile)
      if (file === undefined) return yield* command
      const variables = yield* readEnvFile(file)
      const settings = new Map(names.flatMap((name) => (variables[name] ? [[name, variables[name]] as const] : [])))
      // A file without any of them is for other programs.
      if (envFile === undefined && settings.size === 0) return yield* command
      if (envFile === undefined) yield* note(...describeDestination(settings))
      const others = yield* inEnvironment(["SPEECH_ARCHIVE_STORE"])
      return yield* command.pipe(
        Effect.withConfigProvider(ConfigProvider.fromMap(new Map([...settings, ...others]))),
        Effect.provideService(SettingsPlace, { file })
      )
    })

/** What follows a setting: where it comes from. */
export const describePlace = ({ file }: SettingsPlace["Type"]): string =>
  file === undefined ? "from the environment" : `from ${file}`

/** What to do about a setting that is missing. */
export const describeMissing = ({ path }: ConfigError.MissingData, { file }: SettingsPlace["Type"]): string => {
  const name = path.join(".")
  if (file !== undefined) {
    return `set ${name} in ${file}: all settings come from one place, so that a key is never sent to an address of another`
  }
  return typeOf(projectFile) === "file"
    ? `set ${name} in the environment. ${projectFile} is not read, because the environment has other settings: give --env-file ${projectFile} to use that file alone`
    : `set ${name} in the environment, or in a file ${projectFile} (\`speech serve --env-file ${projectFile}\` makes one for a service on this machine)`
}
