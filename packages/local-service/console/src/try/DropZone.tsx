/** Takes a recording: a file that is chosen, or dropped anywhere on the half. */
import { useState } from "preact/hooks"
import { bytes } from "../format.js"
import { about } from "../state.js"
import { useStore } from "../store.js"

/** What an element needs so that a file can be dropped on it, and whether one is held over it. */
export const useDrop = (onFile: (file: File) => void) => {
  const [over, setOver] = useState(false)
  const attributes = {
    onDragOver: (event: DragEvent) => {
      event.preventDefault()
      setOver(true)
    },
    onDragLeave: ({ currentTarget, relatedTarget }: DragEvent) => {
      const isInside =
        relatedTarget instanceof Node && currentTarget instanceof Node && currentTarget.contains(relatedTarget)
      if (!isInside) setOver(false)
    },
    onDrop: (event: DragEvent) => {
      event.preventDefault()
      setOver(false)
      const [file] = event.dataTransfer?.files ?? []
      if (file !== undefined) onFile(file)
    }
  }
  return { attributes, over }
}

export interface DropZoneProps {
  readonly over: boolean
  readonly recording: File | undefined
  readonly onFile: (file: File) => void
}

export const DropZone = ({ onFile, over, recording }: DropZoneProps) => {
  const service = useStore(about)
  return (
    <div class="input">
      <span class="caption" aria-hidden="true">
        Recording
      </span>
      <label class="drop" data-over={over}>
        {recording && (
          <span>
            <bdi>{recording.name}</bdi> <span class="quiet">{bytes(recording.size)}</span>
          </span>
        )}
        <span class={recording && "quiet"}>
          Drop a recording here, or <span class="link">choose a file</span>
        </span>
        <span class="quiet">Its transcription starts at once.</span>
        <input
          id="listen-file"
          type="file"
          class="hidden"
          accept="audio/*,video/webm,.wav,.mp3,.m4a,.flac,.ogg,.webm"
          onChange={(event) => {
            const [file] = event.currentTarget.files ?? []
            if (file !== undefined) onFile(file)
            // The same file can be chosen again.
            event.currentTarget.value = ""
          }}
        />
      </label>
      <p class="quiet">
        {service?.containers.join(", ") ?? "wav, mp3, m4a, flac, ogg, webm"}
        {service && ` · ${service.price.perSecond} ${service.price.perSecond === 1 ? "credit" : "credits"} a second`}
      </p>
    </div>
  )
}
