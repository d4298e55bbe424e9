/** The result of a transcription. */
import type { Transcript } from "../../../src/internal/console/messages.js"
import { percent, sentence, took } from "../format.js"
import { RequestLink } from "./RequestLink.js"
import { telephony } from "./recognition.js"

export interface TranscriptionProps {
  /** Name of the recording's file. */
  readonly name: string
  /** Code of the language, if it is known. */
  readonly lang: string | undefined
  readonly transcript: Transcript
  readonly onAgain: () => void
}

export const Transcription = ({ lang, name, onAgain, transcript }: TranscriptionProps) => {
  const { callId, confidence, notice, text, tookMillis, warnings } = transcript
  return (
    <>
      <p class="transcript" dir="auto" lang={lang}>
        {text || <span class="quiet">Nothing was recognised.</span>}
      </p>
      <p class="quiet">
        <bdi>{name}</bdi>
        {confidence !== null && ` · confidence ${percent(confidence)}`}
        {` · took ${took(tookMillis)} · `}
        <RequestLink id={callId} />
      </p>
      {notice !== null && <p class="notice">{sentence(notice)}</p>}
      {warnings.map(({ message }) => (
        <div key={message} class="notice">
          <p>{message}</p>
          {/* A warning that the conversion mends names it. */}
          {message.includes("telephony") && (
            <button
              type="button"
              onClick={() => {
                telephony.set(true)
                onAgain()
              }}
            >
              Send it with telephony
            </button>
          )}
        </div>
      ))}
    </>
  )
}
