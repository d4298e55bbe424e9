import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { layer } from "@effect/vitest"
import { KnownRecordings, LocalService, type LocalServiceOptions, VoiceFailed } from "@effect-speech/local-service"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { YieldWrap } from "effect/Utils"
import { cannedVoice } from "effect-speech-test-support/cannedVoice"
import { type Answer, type Asked, type ResponseChecker, responseChecker } from "./document.js"
import { formType } from "./messages.js"
import { exchange, exchangeRaw, leave, type Piece, type RawOptions, type Received, type Request } from "./wire.js"

/** In samples: 10 ms. */
const perCodePoint = 80

/**
 * A silent voice. These words in a text change it: `(fail)` is a failure of the engine, `(die)` a defect, `(wait)` takes
 * half a second, `(never)` never ends, `(nothing)` gives no audio.
 */
export const silentVoice = cannedVoice(({ text }) => {
  if (text.includes("(fail)")) return Stream.fail(new VoiceFailed({ reason: "Failed", message: "no breath" }))
  if (text.includes("(die)")) return Stream.die("broken")
  const speech = text.includes("(nothing)")
    ? Stream.empty
    : Stream.make(new Float32Array([...text].length * perCodePoint))
  const before = text.includes("(never)")
    ? Effect.never
    : Effect.promise(() => new Promise((next) => setTimeout(next, text.includes("(wait)") ? 500 : 0)))
  return Stream.concat(Stream.execute(before), speech)
})

/** The service over a voice that takes no time. */
export const cannedService = (options: LocalServiceOptions = {}) =>
  LocalService.layerWithoutDependencies(options).pipe(
    Layer.provide([silentVoice, KnownRecordings.layer(), NodeFileSystem.layer])
  )

export type Listener = "stt" | "tts" | "platform"

export interface Expected {
  /** The test provokes a failure, so a 5xx is right. Default: false. */
  readonly failing?: boolean | undefined
  /** The OpenAPI document does not describe the response. Default: false. */
  readonly undescribed?: boolean | undefined
}

const checkers = new WeakMap<LocalService["Type"], Promise<ResponseChecker>>()

/** A service by its addresses, a key and the admin token. Checks every response against the OpenAPI document. */
export const blackBox = Effect.map(LocalService, (service) => {
  const checkerOf = () => {
    const checker = checkers.get(service) ?? readDocument(service.platformUrl).then(responseChecker)
    checkers.set(service, checker)
    return checker
  }
  const bases = { stt: service.sttBaseUrl, tts: service.ttsBaseUrl, platform: service.platformUrl }
  const key = Redacted.value(service.apiKey)

  const check = async (listener: Listener, asked: Asked | undefined, answer: Answer, expected: Expected) => {
    if (expected.undescribed === true) return
    const name = asked === undefined ? "a response" : `the response to ${asked.method} ${asked.target.slice(0, 80)}`
    const problem = (await checkerOf())(listener === "platform" ? "" : bases[listener], asked, answer)
    const failed = expected.failing !== true && answer.status >= 500 ? "is a failure of the service" : undefined
    if ((failed ?? problem) !== undefined) {
      throw new Error(`${name} ${failed ?? problem}: ${answer.status} ${answer.text.slice(0, 300)}`)
    }
    if (listener === "tts" && answer.status === 200 && answer.complete) checkAudio(answer)
  }

  const send = (listener: Listener, request: Request, expected: Expected = {}) =>
    Effect.promise(async () => {
      const answer = await exchange(bases[listener], request)
      await check(listener, { method: request.method ?? "POST", target: request.path }, answer, expected)
      return answer
    })

  const raw = (
    listener: Listener,
    pieces: Piece | ReadonlyArray<Piece>,
    options: RawOptions & Expected = {}
  ): Effect.Effect<Received & { readonly answer: Answer }> =>
    Effect.promise(async () => {
      const all = Array.isArray(pieces) ? (pieces as ReadonlyArray<Piece>) : [pieces as Piece]
      const received = await exchangeRaw(bases[listener], all, options)
      const sent = all.map((piece) => (typeof piece === "number" ? "" : Buffer.from(piece).toString("latin1"))).join("")
      const lines = [...sent.matchAll(/([A-Z]+) (\S+) HTTP\/1\.[01]\r\n/g)]
      for (const [index, answer] of received.answers.entries()) {
        const [, method, target] = lines[index] ?? []
        const asked = method === undefined || target === undefined ? undefined : { method, target }
        if (answer.complete) await check(listener, asked, answer, options)
      }
      return {
        ...received,
        get answer() {
          const [first] = received.answers
          if (first === undefined) throw new Error(`no response came, the connection is ${received.ended}`)
          return first
        }
      }
    })

  return {
    service,
    key,
    token: Redacted.value(service.adminToken),
    send,
    raw,
    transcribe: (body: string | Uint8Array, headers: Request["headers"] = {}, expected: Expected = {}) =>
      send(
        "stt",
        { path: "/api/transcribe", headers: { "X-Api-Key": key, "Content-Type": formType, ...headers }, body },
        expected
      ),
    synthesize: (body: unknown, headers: Request["headers"] = {}, expected: Expected = {}) =>
      send(
        "tts",
        {
          path: "/tts/bytes",
          headers: { "X-API-Key": key, "Content-Type": "application/json", ...headers },
          body: typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body)
        },
        expected
      ),
    /** Sends a request to the platform API, with the admin token. */
    ask: (method: string, path: string, body?: unknown, headers: Request["headers"] = {}) =>
      send("platform", {
        method,
        path: `/platform/api${path}`,
        headers: {
          "X-Admin-Token": Redacted.value(service.adminToken),
          ...(body === undefined ? {} : { "Content-Type": "application/json" }),
          ...headers
        },
        body: body === undefined || typeof body === "string" ? body : JSON.stringify(body)
      }),
    /** Sends a part of a request, or all of it, and resets the connection. */
    abandon: (listener: Listener, pieces: ReadonlyArray<Piece>) => Effect.promise(() => leave(bases[listener], pieces))
  }
})

export type Box = Effect.Effect.Success<typeof blackBox>
/** The steps of a test, as for `Effect.gen`. */
export type Steps<A = void> = Generator<
  YieldWrap<Effect.Effect<unknown, unknown, LocalService | Scope.Scope>>,
  A,
  never
>

interface It {
  /** A test that gets the black box of the service. */
  (title: string, test: (box: Box) => Steps): void
  /** A test for each row. It gets the black box and the row. */
  readonly each: <Row>(rows: ReadonlyArray<Row>) => (title: string, test: (box: Box, row: Row) => Steps) => void
}

/** In milliseconds. Far above what a test needs: a busy machine is no failure. */
const timeLimit = 60_000

/** Tests that share one service. Each begins with a reset, unless `keepsState`: then a test knows what those before it did. */
export const serviceTests = (
  name: string,
  service: ReturnType<typeof cannedService> | ReturnType<typeof LocalService.layer>,
  define: (it: It) => void,
  { keepsState = false }: { readonly keepsState?: boolean } = {}
): void =>
  layer(service, { excludeTestServices: true })(name, ({ scoped }) => {
    const run = (test: (box: Box) => Steps) =>
      Effect.gen(function* () {
        const box = yield* blackBox
        if (!keepsState) yield* box.service.reset()
        yield* Effect.gen(() => test(box))
      })
    const it = (title: string, test: (box: Box) => Steps) => scoped(title, () => run(test), timeLimit)
    const each: It["each"] = (rows) => (title, test) =>
      scoped.each([...rows])(title, (row) => run((box) => test(box, row)), timeLimit)
    define(Object.assign(it, { each }))
  })

const readDocument = async (platformUrl: string) => JSON.parse((await exchange(platformUrl, documentRequest)).text)
const documentRequest = { method: "GET", path: "/openapi.json" }

/** Checks that the headers of audio agree with its length. */
const checkAudio = ({ bytes, headers }: Answer): void => {
  const perFrame = headers["x-encoding"] === "pcm16" ? 2 : 4
  const millis = (bytes.length / perFrame / Number(headers["x-sample-rate"])) * 1000
  const stated = Number(headers["x-audio-duration-ms"])
  if (bytes.length % perFrame !== 0 || Math.abs(stated - millis) > 1) {
    throw new Error(`the audio lasts ${millis} ms, and its headers say ${stated}`)
  }
}

/** Reads again until the value is right. Dies after 20 seconds or more. */
export const eventually = <A, R>(read: Effect.Effect<A, never, R>, holds: (value: A) => boolean) =>
  Effect.gen(function* () {
    for (let times = 0; times < 1000; times++) {
      const value = yield* read
      if (holds(value)) return value
      yield* Effect.promise(() => new Promise((next) => setTimeout(next, 20)))
    }
    return yield* Effect.dieMessage("the value never became right")
  })
