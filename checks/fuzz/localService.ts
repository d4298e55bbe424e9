/** The local service with a silent voice that records its utterances, and both clients. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { LocalService, type LocalServiceOptions, Recogniser, type Voice } from "@effect-speech/local-service"
import * as NodeTransport from "@effect-speech/transport/node"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { cannedVoice } from "effect-speech-test-support/cannedVoice"

export const languages = ["hi", "en"]
export const voices = ["default_female", "default_male"]

/** Length of each speech, in samples: 10 ms. */
const speechLength = 80

export interface Stage {
  /** Returns the utterances since the last call. */
  readonly takeUtterances: () => ReadonlyArray<Voice.Utterance>
  readonly layer: Layer.Layer<LocalService>
}

/** A temporary folder. The scope removes it. */
export const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "fuzz-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
)

export const makeStage = (options: LocalServiceOptions = {}): Stage => {
  let utterances: Array<Voice.Utterance> = []
  const voice = cannedVoice(
    (utterance) => {
      utterances.push(utterance)
      return new Float32Array(speechLength)
    },
    { languages, voices }
  )
  const layer = LocalService.layerWithoutDependencies({ credits: 1e15, ...options }).pipe(
    Layer.provide([voice, Recogniser.Recogniser.layerKnownRecordings(), NodeFileSystem.layer]),
    Layer.orDie
  )
  return {
    takeUtterances: () => {
      const all = utterances
      utterances = []
      return all
    },
    layer
  }
}

/** The service of a stage and its clients. */
export const withClients = ({ layer }: Stage) =>
  LocalService.layerClients.pipe(Layer.provideMerge(Layer.merge(layer, NodeTransport.layer)))
