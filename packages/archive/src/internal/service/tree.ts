/**
 * How the output of a run is made to agree with the store when a person asks for it.
 */
import { resolve } from "node:path"
import * as Effect from "effect/Effect"
import type { AgreeOptions } from "../output/agree.js"
import type { ArchiveService } from "./ArchiveService.js"
import type { Parts } from "./parts.js"

export const make = ({
  begin,
  endings,
  store
}: Pick<Parts, "begin" | "endings" | "store">): Pick<ArchiveService, "export" | "repair"> => ({
  export: (run, choice) =>
    Effect.gen(function* () {
      const { directory, format } = (yield* store.run(run)).settings.output
      const target = resolve(choice?.directory ?? directory)
      const output = { directory: target, format: choice?.format ?? format }
      const report = yield* endings.finish(run, { everything: true, output })
      if (target === directory) yield* endings.forget(run)
      return report
    }),
  repair: (run, choice) =>
    Effect.gen(function* () {
      let pending = 0
      const toPending: AgreeOptions["onGone"] = (gone) => {
        pending += gone.length
        return store.repairFiles(
          run,
          gone.map(({ seq }) => seq)
        )
      }
      const repaired = yield* Effect.either(
        endings.finish(run, { everything: true, onGone: choice?.synthesize === true ? toPending : undefined })
      )
      yield* endings.forget(run)
      // Also if another file can't be written, or if no audio is gone and the process of the run has ended.
      const goesOn = choice?.synthesize === true && (yield* store.run(run)).state === "running"
      if (pending > 0 || goesOn) yield* begin(run, "resumed")
      return yield* repaired
    })
})
