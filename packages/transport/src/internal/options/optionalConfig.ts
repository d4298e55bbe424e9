/**
 * A `Config` of options, some of which may be absent.
 */
import * as Config from "effect/Config"

/** Like `Config.unwrap`, but options may be `undefined`, and records may be empty. */
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
