/** Laws of all error classes that the packages export. */
import { readdirSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"

const root = fileURLToPath(new URL("..", import.meta.url))

type ErrorClass = new (facts: object, options: object) => Error & { readonly _tag: string }

const isErrorClass = (value: unknown): value is ErrorClass =>
  typeof value === "function" && value.prototype instanceof Error

/** The error classes of each public module. The command exports none, and an error of promise never fails in Effect. */
const errorClasses = async (): Promise<ReadonlyArray<ErrorClass>> => {
  const found = new Set<ErrorClass>()
  for (const name of readdirSync(`${root}packages`).filter((name) => !["cli", "promise"].includes(name))) {
    const source = `${root}packages/${name}/src`
    for (const file of readdirSync(source).filter((file) => /^[A-Z]\w+\.ts$/.test(file))) {
      for (const value of Object.values(await import(`${source}/${file}`))) if (isErrorClass(value)) found.add(value)
    }
  }
  return [...found]
}

it("every error that fails within a span is the error itself, which can be cloned, and not a Proxy", async () => {
  const classes = await errorClasses()
  expect(classes.length).toBeGreaterThan(40)
  const refused: Array<string> = []
  for (const Class of classes) {
    const error = new Class({ message: "what to do" }, { disableValidation: true })
    for (const fail of [Effect.fail(error), Effect.die(error).pipe(Effect.catchAllDefect(Effect.fail))]) {
      const failed = Effect.runSync(Effect.flip(Effect.withSpan(fail, "a step")))
      if (failed !== error) refused.push(error._tag)
      else expect(structuredClone(failed)).toMatchObject({ message: error.message })
    }
  }
  expect([...new Set(refused)]).toEqual([])
})
