/**
 * Random histories of real processes: they are killed, frozen and asked to end, over HTTP, with a file and with a PostgreSQL. The laws
 * are those of `packages/archive/test/support/laws.ts`, on the bill of the service and on what a person saw.
 */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { hasPostgres, startPostgres } from "effect-speech-test-support/postgres"
import { chances } from "effect-speech-test-support/random"
import { wavHeader } from "effect-speech-test-support/recordings"
import { bar, list, title } from "effect-speech-test-support/report"
import { brokenLaws, type Event, laws } from "../../packages/archive/test/support/laws.js"
import { until } from "../support/until.js"
import type { Options } from "./client.js"
import { type ArchiveProcess, fresh, type Settings, startArchive } from "./support.js"

const names = ["a.wav", "b.wav", "c.wav", "d.wav", "e.wav", "f.wav"]
const concurrency = 2

/** What a call may need to reach the service after the store has said that it may begin. */
const graceMillis = 1_500

const outcomes = { ok: "answered", "402": "refused", "503": "rejected", "504": "lost", reset: "lost" } as const
type Mode = keyof typeof outcomes

type Command =
  | { readonly do: "start" | "kill" | "end" | "freeze" | "pause" | "resume" | "retry"; readonly nth: number }
  | { readonly do: "service"; readonly mode: Mode; readonly millis: number }
  | { readonly do: "wait"; readonly millis: number }
  | { readonly do: "change" | "remove"; readonly nth: number }

const draw = (chance: () => number, length: number): ReadonlyArray<Command> => {
  const one = <A>(of: ReadonlyArray<A>): A => of[Math.floor(chance() * of.length)] as A
  return Array.from({ length }, (): Command => {
    const what = one([
      ...(["start", "start", "start", "kill", "kill", "end", "freeze", "pause", "resume", "retry"] as const),
      ...(["service", "service", "wait", "wait", "wait", "change", "remove"] as const)
    ])
    if (what === "wait") return { do: what, millis: one([50, 200, 600]) }
    if (what === "service") {
      return { do: what, mode: one(["ok", "ok", "402", "503", "504", "reset"] as const), millis: one([0, 100, 800]) }
    }
    return { do: what, nth: Math.floor(chance() * names.length) }
  })
}

/** A service that does as it is told, and keeps the bill. The address of each process begins with its name. */
const startScripted = async (log: (event: Event) => void, now: () => number) => {
  const state: { mode: Mode; millis: number } = { mode: "ok", millis: 100 }
  let calls = 0
  const bodyOf = async (request: IncomingMessage) => {
    const parts: Array<Buffer> = []
    for await (const part of request) parts.push(part)
    return Buffer.concat(parts).toString("latin1")
  }
  const server = createServer(async (request, response) => {
    const body = await bodyOf(request).catch(() => undefined)
    if (body === undefined) return
    const { millis, mode } = state
    const call = calls++
    const file = /FILE:([^;]+);/.exec(body)?.[1] ?? "?"
    const id = /name="transaction_id"\r\n\r\n([^\r]*)/.exec(body)?.[1] ?? "?"
    const process = request.url?.split("/")[1] ?? "?"
    log({ at: now(), is: "request", call, process, file, id, cost: 1 })
    await sleep(millis)
    const delivered = !request.socket.destroyed
    log({ at: now(), is: "response", call, outcome: outcomes[mode], delivered })
    if (mode === "reset") return request.socket.destroy()
    const answer =
      mode === "ok" ? { status: "success", text: `The text of ${file}.`, call_id: "c" } : { status: "error" }
    response
      .writeHead(mode === "ok" ? 200 : Number(mode), { "content-type": "application/json" })
      .end(JSON.stringify(answer))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    state,
    url: `http://127.0.0.1:${port}`,
    stop: () => {
      server.closeAllConnections()
      server.close()
    }
  }
}

interface Named extends ArchiveProcess {
  readonly name: string
}

/** Performs the commands, lets the run end, and returns what was wrong. */
const play = async (store: Options["store"], machines: number, commands: ReadonlyArray<Command>) => {
  const begun = performance.now()
  const now = () => Math.round(performance.now() - begun)
  const log: Array<Event> = []
  const problems: Array<string> = []
  const service = await startScripted((event) => log.push(event), now)
  const root = fresh("calls")
  const out = fresh("out")
  const away = fresh("away")
  for (const path of [root, away]) mkdirSync(path, { recursive: true })
  const versions = new Map<string, number>()
  const absent = new Set<string>()
  const write = (name: string) => {
    const version = (versions.get(name) ?? 0) + 1
    const samples = Buffer.alloc(1_600)
    samples.write(`FILE:${name}#${version};`)
    writeFileSync(join(root, name), Buffer.concat([wavHeader(44 + samples.length), samples]))
    versions.set(name, version)
    absent.delete(name)
  }
  for (const name of names) write(name)

  let processes: Array<Named> = []
  let started = 0
  let run: string | undefined
  const begin = async () => {
    const name = `process-${++started}`
    const archive = await startArchive({
      store,
      speech: { baseUrl: `${service.url}/${name}`, apiKey: "local.key" },
      concurrency
    })
    processes.push({ ...archive, name })
    return { ...archive, name }
  }
  const at = (nth: number) => processes[nth % Math.max(processes.length, 1)]
  const gone = (one: Named) => {
    processes = processes.filter(({ name }) => name !== one.name)
  }
  const look = async () => {
    const [one] = processes
    if (one === undefined || run === undefined) return undefined
    const { status } = await one.ask({ do: "status", id: run })
    const files = await one.files(run)
    if (status === undefined) return undefined
    const seen = files.map(({ callId, error, path, state }) => ({ path, id: callId, state, tag: error?.tag }))
    log.push({ at: now(), is: "seen", state: status.state, files: seen })
    return { status, files: seen }
  }
  const goesOn = () => log.push({ at: now(), is: "goesOn", afterRefusal: false })
  const startRun = async (one: Named) => {
    goesOn()
    const { error, status } = await one.ask({ do: "start", run: { source: { folder: root }, out } })
    if (status !== undefined) run = status.id
    else if (!/^(ArchiveStoreLocked|ArchiveStoreFailed|ArchiveRunInvalid)$/.test(error?.tag ?? ""))
      problems.push(`start: ${error?.tag}`)
  }
  const retry = async (one: Named, id: string) => {
    const seen = await look()
    for (const tag of new Set(seen?.files.flatMap(({ tag }) => (tag === undefined ? [] : [tag])) ?? [])) {
      goesOn()
      const ids = (await look())?.files.flatMap((file) =>
        file.tag === tag || file.state === "started" ? [file.id] : []
      )
      log.push({ at: now(), is: "retried", ids: ids ?? [] })
      await one.ask({ do: "retry", id, only: tag })
    }
  }
  const end = async (one: Named) => {
    gone(one)
    const asked = performance.now()
    await one.stop()
    log.push({ at: now(), is: "ended", process: one.name, inTime: performance.now() - asked < 20_000 })
  }

  const perform = async (command: Command) => {
    switch (command.do) {
      case "start":
        return startRun(processes.length < machines ? await begin() : (at(command.nth) ?? (await begin())))
      case "wait":
        return sleep(command.millis)
      case "service":
        service.state.mode = command.mode
        service.state.millis = command.millis
        return
      case "change":
        return write(names[command.nth] ?? "a.wav")
      case "remove": {
        const name = names[command.nth] ?? "a.wav"
        if (absent.size === names.length - 1 && !absent.has(name)) return
        const [from, to] = absent.has(name) ? [away, root] : [root, away]
        renameSync(join(from, name), join(to, name))
        if (!absent.delete(name)) absent.add(name)
        return
      }
    }
    const one = at(command.nth)
    if (one === undefined) return
    if (command.do === "kill") {
      gone(one)
      log.push({ at: now(), is: "killed", process: one.name })
      return one.kill()
    }
    if (command.do === "end") return end(one)
    if (command.do === "freeze") {
      process.kill(one.pid, "SIGSTOP")
      await sleep(700)
      process.kill(one.pid, "SIGCONT")
      return
    }
    if (run === undefined) return
    if (command.do === "retry") return retry(one, run)
    if (command.do === "resume") {
      goesOn()
      return one.ask({ do: "resume", id: run })
    }
    const { status } = await one.ask({ do: "pause", id: run })
    if (status?.state !== "paused") return
    await sleep(graceMillis)
    log.push({ at: now(), is: "paused", frozen: [] })
  }

  /** Waits until the run has ended, also after a machine that is dead was taken over. */
  const ends = async (what: string) => {
    const ended = await until(async () => (await look())?.status.state === "ended", { seconds: 90 })
    if (!ended) problems.push(`${what} does not end: ${JSON.stringify((await look())?.status)}`)
  }

  try {
    for (const command of commands) {
      await perform(command)
      await look()
    }
    service.state.mode = "ok"
    service.state.millis = 0
    // What is under way is answered as before, and may suspend the run.
    await sleep(1_500)
    for (const one of [...processes].slice(1)) await end(one)
    const last = processes[0] ?? (await begin())
    await startRun(last)
    await ends("the run")
    if (run !== undefined) await retry(last, run)
    await ends("a retry")
    const seen = await look()
    const found = new Map(seen?.files.map((file) => [file.path, file]))
    await last.ask({ do: "export", id: run ?? "" })
    for (const [name, version] of versions) {
      if (absent.has(name)) continue
      const file = found.get(name)
      if (file?.state !== "done") problems.push(`${name} is ${file?.state} ${file?.tag} at last`)
      else if (readFileSync(join(out, `${name}.txt`), "utf8") !== `The text of ${name}#${version}.\n`) {
        problems.push(`${name}.txt is not the text of version ${version}`)
      }
    }
    // What it got is recorded when it has ended.
    await end(last)
  } finally {
    for (const { kill } of processes) await kill()
    service.stop()
  }
  const {
    doneStaysDone,
    endsWhenAsked,
    noAnswerIsLost,
    nothingBeginsAfterAPause,
    nothingIsPaidTwice,
    oneResultForAPath
  } = laws
  return [
    ...problems,
    ...brokenLaws(log, {
      doneStaysDone,
      endsWhenAsked,
      noAnswerIsLost,
      nothingBeginsAfterAPause,
      nothingIsPaidTwice,
      oneResultForAPath
    })
  ]
}

/** Leaves out one command after the other as long as a law is broken, for at most three minutes. */
const shortest = async (
  again: (commands: ReadonlyArray<Command>) => Promise<ReadonlyArray<string>>,
  commands: ReadonlyArray<Command>
) => {
  const end = performance.now() + 180_000
  let short = commands
  for (let index = commands.length - 1; index >= 0 && performance.now() < end; index--) {
    const fewer = short.filter((_, place) => place !== index)
    if ((await again(fewer)).length > 0) short = fewer
  }
  return short
}

export const checkHistories = async ({ quick, seed }: Settings) => {
  const postgres = hasPostgres ? await startPostgres() : undefined
  const counts = quick ? { file: 3, database: 1 } : { file: 20, database: 5 }
  const problems: Array<string> = []
  let played = 0
  const check = async (number: number, machines: number, storeOf: () => Promise<Options["store"]>) => {
    const commands = draw(chances(seed * 1_000 + number), 12)
    const again = async (some: ReadonlyArray<Command>) => play(await storeOf(), machines, some)
    const broken = await again(commands)
    played++
    console.error(`${played} histories`)
    if (broken.length === 0) return
    const short = await shortest(again, commands)
    problems.push(`history ${number} of seed ${seed}: ${broken.join("; ")}\n  ${JSON.stringify(short)}`)
  }
  try {
    for (let number = 0; number < counts.file; number++) {
      await check(number, 1, async () => ({ path: fresh("store") }))
    }
    if (postgres === undefined)
      console.log("\n- left out: histories of several machines, since no PostgreSQL is installed")
    else {
      for (let number = 0; number < counts.database; number++) {
        await check(100 + number, 2, async () => ({ url: await postgres.database() }))
      }
    }
  } finally {
    await postgres?.stop()
  }
  title(`Random histories of real processes, with the seed ${seed}`)
  list(problems)
  bar(
    "nothing is paid twice, processes stop when they shall, and each run ends with its whole output",
    problems.length === 0,
    `${played} histories, ${problems.length} broke a law`
  )
}
