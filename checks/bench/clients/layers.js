// Plain JavaScript: no compiler adds to the CPU time and memory that are measured.
/** The HttpClient layers of Effect that a program may already have. */
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"

export const httpClients = {
  "NodeHttpClient.layerUndici": NodeHttpClient.layerUndici,
  "NodeHttpClient.layer": NodeHttpClient.layer,
  "FetchHttpClient.layer": FetchHttpClient.layer
}
