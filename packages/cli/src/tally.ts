/**
 * How much of a long text or recording is done, from the events of its run: in code points, or in milliseconds.
 */
import type { JobLine } from "./progress.js"

export class Tally {
  /** `undefined`: not known yet. */
  total: number | undefined
  #done = 0
  #before = 0

  /** `isBefore`: an earlier run has done it. */
  add(amount: number, isBefore: boolean): void {
    this.#done += amount
    if (isBefore) this.#before += amount
  }

  get left(): number | undefined {
    return this.total === undefined ? undefined : Math.max(0, Math.round(this.total - this.#done))
  }

  /** Shows it in words, such as `12 of 60 minutes`. */
  show(job: JobLine, describe: (done: number, total: number | undefined) => string) {
    return job.show({ done: this.#done, total: this.total, amount: describe(this.#done, this.total) }, this.#before)
  }
}
