/**
 * What is known of the models of a folder, before any of them is loaded.
 */

/**
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
  /** The `numThreads` of `model.json`. */
  readonly numThreads: number | undefined
}

/**
 * The file of a CTC model.
 *
 * @since 0.1.0
 * @category models
 */
export interface CtcFiles {
  readonly model: string
  readonly tokens: string
}

/**
 * The files of a transducer.
 *
 * @since 0.1.0
 * @category models
 */
export interface TransducerFiles {
  readonly encoder: string
  readonly decoder: string
  readonly joiner: string
  readonly tokens: string
  /** Splits a hotword into tokens. `undefined`: the model has none. */
  readonly bpeVocab: string | undefined
}

/**
 * The files of a Whisper model.
 *
 * @since 0.1.0
 * @category models
 */
export interface WhisperFiles {
  readonly encoder: string
  readonly decoder: string
  readonly tokens: string
}

/**
 * The files of a voice.
 *
 * @since 0.1.0
 * @category models
 */
export interface VitsFiles {
  readonly model: string
  readonly tokens: string
  /** The folder `espeak-ng-data`. */
  readonly dataDir: string | undefined
  readonly lexicons: ReadonlyArray<string>
  /** Rules that turn numbers and dates into words. */
  readonly ruleFsts: ReadonlyArray<string>
  readonly ruleFars: ReadonlyArray<string>
}

/**
 * The files of Kokoro, or of Kitten.
 *
 * @since 0.1.0
 * @category models
 */
export interface StyledFiles extends VitsFiles {
  /** `voices.bin` */
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
  /** The speaker of each voice: from 0 on. */
  readonly voices: Readonly<Record<string, number>>
}

/**
 * A model that recognises speech.
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
 * A model that speaks.
 *
 * @since 0.1.0
 * @category models
 */
export type VoiceDescription = Speaking<"vits" | "piper", VitsFiles> | Speaking<"kokoro" | "kitten", StyledFiles>

/**
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
 * @since 0.1.0
 * @category models
 */
export interface OfferedRecogniser {
  readonly name: string
  readonly lang: string
  readonly model: RecogniserDescription
  /** The name of the same model that this is another name of. */
  readonly aliasOf: string | undefined
}

/**
 * A voice by which a request asks for a speaker of a model.
 *
 * @since 0.1.0
 * @category models
 */
export interface OfferedVoice {
  readonly name: string
  readonly languages: ReadonlyArray<string>
  readonly model: VoiceDescription
  readonly speaker: number
}

/**
 * A folder or a file that is no model, with what to do.
 *
 * @since 0.1.0
 * @category models
 */
export interface NotUnderstood {
  /** Its name in the folder of models. */
  readonly name: string
  /** Sentences. */
  readonly reason: string
}

/**
 * What a folder of models holds.
 *
 * @since 0.1.0
 * @category models
 */
export interface Contents {
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
