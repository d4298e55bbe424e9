// The process of one model. A model that is damaged, or that sherpa-onnx does not like, may end its process, so only this file
// loads sherpa-onnx-node. It uses only the asynchronous functions: the others end the process in more cases. JavaScript, because
// plain Node starts the process, both from the sources and from the built package.
import { Worker } from "node:worker_threads"
import { problemIn } from "./requestCheck.js"
import { speechOf } from "./speechThread.js"

/** @typedef {import("./protocol.js").Sent} Sent */
/** @typedef {import("./protocol.js").Load | import("./protocol.js").Work | import("./protocol.js").Withdraw} Request */
/** @typedef {(work: import("./protocol.js").Work) => Promise<Sent>} Perform The service checks the results of sherpa-onnx. */

const name = "sherpa-onnx-node"

/** Of all recognisers, in Hz. */
const sampleRate = 16_000

/** @param {Sent} reply */
const send = (reply) => {
  // Without a callback, a service that ended meanwhile would be an uncaught error here.
  process.send?.(reply, undefined, {}, () => undefined)
}

// A normal exit would wait for the threads that compute.
process.on("disconnect", () => process.kill(process.pid, "SIGKILL"))
// The event is not seen while sherpa-onnx holds the event loop.
new Worker(new URL("./parentWatch.js", import.meta.url), { workerData: process.ppid }).unref()
// The service decides when a model ends. A terminal, and what supervises the service, signal all processes of a group.
for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) process.on(signal, () => undefined)

/** @param {unknown} error */
const messageOf = (error) => (error instanceof Error ? error.message : String(error))

/**
 * The service says where it is: it may be installed elsewhere than this file.
 *
 * @returns {Promise<(typeof import("sherpa-onnx-node"))["default"]>}
 */
const loadSherpa = async () => {
  try {
    return (await import(process.argv[2] ?? name)).default
  } catch {
    // Its own message is a list of paths.
    throw new Error(
      `sherpa-onnx-node can't be loaded. It may have no build for ${process.platform} on ${process.arch}.`
    )
  }
}

/**
 * sherpa-onnx writes a line break of a model into its JSON as it is, and fails to read it. Whisper may write one.
 *
 * @param {{ readonly handle: unknown }} stream
 */
const withoutControls = async ({ handle }) => {
  const [, , module] = process.argv
  /** @type {{ readonly default: (typeof import("sherpa-onnx-node/addon.js"))["default"] }} */
  const { default: addon } = await import(module === undefined ? `${name}/addon.js` : new URL("addon.js", module).href)
  return JSON.parse(addon.getOfflineStreamResultAsJson(handle).replaceAll(/\p{Cc}/gu, " "))
}

/** Pieces of work that are not withdrawn, by their numbers. @type {Set<number>} */
const wanted = new Set()

/** Threads of libuv's pool that do nothing, and who waits for one. More work than threads would wait in libuv, out of our hands. */
let free = Number(process.env.UV_THREADPOOL_SIZE ?? 4)
/** @type {Array<() => void>} */
const turns = []

/**
 * Has a piece of work done when a thread is free.
 *
 * @template Result
 * @param {number} task
 * @param {() => Promise<Result>} work
 * @returns {Promise<Result>}
 */
const inThread = async (task, work) => {
  if (free > 0) free -= 1
  else await /** @type {Promise<void>} */ (new Promise((resolve) => turns.push(resolve)))
  try {
    if (!wanted.has(task)) throw new Error("Nobody waits for it any more.")
    return await work()
  } finally {
    const next = turns.shift()
    if (next === undefined) free += 1
    else next()
  }
}

/** @param {import("./protocol.js").Load} request @returns {Promise<Perform>} */
const makeRecogniser = async ({ config, statesLanguage = false }) => {
  const sherpa = await loadSherpa()
  const recogniser = await sherpa.OfflineRecognizer.createAsync(config)
  /** @type {string | undefined} */
  let language
  /** @type {Set<Promise<unknown>>} */
  const decoding = new Set()
  /** @type {Promise<unknown>} */
  let turn = Promise.resolve()

  /**
   * A recogniser has one language at a time. Recordings of another wait until those before them are decoded.
   *
   * @param {string | undefined} wanted
   */
  const setLanguage = (wanted) => {
    const isSet = turn.then(async () => {
      if (wanted === undefined || wanted === language) return
      await Promise.allSettled(decoding)
      const { modelConfig } = recogniser.config
      const whisper = { ...modelConfig?.whisper, language: wanted }
      recogniser.setConfig({ ...recogniser.config, modelConfig: { ...modelConfig, whisper } })
      language = wanted
    })
    turn = isSet.catch(() => undefined)
    return isSet
  }

  /** @param {Pick<import("./protocol.js").Recognise, "task" | "samples" | "hotwords">} work */
  const decodeAny = async ({ hotwords, samples, task }) => {
    const stream = recogniser.createStream(hotwords)
    // While it waits for a thread, it has its features already.
    stream.acceptWaveform({ samples, sampleRate })
    const decoded = inThread(task, () => recogniser.decodeAsync(stream))
    decoding.add(decoded)
    try {
      return await decoded
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
      return withoutControls(stream)
    } finally {
      decoding.delete(decoded)
    }
  }

  /**
   * Where another model fails, Whisper returns a result that is empty, even of its language. That is not to be taken for silence.
   *
   * @param {Pick<import("./protocol.js").Recognise, "task" | "samples" | "hotwords">} work
   */
  const decode = async (work) => {
    const result = await decodeAny(work)
    if (statesLanguage && Reflect.get(Object(result), "lang") === "") throw new Error("It returned no result.")
    return result
  }

  // Some models load, and end the process with the first samples. Those are refused too.
  wanted.add(0)
  await decode({ task: 0, samples: new Float32Array(sampleRate) })
  wanted.delete(0)
  send({ _tag: "Loaded" })
  return async (work) => {
    if (work._tag !== "Recognise") throw new Error("This model does not speak.")
    await setLanguage(work.language)
    return { _tag: "Recognised", task: work.task, result: await decode(work) }
  }
}

/** @param {import("./protocol.js").Load} request @returns {Promise<Perform>} */
const makeVoice = async ({ config, trial }) => {
  const sherpa = await loadSherpa()
  const voice = await sherpa.OfflineTts.createAsync(config)
  if (!(voice.sampleRate > 0)) throw new Error(`Its sample rate is ${voice.sampleRate} Hz.`)
  // A text that it can't speak is no reason to refuse it: if it ends the process, that is one.
  if (trial !== undefined) {
    await speechOf(() => voice.generateAsync({ text: trial, sid: 0, speed: 1 })).catch(() => undefined)
  }
  send({ _tag: "Loaded" })
  return async (work) => {
    if (work._tag !== "Speak") throw new Error("This model does not listen.")
    const { speaker: sid, speed, task, text } = work
    const { samples, sampleRate } = await inThread(task, () =>
      speechOf(() => voice.generateAsync({ text, sid, speed }))
    )
    return { _tag: "Spoken", task: work.task, samples, sampleRate }
  }
}

/** @type {Promise<Perform> | undefined} */
let model

/** @param {import("./protocol.js").Load} request */
const load = (request) => {
  model ??= request.operation === "transcribe" ? makeRecogniser(request) : makeVoice(request)
  model.catch((error) => send({ _tag: "Refused", reason: messageOf(error) }))
}

/** @param {import("./protocol.js").Work} work */
const perform = async (work) => {
  wanted.add(work.task)
  try {
    if (model === undefined) throw new Error("The model is not loaded.")
    send(await (await model)(work))
  } catch (error) {
    send({ _tag: "Failed", task: work.task, reason: messageOf(error) })
  } finally {
    wanted.delete(work.task)
  }
}

process.on("message", (message) => {
  const request = /** @type {Request} */ (message)
  const problem = problemIn(request)
  if (problem === undefined) {
    if (request._tag === "Load") load(request)
    else if (request._tag === "Withdraw") wanted.delete(request.task)
    else void perform(request)
    return
  }
  const task = Reflect.get(Object(request), "task")
  send(typeof task === "number" ? { _tag: "Failed", task, reason: problem } : { _tag: "Refused", reason: problem })
})
