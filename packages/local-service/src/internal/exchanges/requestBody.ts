import type { IncomingMessage } from "node:http"
import { badRequest, type Problem } from "../http/problems.js"
import { bodyTimeoutProblem } from "../http/requestBodies.js"
import { clearTimeout, setTimeout } from "../realTime.js"
import type { ReadRequest, RequestReader } from "./requestReader.js"

/** The body of a request, which a reader reads while it passes. */
export interface RequestBody {
  /** The next chunk, after the reader has it. `undefined` at the end. Rejects with {@link BodyFailed}. */
  readonly pull: () => Promise<Uint8Array | undefined>
  /** Pulls what is left, for so many milliseconds. Returns whether the reader has the whole body. */
  readonly readRest: (millis: number) => Promise<boolean>
  /** What the reader has read, at the end of the body. */
  readonly whenRead: Promise<ReadRequest | Problem>
  /** Why the body did not come whole, if it did not. */
  readonly problem: () => Problem | undefined
}

/** The body ended early, or no byte arrived for too long. */
export class BodyFailed extends Error {
  readonly problem: Problem
  constructor(problem: Problem) {
    super(problem.message)
    this.problem = problem
  }
}

/** `idleMillis`: the longest time without a byte. Time in which nobody pulls does not count. */
export const makeRequestBody = (incoming: IncomingMessage, reader: RequestReader, idleMillis: number): RequestBody => {
  const iterator: AsyncIterator<Uint8Array> = incoming.iterator({ destroyOnReturn: false })
  let resolveRead: (read: Promise<ReadRequest | Problem>) => void
  const whenRead = new Promise<ReadRequest | Problem>((resolve) => {
    resolveRead = resolve
  })
  const next = async (): Promise<Uint8Array | undefined> => {
    const { done, value } = await withIdleLimit(iterator.next(), idleMillis)
    if (done === true) {
      resolveRead(reader.end())
      await whenRead
      return undefined
    }
    await reader.write(value)
    return value
  }
  let problem: Problem | undefined
  let latest: Promise<Uint8Array | undefined> | undefined
  // One at a time: a chunk that nobody waits for any more must reach the reader before the next one.
  const pull = () => {
    const pulled = latest === undefined ? next() : latest.then((chunk) => chunk && next())
    latest = pulled
    pulled.catch((error) => {
      if (error instanceof BodyFailed) problem = error.problem
    })
    return pulled
  }
  const pullAll = async (): Promise<boolean> => {
    while ((await pull()) !== undefined);
    return true
  }
  return {
    pull,
    readRest: async (millis) => {
      let timer: ReturnType<typeof setTimeout> | undefined
      const late = new Promise<boolean>((resolve) => {
        timer = setTimeout(() => resolve(false), millis)
      })
      try {
        return await Promise.race([pullAll().catch(() => false), late])
      } finally {
        clearTimeout(timer)
      }
    },
    whenRead,
    problem: () => problem
  }
}

const withIdleLimit = async <A>(waiting: Promise<A>, idleMillis: number): Promise<A> => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const idle = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new BodyFailed(bodyTimeoutProblem(idleMillis))), idleMillis)
  })
  const read = waiting.catch(() => {
    throw new BodyFailed(badRequest("the body ended early"))
  })
  try {
    return await Promise.race([read, idle])
  } finally {
    clearTimeout(timer)
  }
}
