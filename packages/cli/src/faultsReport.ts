/**
 * The report of the faults of a file: as a table on standard error, and as a file.
 */
import type { FileSystem } from "@effect/platform/FileSystem"
import type { FaultedRequest, FaultSummary } from "@effect-speech/local-service/FaultedRequest"
import type { Fault, FaultReport, FaultsService } from "@effect-speech/local-service/Faults"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Given } from "./declaration.js"
import type { OutputFailed } from "./failure.js"
import { applying, count, plural, say, unlessQuiet } from "./message.js"
import { writeText } from "./output.js"

/** Prints and writes the report at the end of an effect, also if it is interrupted. Without `--faults` there is none. */
export const reportingFaults =
  ({ faults: file, faultsReport }: Given<"run">, faults: FaultsService) =>
  <A, E, R>(use: Effect.Effect<A, E, R>): Effect.Effect<A, E | OutputFailed, R | FileSystem> =>
    file === undefined
      ? use
      : Effect.uninterruptibleMask((restore) =>
          Effect.flatMap(Effect.exit(restore(use)), (exit) =>
            printReport(faults, faultsReport).pipe(
              // The failure of the command says more than that of its report.
              Effect.catchAll((error) => (Exit.isSuccess(exit) ? error : say(error.message))),
              Effect.zipRight(exit)
            )
          )
        )

const printReport = (faults: FaultsService, path: string | undefined) =>
  Effect.gen(function* () {
    const report = yield* faults.report
    yield* unlessQuiet(Effect.forEach(describeReport(report), (line) => Console.error(line), { discard: true }))
    if (path !== undefined) yield* writeText(path, `${JSON.stringify(report, undefined, 2)}\n`)
  })

/** More rows than a person reads. */
const mostRows = 50

/** The report as lines: a table of requests, and how many have which result. */
export const describeReport = (report: FaultReport): ReadonlyArray<string> => {
  const { faults, leftOut, requests, summary } = report
  const rows = requests.slice(-mostRows).map((request) => rowOf(request, report))
  const hidden = leftOut + requests.length - rows.length
  const idle = faults.flatMap(({ fault, happened }, index) =>
    happened === 0 ? [`No request met fault ${index + 1} (${describeFault(fault)}).`] : []
  )
  return applying(
    ...(rows.length === 0 ? [] : table([["time", "request", "fault", "what the client did"], ...rows])),
    hidden > 0 && `${plural(hidden, "earlier request")} met a fault too. --faults-report FILE has the latest 10,000.`,
    ...idle,
    describeSummary(summary, requests.length),
    describeRetryAfter(summary)
  )
}

const table = (rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> => {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd()
  )
}

const rowOf = (request: FaultedRequest, { elapsedMillis, faults }: FaultReport): ReadonlyArray<string> => {
  const { arrivedMillis, fault, id, number, operation } = request
  const record = faults[fault - 1]
  return [
    seconds(arrivedMillis),
    `${number} ${operation}${id === null ? "" : ` ${id}`}`,
    `${fault}: ${record === undefined ? "" : describeFault(record.fault)}`,
    describeReaction(request, elapsedMillis)
  ]
}

const seconds = (millis: number): string => `${(millis / 1000).toFixed(3)} s`

const milliseconds = (millis: number): string => `${count(millis)} ms`

/** What happens to a request that meets the fault. */
const describeFault = (fault: Fault): string => {
  const { body, delayMillis, headers, malformedHeader, reset, stallAtByte, status, truncateAtByte } = fault
  const retryAfter = Object.entries(headers ?? {}).find(([name]) => name.toLowerCase() === "retry-after")?.[1]
  const changed = Object.keys(headers ?? {}).filter((name) => name.toLowerCase() !== "retry-after")
  return applying(
    status !== undefined && String(status),
    body !== undefined && "a body of its own",
    typeof retryAfter === "string" && `Retry-After: ${retryAfter}`,
    changed.length > 0 && `changed ${changed.join(", ")}`,
    delayMillis !== undefined && `${milliseconds(delayMillis)} late`,
    reset !== undefined && `reset at the ${reset}`,
    truncateAtByte !== undefined && `cut off after ${plural(truncateAtByte, "byte")}`,
    stallAtByte !== undefined && `stalled after ${plural(stallAtByte, "byte")}`,
    malformedHeader !== undefined && "malformed header"
  ).join(", ")
}

const outcomes = { succeeded: "succeeded", failed: "failed", underWay: "is in progress" } as const

const describeReaction = (request: FaultedRequest, elapsedMillis: number): string => {
  const { afterMillis, attempt, endedMillis, linkedBy, outcome, reaction, sameContent } = request
  switch (reaction) {
    case "retried": {
      const by = linkedBy === "content" ? " (the same content)" : ""
      return `retried after ${milliseconds(afterMillis ?? 0)}${by}${retryAfterOf(request)}: the call ${outcomes[outcome ?? "underWay"]}`
    }
    case "gaveUp": {
      const when = attempt === 1 ? "gave up at once" : `gave up after attempt ${attempt}`
      const also = sameContent === null ? "" : `; request ${sameContent} has the same content and another id`
      return `${when}, ${seconds(elapsedMillis - (endedMillis ?? 0))} before the end${also}`
    }
    case "delivered":
      return "got its response nevertheless"
    case "underWay":
      return "still waits"
    case "notKnown":
      return "not known: the body of this request or of a later one was not read"
  }
}

const retryAfterOf = ({ retryAfterHonoured, retryAfterMillis }: FaultedRequest): string => {
  if (retryAfterHonoured === null) return ""
  return retryAfterHonoured
    ? ", as Retry-After asked"
    : `, though Retry-After asked for ${milliseconds(retryAfterMillis ?? 0)}`
}

const describeSummary = (summary: FaultSummary, requests: number): string => {
  const {
    delivered,
    gaveUp,
    gaveUpAtOnce,
    notKnown,
    retriedAndFailed,
    retriedAndSucceeded,
    retriedAndUnderWay,
    underWay
  } = summary
  const results: ReadonlyArray<readonly [number, string]> = [
    [retriedAndSucceeded, "retried and succeeded"],
    [retriedAndFailed, "retried and failed"],
    [retriedAndUnderWay, "retried and in progress"],
    [gaveUpAtOnce, "gave up at once"],
    [gaveUp - gaveUpAtOnce, "gave up after several attempts"],
    [delivered, "got the response nevertheless"],
    [underWay, "still waiting"],
    [notKnown, "not known"]
  ]
  const parts = results.flatMap(([number, result]) => (number === 0 ? [] : [`${count(number)} ${result}`]))
  return requests === 0 ? "No request met a fault." : `${plural(requests, "request")} met a fault: ${parts.join(", ")}.`
}

const describeRetryAfter = ({ retryAfterHonoured, retryAfterIgnored }: FaultSummary): string | false =>
  retryAfterHonoured + retryAfterIgnored > 0 &&
  `Retry-After: honoured ${plural(retryAfterHonoured, "time")}, ignored ${plural(retryAfterIgnored, "time")}.`
