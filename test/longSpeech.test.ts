import * as FileSystem from "@effect/platform/FileSystem"
import { expect, layer } from "@effect/vitest"
import { AudioFormat, Wav } from "@effect-speech/audio-codec"
import { LocalService } from "@effect-speech/local-service"
import { LongSpeech, Passages, PieceStore, Subtitles } from "@effect-speech/long-form"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { localClients } from "effect-speech-test-support/localClients"

const text =
  "The ferry leaves at six. Who knows every passenger?\n\nघाट पर सब जागते हैं। नाव चली गई।\n\n* * *\n\nNobody asked."

layer(localClients(), { excludeTestServices: true })("a long text, spoken by the local service", (it) => {
  it.scoped("pays for each piece once, though its credit ended in the middle, and is one file with subtitles", () =>
    Effect.gen(function* () {
      const { accounts, faults, requests } = yield* LocalService
      const fs = yield* FileSystem.FileSystem
      const folder = yield* fs.makeTempDirectoryScoped()
      const passages = Passages.byScript(text)
      const write = LongSpeech.writeFile({ text: passages, requestId: "book" }, `${folder}/book.wav`, {
        firstCodePoints: 60,
        concurrency: 1
      }).pipe(Effect.provide(PieceStore.layerFolder(`${folder}/book.pieces`)))
      const plan = yield* LongSpeech.plan({ text: passages }, { firstCodePoints: 60 })

      // The backend is down for a moment, and the credit ends before the second piece.
      yield* faults.set([{ operation: "synthesize", times: 2, status: 502 }])
      yield* accounts.setAccount({ credits: 60 })
      const error = yield* Effect.flip(write)
      expect(error).toMatchObject({ _tag: "TtsUnauthorized", call: { piece: { number: 2, of: plan.pieces, kept: 1 } } })
      expect(yield* fs.readDirectory(folder)).toEqual(["book.pieces"])
      const left = (yield* accounts.account).credits

      yield* accounts.setAccount({ credits: left + 1000 })
      const { durationMillis, format, report } = yield* write
      expect((yield* accounts.account).credits).toBe(left + 1000 - (plan.cost - (60 - left)))
      expect(report.pieces.map(({ source }) => source)).toEqual(["kept", "sent", "sent"])
      const paid = (yield* requests).filter(({ status }) => status === 200).map(({ id }) => id)
      expect(paid).toEqual(["book.001", "book.002", "book.003"])

      const { bytes } = Either.getOrThrow(Wav.decode(yield* fs.readFile(`${folder}/book.wav`)))
      expect(AudioFormat.durationMillis(format, bytes.byteLength)).toBe(durationMillis)
      const spoken = report.pieces.reduce((sum, { endFrame, startFrame }) => sum + endFrame - startFrame, 0)
      expect(bytes.byteLength / AudioFormat.bytesPerFrame(format) - spoken).toBe(2 * 0.6 * format.sampleRate)

      const cues = Subtitles.layout(report.segments)
      expect(cues.map((cue) => cue.text.replace(/\n/g, " ")).join(" ")).toContain("Who knows every passenger?")
      expect(cues.at(-1)?.endMillis).toBeLessThanOrEqual(Math.round(durationMillis))
    })
  )
})
