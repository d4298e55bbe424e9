export interface Side<T> {
  readonly name: string
  readonly run: () => T | Promise<T>
}

export interface Results<T> {
  readonly name: string
  readonly results: ReadonlyArray<T>
}

/**
 * Runs all sides in turn, round after round, so that other load on the machine affects them alike. Prints progress to stderr.
 *
 * `warmUp` adds a first round that does not count. A side that has run for `maximumMillis` skips the other rounds, after one
 * that counts. Default: no limit.
 */
export const interleave = async <T>(
  sides: ReadonlyArray<Side<T>>,
  {
    maximumMillis = Number.POSITIVE_INFINITY,
    rounds,
    warmUp = false
  }: { readonly maximumMillis?: number; readonly rounds: number; readonly warmUp?: boolean }
): Promise<ReadonlyArray<Results<T>>> => {
  const all = sides.map((side) => ({ ...side, results: [] as Array<T>, millis: 0 }))
  for (let round = warmUp ? 0 : 1; round <= rounds; round++) {
    for (const side of all) {
      if (side.results.length > 0 && side.millis > maximumMillis) continue
      console.error(`${side.name}, round ${round} of ${rounds}`)
      const start = performance.now()
      const result = await side.run()
      side.millis += performance.now() - start
      if (round > 0) side.results.push(result)
    }
  }
  return all
}

/** The results of one side. */
export const resultsOf = <T>(all: ReadonlyArray<Results<T>>, name: string): ReadonlyArray<T> => {
  const found = all.find((each) => each.name === name)
  if (found === undefined) throw new RangeError(`There is no ${name} in ${all.map((each) => each.name).join(", ")}.`)
  return found.results
}

/** How long something takes, in milliseconds. */
export const millisOf = async (work: () => unknown): Promise<number> => {
  const start = performance.now()
  await work()
  return performance.now() - start
}
