/** The whole text of a run, to read, copy and save. */
import { useRef, useState } from "preact/hooks"
import { copy, say } from "../notices.js"
import type { Run, RunFile } from "./groupRuns.js"
import { gapsOf, titleOfFile, wordsOfCall } from "./runText.js"
import type { WholeText } from "./wholeText.js"

type Format = "txt" | "srt" | "vtt"

const formatNames = { srt: "SRT", vtt: "WebVTT" } as const
const mediaTypes: Readonly<Record<Format, string>> = { txt: "text/plain", srt: "application/x-subrip", vtt: "text/vtt" }

const save = (name: string, format: Format, content: string): void => {
  const link = document.createElement("a")
  link.href = URL.createObjectURL(new Blob([content], { type: `${mediaTypes[format]};charset=utf-8` }))
  link.download = `${name}.${format}`
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}

/** A name of a file of every system. */
const fileNameOf = (file: RunFile): string =>
  titleOfFile(file)
    .text.replace(/[\\/:*?"<>|\p{Cc}…]+/gu, " ")
    .trim()
    .slice(0, 60) || "text"

/** Whether the service was asked for the times of segments. */
const hasTimes = (file: RunFile): boolean => file.calls.some(({ latest }) => latest.request?.aux === "true")

/** Reads the whole text, and reads it again only if the run has changed. */
const useWholeText = (run: Run) => {
  const read = useRef<{ readonly of: Run; readonly whole: WholeText } | undefined>(undefined)
  const [progress, setProgress] = useState<string | undefined>(undefined)
  const [problem, setProblem] = useState<string | undefined>(undefined)
  const get = async (): Promise<WholeText | undefined> => {
    if (read.current?.of === run) return read.current.whole
    setProblem(undefined)
    setProgress("Reading…")
    try {
      const { readTranscript, textOfPieces } = await import("./wholeText.js")
      const reading =
        run.kind === "text"
          ? { ok: true as const, value: textOfPieces(run.calls) }
          : await readTranscript(run.calls, (count) => setProgress(`Reading: ${count} of ${run.counts.done} pieces`))
      if (!reading.ok) {
        setProblem(reading.problem)
        return undefined
      }
      read.current = { of: run, whole: reading.value }
      return reading.value
    } catch {
      setProblem("A part of this page could not be loaded. Check that the service is still running, then try again.")
      return undefined
    } finally {
      setProgress(undefined)
    }
  }
  return { get, problem, progress }
}

export const WholeRun = ({ file, run }: { readonly run: Run; readonly file: RunFile }) => {
  const { get, problem, progress } = useWholeText(run)
  const [shown, setShown] = useState<string | undefined>(undefined)
  const isBusy = progress !== undefined
  const use = (action: (whole: WholeText) => void | Promise<void>) => async () => {
    if (isBusy) return
    const whole = await get()
    if (whole !== undefined) await action(whole)
  }
  const saveSubtitles = (format: "srt" | "vtt") =>
    use(async ({ segments }) => {
      if (!segments.some(({ times }) => times === "service")) {
        return say("The responses have no times, so there are no subtitles.")
      }
      const { subtitles } = await import("./wholeText.js")
      save(fileNameOf(file), format, subtitles(segments, format))
    })
  const isRecording = run.kind === "recording"
  const withTimes = isRecording && hasTimes(file)
  const lang = file.calls[0] && wordsOfCall(file.calls[0]).lang
  const gaps = gapsOf(run.kind, file)
  return (
    <section class="run-whole" aria-label="The whole text">
      <div class="actions">
        <button
          type="button"
          aria-disabled={isBusy}
          aria-expanded={shown !== undefined}
          onClick={shown === undefined ? use(({ text }) => setShown(text)) : () => setShown(undefined)}
        >
          {shown === undefined ? "Show the text" : "Hide the text"}
        </button>
        <button type="button" aria-disabled={isBusy} onClick={use(({ text }) => copy("the text", text))}>
          Copy the text
        </button>
        <button
          type="button"
          aria-disabled={isBusy}
          onClick={use(({ text }) => save(fileNameOf(file), "txt", `${text}\n`))}
        >
          Save as TXT
        </button>
        {withTimes &&
          (["srt", "vtt"] as const).map((format) => (
            <button key={format} type="button" aria-disabled={isBusy} onClick={saveSubtitles(format)}>
              Save as {formatNames[format]}
            </button>
          ))}
      </div>
      <p class="quiet" aria-live="polite">
        {progress}
      </p>
      {isRecording && !withTimes && (
        <p class="quiet">
          No subtitles: the requests did not ask for times. Send <code>aux</code> as <code>true</code>.
        </p>
      )}
      {gaps && <p class="quiet">{gaps}</p>}
      {problem && (
        <p class="failure" role="alert">
          {problem}
        </p>
      )}
      {shown !== undefined && (
        <p class="run-text" dir="auto" lang={lang}>
          {shown === "" ? "Nothing was recognised." : shown}
        </p>
      )}
    </section>
  )
}
