/** The HttpClient layers that the clients are tried over. */
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import * as Layer from "effect/Layer"

export const httpClients = {
  recommended: NodeTransport.layer,
  undici: Layer.merge(NodeHttpClient.layerUndici, NodeFileSystem.layer),
  node: Layer.merge(NodeHttpClient.layer, NodeFileSystem.layer),
  fetch: Layer.merge(FetchHttpClient.layer, NodeFileSystem.layer)
} as const

export type HttpClientName = keyof typeof httpClients
