/**
 * Options of which some may be left out, each as a `Config`.
 */
import * as Config from "effect/Config"

/** `Config.unwrap`, which takes an option that is `undefined`, and a record of none, for options that are left out. */
export const unwrap = <A extends object>(options: Config.Config.Wrap<A>): Config.Config<A> =>
  Config.isConfig(options)
    ? (options as Config.Config<A>)
    : Object.entries(options).reduce<Config.Config<A>>(
        (all, [name, option]) =>
          option === undefined
            ? all
            : Config.zipWith(all, unwrap<object>(option as Config.Config.Wrap<object>), (given, value) => ({
                ...given,
                [name]: value
              })),
        Config.succeed({} as A)
      )
