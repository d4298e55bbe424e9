/** Records from the microphone. */
import { useEffect, useRef, useState } from "preact/hooks"
import { position } from "../format.js"

/** Containers that browsers record, with the ending of the file's name. */
const recordingTypes = [
  ["audio/webm;codecs=opus", "webm"],
  ["audio/ogg;codecs=opus", "ogg"],
  ["audio/mp4", "m4a"]
] as const

export const Microphone = ({ onRecording }: { readonly onRecording: (file: File) => void }) => {
  const recorder = useRef<MediaRecorder | undefined>(undefined)
  const [startedAt, setStartedAt] = useState<number>()
  const [seconds, setSeconds] = useState(0)
  const [problem, setProblem] = useState<string>()

  useEffect(() => {
    if (startedAt === undefined) return
    const ticking = setInterval(() => setSeconds((performance.now() - startedAt) / 1000), 200)
    return () => clearInterval(ticking)
  }, [startedAt])

  useEffect(
    () => () => {
      for (const track of recorder.current?.stream.getTracks() ?? []) track.stop()
    },
    []
  )

  const start = async () => {
    setProblem(undefined)
    const type = recordingTypes.find(([mime]) => globalThis.MediaRecorder?.isTypeSupported(mime))
    if (navigator.mediaDevices === undefined || type === undefined) {
      return setProblem("This browser does not record here. Open the page on this machine, at 127.0.0.1.")
    }
    try {
      const stream = await navigator.mediaDevices.getUserMedia({ audio: { channelCount: 1 } })
      const [mimeType, ending] = type
      const chunks: Array<Blob> = []
      const made = new MediaRecorder(stream, { mimeType })
      recorder.current = made
      made.addEventListener("dataavailable", ({ data }) => chunks.push(data))
      made.addEventListener("stop", () => {
        for (const track of stream.getTracks()) track.stop()
        setStartedAt(undefined)
        onRecording(new File(chunks, `microphone.${ending}`, { type: mimeType.split(";")[0] ?? mimeType }))
      })
      made.start()
      setSeconds(0)
      setStartedAt(performance.now())
    } catch {
      setProblem("The browser gave no access to a microphone. Allow it in the settings of this page, then try again.")
    }
  }

  return (
    <div class="microphone">
      {startedAt === undefined ? (
        <button type="button" aria-label="Record from the microphone" onClick={() => void start()}>
          Record
        </button>
      ) : (
        <button type="button" class="recording" onClick={() => recorder.current?.stop()}>
          Stop and transcribe <span class="times">{position(seconds)}</span>
        </button>
      )}
      {problem && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
    </div>
  )
}
