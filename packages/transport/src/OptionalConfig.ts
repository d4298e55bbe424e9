/**
 * Options of which some may be left out, each as a `Config`.
 */
import * as Config from "effect/Config"

/** `Config.unwrap`, which takes an option that is present but `undefined` for a `Config` too. */
export const unwrap = <A extends object>(options: Config.Config.Wrap<A>): Config.Config<A> => {
  if (Config.isConfig(options)) return options as Config.Config<A>
  const given: object = Object.fromEntries(Object.entries(options).filter(([, option]) => option !== undefined))
  return Config.unwrap<A>(given as Config.Config.Wrap<A>)
}
