/**
 * What the clients need on Node, Bun and Deno, in one layer.
 */
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import type * as FileSystem from "@effect/platform/FileSystem"
import * as HttpClient from "@effect/platform/HttpClient"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as Undici from "@effect/platform-node/Undici"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { WireId } from "./internal/http/httpDriver.js"
import { makeAgent } from "./internal/http/undiciAgent.js"
import { makeUndiciWire } from "./internal/http/undiciDriver.js"

/** Bun puts something of its own in the place of undici, with the same names, which can't send a request. */
const isUndici = typeof Undici.Agent.prototype.dispatch === "function"

const undici = Layer.scoped(
  HttpClient.HttpClient,
  Effect.map(makeAgent, (agent) =>
    Object.assign(NodeHttpClient.makeUndici(agent.dispatcher), { [WireId]: makeUndiciWire(agent) })
  )
)

/**
 * The recommended HttpClient, which is undici's, and the file system.
 *
 * Undici keeps an early answer to a large upload, sends an exact Content-Length and follows no redirect. The clients of
 * this project recognise this layer and use undici directly: a call then costs less, a file is sent from one block of
 * memory, and no limit but their deadlines ends a call. To anything else it is an HttpClient like any other.
 *
 * Deno runs it as it is. On Bun, which has no undici, the HttpClient is that of `FetchHttpClient.layer`.
 */
export const layer: Layer.Layer<HttpClient.HttpClient | FileSystem.FileSystem> = Layer.merge(
  isUndici ? undici : FetchHttpClient.layer,
  NodeFileSystem.layer
)
