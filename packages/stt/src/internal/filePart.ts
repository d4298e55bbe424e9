import type { Container } from "@effect-speech/audio-codec/Container"

const mediaTypes: Record<Container, string> = {
  wav: "audio/wav",
  mp3: "audio/mpeg",
  m4a: "audio/mp4",
  flac: "audio/flac",
  ogg: "audio/ogg",
  webm: "audio/webm"
}

const isContainer = (name: string): name is Container => Object.hasOwn(mediaTypes, name)

export interface FilePart {
  readonly filename: string
  readonly contentType: string
}

/**
 * The name and the media type of a recording in the request. The container found in its bytes decides, or else the
 * extension of its name. An extension that contradicts the bytes is replaced.
 */
export const filePartOf = (name: string, found: Container | undefined): FilePart => {
  const dot = name.lastIndexOf(".")
  const extension = dot > 0 ? name.slice(dot + 1).toLowerCase() : ""
  const container = found ?? (isContainer(extension) ? extension : undefined)
  if (container === undefined) return { filename: name, contentType: "application/octet-stream" }
  const contentType = mediaTypes[container]
  if (container === extension) return { filename: name, contentType }
  return { filename: `${isContainer(extension) ? name.slice(0, dot) : name}.${container}`, contentType }
}
