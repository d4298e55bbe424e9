/**
 * Both clients against a local service of their own, which is a part of the layer: a test can reach its account.
 */
import { LocalService, type LocalServiceOptions } from "@effect-speech/local-service"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import * as Layer from "effect/Layer"

export const localClients = (options: LocalServiceOptions = {}) => clientsOf(LocalService.layer(options))

/** The same, against a given service. */
export const clientsOf = <E>(service: Layer.Layer<LocalService, E>) =>
  Layer.orDie(LocalService.layerClients.pipe(Layer.provideMerge(Layer.merge(service, NodeTransport.layer))))
