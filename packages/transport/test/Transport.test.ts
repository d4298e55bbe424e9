import * as HttpClientError from "@effect/platform/HttpClientError"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import { describe, expect, it } from "@effect/vitest"
import { type CallEvent, type Operation, Upload } from "@effect-speech/transport"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import { classifyConnectionError } from "../src/internal/http/classifyConnectionError.js"
import {
  deadlines,
  type Failed,
  lost,
  operation,
  type Play,
  type PlayOptions,
  playedTransport,
  settled
} from "./scriptedTransport.js"

const call = (play: Play, options: PlayOptions & { readonly body?: Operation.Request["body"] } = {}) =>
  Effect.flatMap(Effect.orDie(playedTransport(play, options)), ({ run }) => run(operation(options.body)))

const consume = (request: HttpClientRequest.HttpClientRequest) =>
  request.body._tag === "Stream" ? Effect.orDie(Stream.runDrain(request.body.stream)) : Effect.void

describe("a call", () => {
  it.effect("sends the key in its header, and gives what the operation makes of the answer", () =>
    Effect.gen(function* () {
      let key: string | undefined
      const text = yield* call((request) => {
        key = request.headers["x-api-key"]
        return Effect.succeed(new Response("answer"))
      })
      expect(text).toBe("answer")
      expect(key).toBe("prefix.topsecret")
    })
  )

  it.effect("is not built with a key of the wrong form", () =>
    Effect.gen(function* () {
      const failure = yield* Effect.flip(
        playedTransport(() => Effect.never, { apiKey: Effect.succeed(Redacted.make("wrong")) })
      )
      expect(failure.problem).toContain("dot")
    })
  )
})

it.effect("a service gets no headers of a trace", () =>
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
  const outcome = (effect: Effect.Effect<string, Failed>, wait: string & `${number} seconds`) =>
    Effect.gen(function* () {
      const fiber = yield* Effect.fork(Effect.flip(effect))
      yield* TestClock.adjust(wait)
      return yield* Fiber.join(fiber)
    })

  it.effect("ends a call whose answer does not begin", () =>
    Effect.gen(function* () {
      const { failure, progress } = yield* outcome(
        call(() => Effect.never),
        "60 seconds"
      )
      expect(failure).toEqual({ _tag: "DeadlineExceeded", phase: "answer", limitMillis: 60_000 })
      expect(progress).toEqual({
        sentId: "id-1",
        attempts: [{ sent: "all", delayMillis: 0, elapsedMillis: 60_000 }],
        sent: "all",
        elapsedMillis: 60_000
      })
    })
  )

  it.effect("ends an upload that does not begin", () =>
    Effect.gen(function* () {
      const body = Upload.fromStream(Stream.never, undefined)
      const { failure } = yield* outcome(
        call((request) => Effect.zipRight(consume(request), Effect.never), { body }),
        "10 seconds"
      )
      expect(failure).toEqual({ _tag: "DeadlineExceeded", phase: "upload", limitMillis: 10_000 })
    })
  )

  it.effect("ends an upload that pauses, and not one that goes on slowly", () =>
    Effect.gen(function* () {
      const slow = Stream.fromIterable([1, 2, 3, 4]).pipe(
        Stream.mapEffect((part) => Effect.delay(Effect.succeed(Uint8Array.of(part)), "9 seconds"))
      )
      const paused = Stream.concat(slow, Stream.never)
      const { failure, progress } = yield* outcome(
        call((request) => Effect.zipRight(consume(request), Effect.never), {
          body: Upload.fromStream(paused, undefined)
        }),
        "46 seconds"
      )
      expect(failure).toEqual({ _tag: "DeadlineExceeded", phase: "upload", limitMillis: 10_000 })
      expect(progress.sent).toBe("part")

      const fiber = yield* Effect.fork(
        call((request) => Effect.as(consume(request), new Response("done")), {
          body: Upload.fromStream(slow, undefined)
        })
      )
      yield* TestClock.adjust("36 seconds")
      expect(yield* Fiber.join(fiber)).toBe("done")
    })
  )

  it.effect("for the answer counts from the end of the upload, however long a pause may be", () =>
    Effect.gen(function* () {
      for (const uploadIdle of [10_000_000, Number.POSITIVE_INFINITY]) {
        const { failure, progress } = yield* outcome(
          call((request) => Effect.zipRight(consume(request), Effect.never), {
            body: Upload.fromStream(Stream.make(Uint8Array.of(1)), 1),
            deadlines: { ...deadlines, uploadIdle }
          }),
          "60 seconds"
        )
        expect(failure).toEqual({ _tag: "DeadlineExceeded", phase: "answer", limitMillis: 60_000 })
        expect(progress).toMatchObject({ sent: "all", elapsedMillis: 60_000 })
      }
    })
  )

  it.effect("ends a download that pauses", () =>
    Effect.gen(function* () {
      const body = new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode("half")) })
      const fiber = yield* Effect.fork(Effect.flip(call(() => Effect.succeed(new Response(body)))))
      // The first chunk passes through promises of the platform, which the test clock does not drive.
      yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 20)))
      yield* TestClock.adjust("20 seconds")
      const { failure } = yield* Fiber.join(fiber)
      expect(failure).toEqual({ _tag: "DeadlineExceeded", phase: "download", limitMillis: 20_000 })
    })
  )

  it.effect("for all of it counts from the start", () =>
    Effect.gen(function* () {
      const { failure } = yield* outcome(
        call(() => Effect.never, { deadlines: { ...deadlines, total: 5_000 } }),
        "5 seconds"
      )
      expect(failure).toEqual({ _tag: "DeadlineExceeded", phase: "total", limitMillis: 5_000 })
    })
  )
})

describe("a connection that fails", () => {
  it.effect.each([
    { code: "ECONNREFUSED", reason: "refused", sent: "nothing" },
    { code: "ENOTFOUND", reason: "notFound", sent: "nothing" },
    { code: "SELF_SIGNED_CERT_IN_CHAIN", reason: "tls", sent: "nothing" },
    { code: "ECONNRESET", reason: "reset", sent: "all" },
    { code: "UND_ERR_SOCKET", reason: "reset", sent: "all" },
    { code: "ETIMEDOUT", reason: "timeout", sent: "all" },
    { code: "UND_ERR_CONNECT_TIMEOUT", reason: "timeout", sent: "nothing" },
    { code: "EHOSTUNREACH", reason: "refused", sent: "nothing" },
    { code: "ENETUNREACH", reason: "refused", sent: "nothing" },
    { code: "EADDRNOTAVAIL", reason: "refused", sent: "nothing" },
    { code: "EAI_AGAIN", reason: "notFound", sent: "nothing" },
    { code: "EAI_NODATA", reason: "notFound", sent: "nothing" },
    { code: "ECONNABORTED", reason: "reset", sent: "all" },
    { code: "EPIPE", reason: "reset", sent: "all" },
    { code: "UND_ERR_CLOSED", reason: "closed", sent: "all" },
    { code: "UND_ERR_DESTROYED", reason: "closed", sent: "all" },
    { code: "UND_ERR_HEADERS_TIMEOUT", reason: "timeout", sent: "all" },
    { code: "UND_ERR_BODY_TIMEOUT", reason: "timeout", sent: "all" },
    { code: "ERR_TLS_CERT_ALTNAME_INVALID", reason: "tls", sent: "nothing" },
    { code: "ERR_SSL_WRONG_VERSION_NUMBER", reason: "tls", sent: "nothing" },
    { code: "EPROTO", reason: "tls", sent: "nothing" },
    { code: "CERT_HAS_EXPIRED", reason: "tls", sent: "nothing" },
    { code: "DEPTH_ZERO_SELF_SIGNED_CERT", reason: "tls", sent: "nothing" },
    { code: "UNABLE_TO_VERIFY_LEAF_SIGNATURE", reason: "tls", sent: "nothing" },
    { code: "HOSTNAME_MISMATCH", reason: "tls", sent: "nothing" },
    { code: "ESOMETHING", reason: "unknown", sent: "all" },
    { code: "XECONNREFUSED", reason: "unknown", sent: "all" },
    { code: "ENOTFOUNDX", reason: "unknown", sent: "all" }
  ] as const)("with $code is told as $reason, $sent sent", ({ code, reason, sent }) =>
    Effect.gen(function* () {
      const { failure, progress } = yield* Effect.flip(call((request) => lost(request, code)))
      expect(failure).toEqual({ _tag: "ConnectionFailed", reason, code })
      expect(progress.sent).toBe(sent)
    })
  )

  const toldOf = (cause: unknown) =>
    Effect.map(
      Effect.flip(
        call((request) => Effect.fail(new HttpClientError.RequestError({ request, reason: "Transport", cause })))
      ),
      ({ failure }) => failure
    )

  it.effect("to all addresses of a host is told as the first of them was", () =>
    Effect.gen(function* () {
      const errors = ["ECONNREFUSED", "ETIMEDOUT"].map((code) => Object.assign(new Error("one"), { code }))
      const all = new Error("outer", { cause: new AggregateError(errors) })
      expect(yield* toldOf(all)).toEqual({ _tag: "ConnectionFailed", reason: "refused", code: "ECONNREFUSED" })
    })
  )

  it.effect("for no known cause, or for one that goes round in a circle, is told as that", () =>
    Effect.gen(function* () {
      const circle: { cause?: unknown; code: number } = { code: 1 }
      circle.cause = circle
      for (const cause of [undefined, null, "ECONNREFUSED", { code: 111 }, { errors: "ECONNREFUSED" }, circle]) {
        expect(yield* toldOf(cause)).toEqual({ _tag: "ConnectionFailed", reason: "unknown", code: undefined })
      }
    })
  )
})

describe("an answer", () => {
  const answered = (body: string | ReadableStream, headers: Record<string, string>) =>
    Effect.either(call(() => Effect.succeed(new Response(body, { headers }))))

  it.effect("that is shorter than it was announced to be is cut, unless it was packed", () =>
    Effect.gen(function* () {
      const cut = { left: { failure: { _tag: "ConnectionFailed", reason: "cut", code: undefined } } }
      expect(yield* answered("half", { "content-length": "5" })).toMatchObject(cut)
      expect(yield* answered("half", { "content-length": "4" })).toEqual(Either.right("half"))
      expect(yield* answered("half", {})).toEqual(Either.right("half"))
      const packed = { "content-length": "5", "content-encoding": "gzip" }
      expect(yield* answered("half", packed)).toEqual(Either.right("half"))
    })
  )

  it.effect("that breaks off is cut, as is one that its client can't make out", () =>
    Effect.gen(function* () {
      const reset = Object.assign(new Error("reset"), { code: "ECONNRESET" })
      const failure = { _tag: "ConnectionFailed", reason: "cut", code: "ECONNRESET" }
      const broken = new ReadableStream({ start: (controller) => controller.error(reset) })
      expect(yield* answered(broken, {})).toMatchObject({ left: { failure } })
      const odd = yield* Effect.flip(
        call((request) => {
          const response = HttpClientResponse.fromWeb(request, new Response("ok"))
          const error = new HttpClientError.ResponseError({ request, response, reason: "Decode", cause: reset })
          return Effect.fail(error as unknown as HttpClientError.RequestError)
        })
      )
      expect(odd).toMatchObject({ failure })
    })
  )
})

it.effect("an upload that fails is what is told, whatever its client makes of that", () =>
  Effect.gen(function* () {
    const failure = { _tag: "UploadFailed", problem: "it is gone" } as const
    const stream = Stream.concat(Stream.make(Uint8Array.of(1)), Stream.fail(failure))
    const told = yield* Effect.flip(
      call(
        (request) =>
          Effect.zipRight(
            request.body._tag === "Stream" ? Effect.ignore(Stream.runDrain(request.body.stream)) : Effect.void,
            lost(request, "ECONNRESET")
          ),
        { body: Upload.fromStream(stream, undefined) }
      )
    )
    expect(told).toMatchObject({ failure, progress: { sent: "part" } })
  })
)

describe("a call that is looked at", () => {
  /** Of two attempts, the first of which is refused. */
  const eventsOf = (body: Operation.Request["body"]) =>
    Effect.gen(function* () {
      const told: Array<CallEvent.CallEvent> = []
      const statuses = [503]
      const transport = yield* Effect.orDie(
        playedTransport(
          (request) => Effect.map(consume(request), () => new Response("ok", { status: statuses.shift() ?? 200 })),
          { retries: { retries: 1 } }
        )
      )
      const onEvent = (event: CallEvent.CallEvent) => Effect.sync(() => told.push(event))
      expect(yield* settled(transport.run(operation(body), { onEvent }))).toEqual(Either.right("ok"))
      return told
    })
  const attempt = (number: number, status: number) => [
    { _tag: "Waiting", attempt: number },
    { _tag: "Answered", attempt: number, status }
  ]
  const retrying = { _tag: "Retrying", attempt: 2, delayMillis: 200 }

  it.effect("tells of each attempt, once it waits, and of its answer", () =>
    Effect.gen(function* () {
      const told = yield* eventsOf(new TextEncoder().encode("hello"))
      expect(told).toEqual([...attempt(1, 503), retrying, ...attempt(2, 200)])
    })
  )

  it.effect("tells of each part of an upload that was sent, and waits after the last", () =>
    Effect.gen(function* () {
      const stream = Stream.rechunk(Stream.make(Uint8Array.of(1, 2, 3), Uint8Array.of(4, 5)), 1)
      const told = yield* eventsOf(Upload.fromStream(stream, 5))
      const parts = (number: number) =>
        [3, 5].map((sentBytes) => ({ _tag: "Uploading", attempt: number, sentBytes, totalBytes: 5 }))
      expect(told).toEqual([...parts(1), ...attempt(1, 503), retrying, ...parts(2), ...attempt(2, 200)])
    })
  )

  it.effect("goes on where that fails, which is logged", () =>
    Effect.gen(function* () {
      const logged: Array<unknown> = []
      const logger = Logger.make(({ cause, message }) => void logged.push(message, String(Cause.squash(cause))))
      const transport = yield* Effect.orDie(playedTransport(() => Effect.succeed(new Response("ok"))))
      const broken = "the progress bar broke"
      const text = yield* transport
        .run(operation(), { onEvent: () => Effect.die(broken) })
        .pipe(Effect.provide(Logger.add(logger)))
      expect(text).toBe("ok")
      expect(logged).toEqual([["onEvent failed"], broken, ["onEvent failed"], broken])
    })
  )
})

it.effect("what a call sends is opened for each attempt, and closed after it", () =>
  Effect.gen(function* () {
    const seen: Array<string> = []
    const statuses = [503]
    const transport = yield* Effect.orDie(
      playedTransport(
        () =>
          Effect.sync(() => {
            seen.push("sent")
            return new Response("ok", { status: statuses.shift() ?? 200 })
          }),
        { retries: { retries: 1 } }
      )
    )
    const once = operation()
    const outgoing = once.request as Operation.Request
    const text = yield* settled(
      transport.run({
        ...once,
        request: (scope) =>
          Effect.suspend(() => {
            seen.push("opened")
            return Effect.as(
              Scope.addFinalizer(
                scope,
                Effect.sync(() => seen.push("closed"))
              ),
              outgoing
            )
          })
      })
    )
    expect(text).toEqual(Either.right("ok"))
    expect(seen).toEqual(["opened", "sent", "closed", "opened", "sent", "closed"])
  })
)

describe("what was sent of an attempt", () => {
  it.effect("is what has been sent by now, where its answer came before that", () =>
    Effect.gen(function* () {
      const rest = yield* Effect.makeLatch()
      const read = yield* Effect.makeLatch()
      const stream = Stream.concat(
        Stream.make(Uint8Array.of(1)),
        Stream.fromEffect(Effect.as(rest.await, Uint8Array.of(2)))
      )
      const transport = yield* Effect.orDie(
        playedTransport((request) =>
          Effect.gen(function* () {
            yield* Effect.forkDaemon(Effect.zipRight(consume(request), read.open))
            yield* Effect.yieldNow()
            return new Response("ok")
          })
        )
      )
      const told: Array<ReadonlyArray<unknown>> = []
      yield* transport.run({
        ...operation(Upload.fromStream(stream, 2)),
        accept: ({ progress }) =>
          Effect.gen(function* () {
            told.push(progress().attempts)
            yield* rest.open
            yield* read.await
            told.push(progress().attempts)
            return "ok"
          })
      })
      const attempt = { status: 200, delayMillis: 0, elapsedMillis: 0 }
      expect(told).toStrictEqual([[{ ...attempt, sent: "part" }], [{ ...attempt, sent: "all" }]])
    })
  )

  it.effect("is not what is sent of the one after it, nor told where nothing was to be had", () =>
    Effect.gen(function* () {
      const outcomeOf = (openings: number) =>
        Effect.gen(function* () {
          const transport = yield* Effect.orDie(
            playedTransport(() => Effect.succeed(new Response("", { status: 503 })), { retries: {} })
          )
          const once = operation()
          const outgoing = once.request as Operation.Request
          let left = openings
          return yield* settled(
            transport.run({
              ...once,
              request: () =>
                left-- > 0 ? Effect.succeed(outgoing) : Effect.fail({ _tag: "UploadFailed", problem: "it is gone" })
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

it("the code of a failed connection is looked for in eight causes, one inside the other", () => {
  const nested = (depth: number): unknown => (depth === 0 ? { code: "ECONNREFUSED" } : { cause: nested(depth - 1) })
  expect(classifyConnectionError(nested(7), false)).toMatchObject({ reason: "refused", code: "ECONNREFUSED" })
  expect(classifyConnectionError(nested(8), false)).toMatchObject({ reason: "unknown", code: undefined })
})
