/**
 * Speaks a text file as an audio book: a WAV file, and its chapters as WebVTT, which players show beside it. A line that begins with
 * `# ` is the title of a chapter.
 *
 * `pnpm example examples/chapters.ts book.md en`, with the variables that `pnpm speech serve` prints.
 */
import * as FileSystem from "@effect/platform/FileSystem"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { LongSpeech, PieceStore, Subtitles } from "@effect-speech/long-form"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import { TextToSpeech } from "@effect-speech/tts"
import { Console, Effect } from "effect"

const [path = "book.md", lang = "hi"] = process.argv.slice(2)

/** No piece belongs to two passages, so a chapter begins with a piece. */
const passagesOf = (book: string) => book.split(/^# +/m).map((text) => ({ text }))

const program = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const text = passagesOf(yield* fs.readFileString(path))
  const { report } = yield* LongSpeech.writeFile({ text, lang }, `${path}.wav`)

  const chapters = text.flatMap((passage, index) => {
    const pieces = report.pieces.filter((piece) => piece.passage === index)
    const [title = ""] = passage.text.trim().split("\n")
    const [first, last] = [pieces[0], pieces.at(-1)]
    return first === undefined || last === undefined || title === ""
      ? []
      : [{ startMillis: first.startMillis, endMillis: last.endMillis, text: title }]
  })
  yield* fs.writeFileString(`${path}.chapters.vtt`, Subtitles.toVtt(chapters))
  yield* Console.log(`${path}.wav: ${chapters.length} chapters`)
})

program.pipe(
  Effect.provide(PieceStore.layerFolder(`${path}.pieces`)),
  Effect.provide(TextToSpeech.layerFromEnv),
  Effect.provide(NodeTransport.layer),
  NodeRuntime.runMain
)
