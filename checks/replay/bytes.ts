/** Requests of the real clients, recorded and replayed, one at a time and at once: each response is the same by the byte. */
import { bar, countBy, sum, title } from "effect-speech-test-support/report"
import { barOfNone, seconds, tableOf } from "../support/print.js"
import type { Request } from "./client.js"
import { faults, planRequests, writeRecordings } from "./plan.js"
import { compareInAnyOrder, compareInOrder, operations, type Played, play } from "./play.js"
import { newFolder, startReal, startRecorder, startReplay } from "./services.js"

const statusesOf = (played: Played): string =>
  [...countBy(Object.values(played.exchanges).flat(), ({ status }) => String(status))]
    .toSorted(([one], [other]) => Number(one) - Number(other))
    .map(([status, times]) => `${times} with ${status}`)
    .join(", ")

const countOf = ({ exchanges }: Played) => sum(Object.values(exchanges).map(({ length }) => length))

/** How many requests are equal to an earlier one. */
const repeatsOf = (played: Played) =>
  countOf(played) - new Set(Object.values(played.exchanges).flatMap((all) => all.map(({ identity }) => identity))).size

const contractStatuses = {
  transcribe: [200, 400, 401, 402, 403, 500, 503],
  synthesize: [200, 400, 401, 500, 502]
} as const

/** The statuses of the contract that a play has not met. */
const missingStatuses = (played: Played): ReadonlyArray<string> =>
  operations.flatMap((operation) =>
    contractStatuses[operation]
      .filter((status) => !played.exchanges[operation].some((exchange) => exchange.status === status))
      .map((status) => `${operation} ${status}`)
  )

/** Records the requests, and replays them three times: twice by one service, then by a new one. */
const recordAndReplay = async (requests: ReadonlyArray<Request>, recordings: string, concurrency: number) => {
  const folder = newFolder("exchanges")
  const real = await startReal({ recordings })
  await real.platform("PUT", "faults", faults)
  const recorder = await startRecorder(folder, real)
  const recorded = await play(recorder, requests, concurrency)
  await recorder.stop()
  await real.stop()
  const first = await startReplay(folder)
  const replayed = [await play(first, requests, concurrency), await play(first, requests, concurrency)]
  await first.stop()
  const second = await startReplay(folder)
  replayed.push(await play(second, requests, concurrency))
  await second.stop()
  return { recorded, replayed }
}

export const checkBytes = async ({ count, seed }: { readonly count: number; readonly seed: number }) => {
  const recordings = newFolder("recordings")
  const requests = planRequests(count, writeRecordings(recordings), seed)
  title(`${count} requests of both operations`)
  for (const concurrency of [1, 64]) {
    console.error(`${count} requests, ${concurrency} at once`)
    const { recorded, replayed } = await recordAndReplay(requests, recordings, concurrency)
    const how = concurrency === 1 ? "one at a time" : `${concurrency} at once`
    tableOf([recorded, ...replayed], {
      [how]: (played) => (played === recorded ? "recorded" : `replayed, ${replayed.indexOf(played) + 1}.`),
      requests: countOf,
      takes: ({ millis }) => seconds(millis)
    })
    console.log(`${statusesOf(recorded)}.\n`)
    barOfNone(`${how}: there is each status of the contract`, missingStatuses(recorded), statusesOf(recorded))
    const compare = concurrency === 1 ? compareInOrder : compareInAnyOrder
    const differences = replayed.flatMap((played) => compare(recorded, played))
    barOfNone(`${how}: status, headers and body of each response are the same by the byte`, differences)
    barOfNone(
      `${how}: no connection failed`,
      [recorded, ...replayed].flatMap(({ failures }) => failures)
    )
    if (concurrency > 1) continue
    const changed = replayed.flatMap(({ outcomes }) => outcomes.filter((each, at) => each !== recorded.outcomes[at]))
    barOfNone(`${how}: each caller gets the same result or error`, changed)
    const repeated = repeatsOf(recorded)
    bar("a tenth of the requests is equal to an earlier one", repeated >= count / 10, `${repeated} are`)
  }
}
