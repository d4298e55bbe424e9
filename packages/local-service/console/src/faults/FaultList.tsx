/** The faults that are set, each with a sentence, how often it happened and how long it still lasts. */
import { useId } from "preact/hooks"
import type { Fault, FaultRecord } from "../../../src/Faults.js"
import { number } from "../format.js"
import { describeFault, duration } from "./describeFault.js"
import { stateOf } from "./faultTimes.js"

export interface FaultListProps {
  readonly records: ReadonlyArray<FaultRecord>
  /** Whether the list was read from the service. */
  readonly isRead: boolean
  readonly onOff: (fault: Fault) => void
}

export const FaultList = ({ isRead, onOff, records }: FaultListProps) => {
  const id = useId()
  return (
    <section class="set" aria-labelledby={id}>
      <h2 id={id}>Now</h2>
      {records.length === 0 ? (
        <p class="empty">
          {isRead
            ? "No fault is set: the service responds as it should. Set one, then run your program and see what it does."
            : "Reading the faults…"}
        </p>
      ) : (
        <ol class="plain lines">
          {records.map((record, index) => (
            <Entry
              key={`${index} ${JSON.stringify(record.fault)}`}
              record={record}
              number={records.length > 1 ? index + 1 : undefined}
              onOff={onOff}
            />
          ))}
        </ol>
      )}
      {records.length > 0 && (
        <p class="quiet">
          If several faults match a request, the first one happens. Each change starts all counts and times again.
        </p>
      )}
    </section>
  )
}

interface EntryProps extends Pick<FaultListProps, "onOff"> {
  readonly record: FaultRecord
  /** The number of the fault in the report. Absent if there is one. */
  readonly number: number | undefined
}

const Entry = ({ number: own, onOff, record }: EntryProps) => {
  const sentence = describeFault(record.fault)
  const state = stateOf(record)
  const isPast = state === "spent" || state === "over"
  const action = isPast ? "Remove" : "Turn off"
  return (
    <li class="fault" data-state={state}>
      <div>
        <p class="sentence" dir="auto">
          {sentence}
        </p>
        <p class="quiet">
          {own !== undefined && `fault ${own} · `}
          <span class="fault-state">{state}</span> · {timesHappened(record.happened)}
          {timeLeft(record)}
        </p>
      </div>
      <button type="button" aria-label={`${action}: ${sentence}`} onClick={() => onOff(record.fault)}>
        {action}
      </button>
    </li>
  )
}

const timesHappened = (count: number): string => {
  if (count === 0) return "has not happened yet"
  return count === 1 ? "happened once" : `happened ${number(count)} times`
}

/** In whole seconds: a shorter rest would change too fast to read. */
const timeLeft = ({ beginsInMillis, endsInMillis }: FaultRecord): string => {
  const whole = (millis: number) => duration(Math.ceil(millis / 1000) * 1000)
  if (beginsInMillis !== undefined) return ` · begins in ${whole(beginsInMillis)}`
  return endsInMillis === undefined || endsInMillis === 0 ? "" : ` · ${whole(endsInMillis)} left`
}
