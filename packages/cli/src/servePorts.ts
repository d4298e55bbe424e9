/**
 * The ports of `speech serve` without `--port`: the same at each start, so that the settings of other programs stay valid.
 */
import { createServer } from "node:net"
import * as Effect from "effect/Effect"

/** Transcription. Synthesis and the platform have the next two. */
export const usualPort = 7800

const isFree = (port: number, host: string | undefined): Effect.Effect<boolean> =>
  Effect.async((resume) => {
    const server = createServer()
    server.once("error", () => resume(Effect.succeed(false)))
    server.listen({ port, host: host ?? "127.0.0.1" }, () => server.close(() => resume(Effect.succeed(true))))
  })

/** The first port of a service, and a note if it is another one than usual. If another program takes a port meanwhile, the start fails. */
export const choosePort = (given: { readonly host: string | undefined; readonly port: number | undefined }) =>
  Effect.gen(function* () {
    if (given.port !== undefined) return { port: given.port, notes: [] }
    const usual = [usualPort, usualPort + 1, usualPort + 2]
    for (const port of usual) {
      if (yield* isFree(port, given.host)) continue
      return {
        port: 0,
        notes: [`Port ${port} is in use, so the service has three free ports this time. For fixed ones, give --port N.`]
      }
    }
    return { port: usualPort, notes: [] }
  })
