/** What a caller gets from each client when a server fails, after how many requests, and how long it takes. */

import * as Effect from "effect/Effect"
import { eachRequest, faultyServer, respond, type Script } from "effect-speech-test-support/faultyServer"
import { refusedAddress } from "effect-speech-test-support/refusedAddress"
import { bar, table, title } from "effect-speech-test-support/report"
import { seconds } from "../../support/print.js"
import { speakers, transcribers } from "../clients/index.js"
import { key } from "../contract.js"
import { measureInProcess, type Setting } from "../harness.js"
import { peers } from "../peers/index.js"
import type { Outcome } from "./measure.js"
import { type Fault, faults, none, type Operation, passing, redirect, rightResponse } from "./table.js"

interface Observed extends Outcome {
  /** Not known if the connection is refused. */
  readonly requests: number | undefined
  /** What the other host received. */
  readonly elsewhere: "nothing" | "a request" | "the key"
}

interface Observations {
  readonly name: string
  readonly of: ReadonlyMap<Fault, Observed>
  readonly uncaught: ReadonlyArray<string>
}

const labels: Readonly<Record<string, string>> = {
  ours: "this repository",
  bare: "bare `HttpClient`",
  undici: "`undici.request`",
  fetch: "`fetch`",
  ...Object.fromEntries(Object.entries(peers).map(([name, peer]) => [name, `\`${peer.package}\``]))
}

const clientsOf = (operation: Operation) =>
  Object.keys(labels).filter((name) => Object.hasOwn(operation === "synthesis" ? speakers : transcribers, name))

const faultsOf = (operation: Operation): ReadonlyArray<Fault> =>
  [none, ...faults, ...passing, redirect].filter(({ of = operation }) => of === operation)

const pathOf = (request: string) => /^\S+ ([^ ?]*)/.exec(request)?.[1] ?? ""

/** A server with a fault, and the requests that it and another host received. */
const startFault = (fault: Fault) =>
  Effect.gen(function* () {
    const { script, times = Number.POSITIVE_INFINITY } = fault
    if (script === "refused")
      return { fault, url: yield* refusedAddress, asked: () => undefined, askedElsewhere: () => [] }
    const askedElsewhere: Array<string> = []
    const other = yield* faultyServer((socket) =>
      eachRequest(socket, (request) => {
        askedElsewhere.push(request)
        answer(pathOf(request))(socket, "")
      })
    )
    let asked = 0
    let faulted = 0
    const server = yield* faultyServer(
      (socket, elsewhere) =>
        eachRequest(socket, (request) => {
          asked++
          const path = pathOf(request)
          // An earlier upload succeeds: the fault is that of the transcription.
          if (path === "/v2/upload" || faulted === times) return answer(path)(socket, elsewhere)
          faulted++
          script(rightResponse(path))(socket, elsewhere)
        }),
      { elsewhere: `http://localhost:${other.host.split(":")[1]}` }
    )
    return { fault, url: `http://${server.host}`, asked: () => asked, askedElsewhere: () => askedElsewhere }
  })

const answer = (path: string): Script => {
  const { body, headers } = rightResponse(path)
  return respond(200, headers, body)
}

interface Outcomes {
  readonly outcomes: ReadonlyArray<Outcome>
  readonly uncaught: ReadonlyArray<string>
}

/** The outcomes of all faults, for one client. */
const observe = (operation: Operation, name: string, timeoutMillis: number) =>
  Effect.gen(function* () {
    const tried = faultsOf(operation)
    const servers = yield* Effect.forEach(tried, startFault)
    const urls = servers.map(({ url }) => url)
    const { outcomes, uncaught } = yield* Effect.promise(() =>
      measureInProcess<Outcomes>("faults", operation, name, urls, timeoutMillis)
    )
    const of = new Map(
      tried.flatMap((fault, index): ReadonlyArray<[Fault, Observed]> => {
        const [outcome, server] = [outcomes[index], servers[index]]
        if (outcome === undefined || server === undefined) return []
        const asked = server.askedElsewhere()
        const given = asked.some((request) => request.includes(key))
        const elsewhere = given ? "the key" : asked.length > 0 ? "a request" : "nothing"
        return [[fault, { ...outcome, requests: server.asked(), elsewhere }]]
      })
    )
    const well = of.get(none)
    if (well?.right !== true) return yield* Effect.dieMessage(`${name} fails without a fault: ${well?.what}`)
    return { name, of, uncaught } satisfies Observations
  }).pipe(Effect.scoped)

/** Whether the caller got a faulty response as its result. */
const isAccepted = ({ got, right }: Observed) => got === "value" && !right

const accepted = ({ of }: Observations) =>
  faults.filter((fault) => {
    const observed = of.get(fault)
    return observed !== undefined && isAccepted(observed)
  })

const short = (fault: Fault, { of }: Observations) => {
  const observed = of.get(fault)
  if (observed === undefined) return ""
  const { requests = 0 } = observed
  const repeated = requests > (of.get(none)?.requests ?? 1) ? `, ${requests} requests` : ""
  if (fault === redirect) {
    if (observed.elsewhere === "nothing") return observed.got === "error" ? "error" : observed.what
    return observed.elsewhere === "a request" ? "followed without the key" : "**followed with the key**"
  }
  if (isAccepted(observed)) return `**accepted**: ${observed.what}${repeated}`
  if (observed.got === "nothing") return `waits${repeated}`
  return `${observed.right ? "the response" : "error"}${repeated}`
}

/** Prints the outcomes of each client. */
const print = (operation: Operation, all: ReadonlyArray<Observations>, timeoutMillis: number) => {
  const tried = faultsOf(operation)
  const noteOf = ({ note }: Fault) => (typeof note === "object" ? note[operation] : note)
  const notes = [...new Set(tried.flatMap((fault) => noteOf(fault) ?? []))]
  const labelOf = (fault: Fault) => {
    const note = noteOf(fault)
    return note === undefined ? fault.name : `${fault.name} [${notes.indexOf(note) + 1}]`
  }
  const count = faults.filter((fault) => tried.includes(fault)).length

  title(`Faults of a ${operation}`)
  console.log(
    "What a caller gets from a server that fails, each client with its own defaults, and raw calls with a check of the " +
      "status. *Accepted*: the caller got the faulty response as its result. *Waits*: no outcome after " +
      `${seconds(timeoutMillis)}. The number of requests is shown if it is higher than usual.` +
      (operation === "transcription"
        ? " A client that does not check the shape returns what it got: `undefined` if there is no transcript. A call of " +
          "AssemblyAI's client is three requests; its upload succeeds, and the fault comes after.\n"
        : "\n")
  )
  table([
    ["fault", ...all.map(({ name }) => labels[name] ?? name)],
    ...tried.map((fault) => [labelOf(fault), ...all.map((observations) => short(fault, observations))]),
    [`accepted, of ${count}`, ...all.map((observations) => `${accepted(observations).length}`)],
    ["key sent to another host", ...all.map(({ of }) => (of.get(redirect)?.elsewhere === "the key" ? "yes" : "no"))]
  ])
  for (const [index, note] of notes.entries()) console.log(`[${index + 1}] ${note}\n`)

  for (const { name, of, uncaught } of all) {
    title(`Faults of a ${operation}, in full: ${labels[name]}`)
    table([
      ["fault", "what the caller gets", "requests", "after"],
      ...[...of].map(([fault, observed]) => [
        fault.name,
        observed.got === "value" ? `a value: ${observed.what}` : observed.what,
        observed.requests === undefined ? "" : String(observed.requests),
        seconds(observed.millis)
      ])
    ])
    for (const thrown of uncaught) console.log(`Thrown outside of any caller: ${thrown}\n`)
  }
}

export const run = async ({ quick }: Setting) => {
  const timeoutMillis = quick ? 3000 : 15_000
  const ours: Array<Observations> = []
  for (const operation of ["synthesis", "transcription"] as const) {
    console.error(`faults of a ${operation}`)
    // Clients mostly wait.
    const observing = Effect.forEach(clientsOf(operation), (name) => observe(operation, name, timeoutMillis), {
      concurrency: 4
    })
    const all = await Effect.runPromise(observing)
    print(operation, all, timeoutMillis)
    ours.push(...all.filter(({ name }) => name === "ours"))
  }
  const names = ours.flatMap(accepted).map(({ name }) => name)
  bar("ours accepts no faulty response", names.length === 0, names.join("; ") || "none")
  const given = ours.some(({ of }) => of.get(redirect)?.elsewhere === "the key")
  bar("ours sends the key to no other host", !given, given ? "it does" : "none")
}
