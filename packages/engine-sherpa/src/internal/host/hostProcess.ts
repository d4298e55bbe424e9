/**
 * Starts the process of a model, and says what it sends and why it ended.
 */
import { type ChildProcess, fork } from "node:child_process"
import { clearTimeout, setImmediate, setTimeout } from "node:timers"
import { fileURLToPath } from "node:url"
import { systemCode } from "@effect-speech/common/SystemCode"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type { Ending } from "../supervision/machine.js"
import { sherpaModule } from "./library.js"
import { type Load, type Outcome, Reply, type Withdraw, type Work } from "./protocol.js"
import { endingOf, isOfNetwork, keptLines, plainReason } from "./reasons.js"

export interface HostOptions {
  readonly load: Load
  /** The folder of the model. */
  readonly folder: string
  /** Pieces that it works on at once: each takes a thread of libuv's pool. Others wait in the process, where they can be withdrawn. */
  readonly concurrency: number
}

/** What a process calls, asynchronously: `onLoaded` at most once, and after `onEnded` nothing. */
export interface Listener {
  readonly onLoaded: () => void
  readonly onOutcome: (outcome: Outcome) => void
  /** Once, however it ended. */
  readonly onEnded: (ending: Ending) => void
}

export interface HostProcess {
  readonly send: (message: Work | Withdraw) => void
  /** Ends it at once. There is nothing to save. Returns when it has ended. */
  readonly stop: () => Promise<void>
}

/** Milliseconds for the rest of standard error, after a process has ended. */
const stderrTimeout = 1000

const decodeReply = Schema.decodeUnknownEither(Reply)

/** The bundle of the command has this file beside the one that this module is in. */
const modelHost = fileURLToPath(new URL("./modelHost.js", import.meta.url))

const start = (program: string, { concurrency }: HostOptions): ChildProcess => {
  // Loaders and inspectors of the service's own process are not for this one.
  const { NODE_OPTIONS, ...env } = process.env
  const module = sherpaModule()
  return fork(program, module === undefined ? [] : [module], {
    serialization: "advanced",
    execArgv: [],
    env: { ...env, UV_THREADPOOL_SIZE: String(concurrency) },
    // sherpa-onnx also prints to its standard output.
    stdio: ["ignore", "ignore", "pipe", "ipc"]
  })
}

/** The last lines that a process writes to its standard error. */
const tailOf = (child: ChildProcess) => {
  let isLoaded = false
  let lines: Array<string> = []
  let rest = ""
  const kept = (all: ReadonlyArray<string>) => (isLoaded ? all.filter(isOfNetwork) : all)
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    const parts = (rest + text).split("\n")
    rest = (parts.pop() ?? "").slice(-1000)
    lines = [...lines, ...kept(parts)].slice(-keptLines)
  })
  return {
    lines: () => [...lines, ...kept([rest])],
    /** Forgets all lines. Those of a model that is loaded count only if they are of its network. */
    forget: () => {
      isLoaded = true
      lines = []
    }
  }
}

const notStarted = (error: unknown): Ending => ({
  killed: true,
  cause: `Its process can't be started: ${systemCode(error) ?? "the reason is not known"}.`
})

/** @param program Path of what the process runs. Tests run others. */
export const startHost = (options: HostOptions, listener: Listener, program: string = modelHost): HostProcess => {
  try {
    return watch(start(program, options), options, listener)
  } catch (error) {
    // Some reasons, such as a lack of memory, are thrown, and others are events.
    setImmediate(() => listener.onEnded(notStarted(error)))
    return { send: () => undefined, stop: () => Promise.resolve() }
  }
}

const watch = (child: ChildProcess, options: HostOptions, listener: Listener): HostProcess => {
  const tail = tailOf(child)
  let refusal: string | undefined
  const refuse = (reason: string) => {
    refusal ??= reason
    child.kill("SIGKILL")
  }
  const ended = new Promise<void>((resolve) => {
    let isEnded = false
    const finish = (ending: Ending) => {
      if (isEnded) return
      isEnded = true
      resolve()
      listener.onEnded(ending)
    }
    // It was not started, or can't be reached any more.
    child.on("error", (error) => {
      if (child.pid === undefined) finish(notStarted(error))
      else child.kill("SIGKILL")
    })
    child.once("exit", (code, signal) => {
      const settle = () => {
        clearTimeout(timer)
        finish(endingOf({ code, signal, refusal, lines: tail.lines(), folder: options.folder }))
      }
      const timer = setTimeout(settle, stderrTimeout)
      if (child.stderr === null || child.stderr.closed) settle()
      else child.stderr.once("close", settle)
    })
  })
  child.on("message", (message) => {
    const reply = decodeReply(message)
    if (Either.isLeft(reply)) return refuse("Its process sent a message that is not of the protocol.")
    if (reply.right._tag === "Loaded") {
      tail.forget()
      return listener.onLoaded()
    }
    if (reply.right._tag === "Refused") return refuse(reply.right.reason)
    const outcome = reply.right
    if (outcome._tag !== "Failed") return listener.onOutcome(outcome)
    const reason = plainReason(outcome.reason, { folder: options.folder, lines: tail.lines() })
    tail.forget()
    listener.onOutcome({ ...outcome, reason })
  })
  // A process that ended meanwhile says so by its exit.
  const send = (message: Load | Work | Withdraw) => void child.send(message, undefined, {}, () => undefined)
  send(options.load)
  return {
    send,
    stop: () => {
      child.kill("SIGKILL")
      return ended
    }
  }
}
