/**
 * The containers that the service takes. Each is named for the extension of its files.
 *
 * @since 0.1.0
 * @category constants
 */
export const containers = ["wav", "mp3", "m4a", "flac", "ogg", "webm"] as const

/**
 * @since 0.1.0
 * @category models
 */
export type Container = (typeof containers)[number]
