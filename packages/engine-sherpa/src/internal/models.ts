/**
 * The models of a folder, each with its supervisor.
 */
import type * as FileSystem from "@effect/platform/FileSystem"
import type { ModelDetails, ModelStatus } from "@effect-speech/engine"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { SherpaModelRefused } from "../SherpaError.js"
import { type HearingFamily, hearingFamily } from "./families/recognisers.js"
import { readTokens } from "./families/tokens.js"
import { type SpeakingFamily, speakingFamily } from "./families/voices.js"
import type { ModelDescription, RecogniserDescription, VoiceDescription } from "./folder/description.js"
import type { Load } from "./host/protocol.js"
import { sentenceOf } from "./sentences.js"
import type { Rules } from "./supervision/machine.js"
import { type Supervised, supervise } from "./supervision/supervise.js"

export interface Settings {
  readonly threads: number
  readonly concurrency: number
  readonly queue: number
  /** In milliseconds. */
  readonly idle: number
}

interface Open<Description, Family> {
  readonly description: Description
  readonly family: Family
  readonly supervised: Supervised
  readonly load: Effect.Effect<void, SherpaModelRefused>
  readonly status: Effect.Effect<ModelStatus>
}

export type OpenRecogniser = Open<RecogniserDescription, HearingFamily>
export type OpenVoice = Open<VoiceDescription, SpeakingFamily>

/** A model with its supervisor. Its process does not run yet. */
export type Loadable = OpenRecogniser | OpenVoice

/** A process that is silent for longer is stuck: a model of gigabytes loads in less, and a piece is 30 s of speech. In milliseconds. */
const timeouts = { loadTimeout: 600_000, pieceTimeout: 600_000 }

const rulesOf = ({ concurrency, idle, queue }: Settings): Rules => ({
  ...timeouts,
  inProcess: concurrency + 1,
  places: concurrency + queue,
  idle
})

export const openModel = (
  description: ModelDescription,
  settings: Settings
): Effect.Effect<Loadable, SherpaModelRefused, FileSystem.FileSystem | Scope.Scope> =>
  Effect.gen(function* () {
    const { folder, name } = description
    const tokens = yield* readTokens(description.files.tokens).pipe(
      Effect.mapError(() => refused(name, `The model ${name} can't be loaded: its tokens.txt can't be read.`))
    )
    const options = { threads: settings.threads, tokens }
    const open = <D, F extends { readonly config: object }>(
      of: { readonly description: D; readonly family: F },
      operation: ModelStatus["operation"],
      trial: Pick<Load, "trial" | "statesLanguage">
    ): Effect.Effect<Open<D, F>, never, Scope.Scope> =>
      Effect.map(
        supervise({
          name,
          load: { _tag: "Load", operation, config: of.family.config, ...trial },
          folder,
          concurrency: settings.concurrency,
          rules: rulesOf(settings)
        }),
        (supervised) => ({
          ...of,
          supervised,
          load: Effect.mapError(supervised.load, (failure) => refused(name, sentenceOf(name, failure))),
          status: Effect.map(supervised.status, (status) => ({ name, operation, ...status }))
        })
      )
    if (description._tag === "Recogniser") {
      const family = hearingFamily(description, options)
      return yield* open({ description, family }, "transcribe", { statesLanguage: family.statesLanguage })
    }
    const family = speakingFamily(description, options)
    const trial = family.speakableOf(nameOfLanguage(description))
    return yield* open({ description, family }, "synthesize", trial === undefined ? {} : { trial })
  })

const refused = (model: string, message: string) => new SherpaModelRefused({ model, message })

/** A language's name in itself: a word that a voice of it can speak. */
const nameOfLanguage = ({ languages: [language = "en"] }: VoiceDescription): string =>
  new Intl.DisplayNames([language], { type: "language" }).of(language) ?? language

export const detailsOf = ({ bytes, family, licence }: ModelDescription): ModelDetails => ({ family, licence, bytes })
