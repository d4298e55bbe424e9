/**
 * Restores `it.effect`, `it.scoped` and `it.layer` for each file. `layer` of @effect/vitest replaces them on the `it` that all files
 * of a process share, so that later files could run without a test clock.
 */
import { effect, it, layer, scoped } from "@effect/vitest"

Object.assign(it, { effect, layer, scoped })
