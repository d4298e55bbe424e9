/**
 * What a run would call, and what it would cost.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { SourceItem } from "../../Source.js"
import { callIdOf } from "../model/identity.js"
import * as Money from "../model/money.js"
import { settingsAfter } from "../model/request.js"
import { makeSeen } from "../source/seen.js"
import { type ArchiveService, Plan } from "./ArchiveService.js"
import type { Parts } from "./parts.js"
import { identify, listsNothing, pages, settingsOf, storedSettings } from "./requests.js"
import { validate } from "./validate.js"

const noPlan = { files: 0, bytes: 0, done: 0, toCall: 0, cost: 0, unknownCost: 0, mostCost: 0 }

export const make =
  ({ checks, costs, store }: Pick<Parts, "checks" | "costs" | "store">): ArchiveService["plan"] =>
  (request) =>
    Effect.gen(function* () {
      const requested = settingsOf(request)
      yield* validate(settingsAfter(undefined, requested), request.limits ?? {})
      const run = yield* identify(store, request, requested)
      const settings = settingsAfter(yield* storedSettings(store, run), requested)
      const costOf = costs.get(settings.operation._tag)
      const cost = (item: SourceItem) =>
        costOf?.({ file: { ...item, run, seq: 1, callId: "", attempts: 0 }, settings }) ?? Effect.succeed(Money.nothing)
      const contents = makeSeen()
      const known = makeSeen()
      /** A list may name a path twice: it is one file. */
      const isNew = (item: SourceItem) => !known.add(callIdOf("", item))
      /** Files with the same content are called once, and not at all if one has a result. A text is always called. */
      const isFirst = ({ content, line }: SourceItem) =>
        content === undefined || line !== undefined
          ? Effect.succeed(true)
          : contents.add(content)
            ? Effect.succeed(false)
            : Effect.map(store.sameContent(run, content), Option.isNone)
      const plan = yield* Stream.runFoldEffect(
        pages(request, settings, checks.get(settings.operation._tag)),
        noPlan,
        (plan, page) =>
          Effect.gen(function* () {
            const listed = page.filter(isNew)
            const states = yield* store.states(run, listed)
            const pending = listed.filter(
              (item, index) =>
                item.problem === undefined && (states[index] === undefined || states[index] === "pending")
            )
            const toCall = yield* Effect.filter(pending, isFirst)
            const costs = yield* Effect.forEach(toCall, cost, { concurrency: 16 })
            return {
              files: plan.files + listed.length,
              bytes: listed.reduce((sum, { size }) => sum + size, plan.bytes),
              done: plan.done + states.filter((state) => state === "done").length,
              toCall: plan.toCall + toCall.length,
              cost: costs.reduce((sum, { isStated, most }) => (isStated ? sum + most : sum), plan.cost),
              unknownCost: plan.unknownCost + costs.filter(({ isStated }) => !isStated).length,
              mostCost: costs.reduce((sum, { most }) => sum + most, plan.mostCost)
            }
          })
      )
      return plan.files === 0 ? yield* listsNothing(settings) : new Plan(plan)
    })
