/** What was spoken or uploaded, to hear, and its transcript. */
import { useMemo, useState } from "preact/hooks"
import type { RequestDetails } from "../../../src/internal/console/messages.js"
import type { JournalEntry } from "../../../src/Journal.js"
import { type Outcome, send } from "../api.js"
import { bytes, duration, percent, plural } from "../format.js"
import { FailureNote } from "../notices.js"
import { Player } from "../player/Player.js"
import { useCall } from "../useCall.js"
import { languageOf } from "./rowText.js"
import { readTranscript } from "./transcript.js"

export interface RecordingProps {
  readonly entry: JournalEntry
  readonly details: RequestDetails
}

/** Reads the audio of a request. */
export const readAudio = async ({ entry, details: { audio } }: RecordingProps): Promise<Outcome<File>> => {
  const sent = await send("GET", `platform/api/requests/${entry.number}/audio`)
  if (!sent.ok) return sent
  try {
    const content = await sent.value.blob()
    return { ok: true, value: new File([content], audio?.fileName ?? "recording", { type: audio?.mediaType ?? "" }) }
  } catch {
    return { ok: false, status: undefined, failure: { message: "The audio ended before it was whole. Try again." } }
  }
}

/** Characters of a transcript that the title of the request has room for. */
const shownInTitle = 120

export const Recording = ({ details, entry }: RecordingProps) => {
  const [recording, setRecording] = useState<File>()
  const { busy, failure, make } = useCall()
  const { audio, response } = details
  const { audioMillis, number: own, operation } = entry
  const heard = useMemo(() => readTranscript(response?.body), [response?.body])
  const isSpoken = operation === "synthesize"
  const name = isSpoken ? "what was spoken" : "what was uploaded"
  if (audio === null && heard === undefined) return null
  const facts = [
    audioMillis !== undefined && duration(audioMillis),
    audio !== null && bytes(audio.byteLength),
    heard?.confidence !== undefined && `confidence ${percent(heard.confidence)}`
  ]
  return (
    <section class="pane-part" aria-label={isSpoken ? `Speech of request ${own}` : `Recording of request ${own}`}>
      <h3>{isSpoken ? "Speech" : "Recording"}</h3>
      {heard !== undefined && heard.text.length > shownInTitle && (
        <p class="pane-transcript">
          <bdi lang={languageOf(entry)}>{heard.text}</bdi>
        </p>
      )}
      {audio === null ? (
        <p class="quiet">
          The recording is not kept.
          {heard !== undefined && heard.segments.length > 0 && ` ${plural(heard.segments.length, "segment")}.`}
        </p>
      ) : recording === undefined ? (
        <div class="actions">
          <button
            type="button"
            aria-busy={busy}
            onClick={async () => setRecording(await make(() => readAudio({ entry, details })))}
          >
            <svg class="play" viewBox="0 0 16 16" aria-hidden="true">
              <path d="M5 3l8 5-8 5z" />
            </svg>
            Play {name}
          </button>
          <span class="quiet">{facts.filter(Boolean).join(" · ")}</span>
        </div>
      ) : (
        <Player
          recording={recording}
          fileName={recording.name}
          segments={heard?.segments}
          label={`${name} in request ${own}`}
          autoplay
        />
      )}
      {failure && <FailureNote failure={failure} />}
    </section>
  )
}
