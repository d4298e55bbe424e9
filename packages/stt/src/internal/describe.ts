import type { UploadFailed } from "@effect-speech/transport/Failure"
import * as Effect from "effect/Effect"
import type { Container, Recording } from "../Recording.js"
import { sniff, sniffLength } from "./container.js"
import { readFlac } from "./header/flac.js"
import { bytesOf, type ReadHeader, type RecordingBytes } from "./header/header.js"
import { readM4a } from "./header/m4a.js"
import { readMp3 } from "./header/mp3.js"
import { readOgg } from "./header/ogg.js"
import { readWav } from "./header/wav.js"
import { readWebm } from "./header/webm.js"

const readers: Record<Container, ReadHeader> = {
  wav: readWav,
  mp3: readMp3,
  m4a: readM4a,
  flac: readFlac,
  ogg: readOgg,
  webm: readWebm
}

/** What the bytes of a recording tell of it. */
export const describe = (bytes: RecordingBytes): Effect.Effect<Recording, UploadFailed> =>
  Effect.gen(function* () {
    const container = sniff(bytesOf(yield* bytes.read(0, sniffLength)))
    const header = container === undefined ? {} : yield* readers[container](bytes)
    return {
      container,
      bytes: bytes.byteLength,
      sampleRate: ifSound(header.sampleRate, (rate) => rate > 0),
      channels: ifSound(header.channels, (channels) => channels > 0 && Number.isSafeInteger(channels)),
      durationMillis: ifSound(header.durationMillis, (millis) => millis >= 0)
    }
  })

/** A damaged header may tell anything. */
const ifSound = (value: number | undefined, rule: (value: number) => boolean): number | undefined =>
  value !== undefined && Number.isFinite(value) && rule(value) ? value : undefined
