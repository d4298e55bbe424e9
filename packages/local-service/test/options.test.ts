import { expect, it, layer } from "@effect/vitest"
import { LocalService, type LocalServiceOptions } from "@effect-speech/local-service"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

it.effect("an invalid option fails with its name and rule, before anything is opened", () => {
  const wrong: ReadonlyArray<LocalServiceOptions> = [
    { port: 70_000 },
    { hostNames: ["speech", "speech:8100"] },
    { credits: -1 },
    { credits: 1.5 },
    { creditsPerSecond: 0.5 },
    { maximumUploadBytes: 0 },
    { maximumRecording: Number.NaN },
    { maximumSpeech: Number.POSITIVE_INFINITY },
    { bodyIdle: -1 },
    { seed: 1.5 },
    { fixedTime: new Date("never") }
  ]
  return Effect.scoped(
    Effect.forEach(wrong, (options) =>
      Effect.map(Effect.flip(Layer.build(LocalService.layer(options))), (error) => {
        const [option] = Object.keys(options)
        expect(error).toMatchObject({ _tag: "LocalServiceOptionInvalid", option })
        expect(error.message).toMatch(new RegExp(`^The option ${option} must be .+\\.$`))
      })
    )
  )
})

layer(LocalService.layer())("an invalid value from a program", (it) => {
  const defectOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.map(Effect.cause(effect), (cause) => String(Cause.squash(cause)))

  it.effect("as a fault is a defect that names the field, and the faults stay as they are", () =>
    Effect.gen(function* () {
      const { faults } = yield* LocalService
      yield* faults.set([{ status: 503 }])
      expect(yield* defectOf(faults.set([{}]))).toContain("0 must say what happens")
      expect(yield* defectOf(faults.set([{ status: 9999 }]))).toContain("0.status")
      const misspelt = { status: 503, staus: 502 }
      expect(yield* defectOf(faults.set([misspelt]))).toMatch(/0\.staus is not a known field$/)
      expect(yield* faults.list).toEqual([{ fault: { status: 503 }, happened: 0 }])
    })
  )

  it.effect("as credit is a defect that names the field, and the account stays as it is", () =>
    Effect.gen(function* () {
      const { accounts } = yield* LocalService
      const before = yield* accounts.account
      expect(yield* defectOf(accounts.setAccount({ credits: -5 }))).toContain("credits")
      expect(yield* defectOf(accounts.setAccount({ credits: 1.5 }))).toContain("credits")
      expect(yield* accounts.account).toEqual(before)
    })
  )
})

layer(LocalService.layer())("concurrent changes of the account", (it) => {
  it.effect("are all kept, in any order", () =>
    Effect.gen(function* () {
      const { accounts } = yield* LocalService
      for (let credits = 1; credits <= 20; credits++) {
        const state = credits % 2 === 0 ? "active" : "suspended"
        const changes = [accounts.setAccount({ state }), accounts.setAccount({ credits })]
        yield* Effect.all(credits % 3 === 0 ? changes.toReversed() : changes, { concurrency: "unbounded" })
        expect(yield* accounts.account).toEqual({ state, credits })
      }
    })
  )
})
