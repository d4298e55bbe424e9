/** A service with engines that take no time, and programs that fill its journal. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { LocalService, Recogniser } from "@effect-speech/local-service"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import { cannedVoice } from "effect-speech-test-support/cannedVoice"

export const runs = 300
const piecesOfRun = 10
const calls = 50

/** It recognises nothing, at once: the page is measured, and not the recogniser. */
const recogniser = Layer.succeed(Recogniser, { sampleRate: 8000, recognise: () => Effect.succeed(undefined) })

const layer = Layer.orDie(
  LocalService.layerClients.pipe(
    Layer.provideMerge(
      Layer.merge(
        LocalService.layerWithoutDependencies({ credits: 1_000_000_000 }).pipe(
          Layer.provide([cannedVoice(() => new Float32Array(800)), recogniser, NodeFileSystem.layer])
        ),
        NodeTransport.layer
      )
    )
  )
)

/** The id of a request. Of ten, three are pieces of runs: 300 runs in 10,000 requests. */
const idOf = (number: number): string => {
  if (number % 10 >= 3) return `request-${number}`
  const piece = Math.floor(number / 10) * 3 + (number % 10)
  const shelf = Math.floor(piece / (runs * piecesOfRun))
  const place = piece % (runs * piecesOfRun)
  return `book-${shelf}-${place % runs}.${String(Math.floor(place / runs) + 1).padStart(3, "0")}`
}

export interface Service {
  readonly platformUrl: string
  /** A new link that signs a browser in once. */
  readonly link: () => Promise<string>
  /** Sends so many more requests. Returns how many there were so far. */
  readonly send: (count: number) => Promise<number>
  readonly stop: () => Promise<void>
}

export const startService = async (): Promise<Service> => {
  const runtime = ManagedRuntime.make(layer)
  const service = await runtime.runPromise(LocalService)
  let sent = 0

  /** Of ten requests, one has no key: 401. */
  const send = async (number: number): Promise<void> => {
    const key = number % 10 === 9 ? {} : { "x-api-key": Redacted.value(service.apiKey) }
    const response = await fetch(`${service.ttsBaseUrl}/tts/bytes`, {
      method: "POST",
      headers: { "x-request-id": idOf(number), "content-type": "application/json", ...key },
      body: JSON.stringify({ text: `Text ${number}`, lang: "en", output_format: "8000:pcm16" })
    })
    await response.arrayBuffer()
  }

  return {
    platformUrl: service.platformUrl,
    link: async () => Redacted.value(await runtime.runPromise(service.consoleLink)),
    send: async (count) => {
      for (const end = sent + count; sent < end; sent += calls) {
        await Promise.all(Array.from({ length: Math.min(calls, end - sent) }, (_, index) => send(sent + index + 1)))
      }
      return sent
    },
    stop: () => runtime.dispose()
  }
}
