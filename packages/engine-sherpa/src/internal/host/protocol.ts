/**
 * What the service and the process of a model say to each other. Each checks what it receives, so a message of another shape is a
 * failure with a reason: the service by these schemas, the process by `requestCheck.js`.
 */
import * as Schema from "effect/Schema"

/** Loads the model. The first message, once. */
export interface Load {
  readonly _tag: "Load"
  readonly operation: "transcribe" | "synthesize"
  /** What `OfflineRecognizer` or `OfflineTts` of sherpa-onnx takes. */
  readonly config: object
  /** What a voice speaks once before it is loaded, not blank. A recogniser hears a second of silence. Default: nothing. */
  readonly trial?: string
  /** Whether each result of a recogniser states the language. Default: false. */
  readonly statesLanguage?: boolean
}

/** Recognises a piece of a recording. */
export interface Recognise {
  readonly _tag: "Recognise"
  /** Number of the piece. */
  readonly task: number
  /** Mono, at 16 kHz, -1 to 1. At least one. */
  readonly samples: Float32Array
  /** Phrases in the form of sherpa-onnx, not empty. Default: none. */
  readonly hotwords?: string
  /** Code of the language, for a model that must be told. Default: the one of its configuration. */
  readonly language?: string
}

/** Speaks a sentence. */
export interface Speak {
  readonly _tag: "Speak"
  /** Number of the piece. */
  readonly task: number
  /** Not blank. */
  readonly text: string
  /** Number of the voice in the model, from 0. */
  readonly speaker: number
  /** Above 0. 1 is the voice's normal speed. */
  readonly speed: number
}

/** A piece of work. */
export type Work = Recognise | Speak

/** Nobody waits for a piece of work any more. If it has not begun, its outcome is `Failed`, without the work. */
export interface Withdraw {
  readonly _tag: "Withdraw"
  /** Number of the piece. */
  readonly task: number
}

const Task = Schema.NonNegativeInt

const Numbers = Schema.Array(Schema.Number)
const Strings = Schema.Array(Schema.String)

/** The result of sherpa-onnx for a piece of a recording. Times are in seconds from the beginning of the piece. */
export const RawResult = Schema.Struct({
  text: Schema.String,
  tokens: Strings,
  /** When each token starts. Empty for Whisper. */
  timestamps: Numbers,
  /** Logarithm of the probability of each token. Only transducers have it. */
  ys_log_probs: Schema.optionalWith(Numbers, { default: () => [] }),
  /** The segments. Only Whisper has them. */
  segment_texts: Schema.optionalWith(Strings, { default: () => [] }),
  segment_timestamps: Schema.optionalWith(Numbers, { default: () => [] }),
  /** 0 for a last segment that is cut off. */
  segment_durations: Schema.optionalWith(Numbers, { default: () => [] })
})
export type RawResult = typeof RawResult.Type

const Recognised = Schema.TaggedStruct("Recognised", { task: Task, result: RawResult })

const Spoken = Schema.TaggedStruct("Spoken", {
  task: Task,
  samples: Schema.instanceOf(Float32Array),
  /** In Hz. */
  sampleRate: Schema.Positive
})

/** This piece of work failed, and the process goes on. */
const Failed = Schema.TaggedStruct("Failed", { task: Task, reason: Schema.String })

/** What a piece of work leads to. */
export type Outcome = typeof Recognised.Type | typeof Spoken.Type | typeof Failed.Type

/** What the process sends. */
export const Reply = Schema.Union(
  /** The model is loaded, and has worked once. */
  Schema.TaggedStruct("Loaded", {}),
  /** The model can't be loaded. Often sherpa-onnx ends the process instead. */
  Schema.TaggedStruct("Refused", { reason: Schema.String }),
  Recognised,
  Spoken,
  Failed
)
export type Reply = typeof Reply.Type
/** A reply before it is checked: the results are those of sherpa-onnx. */
export type Sent = { readonly [Field in "task" | "result" | "samples" | "sampleRate" | "reason"]?: unknown } & {
  readonly _tag: Reply["_tag"]
}
