/**
 * Speaks texts for the local service: the service of `@effect-speech/engine`. `Espeak.layer` is the one of this package. To use
 * another engine, provide another Layer.
 */
export * from "@effect-speech/engine/Voice"
