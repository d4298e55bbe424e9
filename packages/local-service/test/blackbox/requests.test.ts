/** What the service keeps of a request: its headers, its bodies and its audio; and the replay, which sends it again. */
import { expect } from "@effect/vitest"
import * as Wav from "@effect-speech/audio-codec/Wav"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { ending, field, fields, file, form, rawPart, synthesisRequest, validForm, wav } from "./support/messages.js"
import { type Box, cannedService, eventually, serviceTests } from "./support/service.js"

const details = ({ ask }: Box, number: number) =>
  Effect.map(ask("GET", `/requests/${number}`), (answer) => answer.json())
const audio = ({ ask }: Box, number: number) => ask("GET", `/requests/${number}/audio`)
const replay = ({ ask }: Box, number: number) => ask("POST", `/requests/${number}/replay`)
/** The entry after its request has ended. */
const ended = (box: Box, number: number) =>
  Effect.map(
    eventually(details(box, number), ({ entry }) => entry.sentBytes !== undefined),
    ({ entry }) => entry
  )

/** Sends a request again. The number of the new one, after it has ended. */
const replayed = (box: Box, number: number): Effect.Effect<number> =>
  Effect.flatMap(replay(box, number), (answer) => Effect.map(ended(box, answer.json().number), (entry) => entry.number))

/** The samples of a WAV file, as bytes. */
const samplesOf = (bytes: Uint8Array) => Buffer.from(Either.getOrThrow(Wav.decode(bytes)).bytes)

/** A second of noise, which a recogniser knows again. */
const noise = () => {
  const recording = wav()
  for (let at = 44, state = 1; at < recording.length; at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    recording[at] = state >>> 24
  }
  return recording
}

/** In code points. Its speech is too long for memory. */
const long = "a".repeat(2000)

serviceTests("the details of a request", cannedService({ creditsPerSecond: 3 }), (it) => {
  it("are its headers and bodies, without the key and cookies", function* (box) {
    const headers = { "X-Request-Id": "mine", Cookie: "a=b", Authorization: "Basic abc", "X-Note": `see ${box.key}` }
    const answer = yield* box.synthesize('{ "text": "hi" }', headers)
    const found = yield* details(box, 1)
    expect(found).toMatchObject({
      entry: { number: 1, id: "mine", credits: 2 },
      request: { method: "POST", path: "/tts/bytes", body: '{ "text": "hi" }' },
      response: { status: 200, body: null },
      fault: null,
      audio: { mediaType: "audio/wav", fileName: "request-1.wav" },
      replayProblem: null
    })
    expect(found.request.headers).toEqual(
      expect.arrayContaining([
        ["X-API-Key", "(hidden)"],
        ["Cookie", "(hidden)"],
        ["Authorization", "(hidden)"],
        ["X-Note", "see <redacted>"],
        ["Content-Type", "application/json"]
      ])
    )
    expect(found.response.headers).toContainEqual(["x-request-id", "mine"])
    expect(answer.status).toBe(200)
    for (const path of [
      "/requests/2",
      "/requests/x",
      "/requests/0",
      "/requests/1.5",
      "/requests/1e0",
      "/requests/01"
    ]) {
      expect((yield* box.ask("GET", path)).status, path).toBe(404)
    }
  })

  it("say why it failed, in its entry too", function* (box) {
    yield* box.synthesize({ text: "hi", lang: "xx" })
    yield* box.synthesize("{")
    yield* box.synthesize({ text: "hi" }, { "X-API-Key": "local_a.secret" })
    yield* box.transcribe(form(...fields, file("no audio", '; filename="a.txt"')))
    const [first, second, third, fourth] = yield* Effect.all([1, 2, 3, 4].map((number) => details(box, number)))
    expect(first.entry.problem).toMatch(/^lang "xx" is not supported/)
    expect(JSON.parse(first.response.body)).toEqual({ error: first.entry.problem })
    expect(second).toMatchObject({ request: { body: "{" }, entry: { problem: "the body is not JSON in UTF-8" } })
    expect(third.entry.problem).toBe("the API key was not accepted")
    expect([third.request.body, third.replayProblem]).toEqual([
      null,
      "the service did not read the whole body of this request"
    ])
    expect(fourth.entry).toMatchObject({
      fileName: "a.txt",
      fileBytes: 8,
      problem: expect.stringMatching(/^audio_file/)
    })
    expect(JSON.parse(fourth.response.body)).toMatchObject({ status: "error", message: fourth.entry.problem })
  })

  it("have the file, the transcript and the cost of a transcription", function* (box) {
    const recording = noise()
    yield* box.send("platform", {
      path: `/platform/api/recordings?text=${encodeURIComponent("नमस्ते ".repeat(60))}`,
      headers: { "X-Admin-Token": box.token, "Content-Type": "audio/wav" },
      body: recording
    })
    yield* box.transcribe(
      form(
        ...fields,
        rawPart(
          'Content-Disposition: form-data; name="audio_file"; filename="कॉल.wav"\r\nContent-Type: audio/x-wav',
          recording
        )
      )
    )
    const entry = yield* ended(box, 1)
    expect(entry).toMatchObject({ fileName: "कॉल.wav", fileBytes: recording.length, audioMillis: 1000, credits: 3 })
    expect(entry.transcript).toBe("नमस्ते ".repeat(60).slice(0, 300))
    const found = yield* details(box, 1)
    expect(found.audio).toEqual({ mediaType: "audio/x-wav", fileName: "कॉल.wav", byteLength: recording.length })
    expect(found.request.body).toBe(null)
    expect(JSON.parse(found.response.body).text).toBe("नमस्ते ".repeat(60).trim())
    const kept = yield* audio(box, 1)
    expect(kept.bytes.equals(recording)).toBe(true)
    expect(kept.headers["content-disposition"]).toBe(`attachment; filename*=UTF-8''${encodeURIComponent("कॉल.wav")}`)
  })

  it("have no media type that a browser could run", function* (box) {
    const silentFrames = Buffer.alloc(720)
    for (let at = 0; at < silentFrames.length; at += 72) silentFrames.writeUInt32BE(0xffe318c0, at)
    const part = (type: string, name: string, bytes: Uint8Array = Buffer.from("<b>")) =>
      rawPart(`Content-Disposition: form-data; name="audio_file"; filename="${name}"\r\nContent-Type: ${type}`, bytes)
    yield* box.transcribe(form(...fields, part("text/html", "page.html")))
    yield* box.transcribe(form(...fields, part("image/svg+xml", "page.html", silentFrames)))
    yield* box.transcribe(form(...fields, part("video/svg+xml", "page.svg")))
    expect((yield* audio(box, 3)).headers["content-type"]).toBe("application/octet-stream")
    expect((yield* audio(box, 1)).headers).toMatchObject({
      "content-security-policy": "sandbox",
      "content-type": "application/octet-stream",
      "x-content-type-options": "nosniff"
    })
    expect((yield* audio(box, 2)).headers["content-type"]).toBe("audio/mpeg")
  })

  it.each([
    ["in memory", "hi", { output_format: "8000:pcm16" }],
    ["on disk", long, {}]
  ] as const)("have the speech %s, with the bytes of the response", function* (box, [, text, format]) {
    const answer = yield* box.synthesize({ text, ...format })
    yield* ended(box, 1)
    const kept = yield* audio(box, 1)
    expect(kept.headers["content-type"]).toBe("audio/wav")
    expect(samplesOf(kept.bytes).equals(answer.bytes)).toBe(true)
    expect((yield* details(box, 1)).audio.byteLength).toBe(kept.bytes.length)
  })

  it("have of a response that was cut the part that was sent", function* (box) {
    yield* box.ask("PUT", "/faults", [{ times: 1, truncateAtByte: 101 }, { truncateAtByte: 1_500_001 }])
    for (const [number, text, bytes] of [
      [1, "hello", 101],
      [2, long, 1_500_001]
    ] as const) {
      yield* box.raw("tts", synthesisRequest(box.key, JSON.stringify({ text })), { answers: 0 })
      const entry = yield* ended(box, number)
      expect(entry).toMatchObject({ status: 200, outcome: "faulted", fault: number, sentBytes: bytes })
      expect(entry.totalBytes).toBe(text.length * 960)
      expect(entry.credits).toBeUndefined()
      expect(samplesOf((yield* audio(box, number)).bytes).length).toBe(bytes - 1)
    }
    expect((yield* details(box, 2)).fault).toEqual({ truncateAtByte: 1_500_001 })
  })

  it("have the request and the response of a fault", function* (box) {
    const recording = wav({ samples: 700_000 })
    yield* box.ask("PUT", "/faults", [
      { times: 1, status: 503, message: "come back" },
      { times: 1, body: "<b>" },
      { times: 1, reset: "answer" },
      { times: 1, malformedHeader: true },
      { times: 1, delayMillis: 60_000 }
    ])
    yield* box.transcribe(form(...fields, file(recording)), {}, { failing: true })
    yield* box.synthesize({ text: "hi" }, {}, { undescribed: true })
    for (const _ of [3, 4]) {
      yield* box.raw("tts", synthesisRequest(box.key, '{"text":"hi"}')).pipe(Effect.catchAllDefect(() => Effect.void))
    }
    const first = yield* details(box, 1)
    expect(first).toMatchObject({
      entry: { fault: 1, problem: "come back", fileName: "call.wav", fileBytes: recording.length, outcome: "faulted" },
      fault: { times: 1, status: 503, message: "come back" },
      replayProblem: null
    })
    expect((yield* audio(box, 1)).bytes.equals(recording)).toBe(true)
    expect(yield* details(box, 2)).toMatchObject({
      entry: { fault: 2 },
      request: { body: '{"text":"hi"}' },
      response: { status: 200, body: "<b>" },
      audio: null
    })
    for (const number of [3, 4]) {
      const entry = yield* ended(box, number)
      expect(entry).toMatchObject({ status: null, sentBytes: 0, outcome: "faulted" })
      expect(entry.clientLeft).toBeUndefined()
    }
    yield* box.abandon("tts", [synthesisRequest(box.key, '{"text":"hi"}'), 100])
    expect(yield* ended(box, 5)).toMatchObject({ status: null, sentBytes: 0, outcome: "faulted", clientLeft: true })
    expect(yield* details(box, 3)).toMatchObject({
      request: { body: '{"text":"hi"}' },
      response: null,
      entry: { status: null }
    })
    expect((yield* audio(box, 3)).json().error).toBe("the audio of this request is not kept")
  })

  it("never have the key, also where a client has put it", function* (box) {
    const { key } = box
    yield* box.synthesize({ text: `my key is ${key}` })
    yield* box.transcribe(form(...fields, field("note", key), file(wav(), `; filename="${key}.wav"`)))
    yield* box.ask("PUT", "/faults", [{ status: 502, message: `refused ${key}`, operation: "synthesize" }])
    yield* box.synthesize({ text: key.slice(key.indexOf(".") + 1) }, {}, { failing: true })
    const answers = yield* Effect.all([
      box.ask("GET", "/requests"),
      ...[1, 2, 3].map((each) => box.ask("GET", `/requests/${each}`))
    ])
    for (const { text } of answers) expect(text).not.toContain(key.slice(key.indexOf(".") + 1))
    expect((yield* replay(box, 1)).json().error).toContain("this request had the API key in its body")
    const elsewhere = { "X-API-Key": "wrong.key", "X-Auth-Token": "abc", Referer: `/${key}`, "X-Request-Id": key }
    yield* box.send(
      "tts",
      { path: `/tts/bytes?a=1&api%5Fkey=abc&b=${key}`, headers: elsewhere, body: "{}" },
      { failing: true }
    )
    expect((yield* box.ask("GET", "/faults/report")).json().requests.at(-1).id).toBe("<redacted>")
    const { entry, request } = yield* details(box, 4)
    expect([entry.id, request.path]).toEqual(["<redacted>", "/tts/bytes?a=1&api%5Fkey=(hidden)&b=<redacted>"])
    expect(request.headers).toEqual(
      expect.arrayContaining([
        ["X-Auth-Token", "(hidden)"],
        ["Referer", "/<redacted>"],
        ["X-Request-Id", "<redacted>"]
      ])
    )
  })

  it("have no part of the key where a long value is cut", function* (box) {
    const secret = box.key.slice(box.key.indexOf(".") + 1)
    yield* box.transcribe(form(...fields, field("note", `${"a".repeat(960)}${box.key}`), file(wav())))
    yield* box.transcribe(form(...fields, field("a".repeat(60) + box.key, ""), file(wav())))
    const [first, second] = (yield* box.ask("GET", "/requests")).json()
    expect(first.request.note).toBe(`${"a".repeat(960)}<redacted>`)
    expect([first.shortened, second.shortened]).toEqual([true, true])
    expect(JSON.stringify([first, second])).not.toContain(secret.slice(0, 10))
    const hotwords = JSON.stringify([{ phrase: `${"a".repeat(940)}${box.key}` }])
    yield* box.transcribe(form(...fields, field("hotwords", hotwords), file(wav())))
    const [, , third] = (yield* box.ask("GET", "/requests")).json()
    expect(JSON.stringify(third.request.hotwords)).toContain("a<redacted>")
    expect(JSON.stringify(third)).not.toContain(secret.slice(0, 10))
  })

  it("have no part of a key that was sent as a model or a voice", function* (box) {
    const secret = box.key.slice(box.key.indexOf(".") + 1)
    yield* box.transcribe(form(field("model", box.key), field("transaction_id", crypto.randomUUID()), file(wav())))
    yield* box.synthesize({ text: "hi", voice: box.key })
    for (const number of [1, 2]) {
      const { text } = yield* box.ask("GET", `/requests/${number}`)
      expect(JSON.parse(text).entry).toMatchObject({ status: 400, problem: expect.stringContaining('"<redacted>"') })
      expect(text).not.toContain(secret.slice(0, 10))
    }
  })

  it("are removed with all requests, whose numbers go on", function* (box) {
    yield* box.synthesize({ text: long })
    yield* ended(box, 1)
    const metrics = yield* box.send("platform", { method: "GET", path: "/metrics" })
    expect((yield* box.ask("DELETE", "/requests")).status).toBe(204)
    expect((yield* box.ask("GET", "/requests")).json()).toEqual([])
    expect([(yield* box.ask("GET", "/requests/1")).status, (yield* audio(box, 1)).status]).toEqual([404, 404])
    expect((yield* box.send("platform", { method: "GET", path: "/metrics" })).text).toBe(metrics.text)
    yield* box.synthesize({ text: "hi" })
    expect((yield* ended(box, 2)).number).toBe(2)
  })
})

serviceTests("the replay of a request", cannedService(), (it) => {
  it("sends the same body with a new id, without a key", function* (box) {
    const answer = yield* box.synthesize('{"lang":"hi", "text":"नमस्ते"}', { "X-Request-Id": "book.001" })
    expect(yield* replayed(box, 1)).toBe(2)
    const again = yield* details(box, 2)
    expect(again.entry).toMatchObject({ keyId: "console", status: 200, outcome: "answered", credits: 6 })
    expect(again.entry.id).not.toBe("book.001")
    expect(again.request.body).toBe('{"lang":"hi", "text":"नमस्ते"}')
    expect(samplesOf((yield* audio(box, 2)).bytes).equals(answer.bytes)).toBe(true)
  })

  it("sends what is invalid too, and meets faults like any request", function* (box) {
    yield* box.synthesize('{"text":"hi","pitch":')
    yield* box.synthesize({ text: "hi" })
    expect(yield* replayed(box, 1)).toBe(3)
    expect((yield* details(box, 3)).entry).toMatchObject({ status: 400, problem: "the body is not JSON in UTF-8" })
    yield* box.ask("PUT", "/faults", [{ times: 1, reset: "request" }, { times: 1, truncateAtByte: 7 }, { status: 502 }])
    for (const expected of [{ status: null, sentBytes: 0 }, { status: 200, sentBytes: 7 }, { status: 502 }]) {
      const number = yield* replayed(box, 2)
      expect((yield* details(box, number)).entry).toMatchObject({ ...expected, outcome: "faulted" })
    }
  })

  it("returns while the request is in progress", function* (box) {
    yield* box.synthesize({ text: "hi" }, { "X-Request-Id": "not valid!" })
    yield* box.ask("PUT", "/faults", [{ stallAtByte: 0 }])
    const { number } = (yield* replay(box, 1)).json()
    const { entry } = yield* details(box, number)
    expect([entry.number, entry.sentBytes]).toEqual([2, undefined])
    expect(entry.id).not.toBe("not valid!")
  })

  it("sends the same fields in their order, and the same file with its name and type", function* (box) {
    const recording = wav({ samples: 300_000 })
    const [model, id] = fields
    const named =
      'Content-Disposition: form-data; name="audio_file"; filename="a \\"b\\" कॉल.wav"\r\nContent-Type: audio/x-odd'
    const parts = [model, field("aux", "true"), rawPart(named, recording), field("odd \u00e9", "1\r\n2"), id]
    yield* box.transcribe(Buffer.concat([...parts.map((each) => each ?? ""), ending].map((each) => Buffer.from(each))))
    const number = yield* replayed(box, 1)
    const [before, after] = yield* Effect.all([details(box, 1), details(box, number)])
    expect(after.entry).toMatchObject({
      keyId: "console",
      status: 200,
      fileName: 'a "b" कॉल.wav',
      fileBytes: recording.length
    })
    const { transaction_id: first, ...sent } = before.entry.request
    const { transaction_id: second, ...again } = after.entry.request
    expect(Object.entries(again)).toEqual(Object.entries(sent))
    expect(second).not.toBe(first)
    expect(after.audio).toEqual(before.audio)
    expect((yield* audio(box, number)).bytes.equals(recording)).toBe(true)
  })

  it("fails again as the request did, without a file or with an id that is none", function* (box) {
    yield* box.transcribe(form(...fields))
    yield* box.transcribe(form(field("model", "hi-general-v2-8khz"), field("transaction_id", "7"), file()))
    for (const [number, problem] of [
      [1, "audio_file is missing"],
      [2, "transaction_id must be a UUID"]
    ] as const) {
      const again = yield* replayed(box, number)
      expect((yield* details(box, again)).entry).toMatchObject({ status: 400, problem })
    }
  })

  it("is 409 if the body is not known, and 404 without the request", function* (box) {
    yield* box.ask("PUT", "/faults", [{ reset: "request" }])
    yield* box.raw("stt", validForm()).pipe(Effect.catchAllDefect(() => Effect.void))
    yield* box.raw("tts", synthesisRequest(box.key, "{}")).pipe(Effect.catchAllDefect(() => Effect.void))
    const answer = yield* replay(box, 1)
    expect([answer.status, answer.json().error]).toEqual([
      409,
      "request 1 can't be sent again: the service did not read the whole body of this request"
    ])
    expect((yield* replay(box, 9)).status).toBe(404)
  })
})
