/**
 * How a run is started: its files are listed, and then it begins.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { settingsAfter } from "../model/request.js"
import type { RunRow } from "../store/Store.js"
import { within } from "../within.js"
import type { ArchiveService } from "./ArchiveService.js"
import type { Parts } from "./parts.js"
import { identify, listsNothing, pages, settingsOf, withEarlierOutputs } from "./requests.js"
import { validate } from "./validate.js"

/** How often a run that is listed says so. In milliseconds. */
const touchInterval = 5_000

/** How long a run whose source can't be listed waits for the database, to be as it was. In milliseconds. */
const resetLimit = 10_000

export const make =
  ({ begin, checks, store, watch }: Pick<Parts, "begin" | "checks" | "store" | "watch">): ArchiveService["start"] =>
  (request) =>
    Effect.gen(function* () {
      const given = settingsOf(request)
      yield* validate(settingsAfter(undefined, given), request.limits ?? {})
      const run = yield* identify(store, request, given)
      const { requested, settings } = yield* withEarlierOutputs(store, run, given)
      let found: Option.Option<RunRow> = Option.none()
      let listing: number | undefined
      const begun = Effect.gen(function* () {
        found = yield* store.createRun(run, requested, request.limits ?? {})
        return yield* Effect.catchTag(store.beginListing(run), "ArchiveRunNotFound", Effect.die)
      })
      const listed = Stream.runForEach(pages(request, settings, checks.get(settings.operation._tag)), (page) =>
        Effect.gen(function* () {
          listing ??= yield* begun
          yield* watch.watched(store.addItems(run, listing, page))
        })
      )
      const touched = Effect.suspend(() => (listing === undefined ? Effect.void : Effect.ignore(store.touch(run))))
      yield* Effect.raceFirst(listed, Effect.forever(Effect.delay(touched, touchInterval))).pipe(
        // The source can't be listed: the run is as it was.
        Effect.onError(() =>
          Option.match(found, {
            onNone: () => Effect.void,
            onSome: ({ isListed, state }) =>
              isListed ? within(resetLimit)(watch.watched(store.changeState(run, "unlistable", state))) : Effect.void
          })
        )
      )
      // An empty listing is a mistake, such as a share that is not mounted: it removes no file from the run.
      if (listing === undefined) return yield* listsNothing(settings)
      yield* watch.watched(store.endListing(run, listing))
      return yield* Effect.catchTag(watch.watched(begin(run, "listed")), "ArchiveRunNotFound", Effect.die)
    })
