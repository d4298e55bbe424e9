/** More requests at once than two models have places for. */
import { send, transcriptionForm } from "effect-speech-test-support/plainHttp"
import { at, countBy, megabytes, sum, title } from "effect-speech-test-support/report"
import { usedOf } from "../support/journal.js"
import { barAtMost, barOfNone, seconds, tableOf } from "../support/print.js"
import { recordingOf, sentences } from "./requests.js"
import { type EngineService, hostsOf, memoryOf, modelsOf, type Settings, startEngines } from "./support.js"

const requests = 200
const text = sentences(4)
const speech = { text, lang: "en", voice: "tiny_loud", output_format: "16000:pcm16" }

interface Kind {
  readonly name: string
  readonly operation: "transcribe" | "synthesize"
  /** The status of a request for which there is no place. */
  readonly full: number
  readonly send: () => ReturnType<typeof send>
}

const kindsOf = ({ apiKey, sttBaseUrl, ttsBaseUrl }: EngineService, wav: Buffer): ReadonlyArray<Kind> => {
  const key = apiKey ?? ""
  const hear = (model: string): Kind => {
    const { body, contentType } = transcriptionForm(wav, { model })
    const headers = { "x-api-key": key, "content-type": contentType }
    return {
      name: model,
      operation: "transcribe",
      full: 503,
      send: () => send(`${sttBaseUrl}/api/transcribe`, { agent: false, headers, body })
    }
  }
  const headers = { "x-api-key": key, "content-type": "application/json" }
  return [
    hear("tiny-nemo-ctc-en"),
    hear("tiny-zipformer-en"),
    {
      name: "tiny-vits-en",
      operation: "synthesize",
      full: 502,
      send: () => send(`${ttsBaseUrl}/tts/bytes`, { agent: false, headers, body: [JSON.stringify(speech)] })
    }
  ]
}

/** The most memory of the service and its models, beyond what they have now, until `stop`. */
const watchMemory = (service: EngineService) => {
  const sample = () => [service.pid, ...hostsOf(service.pid)].map((pid) => memoryOf(pid).rss)
  const before = sample()
  const most = [...before]
  const timer = setInterval(() => {
    for (const [index, rss] of sample().entries()) most[index] = Math.max(most[index] ?? 0, rss)
  }, 50)
  return () => {
    clearInterval(timer)
    const [ofService = 0, ...ofModels] = most.map((rss, index) => rss - (before[index] ?? 0))
    return { service: ofService, models: sum(ofModels) }
  }
}

interface Ended {
  readonly kind: Kind
  /** 0: the request has no response. */
  readonly status: number
  readonly reason: string
  readonly retryAfter: string | undefined
  readonly millis: number
}

const settle = async (kind: Kind): Promise<Ended> => {
  const start = performance.now()
  const since = () => performance.now() - start
  try {
    const { bytes, headers, status } = await kind.send()
    const reason = status === 200 ? "" : bytes.toString()
    return { kind, status, reason, retryAfter: headers["retry-after"], millis: since() }
  } catch (error) {
    return { kind, status: 0, reason: String(error), retryAfter: undefined, millis: since() }
  }
}

const isRight = ({ kind, retryAfter = "", status }: Ended): boolean =>
  status === 200 || (status === kind.full && /^[1-9]\d*$/.test(retryAfter))

/** Sends all requests at once, in turn to each model. */
const overload = async (service: EngineService, kinds: ReadonlyArray<Kind>) => {
  const before = await usedOf(service)
  const stopWatching = watchMemory(service)
  const ended = await Promise.all(
    Array.from({ length: requests }, (_, index) => settle(at(kinds, index % kinds.length)))
  )
  const memory = stopWatching()
  const after = await usedOf(service)
  const problems = ended
    .filter((each) => !isRight(each))
    .map(({ kind, reason, retryAfter, status }) => `${kind.name}: ${status}, Retry-After ${retryAfter}: ${reason}`)
  for (const operation of ["transcribe", "synthesize"] as const) {
    const answered = ended.filter(({ kind, status }) => kind.operation === operation && status === 200).length
    const billed = after[operation].calls - before[operation].calls
    if (billed !== answered) problems.push(`${operation}: ${billed} calls were billed, ${answered} had a result`)
  }
  return { models: kinds.map(({ name }) => name).join(" and "), ended, memory, problems }
}

/** Overloads two recognisers, and a recogniser and a voice. */
const overloadPairs = async (queue: number | undefined, rounds: number) => {
  const service = await startEngines({ folder: modelsOf(["nemo-ctc", "zipformer", "vits"], 50), queue })
  const recording = recordingOf((await service.synthesize(speech)).bytes)
  const kinds = kindsOf(service, recording.bytes)
  // Loads the models.
  for (const kind of kinds) await kind.send()
  const pairs = [kinds.slice(0, 2), [at(kinds, 0), at(kinds, 2)]]
  const rows = []
  for (const pair of pairs.flatMap((each) => Array.from({ length: rounds }, () => each))) {
    console.error(`${requests} requests at once: ${pair.map(({ name }) => name).join(" and ")}`)
    rows.push({ ...(await overload(service, pair)), places: queue ?? "enough" })
  }
  await service.stop()
  return rows
}

export const checkOverload = async ({ quick }: Settings): Promise<void> => {
  const few = await overloadPairs(16, quick ? 1 : 3)
  const enough = await overloadPairs(undefined, 1)
  const rows = [...few, ...enough]

  title(`${requests} requests at once, with 30 seconds of audio each`)
  const statusesOf = (ended: ReadonlyArray<Ended>) =>
    [...countBy(ended, ({ kind, status }) => `${kind.operation} ${status}`)].map(
      ([status, count]) => `${count} x ${status}`
    )
  const slowest = (ended: ReadonlyArray<Ended>) => Math.max(...ended.map(({ millis }) => millis))
  tableOf(rows, {
    models: ({ models }) => models,
    "places to wait": ({ places }) => places,
    statuses: ({ ended }) => statusesOf(ended).join(", "),
    "the slowest response": ({ ended }) => seconds(slowest(ended)),
    "service, above idle": ({ memory }) => megabytes(memory.service),
    "models, above idle": ({ memory }) => megabytes(memory.models)
  })
  barOfNone(
    "each request has a result, or 503 (a speech: 502) with Retry-After, and the account agrees",
    rows.flatMap(({ problems }) => problems)
  )
  const refused = enough.flatMap(({ ended }) => ended).filter(({ status }) => status !== 200).length
  barAtMost("with the default places, each request has a result", refused, 0, (count) => `${count} have none`)
  const most = (all: typeof rows, of: "service" | "models") => Math.max(...all.map(({ memory }) => memory[of]))
  barAtMost("the service takes at most 300 MB above idle", most(few, "service"), 300e6, megabytes)
  // 200 recordings of 30 seconds are 384 MB at 16 kHz.
  barAtMost("with the default places, at most 800 MB", most(enough, "service"), 800e6, megabytes)
  barAtMost("the models take at most 200 MB above idle", most(rows, "models"), 200e6, megabytes)
}
