/**
 * Both clients against a local service of their own, which is a part of the layer: a test can reach its account.
 */
import { LocalService, type LocalServiceOptions } from "@effect-speech/local-service"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import * as Layer from "effect/Layer"

export const localClients = (options: LocalServiceOptions = {}) =>
  Layer.orDie(
    LocalService.layerClients.pipe(Layer.provideMerge(Layer.merge(LocalService.layer(options), NodeTransport.layer)))
  )
