/** How clients behave when a service does not: what a caller gets, after how many requests, and how long it takes. */
import * as Effect from "effect/Effect"
import { eachRequest, faultyServer, respond, type Script } from "../../../test/support/faultyServer.js"
import { refusedAddress } from "../../../test/support/refusedAddress.js"
import { bar, table, title } from "../../../test/support/report.js"
import { speakers, transcribers } from "../clients/index.js"
import { runScript, type Setting } from "../harness.js"
import { peers } from "../peers/index.js"
import { key } from "../wire.js"
import type { Outcome, Target } from "./call.js"
import { type Fault, faults, none, type Operation, passing, redirect, rightAnswer } from "./table.js"

/** The calls of one client, each to another server. */
type Call = (
  operation: Operation,
  name: string,
  targets: ReadonlyArray<Target>
) => Promise<{ readonly outcomes: ReadonlyArray<Outcome>; readonly uncaught: ReadonlyArray<string> }>

/** How long an outcome is waited for, in milliseconds. */
type Patience = (fault: Fault) => number

export interface Observed extends Outcome {
  /** Not known where nobody listens. */
  readonly requests: number | undefined
  /** Whether the other host was asked, and was given the key. */
  readonly elsewhere: "not asked" | "asked" | "given the key"
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

export const faultsOf = (operation: Operation): ReadonlyArray<Fault> =>
  [none, ...faults, ...passing, redirect].filter(({ of = operation }) => of === operation)

const pathOf = (request: string) => /^\S+ ([^ ?]*)/.exec(request)?.[1] ?? ""

/** A server with a fault, and what it and the other host were asked. */
const startFault = (fault: Fault) =>
  Effect.gen(function* () {
    const { script, times = Number.POSITIVE_INFINITY } = fault
    if (script === "nobody listens")
      return { fault, url: yield* refusedAddress, asked: () => undefined, askedElsewhere: () => [] }
    const askedElsewhere: Array<string> = []
    const other = yield* faultyServer((socket) =>
      eachRequest(socket, (request) => {
        askedElsewhere.push(request)
        answer(pathOf(request))(socket, "")
      })
    )
    let asked = 0
    let spoiled = 0
    const server = yield* faultyServer(
      (socket, elsewhere) =>
        eachRequest(socket, (request) => {
          asked++
          const path = pathOf(request)
          // An upload that comes before goes well: the fault is the transcription's.
          if (path === "/v2/upload" || spoiled === times) return answer(path)(socket, elsewhere)
          spoiled++
          script(rightAnswer(path))(socket, elsewhere)
        }),
      { elsewhere: `http://localhost:${other.host.split(":")[1]}` }
    )
    return { fault, url: `http://${server.host}`, asked: () => asked, askedElsewhere: () => askedElsewhere }
  })

const answer = (path: string): Script => {
  const { body, headers } = rightAnswer(path)
  return respond(200, headers, body)
}

const observe = (operation: Operation, name: string, call: Call, patience: Patience) =>
  Effect.gen(function* () {
    const tried = faultsOf(operation)
    const servers = yield* Effect.forEach(tried, startFault)
    const targets = servers.map(({ fault, url }) => ({ url, patienceMillis: patience(fault) }))
    const { outcomes, uncaught } = yield* Effect.promise(() => call(operation, name, targets))
    const of = new Map(
      tried.flatMap((fault, index): ReadonlyArray<[Fault, Observed]> => {
        const [outcome, server] = [outcomes[index], servers[index]]
        if (outcome === undefined || server === undefined) return []
        const asked = server.askedElsewhere()
        const given = asked.some((request) => request.includes(key))
        const elsewhere = given ? "given the key" : asked.length > 0 ? "asked" : "not asked"
        return [[fault, { ...outcome, requests: server.asked(), elsewhere }]]
      })
    )
    const well = of.get(none)
    if (well?.right !== true) return yield* Effect.dieMessage(`${name} fails where nothing is wrong: ${well?.what}`)
    const observations: Observations = { name, of, uncaught }
    return observations
  }).pipe(Effect.scoped)

/** What comes of all faults, for each client. */
export const observeAll = (operation: Operation, names: ReadonlyArray<string>, call: Call, patience: Patience) =>
  // They wait more than they work.
  Effect.forEach(names, (name) => observe(operation, name, call, patience), { concurrency: 4 })

/** Whether a fault was given to the caller as if it were the answer. */
const isAccepted = ({ got, right }: Observed) => got === "value" && !right

export const accepted = ({ of }: Observations) =>
  faults.filter((fault) => {
    const observed = of.get(fault)
    return observed !== undefined && isAccepted(observed)
  })

const seconds = (millis: number) => `${(millis / 1000).toFixed(1)} s`

const short = (fault: Fault, { of }: Observations) => {
  const observed = of.get(fault)
  if (observed === undefined) return ""
  const { requests = 0 } = observed
  const repeated = requests > (of.get(none)?.requests ?? 1) ? `, ${requests} requests` : ""
  if (fault === redirect) {
    if (observed.elsewhere === "not asked") return observed.got === "error" ? "error" : observed.what
    return observed.elsewhere === "asked" ? "followed without the key" : "**followed with the key**"
  }
  if (isAccepted(observed)) return `**accepted**: ${observed.what}${repeated}`
  if (observed.got === "nothing") return `waits${repeated}`
  return `${observed.right ? "the answer" : "error"}${repeated}`
}

/** Tells all of it, and gives the observations of each client. */
export const tell = (operation: Operation, all: ReadonlyArray<Observations>, patienceMillis: number) => {
  const tried = faultsOf(operation)
  const noteOf = ({ note }: Fault) => (typeof note === "object" ? note[operation] : note)
  const notes = [...new Set(tried.flatMap((fault) => noteOf(fault) ?? []))]
  const nameOf = (fault: Fault) => {
    const note = noteOf(fault)
    return note === undefined ? fault.name : `${fault.name} [${notes.indexOf(note) + 1}]`
  }
  const count = faults.filter((fault) => tried.includes(fault)).length

  title(`Faults of a ${operation}`)
  console.log(
    "What a caller gets from a server that misbehaves, each client with its own defaults, and raw calls with a check of " +
      `the status. *Accepted* is what was given as the answer and is not; *waits* is without an outcome after ` +
      `${seconds(patienceMillis)}; requests are told where there were more than usual.` +
      (operation === "transcription"
        ? " A client that checks no shape gives what came; `undefined` is where no transcript is found in that. A call of " +
          "AssemblyAI's client is three requests; its upload goes well, and the fault meets what follows.\n"
        : "\n")
  )
  table([
    ["fault", ...all.map(({ name }) => labels[name] ?? name)],
    ...tried.map((fault) => [nameOf(fault), ...all.map((observations) => short(fault, observations))]),
    [`accepted, of ${count}`, ...all.map((observations) => `${accepted(observations).length}`)],
    [
      "key given to another host",
      ...all.map(({ of }) => (of.get(redirect)?.elsewhere === "given the key" ? "yes" : "no"))
    ]
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
    for (const thrown of uncaught) console.log(`Thrown where no caller can catch it: ${thrown}\n`)
  }
}

const inOwnProcess: Call = (operation, name, targets) =>
  runScript(new URL("caller.js", import.meta.url), [operation, name, JSON.stringify(targets)])

export const run = async ({ quick }: Setting) => {
  const patienceMillis = quick ? 3000 : 15_000
  const ours: Array<Observations> = []
  for (const operation of ["synthesis", "transcription"] as const) {
    console.error(`faults of a ${operation}`)
    const all = await Effect.runPromise(observeAll(operation, clientsOf(operation), inOwnProcess, () => patienceMillis))
    tell(operation, all, patienceMillis)
    ours.push(...all.filter(({ name }) => name === "ours"))
  }
  const taken = ours.flatMap(accepted)
  bar("ours accepts no fault as an answer", taken.length === 0, taken.map(({ name }) => name).join("; ") || "none")
  const given = ours.some(({ of }) => of.get(redirect)?.elsewhere === "given the key")
  bar("ours gives the key to no other host", !given, given ? "it does" : "none")
}
