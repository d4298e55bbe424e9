import * as HttpClientError from "@effect/platform/HttpClientError"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import { describe, expect, it } from "@effect/vitest"
import type { CallEvent } from "@effect-speech/transport"
import { Attempt, type Sent } from "@effect-speech/transport/CallReport"
import type * as Operation from "@effect-speech/transport/unstable/Operation"
import * as Upload from "@effect-speech/transport/unstable/Upload"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import {
  deadlines,
  lost,
  operation,
  type Play,
  type PlayOptions,
  playedTransport,
  settled
} from "./scriptedTransport.js"

const call = (play: Play, options: PlayOptions & { readonly body?: Operation.Request["body"] | undefined } = {}) =>
  Effect.flatMap(playedTransport(play, options), ({ run }) => run(operation(options.body)))

const consume = (request: HttpClientRequest.HttpClientRequest) =>
  request.body._tag === "Stream" ? Effect.orDie(Stream.runDrain(request.body.stream)) : Effect.void

it.effect("the service gets no trace headers", () =>
  Effect.gen(function* () {
    const names: Array<string> = []
    yield* call((request) => {
      names.push(...Object.keys(request.headers))
      return Effect.succeed(new Response("ok"))
    }).pipe(Effect.withSpan("caller"))
    expect(names.toSorted()).toEqual(["content-length", "content-type", "x-api-key"])
  })
)

describe("a deadline", () => {
  const sendThenWait: Play = (request) => Effect.zipRight(consume(request), Effect.never)
  const inSteps = Stream.fromIterable([1, 2, 3, 4]).pipe(
    Stream.mapEffect((byte) => Effect.delay(Effect.succeed(Uint8Array.of(byte)), "9 seconds"))
  )
  const pausing = Upload.fromStream(Stream.concat(inSteps, Stream.never), undefined)

  it.effect.each([
    { what: "an upload that pauses", body: pausing, phase: "upload", limitMillis: 10_000, sent: "part", seconds: 46 },
    {
      what: "a call without a response to its upload, with no upload deadline",
      body: Upload.fromStream(Stream.make(Uint8Array.of(1)), 1),
      given: { uploadIdle: Number.POSITIVE_INFINITY },
      phase: "answer",
      limitMillis: 60_000,
      sent: "all"
    }
  ])("ends $what", ({ body, given, limitMillis, phase, seconds = limitMillis / 1000, sent }) =>
    Effect.gen(function* () {
      const options = { deadlines: { ...deadlines, ...given }, body }
      const fiber = yield* Effect.fork(Effect.flip(call(sendThenWait, options)))
      yield* TestClock.adjust(`${seconds} seconds`)
      const { failure, progress } = yield* Fiber.join(fiber)
      const elapsedMillis = seconds * 1000
      expect(failure).toEqual({ _tag: "DeadlineExceeded", phase, limitMillis })
      expect(progress).toEqual({
        sentId: "id-1",
        attempts: [{ sent, delayMillis: 0, elapsedMillis }],
        sent,
        elapsedMillis
      })
    })
  )

  it.effect("does not end a slow upload that progresses", () =>
    Effect.gen(function* () {
      const play: Play = (request) => Effect.as(consume(request), new Response("done"))
      const fiber = yield* Effect.fork(call(play, { body: Upload.fromStream(inSteps, undefined) }))
      yield* TestClock.adjust("36 seconds")
      expect(yield* Fiber.join(fiber)).toBe("done")
    })
  )

  it.effect("ends the opening of a request, and stops what it waits for before the call ends", () =>
    Effect.gen(function* () {
      let stopped = 0
      const stop = Effect.delay(
        Effect.sync(() => {
          stopped++
        }),
        "10 millis"
      )
      const transport = yield* playedTransport(() => Effect.never)
      const running = transport.run({ ...operation(), request: ({ wait }) => wait(() => stop) })
      const exceeded = yield* Effect.fork(Effect.flip(running))
      yield* TestClock.adjust("10 seconds")
      yield* TestClock.adjust("10 millis")
      const failure = { _tag: "DeadlineExceeded", phase: "upload", limitMillis: 10_000 }
      expect(yield* Fiber.join(exceeded)).toMatchObject({ failure, progress: { sent: "nothing" } })
      const interrupted = yield* Effect.fork(running)
      yield* TestClock.adjust("1 seconds")
      yield* Fiber.interruptFork(interrupted)
      yield* TestClock.adjust("10 millis")
      expect(stopped).toBe(2)
      expect(interrupted.unsafePoll()?._tag).toBe("Failure")
    })
  )
})

describe("a connection that fails", () => {
  const table = [
    { reason: "refused", sent: "nothing", codes: ["ECONNREFUSED", "EHOSTUNREACH", "ENETUNREACH", "EADDRNOTAVAIL"] },
    { reason: "notFound", sent: "nothing", codes: ["ENOTFOUND", "EAI_AGAIN", "EAI_NODATA"] },
    { reason: "tls", sent: "nothing", codes: ["ERR_TLS_CERT_ALTNAME_INVALID", "ERR_SSL_WRONG_VERSION_NUMBER"] },
    { reason: "tls", sent: "nothing", codes: ["EPROTO", "CERT_HAS_EXPIRED", "DEPTH_ZERO_SELF_SIGNED_CERT"] },
    { reason: "tls", sent: "nothing", codes: ["SELF_SIGNED_CERT_IN_CHAIN", "UNABLE_TO_VERIFY_LEAF_SIGNATURE"] },
    { reason: "tls", sent: "nothing", codes: ["HOSTNAME_MISMATCH"] },
    { reason: "reset", sent: "all", codes: ["ECONNRESET", "ECONNABORTED", "EPIPE", "UND_ERR_SOCKET"] },
    { reason: "timeout", sent: "all", codes: ["ETIMEDOUT", "UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT"] },
    { reason: "timeout", sent: "nothing", codes: ["UND_ERR_CONNECT_TIMEOUT"] },
    { reason: "closed", sent: "all", codes: ["UND_ERR_CLOSED", "UND_ERR_DESTROYED"] },
    { reason: "tooManyOpenFiles", sent: "nothing", codes: ["EMFILE", "ENFILE"] },
    { reason: "unknown", sent: "all", codes: ["ESOMETHING", "XECONNREFUSED", "ENOTFOUNDX"] }
  ].flatMap(({ codes, ...expected }) => codes.map((code) => ({ code, ...expected })))

  it.effect.each(table)("with $code has the reason $reason, with $sent sent", ({ code, reason, sent }) =>
    Effect.gen(function* () {
      const { failure, progress } = yield* Effect.flip(call((request) => lost(request, code)))
      expect(failure).toEqual({ _tag: "ConnectionFailed", reason, code })
      expect(progress.sent).toBe(sent)
    })
  )
})

it.effect.each<readonly [what: string, headers: Record<string, string>, read: string | undefined]>([
  ["shorter than its Content-Length is cut", { "content-length": "5" }, undefined],
  ["as long as its Content-Length is read", { "content-length": "4" }, "half"],
  ["without a Content-Length is read", {}, "half"],
  [
    "compressed is read, since its Content-Length counts other bytes",
    { "content-length": "5", "content-encoding": "gzip" },
    "half"
  ]
])("a response that the client ends without an error, %s", ([, headers, read]) =>
  Effect.gen(function* () {
    const outcome = yield* Effect.either(call(() => Effect.succeed(new Response("half", { headers }))))
    const cut = { failure: { _tag: "ConnectionFailed", reason: "cut", code: undefined } }
    expect(outcome).toMatchObject(read === undefined ? { left: cut } : { right: read })
  })
)

it.effect.each([
  ["is cut", "ECONNRESET", "cut"],
  ["whose client was closed has that reason", "UND_ERR_DESTROYED", "closed"]
])("a response that the client can't decode %s", ([, code, reason]) =>
  Effect.gen(function* () {
    const cause = Object.assign(new Error("reset"), { code })
    const undecoded = call((request) => {
      const response = HttpClientResponse.fromWeb(request, new Response("ok"))
      const error = new HttpClientError.ResponseError({ request, response, reason: "Decode", cause })
      return Effect.fail(error as unknown as HttpClientError.RequestError)
    })
    expect((yield* Effect.flip(undecoded)).failure).toEqual({
      _tag: "ConnectionFailed",
      reason,
      code
    })
  })
)

it.effect("the failure of an upload is reported, whatever the client makes of it", () =>
  Effect.gen(function* () {
    const failure = { _tag: "UploadFailed", problem: "it is gone" } as const
    const stream = Stream.concat(Stream.make(Uint8Array.of(1)), Stream.fail(failure))
    const seen = yield* Effect.flip(
      call(
        (request) =>
          Effect.zipRight(
            request.body._tag === "Stream" ? Effect.ignore(Stream.runDrain(request.body.stream)) : Effect.void,
            lost(request, "ECONNRESET")
          ),
        { body: Upload.fromStream(stream, undefined) }
      )
    )
    expect(seen).toMatchObject({ failure, progress: { sent: "part" } })
  })
)

describe("the events of a call", () => {
  /** The events of two attempts: the response to the first is 503. */
  const eventsOf = (body: Operation.Request["body"]) =>
    Effect.gen(function* () {
      const seen: Array<CallEvent.CallEvent> = []
      const statuses = [503]
      const transport = yield* playedTransport(
        (request) => Effect.map(consume(request), () => new Response("ok", { status: statuses.shift() ?? 200 })),
        { retries: { retries: 1 } }
      )
      const onEvent = (event: CallEvent.CallEvent) => Effect.sync(() => seen.push(event))
      expect(yield* settled(transport.run(operation(body), { onEvent }))).toEqual(Either.right("ok"))
      return seen
    })
  const attempt = (number: number, status: number) => [
    { _tag: "Waiting", attempt: number },
    { _tag: "Answered", attempt: number, status }
  ]
  const retrying = { _tag: "Retrying", attempt: 2, delayMillis: 200 }

  const stream = Stream.rechunk(Stream.make(Uint8Array.of(1, 2, 3), Uint8Array.of(4, 5)), 1)
  it.effect.each([
    { what: "a body in memory", body: new TextEncoder().encode("hello"), parts: [] },
    { what: "an upload, whose parts are Uploading", body: Upload.fromStream(stream, 5), parts: [3, 5] }
  ])("are Waiting and Answered for each attempt with $what, and Retrying between them", ({ body, parts }) =>
    Effect.gen(function* () {
      const uploading = (number: number) =>
        parts.map((sentBytes) => ({ _tag: "Uploading", attempt: number, sentBytes, totalBytes: 5 }))
      const expected = [...uploading(1), ...attempt(1, 503), retrying, ...uploading(2), ...attempt(2, 200)]
      expect(yield* eventsOf(body)).toEqual(expected)
    })
  )
})

describe("how much was sent", () => {
  it.effect("still grows after an early response", () =>
    Effect.gen(function* () {
      const rest = yield* Effect.makeLatch()
      const read = yield* Effect.makeLatch()
      const stream = Stream.concat(
        Stream.make(Uint8Array.of(1)),
        Stream.fromEffect(Effect.as(rest.await, Uint8Array.of(2)))
      )
      const transport = yield* playedTransport((request) =>
        Effect.gen(function* () {
          yield* Effect.forkDaemon(Effect.zipRight(consume(request), read.open))
          yield* Effect.yieldNow()
          return new Response("ok")
        })
      )
      const seen: Array<ReadonlyArray<unknown>> = []
      yield* transport.run({
        ...operation(Upload.fromStream(stream, 2)),
        accept: ({ progress }) =>
          Effect.gen(function* () {
            seen.push(progress().attempts)
            yield* rest.open
            yield* read.await
            seen.push(progress().attempts)
            return "ok"
          })
      })
      const attempt = (sent: Sent) => new Attempt({ status: 200, sent, delayMillis: 0, elapsedMillis: 0 })
      expect(seen).toStrictEqual([[attempt("part")], [attempt("all")]])
    })
  )

  it.effect("is that of the latest attempt whose request could be built", () =>
    Effect.gen(function* () {
      const outcomeOf = (openings: number) =>
        Effect.gen(function* () {
          const transport = yield* playedTransport(() => Effect.succeed(new Response("", { status: 503 })), {
            retries: {}
          })
          const once = operation()
          const request = once.request as Operation.Request
          let left = openings
          return yield* settled(
            transport.run({
              ...once,
              request: () =>
                left-- > 0 ? Effect.succeed(request) : Effect.fail({ _tag: "UploadFailed", problem: "it is gone" })
            })
          )
        })
      const failure = { _tag: "UploadFailed", problem: "it is gone" }
      expect(yield* outcomeOf(0)).toMatchObject({ left: { failure, progress: { sent: "nothing", attempts: [] } } })
      expect(yield* outcomeOf(1)).toMatchObject({
        left: { failure, progress: { sent: "all", attempts: [{ status: 503, sent: "all" }] } }
      })
    })
  )
})
