/**
 * The settings of the clients in the environment. A missing one fails with a `ConfigError` that says what to set it to.
 */
import * as Config from "effect/Config"
import * as ConfigError from "effect/ConfigError"
import * as Either from "effect/Either"
import * as Redacted from "effect/Redacted"

const required = (name: string, advice: string): Config.Config<string> =>
  Config.mapOrFail(
    Config.option(Config.string(name)),
    Either.fromOption(() => ConfigError.MissingData([name], advice))
  )

/**
 * `SPEECH_API_KEY`.
 *
 * @since 0.1.0
 * @category config
 */
export const apiKey: Config.Config<Redacted.Redacted> = Config.map(
  required("SPEECH_API_KEY", "set it to your API key, the whole <prefix>.<secret> value"),
  Redacted.make
)

/**
 * `SPEECH_STT_BASE_URL` or `SPEECH_TTS_BASE_URL`.
 *
 * @since 0.1.0
 * @category config
 */
export const baseUrl = (name: string): Config.Config<string> =>
  required(name, "set it to the address of the service, such as https://host.example")
