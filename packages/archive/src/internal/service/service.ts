/**
 * What a program does with runs: lists, starts, reads and steers them.
 */
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Machine } from "../machine/machine.js"
import { Store } from "../store/Store.js"
import type { ArchiveService } from "./ArchiveService.js"
import * as Begin from "./begin.js"
import * as Endings from "./endings.js"
import * as Plan from "./plan.js"
import type { Check, CostOf } from "./requests.js"
import * as Start from "./start.js"
import * as Steer from "./steer.js"
import * as Watch from "./watch.js"

export interface ServiceOptions {
  /** Absent where the process works on nothing. */
  readonly machine?: Machine | undefined
  /** What the call of a file costs, by the operation. */
  readonly costs: ReadonlyMap<string, CostOf>
  /** Refuses a file that this process can't call as requested, by the operation. */
  readonly checks: ReadonlyMap<string, Check>
}

export const make = ({
  checks,
  costs,
  machine
}: ServiceOptions): Effect.Effect<ArchiveService, never, Store | FileSystem.FileSystem | Scope.Scope> =>
  Effect.gen(function* () {
    const store = yield* Store
    const watch = Watch.make(store, machine)
    const endings = yield* Endings.make({ costs, machine, watch })
    const begin = Begin.make({ endings, machine, store })
    return {
      plan: Plan.make({ checks, costs, store }),
      start: Start.make({ begin, checks, store, watch }),
      status: store.status,
      runs: store.runs,
      progress: watch.progress(endings),
      ...Steer.make({ begin, endings, machine, store }),
      results: (run, choice) => Stream.unwrap(Effect.as(store.run(run), store.files(run, choice?.states)))
    }
  })
