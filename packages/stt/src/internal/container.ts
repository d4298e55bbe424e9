import type { Container } from "../Recording.js"
import { characters, viewOf } from "./header/header.js"
import { frameAt } from "./header/mp3.js"

/** A container is called what the name of its file ends in. */
const mediaTypes: Record<Container, string> = {
  wav: "audio/wav",
  mp3: "audio/mpeg",
  m4a: "audio/mp4",
  flac: "audio/flac",
  ogg: "audio/ogg",
  webm: "audio/webm"
}

/** How many bytes of a recording {@link sniff} looks at. */
export const sniffLength = 12

/** The container that the first bytes of a recording tell; a file may be called anything. */
export const sniff = (beginning: Uint8Array): Container | undefined => {
  const view = viewOf(beginning)
  const first = characters(view, 0, 4)
  if (["RIFF", "RIFX", "RF64", "BW64"].includes(first)) return characters(view, 8, 4) === "WAVE" ? "wav" : undefined
  if (first === "fLaC") return "flac"
  if (first === "OggS") return "ogg"
  if (first === "\x1a\x45\xdf\xa3") return "webm"
  if (characters(view, 4, 4) === "ftyp") return "m4a"
  return first.startsWith("ID3") || frameAt(view, 0) !== undefined ? "mp3" : undefined
}

const isContainer = (name: string): name is Container => Object.hasOwn(mediaTypes, name)

export interface FilePart {
  readonly filename: string
  readonly contentType: string
}

/**
 * What a recording is called in the request, and its media type: by the container that was found, or else by what its
 * name ends in.
 */
export const filePartOf = (name: string, found: Container | undefined): FilePart => {
  const dot = name.lastIndexOf(".")
  const claimed = dot > 0 ? name.slice(dot + 1).toLowerCase() : ""
  const container = found ?? (isContainer(claimed) ? claimed : undefined)
  if (container === undefined) return { filename: name, contentType: "application/octet-stream" }
  const contentType = mediaTypes[container]
  if (container === claimed) return { filename: name, contentType }
  return { filename: `${isContainer(claimed) ? name.slice(0, dot) : name}.${container}`, contentType }
}
