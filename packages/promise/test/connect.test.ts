import { connect, type SpeechClient, SpeechError } from "@effect-speech/promise"
import { describe, expect, it } from "vitest"
import { errorOf, model, startService } from "./service.js"

const service = startService()
const asked = { outputFormat: "8000:pcm16" } as const

/** A recording that is never sent. */
const recording = new Uint8Array(44)

describe("connect", () => {
  it.each([
    [{ concurrency: 0 }, "concurrency"],
    [{ ttsBaseUrl: "host" }, "ttsBaseUrl"],
    [{ sttBaseUrl: "http://host.example" }, "sttBaseUrl"],
    [{ retries: -1 }, "retries"],
    [{ deadlines: { total: "soon" } }, "deadlines.total"],
    [{ apiKey: "no dot" }, "apiKey"],
    [{ apiKey: ["no dot"] }, "apiKey"],
    [{ baseUrl: "https://host.example" }, "baseUrl"],
    [{ deadlines: { totl: 3 } }, "deadlines.totl"],
    [{ deadlines: 5 }, "deadlines"],
    [{ retries: { tims: 1 } }, "retries.tims"],
    [{ hotwordEncoding: "xml" }, "hotwordEncoding"],
    [{ environment: "production" }, "environment"],
    [{ allowInsecureHttp: "no" }, "allowInsecureHttp"],
    [{ retryAmbiguous: "no" }, "retryAmbiguous"],
    [null, "options"],
    ["my.key", "options"]
  ])("throws at once for %j", (options, option) => {
    const error = thrown(() => connect(options as object))
    expect(error).toMatchObject({ tag: "InvalidOption", category: "request", facts: { option } })
    expect(error.stack).toContain("connect.test.ts")
    expect(JSON.stringify(error)).not.toContain("no dot")
  })

  it("reads the variables of the environment at the first call", async () => {
    const { apiKey, sttBaseUrl, ttsBaseUrl } = service.options()
    const environment: Record<string, string | undefined> = {}
    await using speech = connect({ environment })
    Object.assign(environment, {
      SPEECH_API_KEY: apiKey,
      SPEECH_TTS_BASE_URL: ttsBaseUrl,
      SPEECH_STT_BASE_URL: sttBaseUrl
    })
    const audio = await speech.speak("नम", asked)
    expect(await speech.transcribe(audio.wav(), { model })).toMatchObject({ text: "नम" })
  })

  it("does not need the address of the other operation", async () => {
    await using speech = connect({ ...service.options(), environment: {}, sttBaseUrl: undefined })
    await speech.speak("नम", asked)
    const error = await errorOf(speech.transcribe(recording, { model }))
    expect(error).toMatchObject({ tag: "InvalidOption", facts: { option: "SPEECH_STT_BASE_URL" } })
    expect(error.message).toContain("set it to the address of the service, such as https://host.example")
  })

  it("names the variable that has a wrong value", async () => {
    await using speech = connect({ environment: { SPEECH_API_KEY: "a.b", SPEECH_TTS_BASE_URL: "host" } })
    const error = await errorOf(speech.speak("नम"))
    expect(error).toMatchObject({ tag: "InvalidOption", facts: { option: "SPEECH_TTS_BASE_URL" } })
  })

  it("keeps the options as they are", async () => {
    const options = { ...service.options(), deadlines: { total: 60_000 } }
    await using speech = connect(options)
    options.deadlines.total = 1
    options.apiKey = "another.key"
    await speech.speak("नम", asked)
  })
})

describe("a function that reads the key", () => {
  it("runs at the first call, once for calls at the same time", async () => {
    let reads = 0
    const apiKey = async () => {
      reads++
      return String(service.options().apiKey)
    }
    await using speech = service.connect({ apiKey })
    expect(reads).toBe(0)
    await Promise.all([1, 2, 3].map(() => speech.speak("नम", asked)))
    expect(reads).toBe(1)
  })

  it("runs again at the next call if it failed, and its error tells nothing of the key", async () => {
    let reads = 0
    const apiKey = () => {
      if (reads++ === 0) throw new Error("the vault says s3cret")
      return String(service.options().apiKey)
    }
    await using speech = service.connect({ apiKey })
    const error = await errorOf(speech.speak("नम"))
    expect(error).toMatchObject({ tag: "TtsInvalidApiKey", facts: { problem: "reading it failed (Error)" } })
    expect(JSON.stringify(error) + error.stack).not.toContain("s3cret")
    await speech.speak("नम", asked)
  })

  it("that does not end holds no call whose signal aborts, and no close", async () => {
    const speech = service.connect({ apiKey: () => new Promise<string>(() => undefined) })
    const abort = new AbortController()
    const speaking = errorOf(speech.speak("नम"))
    const aborted = expect(speech.speak("नम", { signal: abort.signal })).rejects.toThrow("enough")
    abort.abort(new Error("enough"))
    await aborted
    await speech.close()
    expect(await speaking).toMatchObject({ tag: "ClientClosed" })
  })
})

describe("close", () => {
  const calls: ReadonlyArray<readonly [string, (speech: SpeechClient) => PromiseLike<unknown>]> = [
    ["speak", (speech) => speech.speak("नम")],
    ["speakLong", (speech) => speech.speakLong("नम")],
    ["transcribe", (speech) => speech.transcribe(recording, { model })],
    ["transcribeLong", (speech) => speech.transcribeLong(recording, { model })]
  ]

  it.each(calls)("rejects a later %s", async (_, call) => {
    const speech = service.connect()
    await speech.close()
    await speech.close()
    const error = await errorOf(call(speech))
    expect(error).toMatchObject({ tag: "ClientClosed", category: "request", call: { billing: "notBilled" } })
    expect(error.stack).toContain("connect.test.ts")
  })

  it("ends the calls in flight, and waits for their ends", async () => {
    const speech = service.connect()
    await service.faults({ operation: "synthesize", stallAtByte: 100 })
    const read = speech.speak("नम", asked).stream().getReader()
    await read.read()
    const ended: Array<string> = []
    const all = [speech.speak("नम", asked), read.read()].map((call) => errorOf(call).then(({ tag }) => ended.push(tag)))
    await new Promise((resolve) => setTimeout(resolve, 20))
    await speech.close()
    await Promise.all(all)
    expect(ended).toEqual(["ClientClosed", "ClientClosed"])
  })

  it("leaves the other clients of the process alone", async () => {
    const speech = service.connect()
    await using other = service.connect()
    await Promise.all([speech.speak("नम", asked), other.speak("नम", asked)])
    await speech.close()
    await other.speak("नम", asked)
  })
})

describe("a client", () => {
  it("runs as many calls at once as concurrency allows, in order", async () => {
    await using speech = service.connect({ concurrency: 1 })
    const order: Array<string> = []
    const queued: Array<number> = []
    const call = async (name: string) => {
      const onEvent = (event: { readonly tag: string; readonly ahead?: number }) =>
        event.ahead !== undefined && queued.push(event.ahead)
      await speech.speak("नम", { ...asked, onEvent })
      order.push(name)
    }
    await Promise.all([call("a"), call("b"), call("c")])
    expect([order, queued]).toEqual([
      ["a", "b", "c"],
      [0, 1]
    ])
  })
})

type Wrong = readonly [options: unknown, field: string, problem: string]

describe("a wrong option of a call rejects it, and nothing is sent:", () => {
  const nested: Record<string, unknown> = {}
  nested.itself = nested
  const failing = {
    get model(): string {
      throw new Error("secret")
    }
  }
  const noObject: Wrong = [null, "options", "must be an object"]
  const noFunction: Wrong = [{ onEvent: "log" }, "onEvent", "must be a function"]
  const noFilename: Wrong = [{ filename: 5 }, "filename", "must be a string"]
  const unread = "a getter fails, or an object is nested in itself"
  const ofBoth: ReadonlyArray<Wrong> = [
    noObject,
    noFunction,
    ["fast", "options", "must be an object"],
    [{ deadlines: { totl: 3 } }, "deadlines.totl", "is not a known option"],
    [{ deadlines: { total: "soon" } }, "deadlines.total", 'is not a duration, such as "2 minutes"'],
    [{ deadlines: { answer: -1 } }, "deadlines.answer", "must be longer than zero"],
    [{ deadlines: null }, "deadlines", "must be an object"],
    [{ outage: "long" }, "outage", 'is not a duration, such as "2 minutes"'],
    [{ retryIfBilled: 0 }, "retryIfBilled", "must be true or false"],
    [{ additionalFields: nested }, "options", `can't be read (RangeError): ${unread}`],
    [failing, "options", `can't be read (Error): ${unread}`]
  ]
  const segments = { start: "from", end: "to" }
  const cases: ReadonlyArray<
    readonly [string, ReadonlyArray<Wrong>, (speech: SpeechClient, options: never) => PromiseLike<unknown>]
  > = [
    ["speak", ofBoth, (speech, options) => speech.speak("नम", options)],
    ["transcribe", [...ofBoth, noFilename], (speech, options) => speech.transcribe(recording, options)],
    ["speakLong", [noObject, noFunction], (speech, options) => speech.speakLong("नम", options)],
    [
      "transcribeLong",
      [noObject, noFunction, noFilename, [{ segments }, "segments.unit", "is missing"]],
      (speech, options) => speech.transcribeLong(recording, options)
    ]
  ]

  it.each(cases)("of %s", async (operation, wrong, call) => {
    await using speech = service.connect()
    const errors = await Promise.all(wrong.map(([options]) => errorOf(call(speech, options as never))))
    const tag = operation.startsWith("speak") ? "TtsInvalidRequest" : "SttInvalidRequest"
    expect(errors.map(({ facts, tag }) => ({ ...facts, tag }))).toEqual(
      wrong.map(([, field, problem]) => ({ tag, field, problem }))
    )
    for (const { stack } of errors) expect(stack).toContain("connect.test.ts")
    expect(await service.requests()).toEqual([])
  })

  it("bytes that were transferred", async () => {
    await using speech = service.connect()
    const { buffer } = new Uint8Array(44)
    structuredClone(buffer, { transfer: [buffer] })
    const error = await errorOf(speech.transcribe(buffer, { model }))
    const facts = { field: "recording", problem: "can't be read (TypeError)" }
    expect(error).toMatchObject({ tag: "SttInvalidRequest", facts })
  })
})

const thrown = (run: () => unknown): SpeechError => {
  try {
    run()
  } catch (error) {
    if (error instanceof SpeechError) return error
    throw error
  }
  throw new Error("It did not throw.")
}
