import { SystemError } from "@effect/platform/Error"
import { describe, expect, it } from "@effect/vitest"
import { errorName, systemCode } from "../src/SystemCode.js"

describe("the name of an error of another library", () => {
  class Custom extends Error {
    override readonly name = "Custom"
  }
  it.each([
    { error: new Custom("the key is a.b"), name: "Custom" },
    { error: { _tag: "Tagged", message: "a.b" }, name: "Tagged" },
    { error: Object.assign(new Error("a.b"), { _tag: "Tagged" }), name: "Tagged" },
    { error: { name: "a.b" }, name: "object" },
    { error: { _tag: "the key is a.b" }, name: "object" },
    { error: { _tag: "a.b" }, name: "object" },
    { error: { _tag: "" }, name: "object" },
    { error: { _tag: "k".repeat(65) }, name: "object" },
    { error: { _tag: 1 }, name: "object" },
    { error: "a.b", name: "string" },
    { error: undefined, name: "undefined" },
    { error: null, name: "object" },
    {
      error: new SystemError({ reason: "NotFound", module: "FileSystem", method: "open", pathOrDescriptor: "a.b" }),
      name: "SystemError: NotFound"
    }
  ])("of $error is $name, without its content", ({ error, name }) => {
    expect(errorName(error)).toBe(name)
  })
})

describe("the code of an error of another library", () => {
  const nested = (depth: number): unknown => (depth === 0 ? { code: "EPIPE" } : { cause: nested(depth - 1) })
  const circle: { cause?: unknown } = {}
  circle.cause = circle

  it.each([
    { error: { code: "ECONNREFUSED" }, code: "ECONNREFUSED" },
    { error: new AggregateError([{ code: "EHOSTUNREACH" }]), code: "EHOSTUNREACH" },
    { error: { code: "prefix.topsecret was refused", cause: { code: "ECONNRESET" } }, code: "ECONNRESET" },
    { error: { code: "k".repeat(65) }, code: undefined },
    { error: { code: 42 }, code: undefined },
    { error: { code: 42, errors: "EPIPE" }, code: undefined },
    { error: nested(7), code: "EPIPE" },
    { error: nested(8), code: undefined },
    { error: circle, code: undefined },
    { error: "EPIPE", code: undefined }
  ])("of $error is $code, which is no text of that library", ({ code, error }) => {
    expect(systemCode(error)).toBe(code)
  })
})
