/**
 * What a program does with runs: lists, starts, reads and steers them.
 */
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { Store } from "../store/Store.js"
import type { ArchiveService } from "./ArchiveService.js"
import * as Begin from "./begin.js"
import * as Endings from "./endings.js"
import type { Parts } from "./parts.js"
import * as Plan from "./plan.js"
import * as Results from "./results.js"
import * as Start from "./start.js"
import * as Steer from "./steer.js"
import * as Tree from "./tree.js"
import * as Watch from "./watch.js"

export const make = ({
  checks,
  costs,
  machine
}: Pick<Parts, "checks" | "costs"> & Partial<Pick<Parts, "machine">>): Effect.Effect<
  ArchiveService,
  never,
  Store | FileSystem.FileSystem | Scope.Scope
> =>
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
      results: Results.make(store),
      ...Tree.make({ begin, endings, store })
    }
  })
