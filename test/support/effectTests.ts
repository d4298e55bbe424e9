/** Tests whose bodies are generators: `it("sentence", function* () { … })`. Each gets layers of its own, and the live clock. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { YieldWrap } from "effect/Utils"

type Body<R, Case extends ReadonlyArray<unknown>> = (
  ...given: Case
) => Generator<YieldWrap<Effect.Effect<unknown, unknown, R | Scope.Scope>>, void, never>

/** The tests over a layer, which is built anew for each. */
export const effectTests = <R = never, E = never>(layer: Layer.Layer<R, E> = Layer.empty as never) => {
  const run = <Case extends ReadonlyArray<unknown>>(body: Body<R, Case>, ...given: Case) =>
    Effect.provide(
      Effect.gen(() => body(...given)),
      layer
    )
  const test = (sentence: string, body: Body<R, []>, timeout?: number) =>
    it.scopedLive(sentence, () => run(body), timeout)
  return Object.assign(test, {
    each:
      <const Case>(cases: ReadonlyArray<Case>) =>
      (sentence: string, body: Body<R, [Case]>) =>
        it.scopedLive.each([...cases])(sentence, (given) => run(body, given))
  })
}

/** A temporary folder of a test file, which is removed after its tests. */
export const testFolder = (prefix: string): string => {
  const folder = mkdtempSync(join(tmpdir(), `${prefix}-`))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
