import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** Sets variables of this process until the scope closes. `undefined` removes one. */
export const setEnvironment = (
  variables: Readonly<Record<string, string | undefined>>
): Effect.Effect<void, never, Scope.Scope> => {
  const set = (values: Readonly<Record<string, string | undefined>>) => {
    for (const [name, value] of Object.entries(values)) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  }
  return Effect.acquireRelease(
    Effect.sync(() => {
      const before = Object.fromEntries(Object.keys(variables).map((name) => [name, process.env[name]]))
      set(variables)
      return before
    }),
    (before) => Effect.sync(() => set(before))
  )
}

const proxyVariables = ["HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY"].flatMap((name) => [name, name.toLowerCase()])

/** Sets the variables that name proxies, and removes the others, until the scope closes. */
export const setProxies = (variables: Readonly<Record<string, string>>): Effect.Effect<void, never, Scope.Scope> =>
  setEnvironment({ ...Object.fromEntries(proxyVariables.map((name) => [name, undefined])), ...variables })
