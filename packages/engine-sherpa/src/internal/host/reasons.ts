/**
 * Why a process ended, as a sentence without paths: it may be shown to the client of a service.
 */
import { resolve } from "node:path"
import * as Printable from "@effect-speech/common/Printable"
import * as RegExps from "effect/RegExp"
import type { Ending } from "../supervision/machine.js"

/** As many lines of the process's own words count. The reason of an end comes last. */
export const keptLines = 20

/** In UTF-16 units. The model of onnxruntime may describe itself for pages. */
const longest = 500

/** Signals by which the system ends a process that does something impossible. Any other comes from outside. */
const ownSignals: ReadonlyArray<string> = ["SIGABRT", "SIGBUS", "SIGFPE", "SIGILL", "SIGSEGV", "SIGTRAP"]

export interface Facts {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /** Why it refused the model. Default: it did not say. */
  readonly refusal?: string | undefined
  /** The last lines that it wrote to its standard error. If it was loaded, only those {@link isOfNetwork}. */
  readonly lines: ReadonlyArray<string>
  /** The folder of the model, whose name a reason does not show. */
  readonly folder: string
}

/** Where a line of sherpa-onnx comes from, and a line of onnxruntime with its time. */
const origin = /^(?:(?:[A-Za-z]:)?[^\s:]*\.(?:cc|cpp|h):(?:[^\s:]*:)?\d+:? |\S+ \S+ \[\w:onnxruntime:[^\]]*\] )/

const colours = new RegExp(`${String.fromCharCode(27)}\\[[\\d;]*m`, "g")

/**
 * Whether a line is an error of onnxruntime in the network. Other lines of a model that works may have the words of its clients: those
 * that are not in its lexicon, or hotwords.
 */
export const isOfNetwork = (line: string): boolean =>
  /^(?:\S+ \S+ \[[EF]:onnxruntime:|(?:what\(\): +)?Non-zero status code )/.test(line.replaceAll(colours, "").trim())

/** A path as far as its last part. */
const folders = /(?:file:\/\/)?(?<![\w.])(?:[A-Za-z]:)?(?:[\\/][^\s\\/'":,()]+)*[\\/](?=[^\s\\/'":,()])/g

/** The end of a line, from a word on. The expressions below take too long for a line of many thousand characters. */
const endOf = (line: string): string => (line.length > longest ? line.slice(-longest).replace(/^\S*/, "…") : line)

/** A relative name of a folder, such as `en`, may also be a part of a word. */
const withoutFolder = (line: string, folder: string): string =>
  line
    .replaceAll(resolve(folder), "")
    .replaceAll(new RegExp(`(?<![\\p{L}\\p{M}\\p{N}_.-])${RegExps.escape(folder)}(?=[\\\\/])`, "gu"), "")

const plain = (line: string, folder: string): string =>
  withoutFolder(endOf(line.replaceAll(colours, "").trim()).replace(origin, ""), folder)
    .replaceAll(folders, "")
    .trim()

const asSentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)

const shortened = (text: string): string => (text.length > longest ? `… ${text.slice(-longest)}` : text)

/** Why a process failed on a piece of work, in plain words. If it gave no reason, its last line is one. */
export const plainReason = (reason: string, { folder, lines }: Pick<Facts, "folder" | "lines">): string => {
  const said = [...lines.map((line) => plain(line, folder)), plain(reason, folder)].filter((line) => line !== "")
  return shortened(Printable.line(said.at(-1) ?? "It gave no reason."))
}

/** What the process said, in plain words. */
const words = ({ folder, lines, refusal }: Facts): string => {
  // The lines of a stack.
  const said = lines.filter((line) => !/^\s+at /.test(line)).map((line) => plain(line, folder))
  const kept = said.filter((line) => line !== "").slice(-keptLines)
  return shortened(Printable.line(kept.length > 0 ? kept.map(asSentence).join(" ") : plain(refusal ?? "", folder)))
}

export const endingOf = (facts: Facts): Ending => {
  const { code, refusal, signal } = facts
  const killed = refusal === undefined && signal !== null && !ownSignals.includes(signal)
  const how = signal === null ? `with exit code ${code}` : `by ${signal}`
  // What it wrote before has nothing to do with a signal from outside.
  const said = killed ? "" : words(facts)
  return { killed, cause: said === "" ? `Its process ended ${how}.` : asSentence(said) }
}
