/** The usage of each day, as bars and as a table. */
import type { Usage } from "../../../src/Accounts.js"
import { number, plural } from "../format.js"
import { usage } from "../state.js"
import { useStore } from "../store.js"
import { Table } from "../Table.js"

type Records = ReadonlyArray<Usage>

export const UsageChart = () => {
  const records = useStore(usage)
  if (records === undefined) return <p class="empty">Reading the usage…</p>
  if (records.length === 0) {
    return <p class="empty">No usage yet. Each day of calls becomes a bar here.</p>
  }
  return (
    <>
      <h3>Usage</h3>
      <Bars records={records} />
      <p class="legend quiet">
        <span class="swatch synthesis" /> synthesis <span class="swatch transcription" /> transcription
      </p>
      <details>
        <summary>Usage as a table</summary>
        <UsageTable records={records} />
      </details>
    </>
  )
}

const days = 14
const chart = { width: 280, height: 96, gap: 4 }

const Bars = ({ records }: { readonly records: Records }) => {
  const dates = [...new Set(records.map(({ date }) => date))].slice(0, days).reverse()
  const of = (date: string, operation: Usage["operation"]) =>
    records.find((record) => record.date === date && record.operation === operation)?.credits ?? 0
  const most = Math.max(1, ...dates.map((date) => of(date, "synthesize") + of(date, "transcribe")))
  const step = chart.width / Math.max(7, dates.length)
  const tall = (credits: number) => (credits === 0 ? 0 : Math.max(1, (chart.height * credits) / most))
  return (
    <svg
      class="usage"
      viewBox={`0 0 ${chart.width} ${chart.height + 16}`}
      role="img"
      aria-label={`Credits used on each of the last ${plural(dates.length, "day")}: at most ${number(most)}. The table below has the numbers.`}
    >
      <path class="axis" d={`M0 ${chart.height + 0.5}H${chart.width}M0 .5H${chart.width}`} />
      {dates.map((date, index) => {
        const left = chart.width - (dates.length - index) * step + chart.gap / 2
        const synthesis = tall(of(date, "synthesize"))
        const transcription = tall(of(date, "transcribe"))
        const width = Math.min(24, step - chart.gap)
        return (
          <g key={date}>
            <rect class="synthesis" x={left} y={chart.height - synthesis} width={width} height={synthesis} />
            <rect
              class="transcription"
              x={left}
              y={chart.height - synthesis - transcription}
              width={width}
              height={transcription}
            />
            <text x={left + width / 2} y={chart.height + 12} text-anchor="middle">
              {date.slice(8)}
            </text>
          </g>
        )
      })}
    </svg>
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
