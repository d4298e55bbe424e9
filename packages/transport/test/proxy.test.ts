import { setImmediate } from "node:timers/promises"
import { inspect } from "node:util"
import { describe, expect, it } from "@effect/vitest"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import * as Upload from "@effect-speech/transport/unstable/Upload"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import { connectProxy } from "effect-speech-test-support/connectProxy"
import { setEnvironment, setProxies } from "effect-speech-test-support/environment"
import {
  faultyServer,
  onFirstBytes,
  onRequest,
  respond,
  silent,
  untilZero
} from "effect-speech-test-support/faultyServer"
import { refusedAddress } from "effect-speech-test-support/refusedAddress"
import { respondJson, scriptedServer } from "effect-speech-test-support/scriptedServer"
import { operation, resolvedDeadlines, transportOver } from "./scriptedTransport.js"

const secret = "topsecret"
const credentials = "user:pass%20word@"
const transport = transportOver(NodeTransport.layer)
const to = (url: string, body?: Parameters<typeof operation>[0]) => operation(body, true, url)

const until = (condition: () => boolean) =>
  untilZero(
    Effect.sync(() => (condition() ? 0 : 1)),
    3000
  )

describe("the proxy that the environment names", () => {
  it.scopedLive.each([
    { variable: "HTTP_PROXY", url: "http://speech.test", target: "speech.test:80" },
    { variable: "http_proxy", url: "http://speech.test:8080", target: "speech.test:8080" },
    { variable: "HTTPS_PROXY", url: "https://speech.test", target: "speech.test:443" },
    { variable: "https_proxy", url: "https://[2001:db8::1]:8443", target: "[2001:db8::1]:8443" },
    { variable: "HTTPS_PROXY", scheme: "https", url: "https://speech.test", target: "speech.test:443" }
  ])(
    "in $variable opens a tunnel to $target, which further calls share",
    ({ scheme = "http", target, url, variable }) =>
      Effect.gen(function* () {
        const tls = url.startsWith("https:")
        const server = yield* faultyServer(onRequest(respond(200, {}, "ok")), { tls })
        const proxy = yield* connectProxy(server, { tls: scheme === "https" })
        yield* setProxies({ [variable]: `${scheme}://${credentials}${proxy.host}` })
        // The certificates are self-signed.
        yield* setEnvironment({ NODE_TLS_REJECT_UNAUTHORIZED: "0" })
        const { run } = yield* transport
        for (const path of ["/a", "/b"]) {
          expect(yield* run(to(url + path))).toBe("ok")
          // Undici waits for the next turn of the event loop before it uses a connection again.
          yield* Effect.promise(() => setImmediate())
        }
        const authorization = `Basic ${Buffer.from("user:pass word").toString("base64")}`
        expect(proxy.connects).toMatchObject([
          { target, headers: { host: target, "proxy-authorization": authorization } }
        ])
        expect(proxy.others()).toBe(0)
        expect(proxy.sent().includes(secret)).toBe(!tls)
        expect(proxy.sent()).not.toContain(authorization)
      })
  )

  it.scopedLive("does not hide a certificate that is not valid", () =>
    Effect.gen(function* () {
      const server = yield* faultyServer(silent, { tls: true })
      const proxy = yield* connectProxy(server)
      yield* setProxies({ HTTPS_PROXY: proxy.host })
      const { run } = yield* transport
      expect(yield* Effect.flip(run(to("https://speech.test")))).toMatchObject({
        failure: { _tag: "ConnectionFailed", reason: "tls", code: "DEPTH_ZERO_SELF_SIGNED_CERT" },
        progress: { sent: "nothing" }
      })
      expect(proxy.connects.length).toBe(1)
      expect(yield* untilZero(Effect.sync(proxy.open), 1000)).toBe(0)
    })
  )

  it.scopedLive("passes on an upload with its length, and an early response to it", () =>
    Effect.gen(function* () {
      const large = new Uint8Array(16_000_000).fill(7)
      const server = yield* scriptedServer((response, { body }) => respondJson(response, 200, body.byteLength))
      const refusing = yield* faultyServer(onFirstBytes(respond(413), "readsNoMore"))
      for (const [host, outcome] of [
        [new URL(server.url).host, { _tag: "Right", right: `${large.byteLength}` }],
        [refusing.host, { _tag: "Left", left: { progress: { attempts: [{ status: 413, sent: "part" }] } } }]
      ] as const) {
        const proxy = yield* connectProxy({ host })
        yield* setProxies({ HTTP_PROXY: `http://${proxy.host}` })
        const { run } = yield* transport
        const upload = Upload.fromMemory([large])
        expect(yield* Effect.either(run(to("http://speech.test", upload)))).toMatchObject(outcome)
      }
      expect(server.received[0]?.headers["content-length"]).toBe(`${large.byteLength}`)
    })
  )

  const status = (line: string) => (socket: NodeJS.WritableStream) => socket.end(`HTTP/1.1 ${line}\r\n\r\n`)
  it.scopedLive.each([
    { what: "refuses the credentials", answer: status("407 Proxy Authentication Required"), code: "407" },
    { what: "refuses the host", answer: status("403 Forbidden"), code: "403" },
    { what: "can't reach the host", answer: status("502 Bad Gateway"), code: "502" },
    { what: "hangs up", answer: (socket: NodeJS.WritableStream) => socket.end(), code: "ECONNRESET" },
    {
      what: "does not speak HTTP",
      answer: (socket: NodeJS.WritableStream) => socket.end("SSH-2.0-OpenSSH_9.6\r\n"),
      code: "HPE_INVALID_CONSTANT"
    }
  ])("that $what fails the call, once, with $code", ({ answer, code }) =>
    Effect.gen(function* () {
      const proxy = yield* connectProxy({ host: "unused" }, { answer })
      yield* setProxies({ HTTP_PROXY: `http://${credentials}${proxy.host}` })
      const { run } = yield* transport
      const error = yield* Effect.flip(run(to("http://speech.test")))
      expect(error.failure).toEqual({ _tag: "ConnectionFailed", reason: "proxy", code })
      expect(error.progress.sent).toBe("nothing")
      expect(inspect(error, { depth: 20, showHidden: true })).not.toMatch(/pass.{0,3}word|dXNlcj/)
      expect(proxy.connects.length).toBe(1)
    })
  )

  it.scopedLive.each([
    { what: "an address where nothing listens", address: refusedAddress, code: "ECONNREFUSED" },
    {
      what: "an address with a certificate that is not valid",
      address: Effect.map(faultyServer(silent, { tls: true }), ({ host }) => `https://${host}`),
      code: "DEPTH_ZERO_SELF_SIGNED_CERT"
    },
    { what: "an unknown host", address: Effect.succeed(`http://${"n".repeat(64)}.invalid`), code: "ENOTFOUND" },
    { what: "no URL", address: Effect.succeed("http://user:pass@"), code: "ERR_INVALID_URL" },
    { what: "a proxy of another kind", address: Effect.succeed("socks5://127.0.0.1:1"), code: "ERR_INVALID_PROTOCOL" }
  ])("at $what fails the call with $code", ({ address, code }) =>
    Effect.gen(function* () {
      yield* setProxies({ HTTP_PROXY: yield* address })
      const { run } = yield* transport
      const { failure } = yield* Effect.flip(run(to("http://speech.test")))
      expect(failure).toEqual({ _tag: "ConnectionFailed", reason: "proxy", code })
    })
  )

  it.scopedLive("that does not respond exceeds the deadline of the call, and nothing was sent", () =>
    Effect.gen(function* () {
      const proxy = yield* connectProxy({ host: "unused" }, { answer: (socket) => socket.resume() })
      yield* setProxies({ HTTP_PROXY: proxy.host })
      const deadlines = resolvedDeadlines({ total: "200 millis" }, "1 minute")
      const { run } = yield* transportOver(NodeTransport.layer, { deadlines })
      expect(yield* Effect.flip(run(to("http://speech.test")))).toMatchObject({
        failure: { _tag: "DeadlineExceeded", phase: "total" },
        progress: { sent: "nothing" }
      })
      expect(yield* untilZero(Effect.sync(proxy.open), 1000)).toBe(0)
    })
  )
})

describe("a connection through a proxy that is being made", () => {
  /** Each stage, with the number of its open connections. */
  const stages = {
    "while the proxy does not respond": Effect.gen(function* () {
      const proxy = yield* connectProxy({ host: "unused" }, { answer: (socket) => socket.resume() })
      yield* setProxies({ HTTPS_PROXY: proxy.host })
      return { open: proxy.open, isReached: () => proxy.connects.length === 1 }
    }),
    "while the service does not respond to the TLS handshake": Effect.gen(function* () {
      const proxy = yield* connectProxy(yield* faultyServer(silent))
      yield* setProxies({ HTTPS_PROXY: proxy.host })
      return { open: proxy.open, isReached: () => proxy.sent() !== "" }
    }),
    "while the proxy does not respond to a TLS handshake": Effect.gen(function* () {
      const proxy = yield* faultyServer(silent)
      yield* setProxies({ HTTPS_PROXY: `https://${proxy.host}` })
      return { open: proxy.open, isReached: () => proxy.open() === 1 }
    })
  }

  it.scopedLive.each(Object.entries(stages))(
    "is dropped with the call that waits for it, and with the layer, %s",
    ([, stage]) =>
      Effect.gen(function* () {
        for (const ends of ["call", "layer"]) {
          const { isReached, open } = yield* stage
          const scope = yield* Scope.make()
          const { run } = yield* Scope.extend(transport, scope)
          const waiting = yield* Effect.fork(Effect.flip(run(to("https://speech.test"))))
          yield* until(isReached)
          expect(open()).toBe(1)
          yield* ends === "call" ? Fiber.interrupt(waiting) : Scope.close(scope, Exit.void)
          expect(yield* untilZero(Effect.sync(open), 1000)).toBe(0)
          if (ends === "layer") expect((yield* Fiber.join(waiting)).failure).toMatchObject({ reason: "closed" })
          yield* Scope.close(scope, Exit.void)
        }
      })
  )
})

describe("which calls use a proxy", () => {
  const both = { HTTP_PROXY: "http://u:p@a.example:3128", HTTPS_PROXY: "b.example:8080" }
  const [a, b] = ["http://a.example:3128", "http://b.example:8080"]
  it.scopedLive.each<readonly [environment: Readonly<Record<string, string>>, url: string, proxy: string | undefined]>([
    [{}, "https://speech.example", undefined],
    [both, "http://speech.example", a],
    [both, "https://speech.example", b],
    [{ HTTP_PROXY: a }, "https://speech.example", undefined],
    [{ ...both, https_proxy: "https://c.example" }, "https://speech.example", "https://c.example"],
    [{ ...both, https_proxy: "" }, "https://speech.example", undefined],
    [both, "http://localhost:8100", undefined],
    [both, "http://127.0.0.1:8100", undefined],
    [both, "http://[::1]:8100", undefined],
    [both, "http://127.0.0.1.example", a],
    [{ ...both, NO_PROXY: "*" }, "https://speech.example", undefined],
    [{ ...both, NO_PROXY: "other.example, Speech.Example" }, "https://speech.example", undefined],
    [{ ...both, no_proxy: "example" }, "https://speech.example", undefined],
    [{ ...both, NO_PROXY: ".speech.example" }, "https://tts.speech.example", undefined],
    [{ ...both, NO_PROXY: "*.speech.example" }, "https://tts.speech.example", undefined],
    [{ ...both, NO_PROXY: "speech.example" }, "https://otherspeech.example", b],
    [{ ...both, NO_PROXY: "speech.example:443" }, "https://speech.example", undefined],
    [{ ...both, NO_PROXY: "speech.example:80" }, "https://speech.example", b],
    [{ ...both, NO_PROXY: "10.0.0.7 2001:db8::1" }, "https://10.0.0.7", undefined],
    [{ ...both, NO_PROXY: "10.0.0.7 2001:db8::1" }, "https://[2001:db8::1]:8443", undefined],
    [{ ...both, NO_PROXY: "[2001:db8::1]:8443" }, "https://[2001:db8::1]", b],
    [{ HTTPS_PROXY: "http://u:p@" }, "https://speech.example", undefined]
  ])("%j: %s by %s", ([environment, url, proxy]) =>
    Effect.gen(function* () {
      yield* setProxies(environment)
      expect(Option.getOrUndefined(NodeTransport.proxyOf(new URL(url)))).toBe(proxy)
    })
  )

  it.scopedLive("is decided when the layer is built", () =>
    Effect.gen(function* () {
      const server = yield* faultyServer(onRequest(respond(200, {}, "ok")))
      const proxy = yield* connectProxy(server)
      yield* setProxies({ HTTP_PROXY: proxy.host, NO_PROXY: "0.0.0.0" })
      const { run } = yield* transport
      yield* setProxies({ HTTP_PROXY: "http://other.invalid" })
      // This machine too, but not by a name that says so.
      const direct = server.host.replace("127.0.0.1", "0.0.0.0")
      for (const host of [server.host, direct, "speech.test"]) expect(yield* run(to(`http://${host}`))).toBe("ok")
      expect(proxy.connects.map(({ target }) => target)).toEqual(["speech.test:80"])
    })
  )
})
