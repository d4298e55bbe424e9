/** The attempts of a call as bars on one time axis. */
import { took } from "../format.js"
import type { Call } from "./calls.js"
import { pauseMillis } from "./explain.js"
import { statusOf } from "./outcome.js"
import { linkToPlace, type Place } from "./requestList.js"

export interface AttemptsProps {
  readonly call: Call
  /** The number of the request that is shown. */
  readonly shown: number
  readonly filter: Place["filter"]
}

export const Attempts = ({ call: { attempts, first, latest }, filter, shown }: AttemptsProps) => {
  const start = Date.parse(first.at)
  const whole = Math.max(1, Date.parse(latest.at) + (latest.millis ?? 0) - start)
  const share = (millis: number) => `${(100 * Math.max(0, millis)) / whole}%`
  return (
    <section class="pane-part" aria-label="Attempts">
      <h3>Attempts</h3>
      <ol class="attempts">
        {attempts.map((attempt, index) => {
          const status = statusOf(attempt)
          const before = attempts[index - 1]
          return (
            <li key={attempt.number}>
              <a
                href={linkToPlace({ filter, open: attempt.number })}
                aria-current={attempt.number === shown ? "true" : undefined}
                aria-label={`${index + 1}: request ${attempt.number}`}
              >
                {index + 1}
              </a>
              <span class="attempt-axis" aria-hidden="true">
                <span
                  data-kind={status.kind}
                  style={{ left: share(Date.parse(attempt.at) - start), width: share(attempt.millis ?? 0) }}
                />
              </span>
              <span class="attempt-result" data-kind={status.kind}>
                {status.word}
                {attempt.millis !== null && ` · ${took(attempt.millis)}`}
                {before !== undefined && `, after ${took(pauseMillis(before, attempt))}`}
              </span>
            </li>
          )
        })}
      </ol>
    </section>
  )
}
