/**
 * Damaged models, wrong requests, and models that change while they are served. After each of them the service is up, its response is
 * of the contract, the reason is a sentence without a path, and the next request works.
 */
import { rmSync } from "node:fs"
import { join } from "node:path"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as ModelFolder from "@effect-speech/engine-sherpa/ModelFolder"
import * as Sherpa from "@effect-speech/engine-sherpa/Sherpa"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { title } from "effect-speech-test-support/report"
import { tinyFamilies } from "effect-speech-test-support/tinyModels"
import { demandSynthesisFailure, demandTranscriptionFailure, jsonObject } from "../conformance/rule.js"
import type { HttpResponse } from "../conformance/service.js"
import { barOfNone, tableOf } from "../support/print.js"
import { type Damage, damages, type Fate, speaks, writeDamaged } from "./damages.js"
import { recordingOf, type WavRecording, wrongRequests } from "./requests.js"
import { type EngineService, killHost, modelsOf, type Settings, startEngines } from "./support.js"

type Operation = "transcribe" | "synthesize"

/** A break, and what the service did. */
interface Broken {
  readonly kind: string
  readonly what: string
  readonly observed: string
}

const reasonOf = (response: HttpResponse): string => {
  const body = jsonObject(response)
  return String(body?.message ?? body?.error ?? "")
}

/** Paths, files of the binary's build, and addresses in memory. */
const secrets = /(?:^|[\s"'(=:])\/[\w.-]+\/|[A-Z]:\\|\.cc\b|\.cpp\b|node_modules|0x[0-9a-f]{6}/
const controls = /[\p{Cc}\p{Cf}]/u

/** What is wrong with a reason. */
const problemsOfReason = (reason: string, isSentence: boolean): ReadonlyArray<string> => [
  ...(reason === "" ? ["has no reason"] : []),
  ...(secrets.test(reason) ? [`shows a path: ${reason}`] : []),
  ...(controls.test(reason) ? [`has control characters: ${JSON.stringify(reason)}`] : []),
  ...(reason.length > 700 ? [`has ${reason.length} characters`] : []),
  ...(isSentence && !/^\S+ \S+ .+\.$/.test(reason) ? [`is no sentence: ${reason}`] : [])
]

/** How a response breaks the contract. */
const problemsOf = (response: HttpResponse, operation: Operation): ReadonlyArray<string> => {
  const { bytes, status } = response
  if (status === 200 && operation === "synthesize") return bytes.length > 0 ? [] : ["has no audio"]
  if (status === 200) return typeof jsonObject(response)?.text === "string" ? [] : ["has no text"]
  try {
    if (operation === "transcribe") demandTranscriptionFailure(response, status)
    else demandSynthesisFailure(response, status)
  } catch (error) {
    return [String(error)]
  }
  // The responses of today have no full stop. Behind a colon is the sentence of a model.
  return problemsOfReason(reasonOf(response), status >= 500 && reasonOf(response).includes(": "))
}

const statusesOf: Readonly<Record<Fate, (speaks: boolean) => ReadonlyArray<number>>> = {
  "not offered": () => [400],
  refused: (speaks) => [speaks ? 502 : 500],
  fails: (speaks) => [speaks ? 502 : 500, 503],
  works: () => [200]
}

const text = "hello, is it ten?"

/** A recording of the text, by the service itself. */
const record = async ({ synthesize }: EngineService) => {
  const { bytes } = await synthesize({ text, lang: "en", voice: "tiny_loud", output_format: "16000:pcm16" })
  return recordingOf(bytes)
}

/** Speaks and recognises with sound models, and asks the platform. Returns what does not work. */
const tryNext = async (service: EngineService, recording: WavRecording) => {
  const spoken = await service.synthesize({ text, lang: "en", voice: "tiny_loud" })
  const heard = await service.transcribe({ model: "tiny-nemo-ctc-en", audio_file: recording })
  const account = await service.platform("GET", "account")
  return [
    ...(spoken.status === 200 ? [] : [`the next speech gets ${spoken.status} ${reasonOf(spoken)}`]),
    ...(jsonObject(heard)?.text === text ? [] : [`the next transcription is ${heard.status} ${heard.bytes}`]),
    ...(account.status === 200 ? [] : [`the platform gives ${account.status}`])
  ]
}

/** Sends the request of a break, and the next ones. */
const makeTrial = (service: EngineService, recording: WavRecording) => {
  const problems: Array<string> = []
  const broken: Array<Broken> = []
  const trial = async (
    { kind, what }: Omit<Broken, "observed">,
    operation: Operation,
    allowed: ReadonlyArray<number>,
    send: () => Promise<HttpResponse>
  ) => {
    const found: Array<string> = []
    try {
      const response = await send()
      broken.push({ kind, what, observed: `${response.status} ${reasonOf(response)}`.trim() })
      if (!allowed.includes(response.status)) found.push(`gets ${response.status} ${reasonOf(response)}`)
      found.push(...problemsOf(response, operation))
    } catch (error) {
      broken.push({ kind, what, observed: String(error) })
      found.push(`has no response: ${error}`)
    }
    found.push(...(await tryNext(service, recording)))
    problems.push(...found.map((problem) => `${what}: ${problem}`))
  }
  return { broken, problems, trial }
}

/** Each damaged model, in one folder with sound ones. */
const breakModels = async (quick: boolean) => {
  const models = modelsOf(tinyFamilies)
  const damaged = damages.map((damage, index) => ({ ...damage, name: `damaged-${index + 1}` }))
  for (const each of damaged) writeDamaged(models, each, each.name)
  const { notUnderstood } = await Effect.runPromise(Effect.provide(ModelFolder.read(models), NodeFileSystem.layer))
  const service = await startEngines({ folder: models })
  const recording = await record(service)
  const { broken, problems, trial } = makeTrial(service, recording)
  for (const { fate, name, what, ...rest } of damaged) {
    console.error(`${fate}: ${what}`)
    const isVoice = speaks(rest)
    const send = () =>
      isVoice
        ? service.synthesize({ text: "hello", lang: "en", voice: name, output_format: "8000:pcm16" })
        : service.transcribe({ model: name, audio_file: recording })
    const kind = isVoice ? "a voice" : "a recogniser"
    const allowed = statusesOf[fate](isVoice)
    await trial({ kind, what }, isVoice ? "synthesize" : "transcribe", allowed, send)
    // A model that can't be loaded is no 503 for ever, for which a client would wait.
    if (fate === "refused" && !allowed.includes((await send()).status)) problems.push(`${what}: the second differs`)
    const reason = notUnderstood.find((each) => each.name === name)?.reason
    if ((reason === undefined) !== (fate !== "not offered")) problems.push(`${what}: the folder says ${reason}`)
    if (reason !== undefined) problems.push(...problemsOfReason(reason, true).map((problem) => `${what}: ${problem}`))
  }
  await service.stop()
  const refused = damaged.filter(({ fate }) => fate === "refused").slice(0, quick ? 2 : undefined)
  for (const damage of refused) problems.push(...(await preload(damage)))
  return { broken, problems }
}

/** With `preload`, an engine does not start with a model that can't be loaded. Its reason is the error. */
const preload = async (damage: Damage): Promise<ReadonlyArray<string>> => {
  console.error(`preloaded: ${damage.what}`)
  const models = modelsOf(["nemo-ctc", "vits"])
  writeDamaged(models, damage, "damaged")
  const error = await Layer.build(Sherpa.layer({ folder: models, preload: true })).pipe(
    Effect.scoped,
    Effect.provide(NodeFileSystem.layer),
    Effect.flip,
    Effect.option,
    Effect.runPromise
  )
  const problems = Option.match(error, {
    onNone: () => ["the engine starts with it"],
    onSome: ({ message }) => problemsOfReason(message, true)
  })
  return problems.map((problem) => `${damage.what}: ${problem}`)
}

const breakRequests = async () => {
  const service = await startEngines({ folder: modelsOf(tinyFamilies) })
  const { broken, problems, trial } = makeTrial(service, await record(service))
  for (const { operation, send, statuses, what } of wrongRequests) {
    console.error(what)
    const kind = operation === "synthesize" ? "a speech" : "a transcription"
    await trial({ kind, what }, operation, statuses, () => send(service))
  }
  await service.stop()
  return { broken, problems }
}

/** Models whose files change while they are served. */
const breakFolder = async () => {
  const models = modelsOf(tinyFamilies)
  const service = await startEngines({ folder: models })
  const recording = await record(service)
  const { broken, problems, trial } = makeTrial(service, recording)
  const zipformer = () => service.transcribe({ model: "tiny-zipformer-en", audio_file: recording })
  const whisper = () => service.transcribe({ model: "en-tiny-whisper-en", audio_file: recording })
  const change = (what: string, allowed: ReadonlyArray<number>, send: () => Promise<HttpResponse>) => {
    console.error(what)
    return trial({ kind: "a folder", what }, "transcribe", allowed, send)
  }
  rmSync(join(models, "tiny-zipformer-en"), { recursive: true })
  await change("removed before it is loaded", [500], zipformer)
  await whisper()
  rmSync(join(models, "tiny-whisper-en"), { recursive: true })
  await change("removed after it is loaded", [200], whisper)
  killHost(service)
  await change("removed, and its process is killed", [500, 503], whisper)
  await service.stop()
  return { broken, problems }
}

export const checkBreaks = async ({ quick }: Settings): Promise<void> => {
  const models = await breakModels(quick)
  const requests = await breakRequests()
  const folders = await breakFolder()
  const broken = [...models.broken, ...requests.broken, ...folders.broken]
  title(`${broken.length} ways to break a model or a request`)
  tableOf(broken, { of: ({ kind }) => kind, break: ({ what }) => what, response: ({ observed }) => shorten(observed) })
  barOfNone("damaged models: the service responds by the contract, with a sentence, and goes on", models.problems)
  barOfNone("wrong requests: the same", requests.problems)
  barOfNone("a folder that changes: the same", folders.problems)
}

const shorten = (text: string) => {
  const line = text.replaceAll("|", "\\|").replaceAll(/\s+/g, " ")
  return line.length > 160 ? `${line.slice(0, 160)}…` : line
}
