import { viewOf } from "../bytes.js"
import type { Container } from "./containers.js"
import { frameAt } from "./mp3.js"
import { characters } from "./recordingBytes.js"

/** The number of bytes that {@link sniff} looks at. */
export const sniffLength = 12

/**
 * The container of a recording, from its first 12 bytes; `undefined` for any other file. An MPEG frame of layer I is not
 * taken for an MP3: text in UTF-16 begins with the same bytes.
 */
export const sniff = (beginning: Uint8Array): Container | undefined => {
  const view = viewOf(beginning)
  const first = characters(view, 0, 4)
  if (["RIFF", "RIFX", "RF64", "BW64"].includes(first)) return characters(view, 8, 4) === "WAVE" ? "wav" : undefined
  if (first === "fLaC") return "flac"
  if (first === "OggS") return "ogg"
  if (first === "\x1a\x45\xdf\xa3") return "webm"
  if (characters(view, 4, 4) === "ftyp") return "m4a"
  return first.startsWith("ID3") || (frameAt(view, 0)?.layer ?? 1) !== 1 ? "mp3" : undefined
}
