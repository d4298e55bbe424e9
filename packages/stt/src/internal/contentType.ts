const types = new Map(
  Object.entries({
    wav: "audio/wav",
    mp3: "audio/mpeg",
    m4a: "audio/mp4",
    flac: "audio/flac",
    ogg: "audio/ogg",
    webm: "audio/webm"
  })
)

/** The media type that the name of a recording tells, of the containers that the service takes. */
export const contentTypeOf = (filename: string): string =>
  types.get(/\.([^.]+)$/.exec(filename)?.[1]?.toLowerCase() ?? "") ?? "application/octet-stream"
