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
import { setTimeout as sleep } from "node:timers/promises"
import type { JournalEntry } from "@effect-speech/local-service/Journal"
import { readOptions, refuseOptions } from "../../test/support/options.js"
import { startScript, temporaryFolder } from "../../test/support/processes.js"
import { chances } from "../../test/support/random.js"
import { bar, exitStatus, list, megabytes, ratio, spread, sum, table, title, whole } from "../../test/support/report.js"
import { type ServiceOptions, type ServiceProcess, startService } from "../../test/support/serviceProcess.js"
import { book } from "./book.js"
import type { Job, Result } from "./client.js"
import { readJoins } from "./joins.js"

const values = readOptions({
  kills: { type: "string" },
  only: { type: "string" },
  quick: { type: "boolean", default: false },
  seed: { type: "string", default: "1" }
})
const kills = Number(values.kills ?? (values.quick ? 3 : 20))
const seed = Number(values.seed)
const parts = ["book", "gain", "memory", "kill"]
if (!Number.isInteger(kills) || kills < 1 || !Number.isInteger(seed)) {
  refuseOptions("--kills takes an integer above 0, --seed an integer.")
}
if (values.only !== undefined && !parts.includes(values.only)) refuseOptions(`--only takes one of ${parts.join(", ")}.`)
const runs = (part: string) => values.only === undefined || values.only === part
const scale = values.quick ? 0.1 : 1

const folder = temporaryFolder("check-long-speech-")
const credits = 1_000_000_000
let jobs = 0

const writeText = (text: string): string => {
  const path = join(folder, `text-${createHash("sha1").update(text).digest("hex")}.txt`)
  writeFileSync(path, text)
  return path
}

/** A new process of the client, with a store and a file of its own unless others are given. */
const startJob = async (service: ServiceProcess, job: Partial<Job> & Pick<Job, "textFile" | "options">) => {
  const name = `job-${++jobs}`
  const whole: Job = {
    ttsBaseUrl: service.ttsBaseUrl,
    apiKey: service.apiKey ?? "",
    pieces: join(folder, `${name}.pieces`),
    out: join(folder, `${name}.wav`),
    requestId: name,
    isMixed: true,
    ...job
  }
  const client = await startScript(new URL("client.js", import.meta.url), [JSON.stringify(whole)])
  return { job: whole, kill: client.kill, stop: client.stop, speak: () => client.request<Result>("speak") }
}

/** Runs a job to its end. */
const speak = async (service: ServiceProcess, given: Partial<Job> & Pick<Job, "textFile" | "options">) => {
  const { job, speak, stop } = await startJob(service, given)
  const result = await speak()
  await stop()
  return { job, ...result }
}

const withService = async (options: ServiceOptions, use: (service: ServiceProcess) => Promise<void>) => {
  const service = await startService({ credits, ...options }, { temporary: folder })
  await use(service)
  await service.stop()
}

const seconds = (millis: number) => `${(millis / 1000).toFixed(1)} s`

const checkBook = async (service: ServiceProcess) => {
  const textFile = writeText(book(60_000 * scale, seed))
  const single = await speak(service, {
    textFile: writeText(book(9_400, seed + 1)),
    isMixed: false,
    options: { maximum: 10_000, first: 10_000, concurrency: 1 }
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
  const usage = (await service.platform("GET", "usage")).body
  const used = sum(usage.map(({ credits }: { readonly credits: number }) => credits))
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
  const timesOf = async (atOnce: number) =>
    (await speak(service, { textFile, outputFormat: "8000:pcm16", options: { concurrency: atOnce } })).totalMillis
  const [one, two, four, eight] = [await timesOf(1), await timesOf(2), await timesOf(4), await timesOf(8)]
  title("Pieces at once, by a service that takes half a second for each")
  table([
    ["at once", "the whole", "by 1"],
    ...Object.entries({ 1: one, 2: two, 4: four, 8: eight }).map(([atOnce, millis]) => [
      atOnce,
      seconds(millis),
      ratio(one, millis)
    ])
  ])
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
  table([
    ["code points", "pieces", "speech", "memory above the start"],
    ...results.map(({ codePoints, grownBytes, plan, report }) => [
      String(codePoints),
      String(plan.pieces),
      seconds(report.durationMillis),
      megabytes(grownBytes)
    ])
  ])
  const [, less = 0, more = 0] = results.map(({ grownBytes }) => grownBytes)
  bar("the longest text takes no more than 30 MB more than the one before", more - less < 30e6, megabytes(more - less))
}

/** So many pieces are in flight at most. */
const concurrency = 4

const checkKill = async (service: ServiceProcess) => {
  const chance = chances(seed)
  const textFile = writeText(book(12_000 * Math.max(scale, 0.25), seed))
  const options = { concurrency, maximum: 400, first: 200 }
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
  const rounds: Array<{ readonly kept: number; readonly twice: number; readonly killedAt: number }> = []
  for (let round = 1; round <= kills; round++) {
    const first = await startJob(service, job)
    const killedAt = chance() * undisturbed.totalMillis
    const speaking = first.speak().catch(() => undefined)
    await sleep(killedAt)
    await first.kill()
    await speaking
    if (existsSync(first.job.out) && !readFileSync(first.job.out).equals(expected)) {
      problems.push(`round ${round}: a part of the file is left`)
    }
    const again = await speak(service, {
      ...job,
      pieces: first.job.pieces,
      out: first.job.out,
      requestId: `again-${round}`
    })
    if (!readFileSync(first.job.out).equals(expected)) problems.push(`round ${round}: the file differs`)
    // The service notices a moment later that a client has gone.
    await sleep(100)
    const journal: ReadonlyArray<JournalEntry> = (await service.platform("GET", "requests")).body
    const paidBy = (requestId: string) =>
      journal
        .filter(
          ({ id, outcome, status }) => id?.startsWith(`${requestId}.`) && status === 200 && outcome !== "abandoned"
        )
        .map(({ id }) => id?.split(".").at(-1))
    const before = paidBy(first.job.requestId)
    const after = paidBy(again.job.requestId)
    const twice = after.filter((number) => before.includes(number)).length
    const kept = again.report.pieces.filter(({ source }) => source === "kept").length
    if (twice > concurrency) problems.push(`round ${round}: ${twice} pieces were paid twice`)
    if (after.length !== pieces - kept)
      problems.push(`round ${round}: ${after.length} pieces were sent, ${kept} were kept`)
    if (new Set(after).size !== after.length) problems.push(`round ${round}: a piece was sent twice in one run`)
    rounds.push({ kept, twice, killedAt })
    if (round % 5 === 0) console.error(`${round} of ${kills}`)
  }
  title("Killed and started again")
  const spreadOf = (key: keyof (typeof rounds)[number]) =>
    spread(
      rounds.map((each) => each[key]),
      whole
    )
  console.log(
    `Killed ${kills} times with the seed ${seed}, at ${spreadOf("killedAt")} ms of ${whole(undisturbed.totalMillis)}.\n`
  )
  table([
    ["of each round", "least to most"],
    [`pieces that were kept or equal to another, of ${pieces}`, spreadOf("kept")],
    ["pieces that were in flight, and paid again", spreadOf("twice")]
  ])
  list(problems)
  bar(
    "the file is that of the undisturbed run, and nothing but what was in flight is paid again",
    problems.length === 0,
    `${problems.length} differences`
  )
  const again = sum(rounds.map(({ twice }) => twice))
  console.log(`- paid again: ${again} of ${kills * paid} pieces`)
}

if (runs("book")) await withService({}, checkBook)
if (runs("gain")) await withService({ cannedSeconds: 1 }, checkGain)
// Nothing is transcribed, so the service need not learn what it speaks.
const canned: ServiceOptions = { cannedByText: true, knownSeconds: 1 }
if (runs("memory")) await withService(canned, checkMemory)
if (runs("kill")) await withService(canned, checkKill)
process.exitCode = exitStatus()
