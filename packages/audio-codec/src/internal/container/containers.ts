/**
 * The names of the containers that the service takes. Each is named for the extension of its files.
 *
 * @example
 * ```ts
 * import { Container } from "@effect-speech/audio-codec"
 * import { Schema } from "effect"
 *
 * export const ContainerName = Schema.Literal(...Container.containers)
 * ```
 *
 * @since 0.1.0
 * @category constants
 */
export const containers = ["wav", "mp3", "m4a", "flac", "ogg", "webm"] as const

/**
 * The container of a recording.
 *
 * @since 0.1.0
 * @category models
 */
export type Container = (typeof containers)[number]
