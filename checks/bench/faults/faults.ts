/** What a caller gets from each client when a server fails, and after how many requests. */
import * as Effect from "effect/Effect"
import { eachRequest, faultyServer } from "effect-speech-test-support/faultyServer"
import { bar, table, title } from "effect-speech-test-support/report"
import { seconds } from "../../support/print.js"
import { speakers, transcribers } from "../clients/index.js"
import { key } from "../contract.js"
import { measureInProcess, type Setting } from "../harness.js"
import { peers } from "../peers/index.js"
import type { Outcome } from "./measure.js"
import { type Fault, faults, none, type Operation, redirect, rightResponse } from "./table.js"

interface Observed extends Outcome {
  readonly requests: number
  /** What the other host received. */
  readonly elsewhere: "nothing" | "a request" | "the key"
}
type Observations = ReadonlyMap<Fault, Observed>

const labels: Readonly<Record<string, string>> = {
  ours: "this repository",
  bare: "bare `HttpClient`",
  undici: "`undici.request`",
  fetch: "`fetch`",
  ...Object.fromEntries(Object.entries(peers).map(([name, peer]) => [name, `\`${peer.package}\``]))
}
const clientsOf = (operation: Operation) =>
  Object.keys(labels).filter((name) => name in (operation === "synthesis" ? speakers : transcribers))

const faultsOf = (operation: Operation): ReadonlyArray<Fault> =>
  [none, ...faults, redirect].filter(({ of = operation }) => of === operation)

const pathOf = (request: string) => /^\S+ ([^ ?]*)/.exec(request)?.[1] ?? ""

/** A server with a fault, and the requests that it and another host received. */
const startFault = ({ script, times = Number.POSITIVE_INFINITY }: Fault) =>
  Effect.gen(function* () {
    const elsewhere: Array<string> = []
    const other = yield* faultyServer((socket) =>
      eachRequest(socket, (request) => {
        elsewhere.push(request)
        none.script(rightResponse(pathOf(request)))(socket, "")
      })
    )
    let requests = 0
    const server = yield* faultyServer(
      (socket, elsewhere) =>
        eachRequest(socket, (request) => {
          const isFaulty = requests++ < times
          const { script: next } = isFaulty ? { script } : none
          next(rightResponse(pathOf(request)))(socket, elsewhere)
        }),
      { elsewhere: `http://localhost:${other.host.split(":")[1]}` }
    )
    return { url: `http://${server.host}`, requests: () => requests, elsewhere }
  })

/** The outcomes of all faults, for one client. */
const observe = (operation: Operation, name: string, timeoutMillis: number) =>
  Effect.gen(function* () {
    const tried = faultsOf(operation)
    const servers = yield* Effect.forEach(tried, startFault)
    const urls = servers.map(({ url }) => url)
    const outcomes = yield* Effect.promise(() =>
      measureInProcess<ReadonlyArray<Outcome>>("faults", operation, name, urls, timeoutMillis)
    )
    const of = new Map<Fault, Observed>()
    for (const [index, fault] of tried.entries()) {
      const [outcome, server] = [outcomes[index], servers[index]]
      if (outcome === undefined || server === undefined) continue
      const isGiven = server.elsewhere.some((request) => request.includes(key))
      const elsewhere = isGiven ? "the key" : server.elsewhere.length > 0 ? "a request" : "nothing"
      of.set(fault, { ...outcome, requests: server.requests(), elsewhere })
    }
    const well = of.get(none)
    if (well?.right !== true) return yield* Effect.dieMessage(`${name} fails without a fault: ${well?.what}`)
    return { name, of }
  }).pipe(Effect.scoped)

/** Whether the caller got a faulty response as its result. */
const isAccepted = ({ got, right }: Observed) => got === "value" && !right
const accepted = (of: Observations) =>
  faults.filter((fault) => {
    const observed = of.get(fault)
    return observed !== undefined && isAccepted(observed)
  })

const short = (fault: Fault, of: Observations) => {
  const observed = of.get(fault)
  if (observed === undefined) return ""
  if (observed.elsewhere === "the key") return "**followed with the key**"
  if (observed.elsewhere === "a request") return "followed without the key"
  const repeated = observed.requests > 1 ? `, ${observed.requests} requests` : ""
  if (isAccepted(observed)) return `**accepted**: ${observed.what}${repeated}`
  if (observed.got === "nothing") return `waits${repeated}`
  return `${observed.right ? "the response" : "error"}${repeated}`
}

export const run = async ({ quick }: Setting) => {
  const timeoutMillis = quick ? 3000 : 15_000
  for (const operation of ["synthesis", "transcription"] as const) {
    console.error(`faults of a ${operation}`)
    // Clients mostly wait.
    const all = await Effect.runPromise(
      Effect.forEach(clientsOf(operation), (name) => observe(operation, name, timeoutMillis), { concurrency: 4 })
    )
    title(`Faults of a ${operation}`)
    console.log(
      "What a caller gets from a server that fails, each client with its own defaults, and raw calls with a check of the " +
        "status. *Accepted*: the caller got the faulty response as its result, and must check its type, length and bytes. " +
        `*Waits*: no outcome after ${seconds(timeoutMillis)}. The number of requests is shown if it is more than one. After a ` +
        "reset a second request may be billed too, so ours retries only with `retryAmbiguous`. A length that is missing " +
        "ours knows from the duration in a header, which the other services do not have.\n"
    )
    table([
      ["fault", ...all.map(({ name }) => labels[name] ?? name)],
      ...faultsOf(operation).map((fault) => [fault.name, ...all.map(({ of }) => short(fault, of))]),
      ["accepted", ...all.map(({ of }) => `${accepted(of).length}`)]
    ])
    const ours = all.find(({ name }) => name === "ours")?.of ?? new Map()
    const names = accepted(ours).map(({ name }) => name)
    bar("ours accepts no faulty response", names.length === 0, names.join("; ") || "none")
    const { elsewhere } = ours.get(redirect) ?? {}
    bar("ours sends nothing to another host", elsewhere === "nothing", `${elsewhere}`)
  }
}
