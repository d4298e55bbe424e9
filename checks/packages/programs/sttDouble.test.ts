/**
 * Tests a program that writes the minutes of a meeting, with the test double of SpeechToText: fixed ids, answers by request,
 * requests that are forgotten between tests, and answers that fail or take time.
 */
import { expect, layer } from "@effect/vitest"
import { AudioSource, SpeechToText, SttUnavailable, Transcription } from "@effect-speech/stt"
import { CallIds } from "@effect-speech/transport"
import { Cause, Effect, Equal, Exit, Fiber, Layer, Option, TestClock } from "effect"

export const minutes = (path: string, model = "hi-general-v2-8khz") =>
  Effect.flatMap(SpeechToText, (stt) =>
    stt.transcribe({ audio: AudioSource.fromPath(path), model, hotwords: [{ phrase: "budget", score: 2 }] })
  ).pipe(Effect.withSpan("minutes"))

const double = SpeechToText.layerTest(({ audio, model }) => {
  if (audio._tag !== "Path") return Effect.die("the minutes are written from a path")
  if (audio.path === "slow.wav") return Effect.as(Effect.sleep("1 minute"), "late")
  if (model.startsWith("en-")) return new SttUnavailable({ serverMessage: "too busy" })
  return { text: `${audio.path} in ${model}`, callId: "call-1", auxInfo: { confidence: 0.5 } }
})

layer(Layer.merge(double, CallIds.layerTest))("the minutes of a meeting", (it) => {
  it.effect("contain the transcript, under the id of the call", () =>
    Effect.gen(function* () {
      yield* SpeechToText.clearCalls
      const transcription = yield* minutes("monday.wav")
      expect(transcription).toBeInstanceOf(Transcription)
      expect(transcription.text).toBe("monday.wav in hi-general-v2-8khz")
      expect(transcription.transactionId).toBe("00000000-0000-4000-8000-000000000001")
      expect(transcription.call.sentId).toBe(transcription.transactionId)
      expect(transcription.auxInfo?.confidence).toBe(0.5)
      expect(transcription.warnings).toEqual([])
      expect((yield* SpeechToText.calls).map(({ hotwords }) => hotwords)).toEqual([[{ phrase: "budget", score: 2 }]])
    })
  )

  it.effect("begin with no request of an earlier test, and count ids on", () =>
    Effect.gen(function* () {
      yield* SpeechToText.clearCalls
      expect(yield* SpeechToText.calls).toEqual([])
      const { transactionId } = yield* minutes("tuesday.wav")
      expect(transactionId).toBe("00000000-0000-4000-8000-000000000002")
      expect((yield* SpeechToText.calls).length).toBe(1)
    })
  )

  it.effect("are not written if the service is unavailable, or the request is invalid", () =>
    Effect.gen(function* () {
      yield* SpeechToText.clearCalls
      const unavailable = yield* Effect.flip(minutes("monday.wav", "en-general-v2-8khz"))
      expect([unavailable._tag, unavailable.retryable, unavailable.category]).toEqual([
        "SttUnavailable",
        true,
        "service"
      ])
      expect(unavailable.message).toContain("too busy")
      const invalid = yield* Effect.flip(minutes("monday.wav", ""))
      expect(invalid._tag === "SttInvalidRequest" && invalid.field).toBe("model")
      expect((yield* SpeechToText.calls).map(({ model }) => model)).toEqual(["en-general-v2-8khz"])
    })
  )

  it.effect("wait for a slow transcription, on the clock of the test", () =>
    Effect.gen(function* () {
      const fiber = yield* Effect.fork(minutes("slow.wav"))
      yield* TestClock.adjust("59 seconds")
      expect(Option.isNone(yield* Fiber.poll(fiber))).toBe(true)
      yield* TestClock.adjust("1 second")
      expect((yield* Fiber.join(fiber)).text).toBe("late")
    })
  )

  it.effect("die with a defect of the double", () =>
    Effect.gen(function* () {
      const stt = yield* SpeechToText
      const exit = yield* Effect.exit(
        stt.transcribe({ audio: AudioSource.fromBytes(new Uint8Array(4)), model: "hi-general-v2-8khz" })
      )
      expect(Exit.isFailure(exit) && Cause.isDie(exit.cause)).toBe(true)
    })
  )

  it.effect("are equal if everything of two transcriptions is", () =>
    Effect.gen(function* () {
      const ids = CallIds.of({ next: Effect.succeed("7b5a3c2e-53d3-4b0f-9c46-0d1c8d8e1f00") })
      const [one, two] = yield* Effect.all([minutes("a.wav"), minutes("a.wav")]).pipe(
        Effect.provideService(CallIds, ids)
      )
      expect([one.callId, two.callId]).toEqual(["call-1", "call-1"])
      expect(Equal.equals(one, two)).toBe(true)
    })
  )
})
