/**
 * How far a run is, in words: a report, a line of progress, and what to do next.
 */
import type { Plan } from "@effect-speech/archive/Archive"
import type { Operation } from "@effect-speech/archive/Operation"
import type { RunStatus } from "@effect-speech/archive/Run"
import * as ExitCode from "../exitCode.js"
import type { Work } from "../progress.js"
import { quotePosix } from "../shells.js"
import type { Store } from "./store.js"

const count = (value: number): string => value.toLocaleString("en")

const files = (value: number): string => `${count(value)} ${value === 1 ? "file" : "files"}`

const totalOf = ({ counts: { done, failed, held, pending, started } }: RunStatus): number =>
  done + failed + held + pending + started

/** Files that are not called any more. */
export const settledOf = ({ counts: { done, failed, held } }: RunStatus): number => done + failed + held

/** Tags with their number, the most frequent first. */
const failuresOf = ({ failures }: RunStatus): string =>
  Object.entries(failures)
    .toSorted(([, a], [, b]) => b - a)
    .map(([tag, number]) => `${tag} ${count(number)}`)
    .join(", ")

/** A command of the same run, for the reader to type. */
export const commandOf = (name: string, { settings }: RunStatus, store: Store): string => {
  const { directory } = settings.output
  const quoted = (path: string) => (/^[\w@+=:,./-]+$/.test(path) ? path : quotePosix(path))
  const inFile = store._tag === "File" && !store.isDefault ? ` --store ${quoted(store.path)}` : ""
  return `speech archive ${name} --out ${quoted(directory)}${inFile}${store._tag === "Database" ? " and the same --store" : ""}`
}

/** For `speech archive status`, and at the end of a run. */
export const describe = (status: RunStatus): string => {
  const { counts, credits, machines, settings, slowedUntil, state } = status
  const { failed, held, pending, started } = counts
  const facts = [
    `${count(counts.done)} of ${files(totalOf(status))} done`,
    ...(failed === 0 ? [] : [`${count(failed)} failed`]),
    ...(held === 0 ? [] : [`${count(held)} held`]),
    ...(started === 0 ? [] : [`${count(started)} under way`]),
    ...(pending === 0 ? [] : [`${count(pending)} left`])
  ]
  return [
    `${settings.output.directory}: ${state}`,
    `${facts.join(", ")}.`,
    ...(failed === 0 ? [] : [`Failed: ${failuresOf(status)}.`]),
    `Spent: ${count(credits)} credits.`,
    ...(state === "running" ? [`Machines: ${count(machines)}.`] : []),
    ...(state === "running" && slowedUntil !== undefined
      ? ["The service is down or overloaded: one call at a time is tried until one succeeds."]
      : [])
  ].join("\n")
}

/** The option that raises a limit, by the tag of a suspension. */
const limitOptions: Readonly<Record<string, string>> = { FileLimit: "--max-files", CreditLimit: "--max-credits" }

/** What to do about a run that has stopped, or has failed and held files. */
export const adviceOn = (status: RunStatus, store: Store): ReadonlyArray<string> => {
  const { counts, state, suspension } = status
  const limit = limitOptions[suspension?.tag ?? ""]
  const goOn = `To go on: ${commandOf("resume", status, store)}${state === "suspended" && limit !== undefined ? ` ${limit} N` : ""}`
  return [
    ...(state === "suspended" && suspension !== undefined
      ? [`The run is suspended: ${suspension.message} [${suspension.tag}] ${goOn}`]
      : []),
    ...(state === "running" && status.machines === 0
      ? [
          store._tag === "File"
            ? `No process works on the run. ${goOn}`
            : "No machine works on the run. Start one: speech archive work --host NAME"
        ]
      : []),
    ...(state === "paused" ? [`The run is paused. ${goOn}`] : []),
    ...(counts.failed === 0
      ? []
      : [
          `${files(counts.failed)} failed: results.jsonl says why. To call them again: ${commandOf("retry", status, store)}`
        ]),
    ...(counts.held === 0
      ? []
      : [
          `${files(counts.held)} held: their calls may have been billed, but the answers were not recorded. To call them again: ${commandOf("retry --only AnswerUnknown", status, store)}`
        ])
  ]
}

export const exitCodeOf = ({ counts, state }: RunStatus): number => {
  if (state === "suspended" || state === "paused") return ExitCode.suspended
  return state === "ended" && counts.failed + counts.held > 0 ? ExitCode.incomplete : ExitCode.done
}

/** The pace is that of the last minute. */
const paceMillis = 60_000

/** Makes the line of progress from one status after the other. */
export const makeLine = () => {
  const seen: Array<{ readonly at: number; readonly settled: number }> = []
  return (status: RunStatus, now: number): Work => {
    const settled = settledOf(status)
    seen.push({ at: now, settled })
    while (seen.length > 2 && (seen[1]?.at ?? now) < now - paceMillis) seen.shift()
    const [first = { at: now, settled }] = seen
    const perSecond = now === first.at ? 0 : ((settled - first.settled) * 1000) / (now - first.at)
    const { counts, credits, machines, slowedUntil } = status
    const parts = [
      `${count(settled)} of ${files(totalOf(status))}`,
      ...(perSecond > 0 ? [`${perSecond < 10 ? perSecond.toFixed(1) : count(Math.round(perSecond))}/s`] : []),
      ...(counts.failed === 0 ? [] : [`failed: ${failuresOf(status)}`]),
      ...(counts.held === 0 ? [] : [`${count(counts.held)} held`]),
      ...(credits === 0 ? [] : [`${count(credits)} credits`]),
      ...(machines > 1 ? [`${count(machines)} machines`] : []),
      ...(slowedUntil === undefined ? [] : ["the service is down"])
    ]
    return { done: settled, total: totalOf(status), amount: parts.join(", ") }
  }
}

/** For `--dry-run`. */
export const describePlan = (plan: Plan, operation: Operation["_tag"]): string => {
  const unit = operation === "Transcribe" ? "seconds of audio" : "code points"
  const unknown = plan.unknownCost === 0 ? "" : `, and ${files(plan.unknownCost)} of unknown length`
  return [
    `${files(plan.files)}, ${count(plan.bytes)} bytes. ${count(plan.done)} done already.`,
    `A run would send ${files(plan.toCall)}: ${count(plan.cost)} ${unit}${unknown}.`
  ].join("\n")
}
