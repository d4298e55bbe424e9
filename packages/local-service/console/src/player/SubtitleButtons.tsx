/** Saves the segments of a recording as subtitles. */
import type { TranscriptSegment } from "../../../src/internal/console/messages.js"
import { saveFile } from "../saveFile.js"

const kinds = [
  { ending: "srt", title: "SRT", type: "application/x-subrip" },
  { ending: "vtt", title: "WebVTT", type: "text/vtt" }
] as const

export interface SubtitleButtonsProps {
  /** Name of the recording's file. */
  readonly fileName: string
  readonly segments: ReadonlyArray<TranscriptSegment>
}

export const SubtitleButtons = ({ fileName, segments }: SubtitleButtonsProps) => {
  const save = async ({ ending, type }: (typeof kinds)[number]) => {
    const { layout, toSrt, toVtt } = await import("@effect-speech/long-form/Subtitles")
    const cues = layout(segments.map(({ end, start, text }) => ({ startMillis: start, endMillis: end, text })))
    saveFile(`${fileName.replace(/\.\w+$/, "")}.${ending}`, (ending === "srt" ? toSrt : toVtt)(cues), type)
  }
  return (
    <>
      {kinds.map((kind) => (
        <button key={kind.ending} type="button" aria-label={`Save as ${kind.title}`} onClick={() => void save(kind)}>
          {kind.title}
        </button>
      ))}
    </>
  )
}
