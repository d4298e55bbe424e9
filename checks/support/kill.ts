/** Processes that are killed at random moments of their work. */
import { setTimeout as sleep } from "node:timers/promises"

/**
 * Lets a process work until a moment, and kills it. Returns whether its work had ended by itself.
 *
 * @param work Ends with the work of the process, or when the process was killed.
 */
export const killAt = async (
  process: { readonly kill: () => Promise<unknown> },
  work: Promise<unknown>,
  moment: Promise<unknown>
): Promise<boolean> => {
  let hasEnded = false
  const working = work.then(
    () => {
      hasEnded = true
    },
    () => undefined
  )
  await Promise.race([moment, working])
  await process.kill()
  await working
  return hasEnded
}

/** Plays rounds with a kill each, until one returns that the work has ended. Returns the number of kills. */
export const killRepeatedly = async (
  what: string,
  times: number,
  round: (number: number) => Promise<boolean | undefined>
): Promise<number> => {
  for (let killed = 0; killed < times; ) {
    if ((await round(killed + 1)) === true) return killed
    killed++
    if (killed % 5 === 0) console.error(`${what}: killed ${killed} of ${times} times`)
  }
  return times
}

/** A random moment within so many milliseconds. */
export const within = (chance: () => number, millis: number) => sleep(chance() * millis)
