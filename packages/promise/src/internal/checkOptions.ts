/**
 * The check of the options of `connect`, before any environment is read.
 */
import * as FileSystem from "@effect/platform/FileSystem"
import * as HttpClient from "@effect/platform/HttpClient"
import { SttInvalidApiKey } from "@effect-speech/stt/SttError"
import { TtsInvalidApiKey } from "@effect-speech/tts/TtsError"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Redacted from "effect/Redacted"
import type { ConnectOptions } from "../SpeechClient.js"
import { type CallSite, invalidOption, toSpeechError } from "./errors.js"
import { checkConnectOptions, readOptions } from "./optionRules.js"
import { makeSpeechToText, makeTextToSpeech, withOptionName } from "./services.js"

/** Stand for a value that is not set, or that a function reads later. */
const laterUrl = "https://unset.invalid"
const laterKey = Redacted.make("prefix.secret")

/**
 * A copy of the options. The environment is not copied: it is read later.
 *
 * @throws SpeechError if an option is unknown or breaks a rule.
 */
export const checkOptions = (given: ConnectOptions | undefined, site: CallSite): ConnectOptions => {
  const read = Either.flatMap(readOptions(given), (copy) => Either.map(checkConnectOptions(copy), () => copy))
  if (Either.isLeft(read)) throw invalidOption(read.left.field, read.left.problem, site)
  const options: ConnectOptions = { ...read.right, environment: given?.environment }
  const { apiKey, sttBaseUrl = laterUrl, ttsBaseUrl = laterUrl } = options
  const key = apiKey === undefined || typeof apiKey === "function" ? laterKey : Redacted.make(apiKey)
  const making = Effect.all([
    withOptionName("ttsBaseUrl")(makeTextToSpeech(options, key, ttsBaseUrl)),
    withOptionName("sttBaseUrl")(makeSpeechToText(options, key, sttBaseUrl))
  ]).pipe(
    Effect.provideService(HttpClient.HttpClient, neverUsed),
    Effect.provideService(FileSystem.FileSystem, FileSystem.makeNoop({})),
    Effect.either,
    Effect.runSync
  )
  if (Either.isRight(making)) return options
  const error = making.left
  throw error instanceof TtsInvalidApiKey || error instanceof SttInvalidApiKey
    ? invalidOption("apiKey", `can't be used: ${error.problem}`, site)
    : toSpeechError(error, site)
}

const neverUsed = HttpClient.make(() => Effect.dieMessage("Only options are checked."))
