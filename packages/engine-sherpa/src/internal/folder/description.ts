/**
 * What is known of the models of a folder, before any of them is loaded.
 */

/**
 * What is known of a model without loading it: its name, its languages, its licence and its size.
 *
 * @since 0.1.0
 * @category models
 */
export interface Description {
  /** Name of its folder, or the one in `model.json`. */
  readonly name: string
  /** Path of its folder. */
  readonly folder: string
  /** Two or three letters each, such as `hi`; those of Whisper as the model writes them. Never empty. */
  readonly languages: ReadonlyArray<string>
  /** The licence, or the name of the file that states it. `undefined`: the model states none. */
  readonly licence: string | undefined
  /** Size of the files that it loads, in bytes. */
  readonly bytes: number
  /** The `numThreads` of `model.json`. `undefined`: it has none. */
  readonly numThreads: number | undefined
}

/**
 * The file of a CTC model.
 *
 * @since 0.1.0
 * @category models
 */
export interface CtcFiles {
  /** Path of the network. */
  readonly model: string
  /** Path of `tokens.txt`. */
  readonly tokens: string
}

/**
 * The files of a transducer.
 *
 * @since 0.1.0
 * @category models
 */
export interface TransducerFiles {
  /** Path of the encoder. */
  readonly encoder: string
  /** Path of the decoder. */
  readonly decoder: string
  /** Path of the joiner. */
  readonly joiner: string
  /** Path of `tokens.txt`. */
  readonly tokens: string
  /** Path of the vocabulary that splits a hotword into tokens, such as `bpe.vocab`. `undefined`: the model has none. */
  readonly bpeVocab: string | undefined
}

/**
 * The files of a Whisper model.
 *
 * @since 0.1.0
 * @category models
 */
export interface WhisperFiles {
  /** Path of the encoder. */
  readonly encoder: string
  /** Path of the decoder. */
  readonly decoder: string
  /** Path of `tokens.txt`. */
  readonly tokens: string
}

/**
 * The files of a voice.
 *
 * @since 0.1.0
 * @category models
 */
export interface VitsFiles {
  /** Path of the network. */
  readonly model: string
  /** Path of `tokens.txt`. */
  readonly tokens: string
  /** Path of the folder `espeak-ng-data`. `undefined`: the model has none. */
  readonly dataDir: string | undefined
  /** Paths of the lexicons: how words are spoken. */
  readonly lexicons: ReadonlyArray<string>
  /** Paths of rules that turn numbers and dates into words. */
  readonly ruleFsts: ReadonlyArray<string>
  /** Paths of archives of such rules. */
  readonly ruleFars: ReadonlyArray<string>
}

/**
 * The files of Kokoro, or of Kitten.
 *
 * @since 0.1.0
 * @category models
 */
export interface StyledFiles extends VitsFiles {
  /** Path of the styles of its voices, such as `voices.bin`. */
  readonly voices: string
}

interface Recognising<Family extends string, Files> extends Description {
  readonly _tag: "Recogniser"
  readonly family: Family
  /** The path of each file. */
  readonly files: Files
  /** In Hz. */
  readonly sampleRate: 16_000
}

interface Speaking<Family extends string, Files> extends Description {
  readonly _tag: "Voice"
  readonly family: Family
  /** The path of each file. */
  readonly files: Files
  /** Of its speech, in Hz. */
  readonly sampleRate: number
  /** The number of the speaker of each voice, from 0, by the name of the voice. */
  readonly voices: Readonly<Record<string, number>>
}

/**
 * A model that recognises speech, with its files by their parts.
 *
 * @example
 * ```ts
 * import { ModelFolder } from "@effect-speech/engine-sherpa"
 *
 * export const isOfSeveralLanguages = (model: ModelFolder.RecogniserDescription): boolean =>
 *   model.family === "whisper" ? model.isMultilingual : model.languages.length > 1
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export type RecogniserDescription =
  | Recognising<"nemo-ctc" | "zipformer-ctc" | "wenet-ctc" | "sense-voice", CtcFiles>
  | Recognising<"transducer" | "nemo-transducer", TransducerFiles>
  | (Recognising<"whisper", WhisperFiles> & {
      /** Whether it knows other languages than English, also if they are not offered. */
      readonly isMultilingual: boolean
    })

/**
 * A model that speaks, with its files by their parts, and the number of the speaker of each voice.
 *
 * @example
 * ```ts
 * import { ModelFolder } from "@effect-speech/engine-sherpa"
 *
 * export const speakersOf = ({ name, voices }: ModelFolder.VoiceDescription): string =>
 *   `${name} speaks as ${Object.keys(voices).join(", ")}.`
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export type VoiceDescription = Speaking<"vits" | "piper", VitsFiles> | Speaking<"kokoro" | "kitten", StyledFiles>

/**
 * A model of a folder: one that recognises, or one that speaks. `_tag` says which.
 *
 * @example
 * ```ts
 * import { ModelFolder } from "@effect-speech/engine-sherpa"
 *
 * export const lineOf = (model: ModelFolder.ModelDescription): string =>
 *   `${model.name}: ${model._tag === "Voice" ? "speaks" : "recognises"} ${model.languages.join(", ")}`
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export type ModelDescription = RecogniserDescription | VoiceDescription

/**
 * The family of a model.
 *
 * @since 0.1.0
 * @category models
 */
export type Family = ModelDescription["family"]

/**
 * A name by which a request asks for a model, with its language.
 *
 * @example
 * ```ts
 * import { NodeFileSystem } from "@effect/platform-node"
 * import { ModelFolder } from "@effect-speech/engine-sherpa"
 * import { Effect } from "effect"
 *
 * // What the field `model` of a transcription in Hindi can be.
 * export const namesForHindi = ModelFolder.read("models").pipe(
 *   Effect.map(({ recognisers }) => recognisers.filter(({ lang }) => lang === "hi").map(({ name }) => name)),
 *   Effect.provide(NodeFileSystem.layer)
 * )
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface OfferedRecogniser {
  /** What the field `model` of a request can be. */
  readonly name: string
  /** The language that it recognises by this name. */
  readonly lang: string
  /** The model behind the name. */
  readonly model: RecogniserDescription
  /** The name of the same model that this is another name of. */
  readonly aliasOf: string | undefined
}

/**
 * A voice by which a request asks for a speaker of a model.
 *
 * @example
 * ```ts
 * import { NodeFileSystem } from "@effect/platform-node"
 * import { ModelFolder } from "@effect-speech/engine-sherpa"
 * import { Effect } from "effect"
 *
 * // What the field `voice` of a synthesis in Hindi can be.
 * export const voicesForHindi = ModelFolder.read("models").pipe(
 *   Effect.map(({ voices }) => voices.filter(({ languages }) => languages.includes("hi")).map(({ name }) => name)),
 *   Effect.provide(NodeFileSystem.layer)
 * )
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface OfferedVoice {
  /** What the field `voice` of a request can be. */
  readonly name: string
  /** The languages in which it speaks. */
  readonly languages: ReadonlyArray<string>
  /** The model behind the name. */
  readonly model: VoiceDescription
  /** The number of the speaker in the model, from 0. */
  readonly speaker: number
}

/**
 * A folder or a file that is no model, with what to do.
 *
 * @example
 * ```ts
 * import { NodeFileSystem } from "@effect/platform-node"
 * import { ModelFolder } from "@effect-speech/engine-sherpa"
 * import { Console, Effect } from "effect"
 *
 * export const printProblems = ModelFolder.read("models").pipe(
 *   Effect.flatMap(({ notUnderstood }) =>
 *     Effect.forEach(notUnderstood, ({ name, reason }) => Console.log(`${name}: ${reason}`))
 *   ),
 *   Effect.provide(NodeFileSystem.layer)
 * )
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface NotUnderstood {
  /** Its name in the folder of models. */
  readonly name: string
  /** Why it is none, and what to do: one or more sentences. */
  readonly reason: string
}

/**
 * What a folder of models holds, as `ModelFolder.read` returns it.
 *
 * @example
 * ```ts
 * import { NodeFileSystem } from "@effect/platform-node"
 * import { ModelFolder } from "@effect-speech/engine-sherpa"
 * import { Effect } from "effect"
 *
 * export const languages = ModelFolder.read("models").pipe(
 *   Effect.map(({ models }) => [...new Set(models.flatMap((model) => model.languages))]),
 *   Effect.provide(NodeFileSystem.layer)
 * )
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface Contents {
  /** The path that was read. */
  readonly folder: string
  /** By name. */
  readonly models: ReadonlyArray<ModelDescription>
  /** No two have the same name. */
  readonly recognisers: ReadonlyArray<OfferedRecogniser>
  /** No two have the same name and a language in common. Each language has a `default_female` and a `default_male`. */
  readonly voices: ReadonlyArray<OfferedVoice>
  /** By name. */
  readonly notUnderstood: ReadonlyArray<NotUnderstood>
  /** Sentences: names that clash, defaults between several voices that no model.json chooses, what was skipped. */
  readonly notes: ReadonlyArray<string>
}
