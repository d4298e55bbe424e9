/**
 * Thousands of calls over networks that fail in every way that a schedule can think of: `pnpm verify network`, with
 * `--schedules N`, `--seed N`, `--layers recommended,undici,node,fetch` and `--lines N` for how many go on at once. What breaks
 * a law of `laws.ts` is told with what leads there again: `--seed S --only INDEX` tells all of that schedule. With `--small` they
 * are those of the tests.
 */
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import { untilNone } from "../../test/support/faultyServer.js"
import { type HttpClientName, httpClients } from "../../test/support/httpClients.js"
import { readOptions, refuseOptions } from "../../test/support/options.js"
import { bar, table, title, whole } from "../../test/support/report.js"
import { temporaryFolder } from "../../test/support/serviceProcess.js"
import { billingOf } from "./laws.js"
import { draw, kinds } from "./schedule.js"
import { makeServices } from "./services.js"
import { type Told, tryOut } from "./trial.js"

const values = readOptions({
  schedules: { type: "string", default: "5000" },
  seed: { type: "string", default: "1" },
  only: { type: "string" },
  layers: { type: "string", default: "recommended" },
  lines: { type: "string", default: "12" },
  small: { type: "boolean", default: false }
})
const seed = Number(values.seed)
const first = Number(values.only ?? 0)
const count = values.only === undefined ? Number(values.schedules) : 1
const lines = Math.min(count, Number(values.lines))
const layers = values.layers.split(",") as Array<HttpClientName>
const areNumbers = [seed, first, count, lines].every((value) => Number.isSafeInteger(value) && value >= 0)
if (!areNumbers || lines === 0 || !layers.every((layer) => Object.hasOwn(httpClients, layer))) {
  const names = Object.keys(httpClients).join(", ")
  refuseOptions(
    `Schedules and lines are whole numbers above 0, seed and only whole numbers; layers are some of ${names}.`
  )
}
const options = { layers, isSmall: values.small }
const again = (index: number) =>
  `--seed ${seed} --only ${index}${values.layers === "recommended" ? "" : ` --layers ${values.layers}`}${values.small ? " --small" : ""}`

/** What is kept of a schedule: of thousands, nobody has room for the audio. */
const keep = (told: Told) => ({
  kind: told.schedule.kind,
  breaks: told.happened.length,
  isBroken: told.violations.length > 0,
  left: told.left,
  calls: told.ended.map((ended) => ({
    ...billingOf(ended, told),
    // Both operations fail in the same ways.
    outcome: ended.outcome.replace(/^(Stt|Tts)/, ""),
    overrunMillis: ended.overrunMillis,
    retries: Math.max(0, (ended.report?.attempts.length ?? 1) - 1),
    byteLength: ended.bytes.length,
    isTranscribed: ended.text !== undefined
  }))
})

const folder = temporaryFolder("check-network-")
// At Ctrl-C no scope closes, and what the services have there goes with it.
process.env.TMPDIR = folder
const kept: Array<ReturnType<typeof keep>> = []
const program = Effect.gen(function* () {
  const services = yield* makeServices(lines, folder)
  let next = first
  const line = (service: (typeof services.lines)[number]) =>
    Effect.gen(function* () {
      while (next < first + count) {
        const told = yield* tryOut(draw(seed, next++, options), service, services)
        if (values.only !== undefined) console.dir(told, { depth: 8 })
        for (const violation of told.violations) console.error(`${again(told.schedule.index)}: ${violation}`)
        kept.push(keep(told))
        if (kept.length % 500 === 0) console.error(`${kept.length} of ${count}`)
      }
    })
  yield* Effect.forEach(services.lines, line, { concurrency: "unbounded" })
}).pipe(Effect.scoped, Effect.provide(Logger.remove(Logger.defaultLogger)))
await Effect.runPromise(program)

const calls = kept.flatMap((one) => one.calls)
const sum = (of: (call: (typeof calls)[number]) => number) => calls.reduce((all, call) => all + of(call), 0)
const outcomes = [...new Set(calls.map(({ outcome }) => outcome))].sort()
title(`How ${calls.length} calls of ${kept.length} schedules ended, by what the network did`)
table([
  ["network", "schedules", "breaks", ...outcomes],
  ...kinds.map((kind) => {
    const same = kept.filter((one) => one.kind === kind)
    const ended = same.flatMap((one) => one.calls)
    return [
      kind,
      whole(same.length),
      whole(same.reduce((all, { breaks }) => all + breaks, 0)),
      ...outcomes.map((outcome) => whole(ended.filter((call) => call.outcome === outcome).length))
    ]
  })
])

title("What was billed")
table([
  ["answers", "number"],
  ["billed", whole(sum(({ billed }) => billed))],
  ["received whole", whole(sum(({ received }) => received))],
  [
    "billed beyond that: written whole, and lost on the way or not read",
    whole(sum((call) => call.answered - call.received))
  ],
  [
    "billed beyond that: lost with the last byte, which had been paid for",
    whole(sum((call) => call.billed - call.answered))
  ]
])

/** Of this process: the service's too. */
const socketsOfProcess = await Effect.runPromise(
  untilNone(Effect.sync(() => process.getActiveResourcesInfo().filter((name) => name === "TCPSocketWrap").length))
)
const left = (of: (one: (typeof kept)[number]["left"]) => number) => kept.reduce((all, one) => all + of(one.left), 0)
const socketsLeft = left(({ attached, busy, open }) => attached + busy + open) + socketsOfProcess
const fibersLeft = left(({ fibers }) => fibers)
title("What was seen")
table([
  ["", "number"],
  ["the latest end after a deadline, in milliseconds", whole(Math.max(0, ...calls.map((call) => call.overrunMillis)))],
  ["retries", whole(sum(({ retries }) => retries))],
  ["bytes of audio compared", whole(sum(({ byteLength }) => byteLength))],
  ["transcripts compared", whole(calls.filter(({ isTranscribed }) => isTranscribed).length)],
  ["sockets left", whole(socketsLeft)],
  ["fibers left", whole(fibersLeft)]
])

const broken = kept.filter(({ isBroken }) => isBroken).length
// What never comes about shows nothing.
const idle = kinds.filter((kind) => !kept.some((one) => one.kind === kind && one.calls.length > 0)).length
const bars: ReadonlyArray<readonly [claim: string, met: boolean, figure: string]> = [
  [
    "no schedule breaks a law of laws.ts: its end, what is left, its audio, its bill, its report",
    broken === 0,
    `${broken} do`
  ],
  ["no socket and no fiber is left", socketsLeft + fibersLeft === 0, `${socketsLeft} and ${fibersLeft}`],
  ...(count < kinds.length
    ? []
    : [["every kind of network was met", idle === 0, `${kinds.length - idle} of ${kinds.length}`] as const])
]
for (const [claim, met, figure] of bars) bar(claim, met, figure)
// What is left, as told above, would keep the process from its end.
process.exit(bars.every(([, met]) => met) ? 0 : 1)
