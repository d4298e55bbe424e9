/** The modules of transport, stt and tts, as a user finds them. */

import { readdirSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "@effect/vitest"
import * as Stt from "@effect-speech/stt"
import { SpeechToText } from "@effect-speech/stt/SpeechToText"
import * as Transport from "@effect-speech/transport"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import * as Tts from "@effect-speech/tts"
import { TextToSpeech } from "@effect-speech/tts/TextToSpeech"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"

describe("@effect-speech/transport", () => {
  it("exports what a program uses, and nothing that only the other packages use", () => {
    expect(Object.keys(Transport).toSorted()).toEqual([
      "ApiKey",
      "CallEvent",
      "CallIds",
      "CallReport",
      "ClientOptions",
      "Deadlines",
      "Retries",
      "ServiceError",
      "SpeechMetrics",
      "Testing"
    ])
  })

  it("has the layer for Node at a subpath named after it, so that a bundle for a browser does not load Node's code", () => {
    expect(Layer.isLayer(NodeTransport.layer)).toBe(true)
    // @ts-expect-error: the index does not export it
    expect(Transport.NodeTransport).toBeUndefined()
  })

  it("has each module of its index as an entry point, and the rest below /unstable", async () => {
    const folder = new URL("../../packages/transport/src/", import.meta.url)
    const modules = readdirSync(fileURLToPath(folder)).flatMap((file) => /^([A-Z]\w*)\.ts$/.exec(file)?.[1] ?? [])
    expect(modules.filter((name) => name !== "NodeTransport").toSorted()).toEqual(Object.keys(Transport).toSorted())
    await expect(import("@effect-speech/transport/unstable/Client")).resolves.toHaveProperty("connect")
  })
})

describe("a service", () => {
  it.each([
    ["SpeechToText", SpeechToText],
    ["TextToSpeech", TextToSpeech]
  ])("%s is a class with its constructor and its layers", (_, service) => {
    const statics = ["make", "layer", "layerConfig", "layerFromEnv", "layerTest"]
    expect(statics.filter((name) => !(name in service))).toEqual([])
  })

  it("has one constructor, beside its layers", () => {
    // @ts-expect-error: it is SpeechToText.make
    expect(Stt.make).toBeUndefined()
    // @ts-expect-error: it is TextToSpeech.make
    expect(Tts.make).toBeUndefined()
  })
})

describe("an entry point of a module", () => {
  const modulesOf = (name: string) =>
    readdirSync(fileURLToPath(new URL(`../../packages/${name}/src/`, import.meta.url))).flatMap(
      (file) => /^([A-Z]\w*)\.ts$/.exec(file)?.[1] ?? []
    )
  // A program without an HTTP server does not load one.
  const alone = ["SpeechResponse"]
  it.each([
    ["stt", Stt],
    ["tts", Tts]
  ] as const)(
    "of %s exports what the index does: under the name of the module, or each by its own name",
    async (name, index) => {
      const exported: Record<string, unknown> = index
      for (const module of modulesOf(name).filter((module) => !alone.includes(module))) {
        const entry: Record<string, unknown> = await import(`@effect-speech/${name}/${module}`)
        if (exported[module] === entry) continue
        for (const [key, value] of Object.entries(entry)) expect(exported[key], `${module}.${key}`).toBe(value)
      }
    }
  )
})

describe("the ids of calls", () => {
  const first = "00000000-0000-4000-8000-000000000001"

  it.effect("can be fixed by a test", () =>
    Effect.gen(function* () {
      const stt = yield* SpeechToText
      const tts = yield* TextToSpeech
      const request = { audio: Stt.AudioSource.fromBytes(new Uint8Array(1)), model: "hi-general-v2-8khz" }
      expect((yield* stt.transcribe(request)).transactionId).toBe(first)
      expect((yield* tts.synthesize({ text: "a" })).requestId).toBe("00000000-0000-4000-8000-000000000002")
    }).pipe(
      Effect.provide(SpeechToText.layerTest("hello")),
      Effect.provide(TextToSpeech.layerTest({ bytes: new Uint8Array(2), outputFormat: "8000:pcm16" })),
      Effect.provide(Transport.CallIds.layerTest)
    )
  )

  it.effect("are random UUIDs without such a service", () =>
    Effect.gen(function* () {
      const stt = yield* SpeechToText
      const { transactionId } = yield* stt.transcribe({
        audio: Stt.AudioSource.fromBytes(new Uint8Array(1)),
        model: "hi-general-v2-8khz"
      })
      expect(transactionId).toMatch(/^[0-9a-f-]{36}$/)
      expect(transactionId).not.toBe(first)
    }).pipe(Effect.provide(SpeechToText.layerTest("hello")))
  )

  it.effect("must be UUIDs, since they are sent in a header", () =>
    Effect.gen(function* () {
      const ids = { next: Effect.succeed("a\r\nX-Other: b") }
      const exit = yield* Effect.exit(Effect.provideService(Transport.CallIds.next, Transport.CallIds, ids))
      expect(Exit.isFailure(exit) && Cause.isDie(exit.cause)).toBe(true)
    })
  )
})
