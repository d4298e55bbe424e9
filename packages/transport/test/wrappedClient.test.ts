import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import { describe, expect, it } from "@effect/vitest"
import type * as Operation from "@effect-speech/transport/unstable/Operation"
import * as Upload from "@effect-speech/transport/unstable/Upload"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { faultyServer, head, onRequest, untilZero, write } from "effect-speech-test-support/faultyServer"
import { httpClients } from "effect-speech-test-support/httpClients"
import { operation, transportOver } from "./scriptedTransport.js"

/** Wraps a client. `see` must run once for each request, and returns its argument. */
type Wrap = (client: HttpClient.HttpClient, see: <A>(value: A) => A) => HttpClient.HttpClient

/** The rows of the table. Each object with an `execute` of its own calls that of the client. */
const wrappers: ReadonlyArray<readonly [name: string, wrap: Wrap]> = [
  ["a spread", (client, see) => ({ ...client, execute: (request) => client.execute(see(request)) })],
  [
    "an object that inherits from it",
    (client, see) => {
      const execute: HttpClient.HttpClient["execute"] = (request) => client.execute(see(request))
      return Object.assign(Object.create(client) as HttpClient.HttpClient, { execute })
    }
  ],
  [
    "a Proxy",
    (client, see) => {
      const execute = new Proxy(client.execute, {
        apply: (target, self, given: Parameters<typeof client.execute>) => Reflect.apply(target, self, see(given))
      })
      return new Proxy(client, { get: (target, name) => (name === "execute" ? execute : Reflect.get(target, name)) })
    }
  ],
  ["transformResponse", (client, see) => HttpClient.transformResponse(client, Effect.tap(see))],
  [
    "mapRequest",
    (client, see) => HttpClient.mapRequest(client, (request) => HttpClientRequest.setHeader(see(request), "x-a", "b"))
  ],
  ["filterStatus", (client, see) => HttpClient.filterStatus(client, () => see(true))],
  [
    "tapError and retry",
    (client, see) =>
      HttpClient.filterStatus(client, () => false).pipe(
        HttpClient.tapError((error) => Effect.sync(() => see(error))),
        HttpClient.retry({ times: 0 })
      )
  ]
]

const overWrapped = (wrap: Wrap, see: <A>(value: A) => A) =>
  transportOver(
    Layer.effect(
      HttpClient.HttpClient,
      Effect.map(HttpClient.HttpClient, (client) => wrap(client, see))
    ).pipe(Layer.provide(httpClients.recommended))
  )

describe("a wrapper of the recommended HttpClient", () => {
  it.scopedLive.each(wrappers)("sees each request, and leaves no connection open after it: %s", ([, wrap]) =>
    Effect.gen(function* () {
      const seen: Array<unknown> = []
      // The response never ends, and is not read.
      const server = yield* faultyServer(onRequest(write(`${head(200)}endless`)))
      const { run } = yield* overWrapped(wrap, (value) => {
        seen.push(value)
        return value
      })
      const bodies: ReadonlyArray<Operation.Request["body"]> = [Uint8Array.of(1), Upload.fromMemory([Uint8Array.of(1)])]
      for (const body of bodies) {
        const call = { ...operation(body, true, `http://${server.host}`), accept: () => Effect.succeed("unread") }
        yield* Effect.either(run(call))
      }
      expect(seen.length).toBe(bodies.length)
      expect(server.used()).toBeGreaterThan(0)
      expect(yield* untilZero(Effect.sync(server.open), 1000)).toBe(0)
    })
  )
})
