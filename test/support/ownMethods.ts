/**
 * `layer` of @effect/vitest leaves its own `it.effect`, `it.scoped` and `it.layer` on the one `it` of vitest, and so to
 * the files that follow in the same process, which may then run without a test clock. This gives each file those that it
 * expects.
 */
import { effect, it, layer, scoped } from "@effect/vitest"

Object.assign(it, { effect, layer, scoped })
