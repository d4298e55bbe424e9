import { readdirSync, readFileSync } from "node:fs"
import { connect } from "node:net"
import * as FileSystem from "@effect/platform/FileSystem"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { beforeAll, describe, expect, it } from "@effect/vitest"
import { AudioFormat, Pcm, Resampler, Wav } from "@effect-speech/audio-codec"
import { KnownRecordings, LocalService } from "@effect-speech/local-service"
import { Subtitles } from "@effect-speech/long-form"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import { TextToSpeech } from "@effect-speech/tts"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import { noiseOf, sampleRate, tone } from "effect-speech-test-support/cannedSpeech"
import { cannedVoice } from "effect-speech-test-support/cannedVoice"
import { bundles, run as runExample, start as startExample } from "effect-speech-test-support/exampleProcess"
import { refusedAddress } from "effect-speech-test-support/refusedAddress"
import { respondJson, scriptedServer } from "effect-speech-test-support/scriptedServer"
import { build } from "esbuild"
import { root, runnable } from "../scripts/bundling.js"
import config from "../vitest.config.js"

const files = readdirSync(`${root}examples`).filter((file) => file.endsWith(".ts"))
const programs = files.filter((file) => !file.endsWith(".test.ts"))

describe("the examples", () => {
  it("are all in the table of their README", () => {
    const readme = readFileSync(`${root}examples/README.md`, "utf8")
    const listed = [...readme.matchAll(/^\| \[([\w.]+)\]\(\1\) +\| \S/gm)].map(([, file]) => file)
    expect(listed.toSorted()).toEqual(files.toSorted())
  })

  it("are all run by a test", () => {
    const tests = readFileSync(`${root}test/examples.test.ts`, "utf8")
    const ran = [...tests.matchAll(/\b(?:run|start)\("(\w+\.ts)"/g)].map(([, file]) => file)
    expect([...new Set(ran)].toSorted()).toEqual(programs.toSorted())
    expect(config.test?.include).toContain("examples/**/*.test.ts")
  })
})

const endless = "This text takes for ever to speak."

/** Both clients and a local service whose voice is noise: it is made at once, and recognised like speech. */
const clients = LocalService.layerClients.pipe(
  Layer.provideMerge(
    LocalService.layerWithoutDependencies().pipe(
      Layer.provide([
        cannedVoice(
          ({ text }) => (text === endless ? Stream.concat(Stream.make(tone(1)), Stream.never) : noiseOf(text)),
          {
            sampleRate
          }
        ),
        KnownRecordings.layer(),
        NodeFileSystem.layer
      ])
    )
  ),
  Layer.provideMerge(NodeTransport.layer),
  Layer.orDie
)

/** A service and a folder for one example, which can change the account, the keys and the faults. */
const makePlace = Effect.gen(function* () {
  const service = yield* LocalService
  const fs = yield* FileSystem.FileSystem
  const folder = yield* fs.makeTempDirectoryScoped()
  const key = Redacted.value(service.apiKey)
  const optionsOf = (parameters: ReadonlyArray<string>, more: Record<string, string> = {}) => ({
    folder,
    parameters,
    environment: {
      SPEECH_API_KEY: key,
      SPEECH_STT_BASE_URL: service.sttBaseUrl,
      SPEECH_TTS_BASE_URL: service.ttsBaseUrl,
      ...more
    }
  })
  return {
    folder,
    fs,
    key,
    run: (file: string, parameters: ReadonlyArray<string> = [], more?: Record<string, string>) =>
      runExample(file, optionsOf(parameters, more)),
    service,
    /** Speaks a text into a file that the service then recognises. */
    speak: (text: string, name: string) =>
      Effect.gen(function* () {
        const tts = yield* TextToSpeech
        return yield* Wav.writeFile(yield* tts.synthesize({ text, lang: "en" }), `${folder}/${name}`)
      }),
    start: (file: string, more: Record<string, string>) => startExample(file, optionsOf([], more)),
    statuses: Effect.map(service.requests, (requests) => requests.map(({ status }) => status)),
    /** Waits until the last request has this outcome. */
    untilLast: (outcome: string) =>
      Effect.repeat(service.requests, {
        until: (requests) => requests.at(-1)?.outcome === outcome,
        schedule: Schedule.spaced("10 millis")
      }),
    wav: (name: string) => Effect.map(fs.readFile(`${folder}/${name}`), (file) => Either.getOrThrow(Wav.decode(file)))
  }
})

const itRuns = (
  behaviour: string,
  body: (
    place: Effect.Effect.Success<typeof makePlace>
  ) => Effect.Effect<unknown, unknown, Effect.Effect.Context<typeof makePlace> | TextToSpeech>
) => it.scopedLive(behaviour, () => Effect.flatMap(makePlace, body).pipe(Effect.provide(clients)))

// Each test starts its own service.
describe.concurrent("an example", { timeout: 120_000 }, () => {
  // The parts that they share are bundled once.
  beforeAll(async () => {
    const entryPoints = programs.map((file) => `examples/${file}`)
    await build({ ...runnable, entryPoints, outdir: bundles, splitting: true, outExtension: { ".js": ".mjs" } })
  }, 120_000)

  itRuns("quickstart speaks into a WAV file and prints its transcript", ({ folder, fs, run }) =>
    Effect.gen(function* () {
      expect(yield* run("quickstart.ts")).toEqual({ code: 0, stdout: "नमस्ते\n", stderr: "" })
      expect(yield* fs.readDirectory(folder)).toEqual(["namaste.wav"])
    })
  )

  it.scoped.each([
    [
      "empty",
      { SPEECH_API_KEY: "" },
      /^ +\w+InvalidApiKey: Nothing was sent, because of the API key: it is empty\. Use/
    ],
    [
      "missing",
      {},
      /^ +Error: \(Missing data at SPEECH_API_KEY: "set it to your API key, the whole <prefix>\.<secret> /
    ]
  ] as const)("quickstart prints a sentence and no stack if its key is %s", ([, key, sentence]) =>
    Effect.gen(function* () {
      const folder = yield* Effect.flatMap(FileSystem.FileSystem, (fs) => fs.makeTempDirectoryScoped())
      const addresses = { SPEECH_STT_BASE_URL: "https://host.example", SPEECH_TTS_BASE_URL: "https://host.example" }
      const outcome = yield* runExample("quickstart.ts", { folder, environment: { ...addresses, ...key } })
      expect(outcome.code).toBe(1)
      // A line for each client.
      const lines = [/ERROR/, sentence, sentence].map((line) => expect.stringMatching(line))
      expect(`${outcome.stdout}${outcome.stderr}`.trimEnd().split("\n")).toEqual(lines)
    }).pipe(Effect.provide(NodeFileSystem.layer))
  )

  itRuns("demo transcribes its sentences, and handles a failure of each service by its tag", ({ run, wav }) =>
    Effect.gen(function* () {
      const { code, stderr, stdout } = yield* run("demo.ts")
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
      const said = [...stdout.matchAll(/To say \(\w+\): (.+)/g)].map(([, text]) => text)
      const heard = [...stdout.matchAll(/heard +(.+)/g)].map(([, text]) => text)
      expect(said.length).toBe(2)
      expect(heard).toEqual(said)
      expect(stdout).toContain("SttCreditExhausted: The account is out of credit (402)")
      expect(stdout).toContain("TtsUnauthorized: The service did not accept the API key (401)")
      for (const name of ["1-hi.wav", "2-en.wav"]) yield* wav(`demo-audio/${name}`)
    })
  )

  itRuns("telephony converts a recording to 8 kHz mono, and names the problem of another file", (place) =>
    Effect.gen(function* () {
      const { folder, fs, run } = place
      const stereo = { sampleRate: 44_100, channels: 2, encoding: "pcm24" } as const
      yield* fs.writeFile(`${folder}/recording.wav`, Wav.encode(new Uint8Array(44_100 * 6), stereo))
      yield* fs.writeFileString(`${folder}/song.mp3`, "ID3 is no WAV file")
      const [outcome, failed] = yield* together(run("telephony.ts"), run("telephony.ts", ["song.mp3", "song.wav"]))
      const stdout = "telephony.wav: 8000 Hz, 1 channel, pcm16, 1 s\n0 samples were clipped\n"
      expect(outcome).toEqual({ code: 0, stdout, stderr: "" })
      expect((yield* fs.stat(`${folder}/telephony.wav`)).size).toBe(FileSystem.Size(44 + 16_000))
      expect(failed).toMatchObject({ code: 1, stderr: expect.stringMatching(/^This (is not a|WAV file is damaged)/) })
    })
  )

  itRuns("typedErrors gives different advice for the same cause, by service", ({ run, service }) =>
    Effect.gen(function* () {
      const [well, klingon] = yield* together(run("typedErrors.ts"), run("typedErrors.ts", ["Hello.", "tlh"]))
      expect(well).toMatchObject({ code: 0, stdout: expect.stringMatching(/^No words\.\n\d+ ms of speech\.\n$/) })
      expect(klingon.stdout).toBe("Correct the request.\nCorrect the request: change lang.\n")

      yield* service.accounts.setAccount({ credits: 0 })
      const stdout = "Top up the account.\nCheck the key, and the credit too.\n"
      expect(yield* run("typedErrors.ts")).toEqual({ code: 0, stdout, stderr: "" })
    })
  )

  itRuns("ownRetryPolicy repeats what may help under one id, at most five times, and no other failure", (place) =>
    Effect.gen(function* () {
      const { run, service, statuses } = place
      yield* service.faults.set([{ times: 1, status: 502, headers: { "Retry-After": "1" } }])
      const { stderr, stdout } = yield* run("ownRetryPolicy.ts")
      expect(stderr.match(/backend failed \(502\)/g)?.length).toBe(1)
      expect(yield* statuses).toEqual([502, 200])
      const [first, second] = yield* service.requests
      expect(second?.id).toBe(first?.id)
      expect(stdout).toMatch(new RegExp(`^[1-9]\\d* ms of speech, request ${first?.id}\n$`))
      // The first delay of the example alone is a tenth of `Retry-After`.
      expect(Date.parse(second?.at ?? "") - Date.parse(first?.at ?? "")).toBeGreaterThan(950)

      yield* service.reset()
      expect(yield* run("ownRetryPolicy.ts", ["Hello.", "tlh"])).toMatchObject({ code: 1 })
      expect(yield* statuses).toEqual([400])

      yield* service.reset()
      yield* service.faults.set([{ status: 502 }])
      expect(yield* run("ownRetryPolicy.ts")).toMatchObject({ code: 1 })
      expect(yield* statuses).toEqual([502, 502, 502, 502, 502])
    })
  )

  itRuns("configuration continues with a key that is replaced while it runs", (place) =>
    Effect.gen(function* () {
      const { accounts } = place.service
      const keyFile = `${place.folder}/key.txt`
      const rotate = Effect.gen(function* () {
        const { key } = yield* accounts.createKey({ name: "new", creator: "test", confirm: true })
        return `${Redacted.value(key)}\n`
      })
      yield* place.fs.writeFileString(keyFile, `${place.key}\n`)
      const { ended, printed, write } = yield* place.start("configuration.ts", { SPEECH_API_KEY_FILE: keyFile })

      yield* write("one\n")
      yield* printed(/^one: \d+ ms, answered 200$/m)

      const second = yield* rotate
      yield* place.fs.writeFileString(keyFile, second)
      yield* write("two\n")
      yield* printed(/^two: \d+ ms, answered 401, then 200$/m)
      yield* write("three\n")
      yield* printed(/^three: \d+ ms, answered 200$/m)

      // The key is revoked, and the file does not have the next one yet.
      const third = yield* rotate
      yield* write("four\n")
      yield* printed(/The service did not accept the API key \(401\)/)
      yield* place.fs.writeFileString(keyFile, third)
      yield* write("five\n")
      yield* printed(/^five: \d+ ms, answered 401, then 200$/m)

      const outcome = yield* ended
      expect(outcome.code).toBe(0)
      expect(yield* place.statuses).toEqual([200, 401, 200, 200, 401, 401, 200])
      for (const key of [place.key, second, third]) {
        expect(`${outcome.stdout}${outcome.stderr}`).not.toContain(key.trim())
      }
    })
  )

  itRuns("configuration does not start with an unreadable key", ({ run, statuses }) =>
    Effect.gen(function* () {
      const unreadable = yield* run("configuration.ts", [], { SPEECH_API_KEY_FILE: "no-such-file" })
      expect(unreadable.code).toBe(1)
      expect(unreadable.stdout).toContain("TtsInvalidApiKey: Nothing was sent")
      expect(yield* statuses).toEqual([])
    })
  )

  itRuns("streamToFile writes a WAV file, and none if the speech breaks off", (place) =>
    Effect.gen(function* () {
      const { folder, fs, run, service, wav } = place
      const { stderr, stdout } = yield* run("streamToFile.ts", ["Platform two.", "en", "two.wav"])
      expect(stderr).toBe("")
      const { bytes, format } = yield* wav("two.wav")
      expect(format).toEqual({ sampleRate: 16_000, channels: 1, encoding: "pcm16" })
      expect(stdout).toContain(`: ${bytes.byteLength} bytes\n`)
      expect(stdout).toContain(`two.wav: 16000 Hz, 1 channel, pcm16, ${bytes.byteLength / 32} ms\n`)

      yield* service.faults.set([{ truncateAtByte: 1000 }])
      const cut = yield* run("streamToFile.ts", ["Platform two.", "en", "cut.wav"])
      expect(cut).toMatchObject({ code: 1, stderr: "No file: cut\n" })
      expect(yield* fs.readDirectory(folder)).toEqual(["two.wav"])
    })
  )

  itRuns("streamToProcess pipes a WAV file into a program, and fails with it", ({ folder, fs, run, service, wav }) =>
    Effect.gen(function* () {
      const node = (script: string) =>
        run("streamToProcess.ts", ["Platform two.", process.execPath, "--eval", `const fs = require("fs"); ${script}`])
      const [kept, failed] = yield* together(
        node('fs.writeFileSync("kept.wav", fs.readFileSync(0))'),
        node("fs.readFileSync(0); process.exit(3)")
      )
      expect(kept).toEqual({ code: 0, stdout: "", stderr: "" })
      expect((yield* wav("kept.wav")).bytes.byteLength).toBeGreaterThan(10_000)
      expect(failed).toMatchObject({ code: 1, stdout: expect.stringContaining("ended with exit code 3.") })

      // The program is killed, so that it does not take the end of its input for the end of the speech.
      yield* service.faults.set([{ truncateAtByte: 1000 }])
      const cut = yield* node('fs.writeFileSync("cut.wav", fs.readFileSync(0))')
      expect(cut).toMatchObject({ code: 1, stdout: expect.stringContaining("TtsConnectionFailed") })
      expect(yield* fs.readDirectory(folder)).toEqual(["kept.wav"])
    })
  )

  itRuns("telephonyUpload sends a twelfth of the bytes of a recording, which is recognised", (place) =>
    Effect.gen(function* () {
      const { folder, fs, run } = place
      const tts = yield* TextToSpeech
      const { bytes } = yield* tts.synthesize({ text: "Platform two.", lang: "en" })
      const mono = Resampler.resample(Pcm.decode(bytes, "float32"), { from: 24_000, to: 48_000 })
      const stereo = Float32Array.from({ length: mono.length * 2 }, (_, index) => mono[index >> 1] ?? 0)
      const format = { sampleRate: 48_000, channels: 2, encoding: "pcm16" } as const
      yield* fs.writeFile(`${folder}/stereo.wav`, Wav.encode(Pcm.encode(stereo, "pcm16").bytes, format))

      const [outcome, missing] = yield* together(
        run("telephonyUpload.ts", ["stereo.wav"]),
        run("telephonyUpload.ts", ["missing.wav"])
      )
      expect(outcome).toMatchObject({ code: 0, stderr: "" })
      const [, size, sent] = /^a file of (\d+) bytes, sent as (\d+)\nPlatform two\.\n$/.exec(outcome.stdout) ?? []
      expect(Number(size)).toBe(stereo.length * 2 + 44)
      // The multipart envelope has a few hundred bytes.
      expect(Number(sent) - Number(size) / 12).toBeLessThan(1000)
      expect(missing).toMatchObject({ code: 1, stderr: "Check missing.wav: it does not exist; check the path\n" })
    })
  )

  itRuns("longTranscription writes subtitles, and pays for no piece twice", ({ folder, fs, run, speak, statuses }) =>
    Effect.gen(function* () {
      yield* speak("Platform two.", "long.wav")
      const first = yield* run("longTranscription.ts", ["long.wav"])
      expect(first).toMatchObject({ code: 0, stdout: "Platform two.\n" })
      expect(first.stderr).toMatch(/^piece 1, to \d\.\d s: sent\n$/)
      const srt = yield* fs.readFileString(`${folder}/long.wav.srt`)
      expect(srt).toMatch(/^1\n00:00:0\d,\d{3} --> 00:00:0\d,\d{3}\nPlatform two\.\n/)
      const sent = (yield* statuses).length
      const again = yield* run("longTranscription.ts", ["long.wav"])
      expect(again.stderr).toMatch(/: kept\n$/)
      expect(again.stdout).toBe(first.stdout)
      expect((yield* statuses).length).toBe(sent)
    })
  )

  itRuns("longMp3 cuts an MP3 and prints its subtitles", ({ folder, fs, run, service }) =>
    Effect.gen(function* () {
      const recordings = `${root}packages/audio-decoder/test/recordings`
      yield* service.teach({ path: `${recordings}/cat.wav`, text: "He has a bad cat.", lang: "en" })
      yield* fs.copyFile(`${recordings}/join.mp3`, `${folder}/join.mp3`)
      const { code, stderr, stdout } = yield* run("longMp3.ts", ["join.mp3", "en-general-v2-8khz", "2"])
      expect({ code, stderr }).toEqual({ code: 0, stderr: "join.mp3: 2 pieces\n" })
      const cues = Either.getOrThrow(Subtitles.parse(stdout))
      expect(cues.map(({ text }) => text)).toEqual(["He has a bad cat.", "He has a bad cat."])
    })
  )

  itRuns("longSpeech speaks a text of two scripts into one file, and goes on after a failure", (place) =>
    Effect.gen(function* () {
      const { folder, fs, run, service, wav } = place
      yield* fs.writeFileString(`${folder}/a.txt`, "Platform two.\n\nगाड़ी आई।")
      yield* service.faults.set([{ operation: "synthesize", nth: 2, times: 1, status: 400, message: "not now" }])
      const failed = yield* run("longSpeech.ts", ["a.txt"])
      expect(failed.code).toBe(1)
      expect(failed.stdout).toContain("To go on, run it again: 1 piece is kept")
      const again = yield* run("longSpeech.ts", ["a.txt"])
      expect(again).toMatchObject({ code: 0, stdout: expect.stringMatching(/^2 pieces, .+\na\.txt\.wav: \d\.\d s\n$/) })
      expect(again.stderr.split("\n").toSorted().join()).toMatch(/^,piece \d: kept,piece \d: paid$/)
      expect((yield* wav("a.txt.wav")).bytes.byteLength).toBeGreaterThan(100_000)
      expect(yield* fs.readFileString(`${folder}/a.txt.srt`)).toMatch(/Platform two\.\n(.*\n)+गाड़ी आई।\n$/)
    })
  )

  itRuns("chapters speaks a book, with the times and titles of its chapters", ({ folder, fs, run, wav }) =>
    Effect.gen(function* () {
      yield* fs.writeFileString(`${folder}/a.md`, "# One & all\n\nPlatform two.\n\n# Two\n\nPlatform three.\n")
      expect(yield* run("chapters.ts", ["a.md", "en"])).toMatchObject({ code: 0, stdout: "a.md.wav: 2 chapters\n" })
      const chapters = Either.getOrThrow(Subtitles.parse(yield* fs.readFileString(`${folder}/a.md.chapters.vtt`)))
      expect(chapters.map(({ text }) => text)).toEqual(["One & all", "Two"])
      const [one, two] = chapters
      expect(one?.startMillis).toBe(0)
      expect((two?.startMillis ?? 0) - (one?.endMillis ?? 0)).toBe(600)
      const { bytes, format } = yield* wav("a.md.wav")
      expect(two?.endMillis).toBe(Math.round(AudioFormat.durationMillis(format, bytes.byteLength)))
    })
  )

  itRuns("archive transcribes a folder, and sends nothing if it is run again", (place) =>
    Effect.gen(function* () {
      const { folder, fs, run, speak, statuses } = place
      yield* fs.makeDirectory(`${folder}/calls/may`, { recursive: true })
      const numbers = ["one", "two", "three", "four"]
      for (const number of numbers) yield* speak(`Platform ${number}.`, `calls/${number}.wav`)
      yield* speak("Platform five.", "calls/may/five.wav")
      const sent = (yield* statuses).length

      const first = yield* run("archive.ts")
      expect(first.stdout).toMatch(/^ended: 5 transcribed, \d+ seconds paid\n$/)
      expect(first.stderr).toMatch(/5 done, 0 left\n$/)
      expect(yield* fs.readFileString(`${folder}/transcripts/may/five.wav.txt`)).toBe("Platform five.\n")
      const again = yield* run("archive.ts")
      expect(again).toMatchObject({ code: 0, stdout: first.stdout })
      expect((yield* statuses).length - sent).toBe(5)
    })
  )

  itRuns("manyFiles writes a transcript beside each recording, and reports what failed by its tag", (place) =>
    Effect.gen(function* () {
      const { folder, fs, run, speak } = place
      for (const number of ["one", "two", "three"]) yield* speak(`Platform ${number}.`, `${number}.wav`)
      yield* fs.writeFileString(`${folder}/notes.txt`, "No recording.")
      const model = "en-general-v2-8khz"

      const well = yield* run("manyFiles.ts", [model, "one.wav", "two.wav"])
      expect(well).toEqual({ code: 0, stdout: "2 of 2 transcribed\n", stderr: "" })
      expect(yield* fs.readFileString(`${folder}/two.wav.txt`)).toBe("Platform two.\n")

      const mixed = yield* run("manyFiles.ts", [model, "missing.wav", "one.wav", "notes.txt", "gone.wav", "three.wav"])
      expect(mixed.code).toBe(1)
      expect(mixed.stdout).toMatch(
        /^2 of 5 transcribed\nSttAudioUnreadable: 2\n {2}missing\.wav: .+\n {2}gone\.wav: .+\n/
      )
      expect(mixed.stdout).toMatch(/^SttBadRequest: 1\n {2}notes\.txt: .*not a WAV file/m)
      expect(mixed.stdout).toContain("Incomplete: 3 recordings have no transcript.")
      expect(yield* fs.readFileString(`${folder}/three.wav.txt`)).toBe("Platform three.\n")
    })
  )

  itRuns("manyFiles starts no further call when the account is out of credit", ({ run, service, speak, statuses }) =>
    Effect.gen(function* () {
      yield* speak("Platform two.", "two.wav")
      yield* service.accounts.setAccount({ credits: 0 })
      const { code, stdout } = yield* run("manyFiles.ts", ["en-general-v2-8khz", ...Array<string>(20).fill("two.wav")])
      expect(code).toBe(1)
      const refused = Number(/^SttCreditExhausted: (\d+)$/m.exec(stdout)?.[1])
      const notTried = Number(/^NotTried: (\d+)$/m.exec(stdout)?.[1])
      expect(refused + notTried).toBe(20)
      expect(refused).toBeLessThanOrEqual(4)
      expect(yield* statuses).toEqual([200, ...Array<number>(refused).fill(402)])
    })
  )

  itRuns("httpUpload forwards the recording of a visitor, and refuses an incomplete one", (place) =>
    Effect.gen(function* () {
      yield* place.speak("The train is late.", "call.wav")
      const recording = yield* place.fs.readFile(`${place.folder}/call.wav`)
      const { printed, terminate, ended } = yield* place.start("httpUpload.ts", { PORT: "0" })
      const [, address = ""] = yield* printed(/Listening on (http:\S+)/)
      const send = (body: Uint8Array | ReadableStream, more: RequestInit = {}) =>
        Effect.promise(async () => {
          const response = await fetch(`${address}/transcribe`, { method: "POST", body, duplex: "half", ...more })
          return { status: response.status, text: await response.text() }
        })
      expect(yield* send(recording)).toEqual({ status: 200, text: JSON.stringify({ text: "The train is late." }) })
      expect(yield* send(new Blob([new Uint8Array(recording)]).stream())).toEqual({ status: 411, text: "" })
      expect(yield* send(new TextEncoder().encode("no recording"))).toMatchObject({
        status: 400,
        text: expect.stringContaining("The service refused the request")
      })
      yield* place.service.accounts.setAccount({ credits: 0 })
      expect(yield* send(recording)).toEqual({ status: 500, text: "There is no transcript now." })

      // A visitor who leaves in the middle of a recording.
      yield* place.service.accounts.setAccount({ credits: 100_000 })
      const { hostname, port } = new URL(address)
      const socket = connect(Number(port), hostname)
      yield* Effect.addFinalizer(() => Effect.sync(() => socket.destroy()))
      socket.write(`POST /transcribe HTTP/1.1\r\nHost: ${hostname}\r\nContent-Length: 1000000\r\n\r\n`)
      socket.write(recording)
      yield* place.untilLast("underWay")
      socket.destroy()
      yield* place.untilLast("abandoned")

      yield* terminate
      const { stderr, stdout } = yield* ended
      expect(`${stdout}${stderr}`).toContain("SttCreditExhausted")
      expect(`${stdout}${stderr}`).not.toContain(place.key)
    })
  )

  itRuns("httpHandler speaks to browsers, whole and in parts, and maps failures to statuses for the visitor", (place) =>
    Effect.gen(function* () {
      const { printed, terminate, ended } = yield* place.start("httpHandler.ts", { PORT: "0", TMPDIR: place.folder })
      const [, address = ""] = yield* printed(/Listening on (http:\S+)/)
      const ask = (query: string, init: RequestInit = {}) =>
        Effect.promise(async () => {
          const response = await fetch(`${address}/say?${query}`, init)
          const bytes = new Uint8Array(await response.arrayBuffer())
          return { headers: response.headers, status: response.status, bytes }
        })
      const asked = (query: string) =>
        Effect.map(ask(query), ({ bytes, status }) => ({ status, text: new TextDecoder().decode(bytes) }))

      const greeting = `text=${encodeURIComponent("नमस्ते")}&lang=hi`
      const said = yield* ask(greeting)
      expect(said.status).toBe(200)
      const { bytes, format } = Either.getOrThrow(Wav.decode(said.bytes))
      expect(format).toEqual({ sampleRate: 24_000, channels: 1, encoding: "pcm16" })
      const size = 44 + bytes.byteLength
      const headersOf = ({ headers }: typeof said) =>
        ["content-type", "content-length", "accept-ranges"].map((name) => headers.get(name))
      expect(headersOf(said)).toEqual(["audio/wav", `${size}`, "bytes"])
      const etag = said.headers.get("etag") ?? ""

      const part = (start: number, end: number) => ({ status: 206, start, end, range: `${start}-${end - 1}/${size}` })
      const whole = { status: 200, start: 0, end: size, range: undefined }
      const none = { status: 416, start: 0, end: 0, range: `*/${size}` }
      for (const [headers, expected] of [
        [{ range: "bytes=0-" }, part(0, size)],
        [{ range: "bytes=0-1" }, part(0, 2)],
        [{ range: "bytes=100-99999999999" }, part(100, size)],
        [{ range: "bytes=-100" }, part(size - 100, size)],
        [{ range: "bytes=-99999999999" }, part(0, size)],
        [{ range: `bytes=${size - 1}-` }, part(size - 1, size)],
        [{ range: "bytes=0-1", "if-range": etag }, part(0, 2)],
        [{ range: "bytes=0-1", "if-range": '"another"' }, whole],
        [{ range: "bytes=2-1" }, whole],
        [{ range: "bytes=-" }, whole],
        [{ range: "bytes=0-1, 4-5" }, whole],
        [{ range: "samples=0-1" }, whole],
        [{ range: `bytes=${size}-` }, none],
        [{ range: "bytes=-0" }, none]
      ] as const) {
        const { status, ...given } = yield* ask(greeting, { headers })
        const range = given.headers.get("content-range")?.replace(/^bytes /, "")
        expect({ headers, status, range }).toEqual({ headers, status: expected.status, range: expected.range })
        expect(Buffer.compare(given.bytes, said.bytes.subarray(expected.start, expected.end))).toBe(0)
        expect(given.headers.get("etag")).toBe(etag)
      }
      const head = yield* ask(greeting, { method: "HEAD", headers: { range: "bytes=0-1" } })
      expect(head.status).toBe(200)
      expect(headersOf(head)).toEqual(headersOf(said))
      // All of these were one synthesis.
      expect(yield* place.statuses).toEqual([200])

      expect(yield* asked("lang=en")).toEqual({ status: 400, text: "Ask for /say?text=…&lang=…" })
      expect(yield* asked("text=x&lang=tlh")).toMatchObject({ status: 400, text: expect.stringContaining("tlh") })
      yield* place.service.faults.set([{ status: 429, headers: { "Retry-After": "3600" } }])
      expect(yield* asked("text=x")).toEqual({ status: 503, text: "There is no speech now." })
      yield* place.service.faults.set([])
      yield* place.service.accounts.setAccount({ credits: 0 })
      expect(yield* asked("text=x")).toEqual({ status: 500, text: "There is no speech now." })
      yield* place.service.accounts.setAccount({ credits: 100_000 })

      const leaving = new AbortController()
      const left = yield* Effect.fork(
        Effect.exit(ask(`text=${encodeURIComponent(endless)}`, { signal: leaving.signal }))
      )
      yield* place.untilLast("underWay")
      leaving.abort()
      yield* left
      yield* place.untilLast("abandoned")

      yield* terminate
      const { stderr, stdout } = yield* ended
      // The kept files are gone, also those of a visitor who left.
      expect(yield* place.fs.readDirectory(place.folder)).toEqual([])
      expect(`${stdout}${stderr}`).toContain("TtsUnauthorized")
      expect(`${stdout}${stderr}`).not.toContain("नमस्ते")
      expect(`${stdout}${stderr}`).not.toContain(place.key)
    })
  )

  itRuns("promiseServer speaks to browsers as the audio arrives, and answers a failure with a status", (place) =>
    Effect.gen(function* () {
      const { printed, terminate, ended } = yield* place.start("promiseServer.ts", { PORT: "0" })
      const [, address = ""] = yield* printed(/Listening on (http:\S+)/)
      const ask = (query: string) =>
        Effect.promise((signal) => fetch(`${address}/say?${query}`, { signal, headers: { connection: "close" } }))
      const said = yield* ask("text=Platform%20two")
      const bytes = new Uint8Array(yield* Effect.promise(() => said.arrayBuffer()))
      expect(said.headers.get("content-type")).toBe("audio/wav")
      expect(said.headers.get("content-length")).toBe(`${bytes.length}`)
      expect(Either.getOrThrow(Wav.decode(bytes)).format.sampleRate).toBe(24_000)

      expect((yield* ask("lang=en")).status).toBe(400)
      expect((yield* ask("text=x&lang=tlh")).status).toBe(400)
      yield* place.service.faults.set([{ status: 429, headers: { "Retry-After": "3600" } }])
      const failed = yield* ask("text=x")
      expect([failed.status, yield* Effect.promise(() => failed.text())]).toEqual([503, "There is no speech now."])

      yield* place.service.faults.set([])
      const left = yield* Effect.fork(ask(`text=${encodeURIComponent(endless)}`))
      yield* place.untilLast("underWay")
      yield* Fiber.interrupt(left)
      yield* place.untilLast("abandoned")
      yield* terminate
      expect(yield* ended).toMatchObject({ code: 0, stderr: "" })
    })
  )

  itRuns("openTelemetry exports a span of each call and each attempt, and neither text nor key", (place) =>
    Effect.gen(function* () {
      const { run, service } = place
      const collector = yield* scriptedServer((response) => respondJson(response, 200, {}))
      yield* service.faults.set([{ operation: "synthesize", times: 1, status: 502 }])
      const outcome = yield* run("openTelemetry.ts", [], { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })
      expect(outcome).toMatchObject({ code: 0, stderr: "" })
      const [, trace] = /^Platform two\.\ntrace (\w{32})\n$/.exec(outcome.stdout) ?? []

      const bodies = collector.received.map(({ body, url }) => ({ url, text: body.toString() }))
      const spans = bodies.filter(({ url }) => url === "/v1/traces").flatMap(({ text }) => spansIn(text))
      expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([trace]))
      const nameOf = (id: string | undefined) => spans.find(({ spanId }) => spanId === id)?.name ?? "root"
      expect(spans.map(({ name, parentSpanId }) => `${nameOf(parentSpanId)} > ${name}`).toSorted()).toEqual([
        "announce > speech.synthesize",
        "announce > speech.transcribe",
        "root > announce",
        "speech.synthesize > speech.attempt",
        "speech.synthesize > speech.attempt",
        "speech.transcribe > speech.attempt"
      ])
      const exported = JSON.stringify(spans)
      expect(exported.match(/"intValue":\d{3}\b/g)?.toSorted()).toEqual(
        [200, 200, 502].map((status) => `"intValue":${status}`)
      )
      expect(exported).toContain((yield* service.requests)[0]?.id)

      const metrics = bodies.filter(({ url }) => url === "/v1/metrics").map(({ text }) => text)
      expect(metrics.join()).toContain("speech.client.operation.duration")
      const all = bodies.map(({ text }) => text).join()
      expect(all).not.toContain("Platform two")
      expect(all).not.toContain(place.key)
      expect(all).not.toContain(place.key.split(".")[1])
    })
  )

  itRuns("openTelemetry also runs without a collector", ({ run }) =>
    Effect.gen(function* () {
      const url = yield* refusedAddress
      const outcome = yield* run("openTelemetry.ts", [], { OTEL_EXPORTER_OTLP_ENDPOINT: url })
      expect(outcome).toMatchObject({ code: 0, stderr: "", stdout: expect.stringMatching(/^Platform two\.\n/) })
    })
  )

  itRuns("promises resolves with the result, and rejects with the tagged error", ({ run, service, wav }) =>
    Effect.gen(function* () {
      const [well, empty] = yield* together(run("promises.ts"), run("promises.ts", [""]))
      expect(well).toMatchObject({ code: 0, stderr: "" })
      expect(well.stdout).toMatch(/^\d+(\.\d+)? ms, heard as: Hello\.\n$/)
      expect((yield* wav("hello.wav")).bytes.byteLength).toBeGreaterThan(10_000)
      expect(empty).toEqual({ code: 1, stdout: "", stderr: "TtsInvalidRequest: text must not be empty\n" })

      yield* service.accounts.createKey({ name: "new", creator: "test", confirm: true })
      const refused = { code: 1, stdout: "", stderr: "TtsUnauthorized: billing notBilled\n" }
      expect(yield* run("promises.ts")).toEqual(refused)
    })
  )
})

const together = <const Runs extends ReadonlyArray<Effect.Effect<unknown>>>(...runs: Runs) =>
  Effect.all(runs, { concurrency: "unbounded" })

interface Span {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | undefined
}

/** The spans of an export, in the JSON form of OTLP. */
const spansIn = (body: string): ReadonlyArray<Span> =>
  JSON.parse(body).resourceSpans.flatMap(
    ({ scopeSpans }: { scopeSpans: ReadonlyArray<{ spans: ReadonlyArray<Span> }> }) =>
      scopeSpans.flatMap(({ spans }) => spans)
  )
