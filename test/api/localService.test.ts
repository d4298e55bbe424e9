/** The local service as a program uses it: how it is built, its errors, its units, and its values. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { describe, expect, expectTypeOf, it } from "@effect/vitest"
import * as Root from "@effect-speech/local-service"
import {
  LocalService,
  type LocalServiceDataDirectoryUnusable,
  type LocalServiceError,
  type LocalServiceHandle,
  Recogniser,
  Voice
} from "@effect-speech/local-service"
import * as RecogniserModule from "@effect-speech/local-service/Recogniser"
import * as VoiceModule from "@effect-speech/local-service/Voice"
import { Effect, Layer, Redacted, Stream } from "effect"

/** A voice of your own. */
const hum = Layer.succeed(Voice, {
  languages: ["en"],
  voices: ["hum"],
  sampleRate: 8000,
  speak: ({ text }) => Stream.make(new Float32Array(text.length * 80))
})
const parts = Layer.mergeAll(hum, Recogniser.layerKnownRecordings(), NodeFileSystem.layer)

describe("the local service", () => {
  it.scopedLive("is made by the static of its class, in a scope, from parts of your own", () =>
    Effect.gen(function* () {
      const made = LocalService.make({ newKey: true })
      expectTypeOf(made).branded.toEqualTypeOf<
        Effect.Effect<
          LocalServiceHandle & { readonly apiKey: Redacted.Redacted | undefined },
          Layer.Layer.Error<ReturnType<typeof LocalService.layer>>,
          Effect.Effect.Context<typeof made>
        >
      >()
      const { apiKey, sttBaseUrl } = yield* made
      expect(sttBaseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
      expect(apiKey && Redacted.value(apiKey)).toMatch(/./)
    }).pipe(Effect.provide(parts))
  )

  it("has its services in the index as in their modules, and no bare make", () => {
    expect([Root.Voice, Root.Recogniser]).toEqual([VoiceModule.Voice, RecogniserModule.Recogniser])
    expect(Object.keys(Root)).not.toContain("make")
    // What only the console and its page say to each other is no part of the package.
    expect(Object.keys(Root)).not.toContain("Console")
  })
})

describe("an error of the local service", () => {
  it.effect("has a tag that no other package has", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Layer.build(LocalService.layer({ port: -1 })))
      expect(error).toMatchObject({ _tag: "LocalServiceOptionInvalid", option: "port" })
    }).pipe(Effect.scoped)
  )

  it("is caught by its tag, and only the others are left", () => {
    const layer = LocalService.layer({ dataDirectory: "/nowhere" })
    const caught = Layer.catchAll(layer, (error) =>
      error._tag === "LocalServiceOptionInvalid" ? Layer.die(error) : Layer.fail(error)
    )
    expectTypeOf<Extract<Layer.Layer.Error<typeof caught>, LocalServiceError>["_tag"]>().toEqualTypeOf<
      "LocalServiceDataDirectoryUnusable" | "LocalServiceRecordingUnusable"
    >()
    // @ts-expect-error: tags have the prefix of the package.
    const tag: LocalServiceDataDirectoryUnusable["_tag"] = "DataDirectoryUnusable"
    expect(tag).not.toMatch(/^LocalService/)
  })

  it("is declared with this prefix, each in the package", () => {
    const tags = Object.entries({ ...Root, ...Root.Accounts }).flatMap(([name, value]) =>
      typeof value === "function" && value.prototype instanceof Error ? [name] : []
    )
    expect(tags.length).toBe(8)
    expect(tags.filter((tag) => !tag.startsWith("LocalService"))).toEqual([])
  })
})
