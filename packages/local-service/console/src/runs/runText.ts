/** A run in words. Only what its requests say is told: neither how many pieces are still to come nor that it has ended. */
import type { JournalEntry } from "../../../src/Journal.js"
import { duration, number, plural } from "../format.js"
import type { Run, RunCall, RunFile, RunKind } from "./groupRuns.js"

export const kindNames: Readonly<Record<RunKind, string>> = {
  text: "long text",
  recording: "long recording",
  archive: "archive"
}

/** Words with their language, if it is known. */
export interface Words {
  readonly text: string
  readonly lang?: string | undefined
}

const longestTitle = 80

const textOf = ({ request }: JournalEntry): Words | undefined => {
  const { lang, text } = request ?? {}
  if (typeof text !== "string" || text.trim() === "") return undefined
  const line = text.trim().replace(/\s+/g, " ")
  const characters = Array.from(line.slice(0, longestTitle * 2))
  const isLonger = line.length > longestTitle * 2 || characters.length > longestTitle
  return {
    text: isLonger ? `${characters.slice(0, longestTitle).join("").trim()}…` : line,
    lang: typeof lang === "string" ? lang : undefined
  }
}

/** The first words of a text, or the name of a recording. */
export const titleOfFile = ({ calls, id }: RunFile): Words => {
  const [first] = calls
  const recording = first?.piece?.recording ?? first?.latest.fileName
  if (recording !== undefined) return { text: recording }
  return (first && textOf(first.latest)) ?? { text: id }
}

export const titleOf = ({ files, id, kind }: Run): Words => {
  const [file] = files
  return kind === "archive" || file === undefined ? { text: `Archive ${id}` } : titleOfFile(file)
}

/** How a run stands: what went wrong or goes on, before what is done. */
export const standing = ({ counts: { busy, done, failed } }: Run): { readonly words: string; readonly kind: string } =>
  failed > 0
    ? { words: `${number(failed)} failed`, kind: "bad" }
    : busy > 0
      ? { words: `${number(busy)} in progress`, kind: "busy" }
      : { words: `${number(done)} done`, kind: "good" }

/** A run whose client may be between two pieces. */
const shortPause = 15_000
const longestQuiet = 3_600_000

/** What happens to the run now, beside its standing. Empty if nothing did for an hour: its times say enough. */
export const activity = ({ activeAt, counts }: Run, now: number): string => {
  if (counts.busy > 0) return counts.failed > 0 ? `${number(counts.busy)} in progress` : ""
  const quiet = now - activeAt
  if (quiet < shortPause) return "active"
  if (quiet > longestQuiet) return ""
  return `quiet for ${quiet < 60_000 ? `${Math.floor(quiet / 1000)} s` : `${Math.floor(quiet / 60_000)} min`}`
}

const fewMinutes = 120_000

/** How much there is of it. While more may come, it says "so far". */
export const amount = (run: Run, now: number): string => {
  const { calls, counts, files, kind } = run
  const soFar = counts.busy > 0 || now - run.activeAt < fewMinutes ? " so far" : ""
  if (kind !== "archive") return `${plural(calls.length, "piece")}${soFar}`
  const inPieces = calls.length > files.length ? ` in ${plural(calls.length, "request")}` : ""
  return `${plural(files.length, "file")}${inPieces}${soFar}`
}

/** The facts of a run, the most important first. */
export const factsOf = (run: Run, now: number): ReadonlyArray<string> => {
  const { audioMillis, calls, counts, credits, kind, requests } = run
  const again = requests - calls.length
  return [
    kindNames[kind],
    amount(run, now),
    // Its standing says only what failed.
    counts.failed > 0 && counts.done > 0 ? `${number(counts.done)} done` : "",
    again > 0 ? `${number(again)} sent again` : "",
    audioMillis > 0 ? `${duration(audioMillis)} of audio` : "",
    credits > 0 ? plural(credits, "credit") : ""
  ].filter((fact) => fact !== "")
}

/** Numbers that follow each other: the first and the last one. */
type Range = readonly [from: number, to: number]

/** The numbers of the pieces that no request is of, up to the last one that is here. A number may be any that an id holds. */
const missingRanges = ({ calls }: RunFile): ReadonlyArray<Range> => {
  const missing: Array<Range> = []
  let next = 1
  for (const { piece } of calls) {
    if (piece === undefined || piece.number < next) continue
    if (piece.number > next) missing.push([next, piece.number - 1])
    next = piece.number + 1
  }
  return missing
}

/** Numbers in ascending order as ranges. */
const rangesOf = (numbers: ReadonlyArray<number>): ReadonlyArray<Range> => {
  const found: Array<Range> = []
  for (const each of numbers) {
    const [from, to] = found.at(-1) ?? []
    if (from !== undefined && to === each - 1) found[found.length - 1] = [from, each]
    else found.push([each, each])
  }
  return found
}

const shownRanges = 5

/** Such as "pieces 1–3 and 7". */
const piecesNumbered = (ranges: ReadonlyArray<Range>): string => {
  const [first] = ranges
  const noun = ranges.length === 1 && first?.[0] === first?.[1] ? "piece" : "pieces"
  const shown = ranges.slice(0, shownRanges).map(([from, to]) => (from === to ? `${from}` : `${from}–${to}`))
  if (ranges.length > shownRanges) return `${noun} ${shown.join(", ")} and more`
  return `${noun} ${shown.length < 2 ? shown.join("") : `${shown.slice(0, -1).join(", ")} and ${shown.at(-1)}`}`
}

/** What the whole text lacks. `undefined` if every piece up to the last one is here, with its text. */
export const gapsOf = (kind: RunKind, file: RunFile): string | undefined => {
  const missing = missingRanges(file)
  const open =
    kind === "text"
      ? []
      : rangesOf(
          file.calls.flatMap(({ piece, state }) => (state === "done" || piece === undefined ? [] : piece.number))
        )
  const reasons = [
    missing.length > 0 &&
      `No request is here of ${piecesNumbered(missing)}: silence and what an earlier run has kept are not sent, and the journal forgets its oldest requests.`,
    open.length > 0 && `There is no transcript of ${piecesNumbered(open)} yet.`
  ].filter((reason) => reason !== false)
  return reasons.length === 0 ? undefined : reasons.join(" ")
}

/** A time in a recording, such as 4:58 or 1:04:58. */
const clock = (millis: number): string => {
  const seconds = Math.floor(millis / 1000)
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60]
  const rest = String(seconds % 60).padStart(2, "0")
  return hours === 0 ? `${minutes}:${rest}` : `${hours}:${String(minutes).padStart(2, "0")}:${rest}`
}

/** From where to where a piece is in its recording. Empty if it is of none. */
export const placeOf = (startMillis: number | undefined, audioMillis: number | undefined): string => {
  if (startMillis === undefined) return ""
  return audioMillis === undefined
    ? `from ${clock(startMillis)}`
    : `${clock(startMillis)}–${clock(startMillis + audioMillis)}`
}

/** What a call says in a line: why it failed, or its text. */
export const wordsOfCall = ({ latest, state }: RunCall): Words => {
  const { fileName, problem, request, status, transcript } = latest
  if (state === "failed") return { text: problem ?? (status === null ? "There was no response." : `Status ${status}`) }
  const { model } = request ?? {}
  const lang = typeof model === "string" ? /^[a-z]{2,3}(?=-)/.exec(model)?.[0] : undefined
  if (transcript !== undefined) {
    return transcript.trim() === "" ? { text: "Nothing was recognised" } : { text: transcript, lang }
  }
  return textOf(latest) ?? { text: fileName ?? "" }
}
