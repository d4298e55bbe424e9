/** The containers that the service takes. Each is named for the extension of its files. */
export const containers = ["wav", "mp3", "m4a", "flac", "ogg", "webm"] as const

export type Container = (typeof containers)[number]
