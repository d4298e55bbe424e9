/**
 * Speaks a text file of any length into a WAV file, with subtitles beside it. If it fails or is killed, the same command goes on
 * where it was: the paid pieces are kept in a folder, which is removed at the end.
 *
 * `pnpm example examples/longSpeech.ts article.txt hi`, with the variables that `pnpm speech serve` prints.
 */
import * as FileSystem from "@effect/platform/FileSystem"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { LongSpeech, Passages, PieceStore, Subtitles } from "@effect-speech/long-form"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import { TextToSpeech } from "@effect-speech/tts"
import { Console, Effect } from "effect"

const [path = "article.txt", lang = "hi"] = process.argv.slice(2)
const pieces = `${path}.pieces`

const program = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  // Each script of a mixed text is spoken in its own language.
  const text = Passages.byScript(yield* fs.readFileString(path), { languages: { Devanagari: lang } })
  const plan = yield* LongSpeech.plan({ text, lang })
  yield* Console.log(`${plan.pieces} pieces, at most ${plan.cost} code points to pay`)

  const { durationMillis, report } = yield* LongSpeech.writeFile({ text, lang }, `${path}.wav`, {
    onEvent: (event) =>
      event._tag === "Done" || event._tag === "Kept"
        ? Console.error(`piece ${event.number}: ${event._tag === "Done" ? "paid" : "kept"}`)
        : Effect.void
  })
  yield* fs.writeFileString(`${path}.srt`, Subtitles.toSrt(Subtitles.layout(report.segments)))
  yield* fs.remove(pieces, { recursive: true })
  yield* Console.log(`${path}.wav: ${(durationMillis / 1000).toFixed(1)} s`)
})

program.pipe(
  Effect.provide(PieceStore.layerFolder(pieces)),
  Effect.provide(TextToSpeech.layerFromEnv),
  Effect.provide(NodeTransport.layer),
  NodeRuntime.runMain
)
