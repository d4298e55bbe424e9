/** The search field and the filters of the list. */
import type { ComponentChildren, RefObject } from "preact"
import { show } from "../address.js"
import { send } from "../api.js"
import { number } from "../format.js"
import { phase } from "../live.js"
import { confirmed, say } from "../notices.js"
import { requests } from "../state.js"
import { useStore } from "../store.js"
import { noFilter, prepareSearch, type RequestFilter } from "./filter.js"
import { linkToPlace, type Place } from "./requestList.js"

export const LiveState = () => {
  const current = useStore(phase)
  return (
    <span class="phase" role="status" data-phase={current}>
      {current}
    </span>
  )
}

export interface SearchFieldProps {
  readonly place: Place
  readonly field: RefObject<HTMLInputElement | null>
  /** Goes from the field to the list. */
  readonly onLeave: () => void
}

export const SearchField = ({ field, onLeave, place }: SearchFieldProps) => {
  const { filter } = place
  const search = (text: string) => show(linkToPlace({ ...place, filter: { ...filter, text } }), { replace: true })
  return (
    <input
      class="search"
      ref={field}
      type="search"
      aria-label="Search"
      placeholder="Text, id or status  /"
      aria-keyshortcuts="/"
      autocomplete="off"
      spellcheck={false}
      value={filter.text}
      onFocus={() => prepareSearch(requests.get() ?? [])}
      onInput={(event) => search(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === "Escape" && filter.text === "") event.currentTarget.blur()
        else if (event.key === "Escape") search("")
        else if (event.key === "ArrowDown" || event.key === "Enter") onLeave()
        else return
        event.preventDefault()
      }}
    />
  )
}

export interface ChipsProps {
  readonly place: Place
  readonly counts: { readonly failed: number; readonly progress: number }
}

export const Chips = ({ counts, place }: ChipsProps) => {
  const { filter } = place
  const change = (changes: Partial<RequestFilter>) => show(linkToPlace({ ...place, filter: { ...filter, ...changes } }))
  const result = (value: "failed" | "progress", name: string) => (
    <Chip
      isOn={filter.result === value}
      onToggle={(isOn) => change({ result: isOn ? value : undefined })}
      count={counts[value]}
    >
      {name}
    </Chip>
  )
  const operation = (value: "synthesis" | "transcription", name: string) => (
    <Chip isOn={filter.operation === value} onToggle={(isOn) => change({ operation: isOn ? value : undefined })}>
      {name}
    </Chip>
  )
  return (
    <fieldset class="chips">
      <legend class="hidden">Show only</legend>
      <Chip
        isOn={filter.result === undefined && filter.operation === undefined}
        onToggle={() => change({ ...noFilter, text: filter.text })}
      >
        All
      </Chip>
      {result("failed", "Failed")}
      {(counts.progress > 0 || filter.result === "progress") && result("progress", "In progress")}
      {operation("synthesis", "Synthesis")}
      {operation("transcription", "Transcription")}
    </fieldset>
  )
}

interface ChipProps {
  readonly isOn: boolean
  readonly onToggle: (isOn: boolean) => void
  readonly count?: number
  readonly children: ComponentChildren
}

const Chip = ({ children, count = 0, isOn, onToggle }: ChipProps) => (
  <button type="button" class="chip" aria-pressed={isOn} onClick={() => onToggle(!isOn)}>
    {children}
    {count > 0 && ` ${number(count)}`}
  </button>
)

export const ClearButton = () => (
  <button type="button" class="destructive clear" onClick={() => void clear()}>
    Clear
  </button>
)

const clear = async (): Promise<void> => {
  const isSure = await confirmed({
    title: "Remove all requests?",
    message: "The list becomes empty, and the audio of its requests is deleted. Credit and usage stay.",
    action: "Remove"
  })
  if (!isSure) return
  const outcome = await send("DELETE", "platform/api/requests")
  say(outcome.ok ? "All requests are removed." : outcome.failure.message)
}
