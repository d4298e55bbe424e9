/** Every error of both operations, over real HTTP: the local service fails in each way of the contract, and in those of a network. */
import type { Fault } from "@effect-speech/local-service/Faults"
import { openRefusedAddress } from "effect-speech-test-support/refusedAddress"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import {
  type CallReport,
  type Category,
  type ConnectOptions,
  type ErrorFacts,
  isSpeakError,
  isTranscribeError,
  type Recording,
  type SpeakFacts,
  type SpeakOptions,
  type SpeechClient,
  SpeechError,
  type TranscribeFacts,
  type TranscribeOptions
} from "../src/index.js"
import { errorOf, model, startService } from "./service.js"

const service = startService()
let refused: Awaited<ReturnType<typeof openRefusedAddress>>
beforeAll(async () => {
  refused = await openRefusedAddress()
})
afterAll(() => refused.release())

interface Case<Facts> {
  /** What goes wrong. */
  readonly name: string
  /** How the service fails. Default: it does not. */
  readonly fault?: Fault
  readonly connect?: () => ConnectOptions
  readonly speak?: SpeakOptions & { readonly text?: string }
  readonly transcribe?: Partial<TranscribeOptions> & { readonly recording?: Recording }
  /** The call, if it is another one. */
  readonly run?: (speech: SpeechClient) => PromiseLike<unknown>
  readonly facts: Facts
  /** The status of the only attempt, or how much of its request was sent. Default: there is none. */
  readonly attempt?: number | CallReport["attempts"][number]["sent"]
  /** Default: `notBilled`. */
  readonly billing?: CallReport["billing"]
  /** Default: false. */
  readonly retryable?: boolean
}
type Cases<Facts> = readonly [Category, ...ReadonlyArray<Case<Facts>>]
type Table<Facts> = { readonly [Tag in keyof Facts]: Cases<Facts[Tag]> }

const unset = { environment: {}, apiKey: undefined, ttsBaseUrl: undefined, sttBaseUrl: undefined }
const isMissing = (variable: string) => `is missing: set it to ${variable}`
const anAddress = isMissing("the address of the service, such as https://host.example")
const aKey = isMissing("your API key, the whole <prefix>.<secret> value")

const optionsOf = (variable: string): Cases<ErrorFacts["InvalidOption"]> => [
  "request",
  { name: "no address", connect: () => unset, facts: { option: variable, problem: anAddress } },
  {
    name: "no key",
    connect: () => ({ environment: {}, apiKey: undefined }),
    facts: { option: "SPEECH_API_KEY", problem: aKey }
  },
  {
    name: "an address that is none",
    connect: () => ({ ...unset, environment: { [variable]: "ftp://host.example", SPEECH_API_KEY: "a.b" } }),
    facts: { option: variable, problem: "is neither https nor http; give one like https://host.example" }
  },
  {
    name: "a variable that is set, but empty",
    connect: () => ({ ...unset, environment: { [variable]: "", SPEECH_API_KEY: "a.b" } }),
    facts: { option: variable, problem: "is empty; give one like https://host.example" }
  }
]

const isSealed = async () => {
  throw Object.assign(new Error("prefix.secret"), { name: "VaultSealed" })
}
const keys = [
  "account",
  {
    name: "a key that can't be read",
    connect: () => ({ apiKey: isSealed }),
    facts: { problem: "reading it failed (VaultSealed)" }
  },
  {
    name: "a key that is malformed",
    connect: () => ({ apiKey: async () => "a b" }),
    facts: { problem: "it holds a space, a line break or a character that is not ASCII" }
  }
] as const

/** The part of a case that a status of the service decides. */
const status = (status: number, serverError?: string) => ({
  name: `a ${status}`,
  fault: { status, message: "no" } as const,
  facts: { status, ...(serverError === undefined ? {} : { serverError }), serverMessage: "no" },
  attempt: status
})

const connections = (cutAt: number) =>
  [
    {
      name: "an address that refuses",
      connect: () => ({ ttsBaseUrl: refused.url, sttBaseUrl: refused.url }),
      facts: { reason: "refused", sent: "nothing", code: "ECONNREFUSED" },
      attempt: "nothing",
      retryable: true
    },
    {
      name: "a reset before the response",
      fault: { reset: "answer" },
      facts: { reason: "reset", sent: "all", code: "ECONNRESET" },
      attempt: "all",
      billing: "unknown"
    },
    {
      name: "a response that is cut",
      fault: { truncateAtByte: cutAt },
      facts: { reason: "cut", sent: "all", code: "UND_ERR_SOCKET" },
      attempt: 200,
      billing: "unknown"
    },
    {
      name: "a malformed header",
      fault: { malformedHeader: true },
      facts: { reason: "unknown", sent: "all" },
      attempt: "all",
      billing: "unknown"
    }
  ] as const

const deadlines = (stallAtByte: number) =>
  [
    {
      name: "no response in time",
      fault: { delayMillis: 3_600_000 },
      connect: () => ({ deadlines: { answer: 50 } }),
      facts: { phase: "answer", limitMillis: 50 },
      attempt: "all",
      billing: "unknown"
    },
    {
      name: "a response that stops",
      fault: { stallAtByte },
      connect: () => ({ deadlines: { downloadIdle: 50 } }),
      facts: { phase: "download", limitMillis: 50 },
      attempt: 200,
      billing: "unknown"
    },
    {
      name: "a call that is too long",
      fault: { delayMillis: 3_600_000 },
      connect: () => ({ deadlines: { total: 50 } }),
      facts: { phase: "total", limitMillis: 50 },
      attempt: "all",
      billing: "unknown"
    }
  ] as const

/** A 200 with something else. */
const strange = { attempt: 200, billing: "unknown" } as const

const speaking: Table<SpeakFacts> = {
  InvalidOption: optionsOf("SPEECH_TTS_BASE_URL"),
  ClientClosed: [
    "request",
    { name: "a client that was closed", run: (speech) => speech.close().then(() => speech.speak("text")), facts: {} }
  ],
  FileFailed: [
    "file",
    {
      name: "a folder that does not exist",
      run: (speech) => speech.speak("text").toFile("/nowhere/a.wav"),
      facts: { path: "/nowhere/a.wav", operation: "openFile", code: "ENOENT" }
    },
    {
      name: "a folder in place of a file",
      run: (speech) => speech.speak("text").toFile("/dev"),
      facts: { path: "/dev", operation: "openFile", code: "EISDIR" }
    },
    {
      name: "a file in place of the folder for pieces",
      run: (speech) => speech.speakLong("A text.", { keepIn: "/dev/null/pieces" }),
      facts: { path: "/dev/null/pieces", operation: "openPieces", code: "ENOTDIR" }
    }
  ],
  TtsInvalidRequest: [
    "request",
    { name: "no text", speak: { text: "" }, facts: { field: "text", problem: "must not be empty" } },
    { name: "a fast speed", speak: { speed: 9 }, facts: { field: "speed", problem: "must be a number from 0.25 to 4" } }
  ],
  TtsInvalidApiKey: keys,
  TtsBadRequest: [
    "request",
    status(400),
    {
      name: "another language",
      speak: { lang: "xx" },
      facts: { status: 400, serverMessage: 'lang "xx" is not supported; use one of hi, en', field: "lang" },
      attempt: 400
    }
  ],
  TtsUnauthorized: [
    "account",
    status(401),
    {
      name: "an unknown key",
      connect: () => ({ apiKey: "prefix.other" }),
      facts: { status: 401, serverMessage: "the API key was not accepted" },
      attempt: 401
    }
  ],
  TtsServerError: ["service", { ...status(500), retryable: true }],
  TtsBackendFailed: ["service", { ...status(502), retryable: true }],
  TtsUnexpectedStatus: [
    "service",
    status(302),
    status(403),
    status(413),
    { ...status(429), retryable: true },
    { ...status(503), retryable: true },
    { ...status(504), billing: "unknown" }
  ],
  TtsConnectionFailed: ["connection", ...connections(100)],
  TtsDeadlineExceeded: ["connection", ...deadlines(100)],
  TtsInvalidResponse: [
    "service",
    { name: "a body that is text", fault: { body: "{}" }, facts: { problem: "its body is text/plain" }, ...strange },
    {
      name: "a sample rate that is none",
      fault: { headers: { "X-Sample-Rate": "high" } },
      facts: { problem: "its header x-sample-rate is missing or not usable" },
      ...strange
    },
    {
      name: "no encoding",
      fault: { headers: { "X-Encoding": null } },
      facts: { problem: "its header x-encoding is missing or not usable" },
      ...strange
    }
  ],
  TtsCorruptAudio: [
    "service",
    {
      name: "less audio than was announced",
      fault: { headers: { "X-Audio-Duration-Ms": "9000" } },
      facts: { problem: "it lasts 551.3 ms, and 9000 ms were announced", receivedBytes: 0 },
      ...strange
    }
  ]
}

const transcribing: Table<TranscribeFacts> = {
  InvalidOption: optionsOf("SPEECH_STT_BASE_URL"),
  ClientClosed: [
    "request",
    {
      name: "a client that was closed",
      run: (speech) => speech.close().then(() => speech.transcribe(recording, { model })),
      facts: {}
    }
  ],
  FileFailed: [
    "file",
    {
      name: "a file in place of the folder for pieces",
      run: (speech) => speech.transcribeLong(recording, { model, keepIn: "/dev/null/pieces" }),
      facts: { path: "/dev/null/pieces", operation: "openPieces", code: "ENOTDIR" }
    }
  ],
  SttInvalidRequest: [
    "request",
    {
      name: "no model",
      transcribe: { model: " " },
      facts: { field: "model", problem: "must not be empty: the model decides the language" }
    }
  ],
  SttInvalidApiKey: keys,
  SttAudioUnreadable: [
    "recording",
    {
      name: "a file that does not exist",
      transcribe: { recording: "/nowhere/call.wav" },
      facts: { source: "/nowhere/call.wav", problem: "it does not exist; check the path", code: "ENOENT" }
    },
    {
      name: "no bytes",
      transcribe: { recording: new Uint8Array(), filename: "call.wav" },
      facts: { source: "call.wav", problem: "it is empty" }
    },
    {
      name: "a device",
      transcribe: { recording: "/dev/zero" },
      facts: { source: "/dev/zero", problem: "it is a pipe or a device", hint: "sendAsStream" }
    }
  ],
  SttBadRequest: ["request", status(400, "bad request")],
  SttUnauthorized: ["account", status(401, "unauthorized")],
  SttCreditExhausted: ["account", status(402, "payment required")],
  SttForbidden: ["account", status(403, "forbidden")],
  SttServerError: ["service", { ...status(500, "internal server error"), billing: "unknown", retryable: true }],
  SttUnavailable: ["service", { ...status(503, "service unavailable"), retryable: true }],
  SttUnexpectedStatus: [
    "service",
    { ...status(302, "found"), billing: "unknown" },
    status(413, "payload too large"),
    { ...status(429, "too many requests"), retryable: true },
    { ...status(502, "bad gateway"), billing: "unknown" },
    { ...status(504, "gateway timeout"), billing: "unknown" }
  ],
  SttConnectionFailed: ["connection", ...connections(10)],
  SttDeadlineExceeded: ["connection", ...deadlines(10)],
  SttInvalidResponse: [
    "service",
    { name: "a page", fault: { body: "<html>" }, facts: { problem: "it is not JSON" }, ...strange },
    {
      name: "no status",
      fault: { body: "{}" },
      facts: { problem: "status is missing or of another type" },
      ...strange
    }
  ],
  SttTranscriptionFailed: [
    "recording",
    {
      name: "a status that is error",
      fault: { body: '{"status":"error","error":"no speech","message":"only noise","call_id":"c-7"}' },
      facts: { serverError: "no speech", serverMessage: "only noise", callId: "c-7" },
      ...strange
    }
  ]
}

let recording: Uint8Array
beforeAll(async () => {
  await using speech = service.connect()
  recording = (await speech.speak("text", { outputFormat: "8000:pcm16" })).wav()
})

type Row = readonly [tag: keyof ErrorFacts, name: string, category: Category, each: Case<object>]

const rowsOf = (table: object): ReadonlyArray<Row> =>
  Object.entries(table as Record<keyof ErrorFacts, Cases<object>>).flatMap(([tag, [category, ...cases]]) =>
    cases.map((each): Row => [tag as keyof ErrorFacts, each.name, category, each])
  )

/** Runs the call of a case, and looks at all of its error. */
const expectError = async ([tag, , category, each]: Row, operation: "synthesize" | "transcribe") => {
  if (each.fault !== undefined) await service.faults({ operation, ...each.fault })
  await using speech = service.connect({ retries: 0, ...each.connect?.() })
  const call = () => {
    if (each.run !== undefined) return each.run(speech)
    const { text = "text", ...speakOptions } = each.speak ?? {}
    const { recording: given = recording, ...transcribeOptions } = each.transcribe ?? {}
    return operation === "synthesize"
      ? speech.speak(text, speakOptions)
      : speech.transcribe(given, { model, ...transcribeOptions })
  }
  const error = await errorOf(call())
  const { attempt, billing = "notBilled", facts, retryable = false } = each
  expect({ ...error.toJSON(), message: "", call: {} }).toStrictEqual({
    name: "SpeechError",
    tag,
    category,
    retryable,
    facts,
    message: "",
    call: {}
  })
  expect(error.call.billing).toBe(billing)
  expect(error.call.attempts.map(({ sent, status }) => status ?? sent)).toEqual(attempt === undefined ? [] : [attempt])
  expect(error.call.sentId).toMatch(attempt === undefined ? /^[0-9a-f-]*$/ : /^[0-9a-f-]{36}$/)
  expect([isSpeakError(error), isTranscribeError(error)]).toEqual([!tag.startsWith("Stt"), !tag.startsWith("Tts")])
  // One sentence for a person, who may not know Effect, and the same for a test.
  expect(error.message).toMatch(/^[^\n]+\.$/)
  expect(error.message).not.toMatch(/\b(effect|layer|AudioSource|HttpClient|ManagedRuntime|Exception|undefined)\b/i)
  // That of a file depends on more than the facts.
  if (tag !== "FileFailed") expect(SpeechError.of(tag, facts, error.call).message).toBe(error.message)
  expect(error.stack?.split("\n")[0]).toBe(`SpeechError: ${error.message}`)
}

describe("an error of speak", () => {
  it.each(rowsOf(speaking))("%s: %s", (...row) => expectError(row, "synthesize"))
})

describe("an error of transcribe", () => {
  it.each(rowsOf(transcribing))("%s: %s", (...row) => expectError(row, "transcribe"))
})
