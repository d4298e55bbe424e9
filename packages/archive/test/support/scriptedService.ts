/**
 * A service that answers as a history says, after a time of its world, and keeps the bill.
 */
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Event } from "./laws.js"
import type { Machine, World } from "./world.js"

export const modes = ["ok", "402", "401", "400", "503", "unreachable", "504", "reset", "garbage"] as const
export type Mode = (typeof modes)[number]

/** What is in a recording: the path and the version, which the service reads from its samples. */
const marker = /FILE:([^;]+);/

const outcomes: Readonly<Record<Exclude<Mode, "unreachable">, (Event & { is: "response" })["outcome"]>> = {
  ok: "answered",
  "402": "refused",
  "401": "refused",
  "400": "rejected",
  "503": "rejected",
  "504": "lost",
  reset: "lost",
  garbage: "lost"
}

export class ScriptedService {
  mode: Mode = "ok"
  millis = 0
  #calls = 0

  readonly world: World
  readonly log: (event: Event) => void
  readonly isWritable: () => boolean

  /** `isWritable`: whether the store can be written. */
  constructor(world: World, log: (event: Event) => void, isWritable: () => boolean) {
    this.world = world
    this.log = log
    this.isWritable = isWritable
  }

  /** The client of a process. */
  client(machine: Machine): HttpClient.HttpClient {
    return HttpClient.make((request) => {
      const lost = (code: string) =>
        new HttpClientError.RequestError({
          request,
          reason: "Transport",
          cause: Object.assign(new Error(code), { code })
        })
      if (this.mode === "unreachable") return Effect.fail(lost("ECONNREFUSED"))
      const { body } = request
      if (body._tag !== "Stream") return Effect.dieMessage("A recording is sent as it is read.")
      return Stream.runCollect(body.stream).pipe(
        Effect.mapError(() => lost("EPIPE")),
        Effect.flatMap((chunks) => {
          const text = Buffer.concat([...chunks]).toString("latin1")
          return Effect.async<HttpClientResponse.HttpClientResponse, HttpClientError.RequestError>((resume) => {
            const { mode } = this
            this.#receive(machine, text, () => {
              if (mode === "reset") return resume(Effect.fail(lost("ECONNRESET")))
              resume(Effect.succeed(HttpClientResponse.fromWeb(request, responseOf(mode, text))))
            })
          })
        })
      )
    })
  }

  #receive(machine: Machine, body: string, respond: () => void): void {
    const { mode, world } = this
    const call = this.#calls++
    const file = marker.exec(body)?.[1] ?? "?"
    const id = /name="transaction_id"\r\n\r\n([^\r]*)/.exec(body)?.[1] ?? "?"
    this.log({ at: world.now, is: "request", call, process: machine.name, file, id })
    world.after(this.millis, () => {
      const delivered = machine.state === "alive" && this.isWritable()
      const outcome = mode === "unreachable" ? "rejected" : outcomes[mode]
      this.log({ at: world.now, is: "response", call, outcome, delivered })
      respond()
    })
  }
}

/** What the service says about a file of this name and version. */
export const textOf = (file: string): string => `The text of ${file}.`

const responseOf = (mode: Mode, body: string): Response => {
  const file = marker.exec(body)?.[1] ?? "?"
  if (mode === "ok") return Response.json({ status: "success", text: textOf(file), call_id: "c" })
  if (mode === "garbage") return new Response("{", { status: 200 })
  return Response.json({ status: "error", error: mode, message: mode }, { status: Number(mode) })
}
