/**
 * How far a run is, in words: a report, a line of progress, and what to do next.
 */
import { relative } from "node:path"
import type { Plan } from "@effect-speech/archive/Archive"
import type { Operation } from "@effect-speech/archive/Operation"
import type { OutputReport, RunStatus } from "@effect-speech/archive/Run"
import * as Printable from "@effect-speech/common/Printable"
import * as DateTime from "effect/DateTime"
import * as ExitCode from "../exitCode.js"
import { applying, count, plural } from "../message.js"
import { duration, type Work } from "../progress.js"
import { quotedPath } from "../shells.js"
import type { Store } from "./store.js"

export const files = (value: number): string => plural(value, "file")

const totalOf = ({ counts: { done, failed, held, pending, started } }: RunStatus): number =>
  done + failed + held + pending + started

/** Files that are not called any more. */
export const settledOf = ({ counts: { done, failed, held } }: RunStatus): number => done + failed + held

/** Files that were called and have an answer, may have one, or are called now. */
export const called = ({ counts: { done, held, started } }: RunStatus): number => done + held + started

/** Tags with their number, the most frequent first. */
const tagsOf = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .toSorted(([, a], [, b]) => b - a)
    .map(([tag, number]) => `${tag} ${count(number)}`)
    .join(", ")

/** A command of the same run, for the reader to type. */
export const commandOf = (name: string, { settings }: RunStatus, store: Store): string => {
  const { directory } = settings.output
  const inFile = store._tag === "File" && !store.isDefault ? ` --store ${quotedPath(store.path)}` : ""
  return `speech archive ${name} --out ${quotedPath(directory)}${inFile}${store._tag === "Database" ? " and the same --store" : ""}`
}

const limitsIn = ({ limits: { callsPerSecond, maxCredits, maxFiles } }: RunStatus): string =>
  applying(
    maxCredits !== undefined && plural(maxCredits, "credit"),
    maxFiles !== undefined && files(maxFiles),
    callsPerSecond !== undefined && `${plural(callsPerSecond, "file")} a second`
  ).join(", ")

/** What holds for the calls that begin now, some of it perhaps since an earlier command. */
export const inForce = (status: RunStatus): ReadonlyArray<string> =>
  applying(
    limitsIn(status) !== "" && `Limits of the run: ${limitsIn(status)}.`,
    status.settings.unanswered === "repeat" &&
      "A file that may have been billed but has no result is called again, and may be billed again: --after-crash repeat."
  )

/** When a machine was last known to be alive. */
const lastHeartbeat = ({ heartbeatAt }: RunStatus, now: number): string =>
  heartbeatAt === undefined
    ? "there is no heartbeat of one"
    : `the last heartbeat was ${duration(Math.max(0, now - heartbeatAt.epochMillis))} ago, at ${DateTime.formatIso(heartbeatAt)}`

/** Why the service is taken for down, if it is. */
export const outageOf = ({ outage, slowedUntil, state }: RunStatus): string | undefined =>
  state !== "running" || slowedUntil === undefined
    ? undefined
    : `The service is down or overloaded${outage === undefined ? "" : `: ${outage.message} [${outage.tag}]`} One call at a time is tried until one succeeds.`

/** Whether the run would go on, but no process works on it. */
export const hasNoProcess = ({ machines, state }: RunStatus): boolean => state === "running" && machines === 0

/** For `speech archive status`, and at the end of a run. `now` is milliseconds since 1970. */
export const describe = (status: RunStatus, now: number): string => {
  const { abandoned, counts, credits, machines, settings, state, unknownCosts, warnings } = status
  const { failed, held, pending, started } = counts
  const inProgress = started - abandoned
  const facts = applying(
    `${count(counts.done)} of ${files(totalOf(status))} done`,
    failed > 0 && `${count(failed)} failed`,
    held > 0 && `${count(held)} held`,
    inProgress > 0 && `${count(inProgress)} in progress`,
    abandoned > 0 && `${count(abandoned)} with no answer`,
    pending > 0 && `${count(pending)} left`
  )
  return applying(
    `${settings.output.directory}: ${state}`,
    `${facts.join(", ")}.`,
    failed > 0 && `Failed: ${tagsOf(status.failures)}.`,
    held > 0 && `Held: ${tagsOf(status.holds)}.`,
    tagsOf(warnings) !== "" && `Warnings: ${tagsOf(warnings)}.`,
    // A file without a result counts with what its calls may have cost, if that is known.
    unknownCosts === 0
      ? `Spent: ${held + abandoned === 0 ? "" : "at most "}${count(credits)} credits.`
      : `Spent: ${count(credits)} credits, and what the calls of ${files(unknownCosts)} without a result may have cost.`,
    limitsIn(status) !== "" && `Limits: ${limitsIn(status)}.`,
    state === "running" &&
      (hasNoProcess(status)
        ? `No process works on it; ${lastHeartbeat(status, now)}.`
        : `Machines: ${count(machines)}; ${lastHeartbeat(status, now)}.`),
    outageOf(status)
  ).join("\n")
}

/** The option that raises a limit, by the tag of a suspension. */
const limitOptions: Readonly<Record<string, string>> = { FileLimit: "--max-files", CreditLimit: "--max-credits" }

/** What is true of copies, if files are known by their content. */
const ofCopies = ({ settings }: RunStatus, number: number): string =>
  settings.byContent && number > 1 ? " Files with the same content are called once." : ""

const callHeld = (tag: string, number: number, status: RunStatus, store: Store): string =>
  `${ofCopies(status, number)} To call ${number === 1 ? "it" : "them"} again, which may be billed again: ${commandOf(`retry --only ${tag}`, status, store)}`

/** What to do about files that failed. A file that is no recording fails again until its user has changed it. */
const callFailed = (status: RunStatus, store: Store): string => {
  const { NotARecording = 0 } = status.failures
  const convert =
    NotARecording === 0
      ? ""
      : ` ${NotARecording === 1 ? "One is no recording: convert it, or remove it," : `${count(NotARecording)} are no recordings: convert them, or remove them,`} and start the same run again.`
  const others = status.counts.failed - NotARecording
  return others === 0
    ? convert
    : `${convert} To call ${NotARecording === 0 ? "them" : "the others"} again: ${commandOf("retry", status, store)}`
}

/** What `retry` is about to do. */
export const retryOf = (status: RunStatus, store: Store, only: string | undefined): ReadonlyArray<string> => {
  const { abandoned, counts, holds, settings } = status
  if (only === undefined) return applying(counts.failed === 0 && "No file has failed, so none is called again.")
  // Those of a process that has ended are held first. With a database, a machine does that later.
  const soon = store._tag === "File" && only === "AnswerUnknown" && settings.unanswered === "hold" ? abandoned : 0
  const held = (holds[only] ?? 0) + soon
  return applying(
    held > 0 &&
      `${files(held)} that may have been billed ${held === 1 ? "is" : "are"} to be called again, and may be billed again.${ofCopies(status, held)}`
  )
}

/** What `repair --synthesize` is about to do. */
export const synthesisOf = (gone: number, cost: number): string =>
  gone === 0
    ? "No audio is missing, so none is synthesized."
    : `Audio of ${files(gone)} is synthesized again, for ${count(cost)} credits.`

/** A process that lists files says so every 5 seconds. */
const listerIsDeadAfterMillis = 35_000

/** Whether the process that listed the files of a run has ended. `now` is milliseconds since 1970. */
export const isListingOver = ({ state, updatedAt }: RunStatus, now: number): boolean =>
  state === "listing" && now - updatedAt.epochMillis >= listerIsDeadAfterMillis

/** What becomes of the files that a process had in progress when it ended. */
const abandonedOf = ({ abandoned, settings }: RunStatus, store: Store): string => {
  const [was, it, has] = abandoned === 1 ? ["was", "it", "has"] : ["were", "they", "have"]
  // A machine takes another for dead after it has seen the same heartbeat for 35 seconds.
  const who =
    store._tag === "File" ? "The next command that works on the run" : "A machine that has worked on the run for 35 s"
  const next =
    settings.unanswered === "repeat"
      ? `calls ${abandoned === 1 ? "it" : "them"} again`
      : `holds ${abandoned === 1 ? "it" : "them"}`
  return `${files(abandoned)} ${was} in progress when the process ended: ${it} may have been billed, and ${has} no result. ${who} ${next}.`
}

/** What to do about a run that has stopped, or has failed and held files. `listingIsOver`: the process that listed its files has ended. */
export const adviceOn = (status: RunStatus, store: Store, listingIsOver = false): ReadonlyArray<string> => {
  const { abandoned, counts, state } = status
  const suspension = state === "suspended" ? status.suspension : undefined
  const empty = status.warnings.NothingRecognised ?? 0
  const limit = limitOptions[suspension?.tag ?? ""]
  const goOn = `To resume: ${commandOf("resume", status, store)}${limit === undefined ? "" : ` ${limit} N`}`
  return [
    ...applying(
      suspension !== undefined && `The run is suspended: ${suspension.message} [${suspension.tag}] ${goOn}`,
      abandoned > 0 && abandonedOf(status, store),
      hasNoProcess(status) &&
        (store._tag === "File"
          ? `No process works on the run. ${goOn}`
          : "No machine works on the run. Start one: speech archive work"),
      listingIsOver &&
        "The process that listed the files has ended before it had them all. No file was called. Start the same run again.",
      state === "paused" && `The run is paused. ${goOn}`,
      counts.failed > 0 && `${files(counts.failed)} failed: results.jsonl says why.${callFailed(status, store)}`
    ),
    ...Object.entries(status.holds).map(
      ([tag, number]) =>
        `${files(number)} held: ${number === 1 ? "it" : "they"} may have been billed, and ${number === 1 ? "has" : "have"} no result.${callHeld(tag, number, status, store)}`
    ),
    ...applying(
      empty > 0 &&
        `Empty transcripts: ${files(empty)}. They are paid, and not called again; results.jsonl names them. To make this a failure: --fail-on NothingRecognised`
    ),
    ...(status.output === undefined ? [] : outputOn(status.output, status, store)),
    ...applying(
      status.resultsDue &&
        state !== "running" &&
        state !== "listing" &&
        status.machines === 0 &&
        `results.jsonl was not written at the end of the run. To write it: ${commandOf("repair", status, store)}`
    )
  ]
}

/** Where the results are of a run that goes on later. */
export const resultsLater = (status: RunStatus, store: Store): ReadonlyArray<string> =>
  applying(
    status.resultsDue &&
      `results.jsonl is written when the run ends. To have it of the files so far: ${commandOf("export", status, store)}`
  )

/** What was found in the folder of an output, and what to do about it. */
export const outputOn = (
  report: OutputReport,
  status: RunStatus,
  store: Store,
  directory = status.settings.output.directory
): ReadonlyArray<string> => {
  const { changed, gone, goneCost, goneFiles, written } = report
  const names = goneFiles.slice(0, 3).map((path) => relative(directory, path))
  const [was, is, it] = changed === 1 ? ["was", "is", "it"] : ["were", "are", "they"]
  return applying(
    written > 0 &&
      `${files(written)} in the output ${written === 1 ? "was" : "were"} missing or out of date, and ${written === 1 ? "has" : "have"} been written again.`,
    changed > 0 &&
      `${files(changed)} in the output ${was} changed after ${it} ${was} written, and ${is} kept. To write ${changed === 1 ? "it" : "them"} again from the archive: ${commandOf("repair", status, store)}`,
    gone > 0 &&
      `Audio of ${files(gone)} is missing, or is not what was written: ${[...names, ...(gone > names.length ? ["…"] : [])].join(", ")}. The archive has no audio. To synthesize it again, for ${count(goneCost)} credits: ${commandOf("repair --synthesize", status, store)}`
  )
}

/** The results of a run are in another output than this one, which a command has given. */
export const elsewhere = (status: RunStatus, store: Store, out: string): string =>
  Printable.line(
    `The results are in ${status.settings.output.directory}, and not in ${out}: another command started this run with that output meanwhile. To have them here, too: ${commandOf(`export --to ${quotedPath(out)}`, status, store)}`
  )

/** What an earlier command left that this one does not call. */
export const leftBy = (earlier: RunStatus, store: Store): ReadonlyArray<string> => [
  ...applying(
    earlier.counts.failed > 0 &&
      `${files(earlier.counts.failed)} failed before, and not called again now: ${tagsOf(earlier.failures)}.${callFailed(earlier, store)}`
  ),
  ...Object.entries(earlier.holds).map(
    ([tag, number]) => `${files(number)} held before, and not called again now.${callHeld(tag, number, earlier, store)}`
  )
]

/** A file that is done with one of the warnings `failOn` counts as a failure, and stays done. */
export const exitCodeOf = (status: RunStatus, failOn: ReadonlyArray<string> = [], listingIsOver = false): number => {
  const { counts, output, state, warnings } = status
  if (state === "suspended" || state === "paused" || listingIsOver || hasNoProcess(status)) return ExitCode.suspended
  const isIncomplete =
    counts.failed + counts.held + (output?.gone ?? 0) > 0 || failOn.some((tag) => (warnings[tag] ?? 0) > 0)
  return state === "ended" && isIncomplete ? ExitCode.incomplete : ExitCode.done
}

/** The pace is that of the last minute. */
const paceMillis = 60_000

/** Makes the line of progress from one status after the other. `works`: this process makes the calls, also if its heartbeat is late. */
export const makeLine = (works: boolean) => {
  const seen: Array<{ readonly at: number; readonly settled: number }> = []
  return (status: RunStatus, now: number): Work => {
    const settled = settledOf(status)
    seen.push({ at: now, settled })
    while (seen.length > 2 && (seen[1]?.at ?? now) < now - paceMillis) seen.shift()
    const [first = { at: now, settled }] = seen
    const perSecond = now === first.at ? 0 : ((settled - first.settled) * 1000) / (now - first.at)
    const { counts, credits, machines, outage, slowedUntil, warnings } = status
    const parts = applying(
      `${count(settled)} of ${files(totalOf(status))}`,
      perSecond > 0 && `${perSecond < 10 ? perSecond.toFixed(1) : count(Math.round(perSecond))}/s`,
      counts.failed > 0 && `failed: ${tagsOf(status.failures)}`,
      counts.held > 0 && `${count(counts.held)} held`,
      tagsOf(warnings) !== "" && `warnings: ${tagsOf(warnings)}`,
      credits !== 0 && `${count(credits)} credits`,
      machines > 1 && `${count(machines)} machines`,
      !works && hasNoProcess(status) && "no process works on it",
      slowedUntil !== undefined && `the service is down${outage === undefined ? "" : `: ${outage.tag}`}`
    )
    return { done: settled, total: totalOf(status), amount: parts.join(", ") }
  }
}

/** For `--dry-run`. */
export const describePlan = (plan: Plan, operation: Operation["_tag"]): string => {
  const unit = operation === "Transcribe" ? "seconds of audio" : "code points"
  const unknown =
    plan.unknownCost === 0
      ? ""
      : `, and ${files(plan.unknownCost)} of unknown length, about ${count(plan.mostCost)} ${unit} in all`
  return [
    `${files(plan.files)}, ${count(plan.bytes)} bytes. ${count(plan.done)} done already.`,
    `A run would send ${files(plan.toCall)}: ${count(plan.cost)} ${unit}${unknown}.`
  ].join("\n")
}
