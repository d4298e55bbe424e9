/**
 * What the clients need on Node, in one layer.
 */
import type * as FileSystem from "@effect/platform/FileSystem"
import type * as HttpClient from "@effect/platform/HttpClient"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as Layer from "effect/Layer"

/**
 * The recommended HttpClient, which is undici's, and the file system.
 *
 * Undici keeps an early answer to a large upload, sends an exact Content-Length, follows no redirect, and waits up
 * to an hour for an answer, where `fetch` gives up after 300 seconds and `node:http` loses the early answer.
 */
export const layer: Layer.Layer<HttpClient.HttpClient | FileSystem.FileSystem> = Layer.merge(
  NodeHttpClient.layerUndici,
  NodeFileSystem.layer
)
