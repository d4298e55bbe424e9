/**
 * Speaks a book of 60,000 code points, in Hindi and English, through the local service: `pnpm verify long-speech`, with
 * `--kills N` and `--seed N`; `--quick` for a tenth of the text, and `--only PART`: `book`, `gain`, `memory` or `kill`.
 *
 * - **book**: with the real voice. One file, whose length is the sum of its pieces and pauses, without a jump where they are
 *   joined; how early it sounds.
 * - **gain**: of 2, 4 and 8 pieces at once, with a service that takes half a second for each.
 * - **memory**: of the client, at 60,000 and at 600,000 code points, with a voice that takes no time.
 * - **kill**: the client is killed at random moments and started again. The journal of the service shows what was paid twice.
 */
import { createHash } from "node:crypto"
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { readOptions } from "effect-speech-test-support/options"
import { temporaryFolder } from "effect-speech-test-support/processes"
import { chances } from "effect-speech-test-support/random"
import { at, bar, megabytes, ratio, spread, sum, table, title, whole } from "effect-speech-test-support/report"
import { type ServiceOptions, type ServiceProcess, startService } from "effect-speech-test-support/serviceProcess"
import { runClient, startClient } from "../support/client.js"
import { answered, startJournaled, usedOf } from "../support/journal.js"
import { killAt, killRepeatedly, within } from "../support/kill.js"
import { barOfGrowth } from "../support/memory.js"
import { integerOf, runParts } from "../support/parts.js"
import { barOfNone, seconds, tableOf } from "../support/print.js"
import { book } from "./book.js"
import type { Job, Result } from "./client.js"
import { readJoins } from "./joins.js"

const values = readOptions({
  kills: { type: "string" },
  only: { type: "string" },
  quick: { type: "boolean", default: false },
  seed: { type: "string", default: "1" }
})
const kills = integerOf("--kills", values.kills ?? (values.quick ? 3 : 20), 1)
const seed = integerOf("--seed", values.seed)
const scale = values.quick ? 0.1 : 1

const folder = temporaryFolder("check-long-speech-")
const script = new URL("client.js", import.meta.url)
let jobs = 0

const writeText = (text: string): string => {
  const path = join(folder, `text-${createHash("sha1").update(text).digest("hex")}.txt`)
  writeFileSync(path, text)
  return path
}

/** A job with a store and a file of its own unless others are given. */
const jobOf = (service: ServiceProcess, job: Partial<Job> & Pick<Job, "textFile" | "options">): Job => {
  const name = `job-${++jobs}`
  return {
    ttsBaseUrl: service.ttsBaseUrl,
    apiKey: service.apiKey ?? "",
    pieces: join(folder, `${name}.pieces`),
    out: join(folder, `${name}.wav`),
    requestId: name,
    isMixed: true,
    ...job
  }
}

const speak = async (service: ServiceProcess, given: Parameters<typeof jobOf>[1]) => {
  const job = jobOf(service, given)
  return { job, ...(await runClient<Result>(script, job)) }
}

const withService = (options: ServiceOptions, use: (service: ServiceProcess) => Promise<void>) => async () => {
  const service = await startService({ credits: 1e12, ...options }, { temporary: folder })
  await use(service)
  await service.stop()
}

const checkBook = async (service: ServiceProcess) => {
  const textFile = writeText(book(60_000 * scale, seed))
  const single = await speak(service, {
    textFile: writeText(book(9_400, seed + 1)),
    isMixed: false,
    options: { maximumCodePoints: 10_000, firstCodePoints: 10_000, concurrency: 1 }
  })
  const four = await speak(service, { textFile, options: { concurrency: 4 } })
  const one = await speak(service, { textFile, options: { concurrency: 1 } })
  const joins = readJoins(four.job.out, four.report)
  const { cost, pieces } = four.plan
  title("A book with the real voice")
  table([
    ["", "figure"],
    ["code points to send, in pieces", `${cost} in ${pieces}`],
    ["duration of the speech", seconds(four.report.durationMillis)],
    ["the whole, 4 pieces at once", seconds(four.totalMillis)],
    ["the whole, 1 piece at once", seconds(one.totalMillis)],
    ["the first sound, 4 at once", seconds(four.firstMillis)],
    ["one request of the largest text", `${seconds(single.totalMillis)} for ${single.plan.cost}`],
    ["4 at once, by 1", ratio(one.totalMillis, four.totalMillis)],
    ["first sound, by the whole", (four.firstMillis / four.totalMillis).toFixed(3)],
    ["first sound, by one request", (four.firstMillis / single.totalMillis).toFixed(3)],
    ["largest jump within 10 ms of a join", joins.jumpAtJoins.toFixed(4)],
    ["largest jump inside of pieces", joins.jumpInside.toFixed(4)]
  ])
  const used = (await usedOf(service)).synthesize.credits
  const planned = single.plan.cost + four.plan.cost + one.plan.cost
  bar("the file is as long as its pieces and pauses", joins.frames === joins.added, `${joins.frames} frames`)
  bar("the pauses are silent", joins.loud === 0, `${joins.loud} samples are not`)
  bar(
    "the largest jump at joins is no larger than inside of pieces",
    joins.jumpAtJoins <= joins.jumpInside,
    joins.jumpAtJoins.toFixed(4)
  )
  bar("the plan is what the service charged", used === planned, `${used} and ${planned} code points`)
  const segments = four.report.segments
  const estimated = segments.filter((segment) => segment.estimated).length
  console.log(`- times of sentences: ${segments.length}, of which ${estimated} are estimated`)
}

/** A service of production computes on its own machines: pieces at once share nothing but the client. */
const checkGain = async (service: ServiceProcess) => {
  await service.platform("PUT", "faults", [{ delayMillis: 500 }])
  const textFile = writeText(book(16_000 * Math.max(scale, 0.5), seed))
  const timeOf = async (atOnce: number) =>
    (await speak(service, { textFile, outputFormat: "8000:pcm16", options: { concurrency: atOnce } })).totalMillis
  const rows = []
  for (const atOnce of [1, 2, 4, 8]) rows.push({ atOnce, millis: await timeOf(atOnce) })
  const one = at(rows, 0).millis
  title("Pieces at once, by a service that takes half a second for each")
  tableOf(rows, {
    "at once": ({ atOnce }) => atOnce,
    "the whole": ({ millis }) => seconds(millis),
    "by 1": ({ millis }) => ratio(one, millis)
  })
  const four = at(rows, 2).millis
  bar("four at once take less than a third of the time of one", four < one / 3, ratio(one, four))
}

const checkMemory = async (service: ServiceProcess) => {
  title("Memory of the client")
  const results = []
  for (const codePoints of values.quick ? [6000, 30_000, 60_000] : [15_000, 60_000, 600_000]) {
    const textFile = writeText(book(codePoints, seed))
    const result = await speak(service, { textFile, outputFormat: "8000:pcm16", options: {} })
    results.push({ ...result, codePoints })
    rmSync(result.job.out)
    rmSync(result.job.pieces, { recursive: true })
    console.error(`${codePoints} code points in ${seconds(result.totalMillis)}`)
  }
  tableOf(results, {
    "code points": ({ codePoints }) => codePoints,
    pieces: ({ plan }) => plan.pieces,
    speech: ({ report }) => seconds(report.durationMillis),
    "memory above the start": ({ grownBytes }) => megabytes(grownBytes)
  })
  const [, less = 0, more = 0] = results.map(({ grownBytes }) => grownBytes)
  barOfGrowth("the longest text takes no more than 30 MB more than the one before", 30e6, less, more)
}

/** Nothing is transcribed, so the service need not learn what it speaks. */
const canned: ServiceOptions = { cannedByText: true, knownSeconds: 1 }

/** So many pieces are in flight at most. */
const concurrency = 4

const checkKill = async () => {
  const service = await startJournaled(folder, canned)
  const chance = chances(seed)
  const textFile = writeText(book(12_000 * Math.max(scale, 0.25), seed))
  const options = { concurrency, maximumCodePoints: 400, firstCodePoints: 200 }
  const job = { textFile, outputFormat: "8000:pcm16", options } as const
  // A service of production takes its time.
  await service.platform("PUT", "faults", [{ delayMillis: 50 }])
  const undisturbed = await speak(service, job)
  const expected = readFileSync(undisturbed.job.out)
  const { pieces } = undisturbed.plan
  const problems: Array<string> = []
  // Equal pieces are paid for once.
  const paid = undisturbed.report.pieces.filter(({ source }) => source === "sent").length
  const different = new Set(undisturbed.report.pieces.map(({ text }) => text.trim())).size
  if (paid !== different) problems.push(`undisturbed: ${paid} pieces were paid, and ${different} are different`)
  const rounds: Array<{ readonly kept: number; readonly twice: number }> = []
  await killRepeatedly("the client", kills, async (round) => {
    const first = jobOf(service, job)
    const client = await startClient<Result>(script, first)
    await killAt(client, client.work(), within(chance, undisturbed.totalMillis))
    if (existsSync(first.out) && !readFileSync(first.out).equals(expected)) {
      problems.push(`round ${round}: a part of the file is left`)
    }
    const again = await speak(service, { ...first, requestId: `again-${round}` })
    if (!readFileSync(first.out).equals(expected)) problems.push(`round ${round}: the file differs`)
    const journal = answered(await service.journal())
    const paidBy = (requestId: string) =>
      journal.flatMap(({ id }) => (id?.startsWith(`${requestId}.`) ? [id.slice(requestId.length)] : []))
    const before = paidBy(first.requestId)
    const after = paidBy(again.job.requestId)
    const twice = after.filter((piece) => before.includes(piece)).length
    const kept = again.report.pieces.filter(({ source }) => source === "kept").length
    if (twice > concurrency) problems.push(`round ${round}: ${twice} pieces were paid twice`)
    if (after.length !== pieces - kept)
      problems.push(`round ${round}: ${after.length} pieces were sent, ${kept} were kept`)
    if (new Set(after).size !== after.length) problems.push(`round ${round}: a piece was sent twice in one run`)
    rounds.push({ kept, twice })
    return false
  })
  await service.stop()
  title("Killed and started again")
  const spreadOf = (values: ReadonlyArray<number>) => spread(values, whole)
  const twice = rounds.map((round) => round.twice)
  console.log(`Killed ${kills} times with the seed ${seed}, within ${whole(undisturbed.totalMillis)} ms.\n`)
  table([
    ["of each round", "least to most"],
    [`pieces that were kept or equal to another, of ${pieces}`, spreadOf(rounds.map(({ kept }) => kept))],
    ["pieces that were in flight, and paid again", spreadOf(twice)]
  ])
  barOfNone("the file is that of the undisturbed run, and nothing but what was in flight is paid again", problems)
  console.log(`- paid again: ${sum(twice)} of ${kills * paid} pieces`)
}

const parts = {
  book: withService({}, checkBook),
  gain: withService({ cannedSeconds: 1 }, checkGain),
  memory: withService(canned, checkMemory),
  kill: checkKill
}
await runParts(parts, values.only)
