/**
 * The platform services that the clients need on Node, Bun and Deno, in one layer.
 */
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import type * as FileSystem from "@effect/platform/FileSystem"
import * as HttpClient from "@effect/platform/HttpClient"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as Undici from "@effect/platform-node/Undici"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as nodeFileSystem from "./internal/files/nodeFileSystem.js"
import { proxiesIn } from "./internal/http/environmentProxy.js"
import { withDriver } from "./internal/http/httpDriver.js"
import { makeAgent } from "./internal/http/undiciAgent.js"
import { makeUndiciDriver } from "./internal/http/undiciDriver.js"

/** Bun replaces undici by a module with the same names that can't send a request. */
const isUndici = typeof Undici.Agent.prototype.dispatch === "function"

const undici = Layer.scoped(
  HttpClient.HttpClient,
  Effect.map(makeAgent, (agent) => withDriver(NodeHttpClient.makeUndici(agent.dispatcher), makeUndiciDriver(agent)))
)

/**
 * The recommended HttpClient, which is undici's, and the file system.
 *
 * Undici keeps an early response to a large upload, sends an exact Content-Length and follows no redirect. The clients of
 * this project recognise this layer and use undici directly: a call costs less, a file is sent from one reused block of
 * memory, and only their deadlines limit a call. For other code it is a regular HttpClient.
 *
 * The layer reads `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` when it is built. Connections go through the proxy, except to this
 * machine and to the hosts in `NO_PROXY`.
 *
 * Deno uses undici too. Bun has no undici, so there the HttpClient is that of `FetchHttpClient.layer`.
 *
 * The file system is that of `NodeFileSystem.layer`, except that opening a file for reading never waits for the writer of a
 * pipe, and `stat` of an open file has `ctimeMs`, by which the clients notice any change of a recording.
 *
 * A program that has an `HttpClient` of its own can use that: the guide to HttpClients lists the differences.
 *
 * @example
 * ```ts
 * import * as NodeTransport from "@effect-speech/transport/NodeTransport"
 * import { TextToSpeech } from "@effect-speech/tts"
 * import { Layer } from "effect"
 *
 * export const live = Layer.provide(TextToSpeech.layerFromEnv, NodeTransport.layer)
 * ```
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<HttpClient.HttpClient | FileSystem.FileSystem> = Layer.merge(
  isUndici ? undici : FetchHttpClient.layer,
  nodeFileSystem.layer
)

/**
 * The address of the proxy that the environment names for a URL, without a user name and a password. `None`: there is none, or
 * its address is not one of http or https.
 *
 * @example
 * ```ts
 * import * as NodeTransport from "@effect-speech/transport/NodeTransport"
 * import { Console, Option } from "effect"
 *
 * export const report = Console.log(
 *   Option.match(NodeTransport.proxyOf(new URL("https://host.example")), {
 *     onNone: () => "Calls use no proxy.",
 *     onSome: (proxy) => `Calls go through ${proxy}.`
 *   })
 * )
 * ```
 *
 * @since 0.1.0
 * @category getters
 */
export const proxyOf = (url: URL): Option.Option<string> => {
  const address = proxiesIn(process.env)(url)?.address
  return address instanceof URL ? Option.some(address.origin) : Option.none()
}
