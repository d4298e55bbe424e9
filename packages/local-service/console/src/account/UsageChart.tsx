/** The usage of each day, as bars with a scale and as a table. */
import type { Usage } from "../../../src/Accounts.js"
import { number, plural, shortNumber } from "../format.js"
import { Section } from "../Section.js"
import { usage } from "../state.js"
import { useStore } from "../store.js"
import { Table } from "../Table.js"
import { creditsOf, type Day, daysUntil, scaleOf } from "./usageDays.js"

type Records = ReadonlyArray<Usage>

export const UsageChart = () => {
  const records = useStore(usage)
  return (
    <Section class="usage" title="Usage" beside={<span class="quiet">credits of each day, in UTC</span>}>
      {records === undefined ? (
        <p class="empty">Reading the usage…</p>
      ) : records.length === 0 ? (
        <p class="empty">No usage yet. Each day of calls becomes a bar here.</p>
      ) : (
        <UsageOf records={records} />
      )}
    </Section>
  )
}

const dayCount = 14

const UsageOf = ({ records }: { readonly records: Records }) => {
  const days = daysUntil(new Date().toISOString().slice(0, 10), records, dayCount)
  const today = days.at(-1)
  const all = days.reduce((sum, day) => sum + creditsOf(day), 0)
  return (
    <>
      <ul class="tally">
        <li>
          <strong>{number(today === undefined ? 0 : creditsOf(today))}</strong> today
        </li>
        <li>
          <strong>{number(all)}</strong> in {dayCount} days
        </li>
        <li class="legend">
          <span class="swatch synthesis" /> synthesis
        </li>
        <li class="legend">
          <span class="swatch transcription" /> transcription
        </li>
      </ul>
      <Chart days={days} />
      <details>
        <summary>Usage as a table</summary>
        <UsageTable records={records} />
      </details>
    </>
  )
}

const dayName = new Intl.DateTimeFormat("en", { month: "short", day: "numeric", timeZone: "UTC" })
const nameOf = (date: string): string => dayName.format(new Date(date))

const Chart = ({ days }: { readonly days: ReadonlyArray<Day> }) => {
  const scale = scaleOf(Math.max(...days.map(creditsOf)))
  const top = scale.at(-1) ?? 1
  const share = (credits: number) => ({ height: `${(100 * credits) / top}%` })
  const most = Math.max(...days.map(creditsOf))
  return (
    <div
      class="chart"
      role="img"
      aria-label={`Credits of the last ${plural(days.length, "day")}: at most ${number(most)} in a day. The table below has the numbers.`}
    >
      <div class="scale">
        {scale.map((value) => (
          <span key={value} style={{ bottom: `${(100 * value) / top}%` }}>
            {shortNumber(value)}
          </span>
        ))}
      </div>
      <div class="bars">
        {scale.map((value) => (
          <i key={value} style={{ bottom: `${(100 * value) / top}%` }} />
        ))}
        {days.map((day) => (
          <div
            key={day.date}
            class="bar"
            title={`${nameOf(day.date)}: synthesis ${number(day.synthesize)}, transcription ${number(day.transcribe)}`}
          >
            <span class="transcription" style={share(day.transcribe)} />
            <span class="synthesis" style={share(day.synthesize)} />
          </div>
        ))}
      </div>
      <div class="days">
        {days.map(({ date }, index) => (
          <span key={date}>{index % 3 === (days.length - 1) % 3 && nameOf(date)}</span>
        ))}
      </div>
    </div>
  )
}

const columns = [["Day"], ["Operation"], ["Calls", "end"], ["Units", "end"], ["Credits", "end"]] as const

const UsageTable = ({ records }: { readonly records: Records }) => (
  <Table class="small" caption="Usage by day and operation" columns={columns}>
    {records.map(({ calls, credits, date, operation, units }) => (
      <tr key={`${date} ${operation}`}>
        <td>{date}</td>
        <td>{operation}</td>
        <td class="end">{number(calls)}</td>
        <td class="end">{number(units)}</td>
        <td class="end">{number(credits)}</td>
      </tr>
    ))}
  </Table>
)
