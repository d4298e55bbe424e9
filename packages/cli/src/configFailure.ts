/**
 * What the command says about a setting that is missing or wrong.
 */
import type * as ConfigError from "effect/ConfigError"

export const describeConfigError = (error: ConfigError.ConfigError): string => {
  switch (error._op) {
    case "And":
    case "Or":
      return `${describeConfigError(error.left)}; ${describeConfigError(error.right)}`
    case "MissingData":
      return `set ${error.path.join(".")} in the environment (\`speech serve\` prints the lines for a service on this machine)`
    default:
      return `${error.path.join(".")} ${error.message}`
  }
}
