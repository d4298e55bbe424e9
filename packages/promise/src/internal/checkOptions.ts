/**
 * The check of the options of `connect`: the Effect clients check them, before any environment is read.
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
import { makeSpeechToText, makeTextToSpeech, named } from "./services.js"

/** A name that is not here is a mistake of a program without types. */
const names: Readonly<Record<keyof ConnectOptions, true>> = {
  allowInsecureHttp: true,
  apiKey: true,
  concurrency: true,
  deadlines: true,
  environment: true,
  hotwordEncoding: true,
  retries: true,
  retryAmbiguous: true,
  sttBaseUrl: true,
  ttsBaseUrl: true
}

/** Stand for a value that is not set, or that a function reads later. */
const laterUrl = "https://unset.invalid"
const laterKey = Redacted.make("prefix.secret")

/** @throws SpeechError if an option is unknown or breaks a rule. */
export const checkOptions = (options: ConnectOptions, site: CallSite): void => {
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(names, name))
  if (unknown !== undefined) throw invalidOption(unknown, "is not a known option", site)
  const { apiKey, sttBaseUrl = laterUrl, ttsBaseUrl = laterUrl } = options
  const key = apiKey === undefined || typeof apiKey === "function" ? laterKey : Redacted.make(apiKey)
  const making = Effect.all([
    named("ttsBaseUrl")(makeTextToSpeech(options, key, ttsBaseUrl)),
    named("sttBaseUrl")(makeSpeechToText(options, key, sttBaseUrl))
  ]).pipe(
    Effect.provideService(HttpClient.HttpClient, neverUsed),
    Effect.provideService(FileSystem.FileSystem, FileSystem.makeNoop({})),
    Effect.either,
    Effect.runSync
  )
  if (Either.isRight(making)) return
  const error = making.left
  throw error instanceof TtsInvalidApiKey || error instanceof SttInvalidApiKey
    ? invalidOption("apiKey", `can't be used: ${error.problem}`, site)
    : toSpeechError(error, site)
}

const neverUsed = HttpClient.make(() => Effect.dieMessage("Only options are checked."))
