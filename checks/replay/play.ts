/** Requests of both clients to a service, with what each got, and the comparison of two such plays. */
import { countBy } from "effect-speech-test-support/report"
import type { ServiceProcess } from "effect-speech-test-support/serviceProcess"
import { runClient } from "../support/client.js"
import type { Job, Request } from "./client.js"
import { type Exchange, startTap } from "./tap.js"

export interface Played {
  /** What became of each request, for its caller. */
  readonly outcomes: ReadonlyArray<string>
  /** Of each operation, in the order in which they ended. */
  readonly exchanges: Readonly<Record<Request["operation"], ReadonlyArray<Exchange>>>
  /** Connections that failed. */
  readonly failures: ReadonlyArray<string>
  readonly millis: number
}

/** Sends the requests to a service with both clients, in a process of their own. */
export const play = async (
  service: ServiceProcess,
  requests: ReadonlyArray<Request>,
  concurrency: number
): Promise<Played> => {
  const stt = await startTap(service.sttBaseUrl)
  const tts = await startTap(service.ttsBaseUrl)
  const { adminToken, apiKey, platformUrl } = service
  const job: Job = {
    concurrency,
    requests,
    service: { adminToken, apiKey, platformUrl, sttBaseUrl: stt.url, ttsBaseUrl: tts.url }
  }
  const start = performance.now()
  const outcomes = await runClient<ReadonlyArray<string>>(new URL("client.js", import.meta.url), job)
  const millis = performance.now() - start
  stt.stop()
  tts.stop()
  const exchanges = { transcribe: stt.exchanges, synthesize: tts.exchanges }
  return { outcomes, exchanges, failures: [...stt.failures, ...tts.failures], millis }
}

/** The id that a service returns is that of the request, or its own: both are compared, but not one with the other. */
export const describeResponse = ({ body, headers, id, status }: Exchange): string => {
  const { "x-request-id": requestId, ...others } = headers
  const shownId = requestId === id ? "that of the request" : requestId
  return JSON.stringify({ status, headers: others, requestId: shownId, body })
}

export const operations = ["transcribe", "synthesize"] as const

/** The differences between two plays in the same order. */
export const compareInOrder = (one: Played, other: Played): ReadonlyArray<string> =>
  operations.flatMap((operation) => {
    const [first, second] = [one.exchanges[operation], other.exchanges[operation]]
    if (first.length !== second.length) return [`${operation}: ${first.length} requests, then ${second.length}`]
    return first.flatMap((exchange, index) => {
      const replayed = second[index]
      if (replayed === undefined || exchange.identity !== replayed.identity) {
        return [`${operation} ${index}: another request`]
      }
      const [expected, found] = [describeResponse(exchange), describeResponse(replayed)]
      return expected === found ? [] : [`${operation} ${index}: ${expected}, then ${found}`]
    })
  })

/** The differences between two plays in any order: each request has the same responses. */
export const compareInAnyOrder = (one: Played, other: Played): ReadonlyArray<string> =>
  operations.flatMap((operation) => {
    const counts = [one, other].map(({ exchanges }) =>
      countBy(exchanges[operation], (exchange) => `${exchange.identity}: ${describeResponse(exchange)}`)
    )
    const [first = new Map(), second = new Map()] = counts
    return [...new Set([...first.keys(), ...second.keys()])]
      .filter((key) => first.get(key) !== second.get(key))
      .map((key) => `${operation}: ${first.get(key) ?? 0} times, then ${second.get(key) ?? 0}: ${key}`)
  })
