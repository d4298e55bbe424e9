/** An archive, as a program uses it: public imports only. */

import { assert, describe, it } from "@effect/vitest"
import {
  ArchiveError,
  ArchiveOutputFailed,
  ArchiveRunConflict,
  ArchiveRunInvalid,
  ArchiveRunNotFound,
  ArchiveSourceFailed,
  ArchiveStoreFailed,
  ArchiveStoreLocked,
  ArchiveStoreTooNew
} from "@effect-speech/archive"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

const run = "0f5cd0d2-6c07-8d6c-9a3c-5f0d2b1f6a11"
const message = "It says what to do."

const errors: ReadonlyArray<ArchiveError> = [
  new ArchiveStoreLocked({ store: "calls.db", message }),
  new ArchiveStoreTooNew({ store: "calls.db", found: 9, known: 5, message }),
  new ArchiveStoreFailed({ store: "calls.db", code: "ENOSPC", message }),
  new ArchiveRunNotFound({ run, message }),
  new ArchiveRunConflict({ run, message }),
  new ArchiveRunInvalid({ field: "operation.speed", problem: "must be positive", message }),
  new ArchiveSourceFailed({ path: "calls", line: 2, message }),
  new ArchiveOutputFailed({ path: "out/1.wav.txt", code: "EROFS", message })
]

describe("the errors of an archive", () => {
  it("begin with the name of the package", () => {
    for (const { _tag } of errors) assert.match(_tag, /^Archive[A-Z]/)
  })

  it.effect.each(errors)("$_tag is written as JSON, and read again without loss", (error) =>
    Effect.gen(function* () {
      const json = JSON.stringify(yield* Schema.encode(ArchiveError)(error))
      const read = yield* Schema.decodeUnknown(Schema.parseJson(ArchiveError))(json)
      assert.strictEqual(read.constructor, error.constructor)
      assert.deepStrictEqual({ ...read }, { ...error })
      assert.strictEqual(read.message, message)
    })
  )

  it.effect("are handled by their tags", () =>
    Effect.gen(function* () {
      const failing: Effect.Effect<never, ArchiveError> = Effect.fail(new ArchiveRunNotFound({ run, message }))
      // @ts-expect-error The tags without the prefix are gone.
      Effect.catchTag(failing, "RunNotFound", () => Effect.void)
      assert.strictEqual(
        yield* Effect.catchTag(failing, "ArchiveRunNotFound", (error) => Effect.succeed(error.run)),
        run
      )
    }).pipe(Effect.catchAll(Effect.die))
  )
})
