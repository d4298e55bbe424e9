/**
 * Where the address of the service and the key come from.
 *
 * | there is                                        | the settings are those of |
 * | ----------------------------------------------- | ------------------------- |
 * | `--dotenv FILE`                                 | FILE alone                |
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
import { isOfThisMachine } from "./unreachable.js"

const names = ["SPEECH_API_KEY", "SPEECH_STT_BASE_URL", "SPEECH_TTS_BASE_URL"] as const

/** The file of a project. */
const projectFile = ".env"

/** The place of the settings. */
export class SettingsPlace extends Context.Reference<SettingsPlace>()("effect-speech/cli/SettingsPlace", {
  defaultValue: (): { readonly file: string | undefined } => ({ file: undefined })
}) {}

/** Whether the environment has one of the settings. An empty variable is none. */
const areInEnvironment: Effect.Effect<boolean> = Effect.exists(names, (name) =>
  Effect.map(Effect.option(Config.nonEmptyString(name)), Option.isSome)
)

/** The settings of a file alone, and the other variables of the environment, such as `PATH`. */
const withSettingsOf = (
  { flattened: file }: ConfigProvider.ConfigProvider,
  { flattened: environment }: ConfigProvider.ConfigProvider
): ConfigProvider.ConfigProvider =>
  ConfigProvider.fromFlat(
    ConfigProvider.makeFlat({
      ...environment,
      load: (path, config, split) =>
        (names.some((name) => name === path.join(".")) ? file : environment).load(path, config, split)
    })
  )

const fileOf = (dotenv: string | undefined): Effect.Effect<string | undefined, InputFailed> =>
  Effect.gen(function* () {
    if (dotenv !== undefined) return dotenv
    if ((yield* areInEnvironment) || typeOf(projectFile) !== "file") return undefined
    if (belongsToAnother(projectFile)) {
      return yield* new InputFailed({
        message: `${projectFile} in this folder belongs to another user. To send requests and their key to its addresses, give --dotenv ${projectFile}.`
      })
    }
    return projectFile
  })

/** A note if requests go to another machine because of a file that no option names. */
const describeDestination = (settings: ReadonlyMap<string, string>): ReadonlyArray<string> => {
  const hosts = Array.from(settings.values(), (value) => (URL.canParse(value) ? new URL(value).host : ""))
  const others = [...new Set(hosts)].filter((host) => host !== "" && !isOfThisMachine(host))
  return others.length === 0
    ? []
    : [`The settings are those of ${projectFile}: requests go to ${others.join(" and ")}.`]
}

/** Logs where each setting comes from. Of the key, and of an address that may hold a password, it logs no value. */
const logSettings = (place: string): Effect.Effect<void> =>
  Effect.forEach(
    names,
    (name) =>
      Effect.flatMap(Effect.option(Config.nonEmptyString(name)), (found) => {
        if (Option.isNone(found)) return Effect.logDebug(`${name} is not set`)
        const isAddress = name !== "SPEECH_API_KEY" && URL.canParse(found.value)
        return Effect.logDebug(`${name}${isAddress ? ` ${new URL(found.value).host}` : ""}, from ${place}`)
      }),
    { discard: true }
  )

/** Runs a command with the settings of their place. */
export const withSettings =
  (dotenv: string | undefined) =>
  <A, E, R>(command: Effect.Effect<A, E, R>): Effect.Effect<A, E | InputFailed, R> =>
    Effect.gen(function* () {
      const file = yield* fileOf(dotenv)
      if (file === undefined) {
        yield* logSettings("the environment")
        return yield* command
      }
      const variables = yield* readEnvFile(file)
      const settings = new Map(names.flatMap((name) => (variables[name] ? [[name, variables[name]] as const] : [])))
      // A file without any of them is for other programs.
      if (dotenv === undefined && settings.size === 0) return yield* command
      if (dotenv === undefined) yield* note(...describeDestination(settings))
      return yield* Effect.configProviderWith((environment) =>
        Effect.zipRight(logSettings(file), command).pipe(
          Effect.withConfigProvider(withSettingsOf(ConfigProvider.fromMap(settings), environment)),
          Effect.provideService(SettingsPlace, { file })
        )
      )
    })

/** What follows a setting: where it comes from. */
export const describePlace = ({ file }: SettingsPlace["Type"]): string =>
  file === undefined ? "from the environment" : `from ${file}`

/** What to do about settings that are missing. */
export const describeMissing = (
  missing: ReadonlyArray<ConfigError.MissingData>,
  { file }: SettingsPlace["Type"]
): string => {
  const name = new Intl.ListFormat("en").format(missing.map(({ path }) => path.join(".")))
  if (file !== undefined) {
    return `set ${name} in ${file}: all settings come from one place, so that a key is never sent to an address of another`
  }
  return typeOf(projectFile) === "file"
    ? `set ${name} in the environment. ${projectFile} is not read, because the environment has other settings: give --dotenv ${projectFile} to use that file alone`
    : `set ${name} in the environment, or in a file ${projectFile} (\`speech serve --dotenv ${projectFile}\` makes one for a service on this machine)`
}
