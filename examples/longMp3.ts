import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { NodeAudioDecoder } from "@effect-speech/audio-decoder"
import { LongTranscription, PieceStore, Subtitles } from "@effect-speech/long-form"
import { AudioSource, SpeechToText } from "@effect-speech/stt"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import { Console, Duration, Effect } from "effect"

const [path = "hour.mp3", model = "en-general-v2-8khz", seconds = "300"] = process.argv.slice(2)

const program = Effect.gen(function* () {
  const { pieces, segments } = yield* LongTranscription.transcribe(
    { audio: AudioSource.fromPath(path), model },
    { maximum: Duration.seconds(Number(seconds)) }
  )
  yield* Console.error(`${path}: ${pieces.length} pieces`)
  yield* Console.log(Subtitles.toSrt(Subtitles.layout(segments)))
})

program.pipe(
  Effect.provide(PieceStore.layerFolder(`${path}.pieces`)),
  Effect.provide(NodeAudioDecoder.layer),
  Effect.provide(SpeechToText.layerFromEnv),
  Effect.provide(NodeTransport.layer),
  NodeRuntime.runMain
)
