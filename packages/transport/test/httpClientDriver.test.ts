import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { operation, playedTransport, settled, transportOver } from "./scriptedTransport.js"

it.scoped("a response over any HttpClient is read ahead by 256 KiB, and further as its caller reads it", () =>
  Effect.gen(function* () {
    const chunk = new Uint8Array(64 * 1024)
    let read = 0
    const body = new ReadableStream<Uint8Array>(
      {
        pull: (controller) => {
          controller.enqueue(chunk)
          if (++read === 16) controller.close()
        }
      },
      { highWaterMark: 0 }
    )
    const transport = yield* playedTransport(() => Effect.succeed(new Response(body)))
    const { pull } = yield* transport.open({ ...operation(), accept: ({ pull }) => Effect.succeed({ pull }) })
    const settled = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
    yield* settled
    expect(read).toBe(5)
    for (let pulled = 0; pulled < 3; pulled++) expect(yield* pull).toEqual(chunk)
    yield* settled
    expect(read).toBe(8)
    let rest = 0
    while ((yield* pull) !== undefined) rest++
    expect([rest, read]).toEqual([13, 16])
  })
)

const chunk = new Uint8Array(64 * 1024)

/** A client that gives each response another body, in an object that hides the original one. */
const clientWithBody = (body: HttpClientResponse.HttpClientResponse["stream"]) =>
  Layer.succeed(
    HttpClient.HttpClient,
    HttpClient.make((request) =>
      Effect.sync(
        () =>
          new Proxy(HttpClientResponse.fromWeb(request, new Response("hidden")), {
            get: (response, name) => (name === "stream" ? body : Reflect.get(response, name, response))
          })
      )
    )
  )

/** The number of bytes of a whole response. */
const lengthOver = (client: Layer.Layer<HttpClient.HttpClient>) =>
  Effect.gen(function* () {
    const transport = yield* transportOver(client)
    const { pull } = yield* transport.open({ ...operation(), accept: ({ pull }) => Effect.succeed({ pull }) })
    let length = 0
    for (let bytes = yield* pull; bytes !== undefined; bytes = yield* pull) length += bytes.byteLength
    return length
  })

it.scoped("the body that a wrapper gives a response is read, and its finalizers run when it has ended", () =>
  Effect.gen(function* () {
    let open = 0
    const held = Effect.acquireRelease(
      Effect.sync(() => open++),
      () => Effect.sync(() => open--)
    )
    const body = Stream.unwrapScoped(Effect.as(held, Stream.make(chunk, chunk)))
    expect(yield* lengthOver(clientWithBody(body))).toBe(2 * chunk.byteLength)
    expect(open).toBe(0)
  })
)

it.scoped("a slow body is read to its end, wherever its fiber yields between the queue that is full and its wait", () =>
  Effect.gen(function* () {
    const chunks = 16
    const body = Stream.range(1, chunks).pipe(Stream.rechunk(1), Stream.as(chunk))
    for (let operations = 16; operations < 48; operations++) {
      const read = Effect.withMaxOpsBeforeYield(lengthOver(clientWithBody(body)), operations)
      expect(yield* Effect.scoped(read)).toBe(chunks * chunk.byteLength)
    }
  })
)

it.scoped("a call that can't be interrupted still interrupts its client at a deadline", () =>
  Effect.gen(function* () {
    let interrupted = 0
    const client = HttpClient.make(() => Effect.onInterrupt(Effect.never, () => Effect.sync(() => interrupted++)))
    const transport = yield* transportOver(Layer.succeed(HttpClient.HttpClient, client))
    const outcome = yield* settled(Effect.uninterruptible(transport.run({ ...operation(), repeatable: false })))
    expect(outcome).toMatchObject({ left: { failure: { _tag: "DeadlineExceeded", phase: "answer" } } })
    expect(interrupted).toBe(1)
  })
)

it.scoped("a request to this machine tells the fetch of Bun to use no proxy, unless the caller names one", () =>
  Effect.gen(function* () {
    const transport = yield* transportOver(FetchHttpClient.layer)
    const proxies: Array<unknown> = []
    const call = (url: string, given: object = {}) =>
      transport.run(operation(new TextEncoder().encode("hello"), true, url)).pipe(
        Effect.provideService(FetchHttpClient.RequestInit, given),
        Effect.provideService(FetchHttpClient.Fetch, async (_, init) => {
          proxies.push(init !== undefined && "proxy" in init ? init.proxy : "that of the environment")
          return new Response("ok")
        })
      )
    for (const host of ["localhost:8080", "127.0.0.1", "[::1]"]) yield* call(`http://${host}/`)
    yield* call("https://host.example/")
    yield* call("http://localhost/", { proxy: "http://proxy.example" })
    expect(proxies).toEqual([false, false, false, "that of the environment", "http://proxy.example"])
  })
)
