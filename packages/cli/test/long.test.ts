import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import * as FileSystem from "@effect/platform/FileSystem"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { describe, expect, it, layer } from "@effect/vitest"
import { Wav } from "@effect-speech/audio-codec"
import { LocalService } from "@effect-speech/local-service"
import { PieceStore, Subtitles } from "@effect-speech/long-form"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import { UsageError } from "../src/failure.js"
import { keepPieces } from "../src/pieces.js"
import {
  dataFolder,
  environmentOf,
  onSpeaking,
  recordingOf,
  requestCount,
  rowsOf,
  run,
  serviceOfTones,
  setFaults,
  speechCommand,
  telephony
} from "./environment.js"

const paragraph = "The farmer had two sons. They went to the market every Friday, and came back late at night. "
/** Three pieces: the first is short, and each next may be twice as long. */
const article = Array.from({ length: 6 }, (_, at) => `${at + 1}. ${paragraph.repeat(2)}`).join("\n\n")

/** Three tones of 4 seconds with pauses of a second, so that a piece of 6 seconds has one of them. */
const recording = recordingOf(15, (at) => (at % 40_000 < 32_000 ? 8000 * Math.sin(at * 0.4) : 0))

/** What the service responds to each piece, in order. The names of its times are not those of the local service. */
const transcripts = (...texts: ReadonlyArray<string>) =>
  texts.map((text, index) => ({
    operation: "transcribe" as const,
    nth: 1,
    times: 1,
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      status: "success",
      call_id: `call-${index}`,
      text,
      aux_info: { confidence: 0.5, segments_meta: [{ confidence: 0.5, at: [500, 3500], text }] }
    })
  }))

const fields = ["--segment-fields", "start=at.0,end=at.1,unit=millis"]
const asTranscribe = ["--model", "en-general-v2-8khz", "--piece-minutes", "0.1", "--concurrency", "1"]

layer(Layer.merge(serviceOfTones(), NodeFileSystem.layer))("a long job of the command", (it) => {
  const folderWithArticle = Effect.gen(function* () {
    const folder = yield* dataFolder
    writeFileSync(`${folder}/article.txt`, article)
    writeFileSync(`${folder}/call.wav`, recording)
    return folder
  })

  const synthesize = (folder: string, ...options: ReadonlyArray<string>) =>
    speechCommand(
      ...["synthesize", "--text-file", `${folder}/article.txt`, "--lang", "en", "--output-format", "8000:pcm16"],
      ...["--concurrency", "1", ...options]
    )

  it.scoped("speaks a text in pieces with the pauses between them, and writes subtitles of every word", () =>
    Effect.gen(function* () {
      const folder = yield* folderWithArticle
      const out = `${folder}/a.wav`
      const options = ["--out", out, "--subtitles", `${folder}/a.vtt`, "--request-id", "r"]
      const { stderr, stdout } = yield* synthesize(folder, ...options, "--pause", "paragraph=1000", "--json")
      expect(stderr).toBe("")
      const { durationMillis, path, pieces, requestId, segments } = JSON.parse(stdout)
      expect({ path, requestId }).toEqual({ path: out, requestId: "r" })
      expect(pieces.map((piece: { requestId: string }) => piece.requestId)).toEqual(["r.001", "r.002", "r.003"])
      expect(segments[0]).toMatchObject({ text: "1. The farmer had two sons.", start: 0 })
      expect(pieces[1].startMillis - pieces[0].endMillis).toBe(1000)

      const { bytes, format } = Either.getOrThrow(Wav.decode(readFileSync(out)))
      expect(format).toEqual(telephony)
      expect(bytes.byteLength / 16).toBeCloseTo(durationMillis, 0)
      const cues = Either.getOrThrow(Subtitles.parse(readFileSync(`${folder}/a.vtt`, "utf8")))
      expect(cues.flatMap(({ text }) => text.split(/\s+/))).toEqual(article.trim().split(/\s+/))
      expect(cues.at(-1)?.endMillis).toBeLessThanOrEqual(durationMillis)
      expect(readdirSync(folder).toSorted()).toEqual(["a.vtt", "a.wav", "article.txt", "call.wav"])
    })
  )

  it.scoped("speaks each sentence of a mixed text in the language of its script with --lang auto", () =>
    Effect.gen(function* () {
      const folder = yield* dataFolder
      const spoken = (text: string) =>
        Effect.gen(function* () {
          const before = yield* requestCount
          const out = ["--out", `${folder}/a.wav`, "--output-format", "8000:pcm16"]
          const { code, stderr } = yield* speechCommand("synthesize", text, "--lang", "auto", ...out)
          expect(code).toBe(0)
          const requests = (yield* Effect.flatMap(LocalService, (service) => service.requests)).slice(before)
          return [
            stderr.split("\n")[0],
            ...requests.map(({ request }) => `${request?.lang}: ${request?.text}`).toSorted()
          ]
        })
      expect(yield* spoken("नमस्ते। The train leaves at six. ट्रेन platform two पर है।")).toEqual([
        "speech: Languages by script: hi, en.",
        "en: The train leaves at six.",
        "hi: ट्रेन platform two पर है।",
        "hi: नमस्ते।"
      ])
      expect(yield* spoken("The train.")).toEqual(["speech: Language by script: en.", "en: The train."])
      expect(yield* spoken("42")).toEqual([expect.stringContaining("no letter of a known script"), "hi: 42"])

      writeFileSync(`${folder}/texts.jsonl`, '{"id":"a","text":"a"}')
      const archive = yield* speechCommand("archive", "run", `${folder}/texts.jsonl`, "--lang", "auto", "--out", folder)
      expect([archive.code, archive.stderr]).toEqual([
        2,
        expect.stringContaining("--lang auto is for speech synthesize")
      ])
    })
  )

  it.scoped("says where the paid pieces are if one fails, and the same command sends only what is missing", () =>
    Effect.gen(function* () {
      const folder = yield* folderWithArticle
      const out = `${folder}/a.wav`
      const options = ["--out", out, "--pause", "paragraph=500"]
      yield* setFaults({ operation: "synthesize", nth: 2, status: 400, message: "no" })
      const failed = yield* synthesize(folder, ...options)
      expect([failed.code, ...failed.stderr.split("\n")]).toEqual([
        10,
        expect.stringContaining("It was piece 2 of 3, from character "),
        `speech: 1 finished piece is kept in ${out}.pieces. The same command resumes, and costs at most 939 code points.`
      ])
      expect(existsSync(out)).toBe(false)

      const again = yield* synthesize(folder, ...options, "--json")
      expect(again.code).toBe(10)
      expect(JSON.parse(again.stdout).error).toMatchObject({
        _tag: "TtsBadRequest",
        call: { piece: { number: 2, kept: 1 } }
      })
      yield* setFaults()

      // A run that fails before it reads a kept piece still names the folder.
      const wrongKey = { ...environmentOf(yield* LocalService), SPEECH_API_KEY: "wrong.key" }
      const elsewhere = yield* run(["synthesize", "other", "--lang", "en", "--out", out, "--pause", "line=1"], wrongKey)
      expect(elsewhere.stderr.split("\n")[1]).toBe(
        `speech: Pieces of an earlier run are kept in ${out}.pieces. The same command resumes, and costs at most 5 code points.`
      )

      const before = yield* requestCount
      // What a killed command left.
      writeFileSync(`${out}.pieces/${"0".repeat(64)}.wav.${crypto.randomUUID()}.part`, "")
      expect((yield* synthesize(folder, ...options)).code).toBe(0)
      expect((yield* requestCount) - before).toBe(2)
      expect(existsSync(`${out}.pieces`)).toBe(false)
      yield* synthesize(folder, "--out", `${folder}/b.wav`, "--pause", "paragraph=500")
      expect(readFileSync(out).equals(readFileSync(`${folder}/b.wav`))).toBe(true)
    })
  )

  it.scoped(
    "sends nothing if another command writes the same file, from another folder of pieces or in one request",
    () =>
      Effect.gen(function* () {
        const folder = yield* folderWithArticle
        symlinkSync("a.wav", `${folder}/link.wav`)
        const outs = [`${folder}/a.wav`, `${folder}/link.wav`]
        const short = (out: string) => speechCommand("synthesize", "Hi.", "--lang", "en", "--out", out)
        const second = Effect.forEach(outs, (out) =>
          Effect.all([synthesize(folder, "--out", out, "--pieces", `${folder}/two`), short(out)])
        ).pipe(Effect.map((pairs) => pairs.flat()))
        const done = yield* Deferred.make<ReadonlyArray<{ readonly code: number; readonly stderr: string }>>()
        const service = yield* LocalService
        yield* onSpeaking(1, second.pipe(Effect.provideService(LocalService, service), Effect.intoDeferred(done)))
        const before = yield* requestCount
        const first = yield* synthesize(folder, "--out", `${folder}/a.wav`, "--pieces", `${folder}/one`)
        for (const { code, stderr } of yield* Deferred.await(done)) {
          expect(stderr).toMatch(/^speech: Nothing was sent: another speech command is writing \S+\/(a|link)\.wav\. /)
          expect(code).toBe(3)
        }
        expect(first.code).toBe(0)
        expect((yield* requestCount) - before).toBe(3)
        expect(readdirSync(folder).toSorted()).toEqual(["a.wav", "article.txt", "call.wav", "link.wav"])
      })
  )

  describe("that shares a folder for pieces with another", () => {
    const other = article.replaceAll("farmer", "miller")
    /** Speaks a text. A failing one ends after two pieces. */
    const speak = (folder: string, text: string, isFailing: boolean, ...options: ReadonlyArray<string>) =>
      Effect.gen(function* () {
        const file = `${folder}/${text === article ? "article" : "other"}.txt`
        writeFileSync(file, text)
        yield* setFaults(
          ...(isFailing ? [{ operation: "synthesize" as const, nth: 3, status: 400, message: "no" }] : [])
        )
        const before = yield* requestCount
        const fixed = ["--lang", "en", "--output-format", "8000:pcm16", "--concurrency", "1", "--pause", "line=1"]
        const outcome = yield* speechCommand("synthesize", "--text-file", file, ...fixed, ...options)
        expect(outcome.code).toBe(isFailing ? 10 : 0)
        return { ...outcome, sent: (yield* requestCount) - before }
      })

    it.scoped.each([
      ["text", other, []],
      ["voice", article, ["--speed", "2"]]
    ] as const)(
      "costs the job before no piece twice after one with another %s and the same output",
      ([_, text, options]) =>
        Effect.gen(function* () {
          const folder = yield* folderWithArticle
          const out = ["--out", `${folder}/a.wav`]
          yield* speak(folder, article, true, ...out)
          const done = yield* speak(folder, text, false, ...out, ...options)
          expect(done.sent).toBe(3)
          expect(done.stderr).toContain(`2 pieces of other commands stay in ${folder}/a.wav.pieces.`)
          expect((yield* speak(folder, article, false, ...out)).sent).toBe(1)
          expect(existsSync(`${folder}/a.wav.pieces`)).toBe(false)
        })
    )

    const atSecond = (change: () => void) => onSpeaking(2, Effect.sync(change))

    it.scoped("sends nothing more if the folder is renamed meanwhile, and goes on in it under its new name", () =>
      Effect.gen(function* () {
        const folder = yield* folderWithArticle
        const [pieces, renamed] = [`${folder}/a.wav.pieces`, `${folder}/other name`]
        yield* atSecond(() => renameSync(pieces, renamed))
        const before = yield* requestCount
        const failed = yield* synthesize(folder, "--out", `${folder}/a.wav`, "--pause", "line=1")
        expect(failed.stderr).toContain(`the folder for pieces ${pieces} was renamed or removed`)
        expect(failed.code).toBe(3)
        expect((yield* requestCount) - before).toBe(2)
        if (process.platform !== "linux") return
        expect(failed.stderr).toContain(
          `2 finished pieces are kept in ${renamed}. The same command resumes, with --pieces '${renamed}'.`
        )
        expect(existsSync(pieces)).toBe(false)
        const again = yield* synthesize(folder, "--out", `${folder}/a.wav`, "--pause", "line=1", "--pieces", renamed)
        expect(again.code).toBe(0)
        expect((yield* requestCount) - before).toBe(3)
        expect(readdirSync(folder).toSorted()).toEqual(["a.wav", "article.txt", "call.wav"])
      })
    )

    it.scoped.each(["", "--pieces kept"])(
      "says what goes on if the folder of the output is renamed meanwhile, which leaves no piece behind: %j",
      (pieces) =>
        Effect.gen(function* () {
          const folder = yield* folderWithArticle
          const options = pieces.split(" ").filter((word) => word !== "")
          const [book, moved] = [`${folder}/book`, `${folder}/moved`]
          mkdirSync(book)
          writeFileSync(`${book}/book.txt`, article)
          const speak = (place: string) =>
            speechCommand(
              ...["synthesize", "--text-file", `${place}/book.txt`, "--out", `${place}/a.wav`, "--concurrency", "1"],
              ...["--lang", "en", "--output-format", "8000:pcm16", "--pause", "line=1"],
              ...options.map((option) => (option === "kept" ? `${place}/kept` : option))
            )
          yield* atSecond(() => renameSync(book, moved))
          const before = yield* requestCount
          const failed = yield* speak(book)
          expect([failed.code, (yield* requestCount) - before]).toEqual([3, 2])
          if (process.platform !== "linux") return
          const withPieces = options.length === 0 ? "" : ` --pieces ${moved}/kept`
          expect(failed.stderr).toContain(
            `2 finished pieces are kept in ${moved}/${options[1] ?? "a.wav.pieces"}. The same command resumes, with --text-file ${moved}/book.txt --out ${moved}/a.wav${withPieces}. A temporary file that ends in .part was left beside it: you can delete it.`
          )
          const again = yield* speak(moved)
          expect([again.code, (yield* requestCount) - before]).toEqual([0, 3])
          expect(again.stderr).not.toContain("other commands")
          const isPart = (name: string) => name.endsWith(".part")
          expect(readdirSync(moved).filter((name) => !isPart(name))).toEqual(["a.wav", "book.txt"])
          expect(readdirSync(moved).filter(isPart).length).toBe(1)
        })
    )

    it.scoped("sends nothing more if the folder is removed meanwhile, also if there is another of its name", () =>
      Effect.gen(function* () {
        const folder = yield* folderWithArticle
        const pieces = `${folder}/a.wav.pieces`
        for (const isMade of [true, false]) {
          yield* atSecond(() => {
            rmSync(pieces, { recursive: true })
            if (isMade) mkdirSync(pieces)
          })
          const before = yield* requestCount
          const failed = yield* synthesize(folder, "--out", `${folder}/a.wav`, "--pause", "line=1")
          expect(failed.stderr).toContain(`the folder for pieces ${pieces} was renamed or removed`)
          expect(failed.stderr).toContain(`1 finished piece is kept in ${pieces}. The same command resumes.`)
          expect((yield* requestCount) - before).toBe(2)
          rmSync(pieces, { recursive: true })
        }
      })
    )

    it.scoped("costs no piece twice if both folders are links to one, or they share their pieces", () =>
      Effect.gen(function* () {
        const folder = yield* folderWithArticle
        mkdirSync(`${folder}/shared`)
        for (const name of ["a", "b"]) symlinkSync(`${folder}/shared`, `${folder}/${name}.wav.pieces`)
        yield* speak(folder, article, true, "--out", `${folder}/a.wav`)
        expect((yield* speak(folder, article, false, "--out", `${folder}/b.wav`)).sent).toBe(1)
        expect((yield* speak(folder, other, false, "--out", `${folder}/b.wav`)).sent).toBe(3)
        expect((yield* speak(folder, article, false, "--out", `${folder}/a.wav`)).sent).toBe(1)
        expect(readdirSync(`${folder}/shared`)).toEqual([])
      })
    )

    it.scoped("keeps its pieces beside the file to which the link of an output leads", () =>
      Effect.gen(function* () {
        const folder = yield* folderWithArticle
        writeFileSync(`${folder}/a.wav`, "")
        symlinkSync(`${folder}/a.wav`, `${folder}/link.wav`)
        yield* speak(folder, article, true, "--out", `${folder}/link.wav`)
        expect((yield* speak(folder, article, false, "--out", `${folder}/a.wav`)).sent).toBe(1)
        expect(readdirSync(folder).filter((name) => name.endsWith(".pieces"))).toEqual([])
      })
    )

    it.scoped("leaves the files of a user, whatever their names, and says of none that it is a kept piece", () =>
      Effect.gen(function* () {
        const folder = yield* folderWithArticle
        const pieces = `${folder}/a.wav.pieces`
        yield* speak(folder, article, true, "--out", `${folder}/a.wav`)
        const [first = ""] = readdirSync(pieces).filter((name) => name.endsWith(".wav"))
        const foreign = [`${"1".repeat(64)}.wav`, `${"2".repeat(64)}.json`, `.${"3".repeat(64)}.job`, "notes.txt"]
        for (const name of foreign) writeFileSync(`${pieces}/${name}`, "mine")
        yield* speak(folder, article, false, "--out", `${folder}/a.wav`)
        expect(
          readdirSync(pieces)
            .filter((name) => name !== ".made-by-speech")
            .toSorted()
        ).toEqual(foreign.toSorted())

        // A folder with the name of a piece is none.
        mkdirSync(`${pieces}/${first}`)
        const inPieces = ["--out", `${folder}/a.wav`, "--pause", "line=1"]
        const failed = yield* speechCommand("synthesize", "other", "--lang", "xx", ...inPieces)
        expect(failed.code).toBe(10)
        expect(failed.stderr).not.toMatch(/kept in/)
      })
    )

    it.scoped("goes on in a folder of an earlier version, which had no claims", () =>
      Effect.gen(function* () {
        const folder = yield* folderWithArticle
        const pieces = `${folder}/a.wav.pieces`
        yield* speak(folder, article, true, "--out", `${folder}/a.wav`)
        for (const name of readdirSync(pieces)) if (name.endsWith(".job")) rmSync(`${pieces}/${name}`)
        expect((yield* speak(folder, article, false, "--out", `${folder}/a.wav`)).sent).toBe(1)
        expect(existsSync(pieces)).toBe(false)
      })
    )
  })

  it.scoped("has a plan, which needs no key and sends nothing", () =>
    Effect.gen(function* () {
      const folder = yield* folderWithArticle
      writeFileSync(`${folder}/book.txt`, article.repeat(12))
      const before = yield* requestCount
      const plan = (file: string, ...options: ReadonlyArray<string>) =>
        run(["synthesize", "--dry-run", "--text-file", `${folder}/${file}`, "--out", `${folder}/a.wav`, ...options], {})
      expect(yield* plan("article.txt", "--lang", "en")).toEqual({
        code: 0,
        stdout: "1 piece, 1,132 code points. It costs at most 1,132 code points.",
        stderr: ""
      })
      expect((yield* plan("article.txt", "--subtitles", "a.srt")).stdout).toMatch(
        /^3 pieces, 1,132 code points\. .* 1,1\d\d /
      )
      const { code, stdout } = yield* plan("book.txt", "--json")
      expect(code).toBe(0)
      expect(JSON.parse(stdout)).toEqual({ pieces: expect.any(Number), codePoints: 13_584, cost: expect.any(Number) })
      expect(JSON.parse(stdout).pieces).toBeGreaterThan(7)
      expect(yield* requestCount).toBe(before)
      expect(readdirSync(folder).toSorted()).toEqual(["article.txt", "book.txt", "call.wav"])
    })
  )

  it.scoped("cuts a recording that is longer than a piece, and prints it as text, JSON or subtitles", () =>
    Effect.gen(function* () {
      const folder = yield* folderWithArticle
      const transcribe = (...options: ReadonlyArray<string>) =>
        Effect.zipRight(
          setFaults(...transcripts("one", "two", "three")),
          speechCommand("transcribe", `${folder}/call.wav`, ...asTranscribe, ...fields, ...options)
        )
      expect(yield* transcribe()).toEqual({ code: 0, stdout: "one two three", stderr: "" })
      const srt = yield* transcribe("--format", "srt")
      expect(srt.stdout).toMatch(
        /^1\n00:00:00,500 --> 00:00:03,500\none\n\n2\n00:00:05,\d+ --> 00:00:08,\d+\ntwo\n\n3\n00:00:1\d,\d+ --> 00:00:1\d,\d+\nthree$/
      )
      expect((yield* transcribe("--format", "vtt")).stdout).toMatch(/^WEBVTT\n\n00:00:00\.500 --> /)
      const { pieces, segments, text } = JSON.parse((yield* transcribe("--format=json")).stdout)
      expect([text, pieces.length, segments.length, segments[0].times]).toEqual(["one two three", 3, 3, "service"])

      // Without the names of the times, each piece is one segment.
      yield* setFaults(...transcripts("one", "two", "three"))
      const unread = yield* speechCommand("transcribe", `${folder}/call.wav`, ...asTranscribe)
      expect(unread).toMatchObject({
        code: 0,
        stdout: "one two three",
        stderr: expect.stringContaining("--segment-fields")
      })

      // A long one and a short one.
      writeFileSync(`${folder}/short.wav`, recordingOf(1))
      yield* setFaults(...transcripts("one", "two", "three", "short"))
      const files = [`${folder}/call.wav`, `${folder}/short.wav`]
      const several = yield* speechCommand("transcribe", ...files, ...asTranscribe)
      expect(several.stdout).toBe(`${files[0]}: one two three\n${files[1]}: short`)
    })
  )

  it.scoped("keeps the transcripts of pieces in --pieces, and says that they are lost without it", () =>
    Effect.gen(function* () {
      const folder = yield* folderWithArticle
      const transcribe = (...options: ReadonlyArray<string>) =>
        speechCommand("transcribe", `${folder}/call.wav`, ...asTranscribe, ...fields, ...options)
      const failing = [...transcripts("one"), { operation: "transcribe" as const, nth: 1, status: 402 }]

      yield* setFaults(...failing)
      const lost = yield* transcribe()
      expect(lost).toMatchObject({ code: 12, stderr: expect.stringContaining("It was piece 2, from 0:00:0") })
      expect(lost.stderr.split("\n")[1]).toBe(
        "speech: 1 finished piece is lost. With --pieces FOLDER they are kept, and the same command resumes."
      )
      yield* setFaults(...failing)
      const { error } = JSON.parse((yield* transcribe("--json")).stdout)
      expect(error).toMatchObject({ _tag: "SttCreditExhausted", call: { piece: { number: 2, kept: 0 } } })
      expect(error.message).not.toMatch(/kept/)

      yield* setFaults(...failing)
      const kept = yield* transcribe("--pieces", `${folder}/kept`)
      expect(kept.stderr.split("\n")[1]?.replace(/0:00:1\d/, "0:00:1…")).toBe(
        `speech: 1 finished piece is kept in ${folder}/kept. The same command resumes, and sends the other 0:00:1….`
      )
      const before = yield* requestCount
      yield* setFaults(...transcripts("two", "three"))
      expect(yield* transcribe("--pieces", `${folder}/kept`)).toEqual({ code: 0, stdout: "one two three", stderr: "" })
      expect((yield* requestCount) - before).toBe(2)
      expect(existsSync(`${folder}/kept`)).toBe(false)
    })
  )

  it.scoped("refuses subtitles that would replace the audio by any route", () =>
    Effect.gen(function* () {
      const folder = yield* folderWithArticle
      mkdirSync(`${folder}/sub`)
      symlinkSync("a.wav", `${folder}/to-nothing.srt`)
      symlinkSync(`${folder}/sub/../A.wav`, `${folder}/other-case.srt`)
      symlinkSync("to-nothing.srt", `${folder}/twice.vtt`)
      symlinkSync(`${folder}/sub`, `${folder}/link`)
      symlinkSync("../a.wav", `${folder}/sub/up.srt`)
      const before = yield* requestCount
      for (const name of ["to-nothing.srt", "other-case.srt", "twice.vtt", "link/up.srt", "link/../twice.vtt"]) {
        const outcome = yield* synthesize(folder, "--out", `${folder}/a.wav`, "--subtitles", `${folder}/${name}`)
        expect(outcome, name).toMatchObject({ code: 2, stderr: expect.stringContaining("is the file of --out") })
      }
      expect(yield* requestCount).toBe(before)
    })
  )

  const rows = rowsOf<[what: string, code: string, line: string, says: string]>(`
    subtitles of no known kind             | 2 | synthesize a --out a.wav --subtitles a.txt | a name that ends in .srt or .vtt
    subtitles in place of audio            | 2 | synthesize a --out a.srt --subtitles ./a.srt | --subtitles is the file of --out
    audio under the name of another format | 2 | synthesize a --out a.mp3 | end its name in .wav, or convert it
    audio under the name of a text         | 2 | synthesize a --out a.JSON | end its name in .wav.
    pieces in place of audio               | 2 | synthesize a --out ./a.wav --pieces a.wav | --pieces is the folder for pieces, and --out the file
    subtitles in place of their text       | 2 | synthesize --text-file a.vtt --out a.wav --subtitles a.vtt | the subtitles would replace the text
    pieces in a file                       | 3 | synthesize a --out /tmp/never.wav --pieces ${process.execPath} | [PieceStoreError]
    subtitles nowhere                      | 3 | synthesize a --out /tmp/never.wav --subtitles /no/where/a.srt | /no/where does not exist
    a long request id                      | 2 | synthesize a --out /tmp/never.wav --pause line=1 --request-id ${"a".repeat(60)} | --request-id must be
    JSON as subtitles                      | 2 | transcribe a --model m --json --format srt | leave out one of them
    subtitles of several recordings        | 2 | transcribe a b --model m --format vtt | give one FILE
    a missing recording                    | 3 | transcribe no.wav --model m --long | no.wav can't be sent: it does not exist`)
  it.effect.each(rows)("refuses %s", ([_, code, line, says]) =>
    Effect.gen(function* () {
      const before = yield* requestCount
      const outcome = yield* speechCommand(...line.split(" "))
      expect(outcome.stdout + outcome.stderr).toContain(says)
      expect(outcome.code).toBe(Number(code))
      expect(yield* requestCount).toBe(before)
    })
  )
})

it.scoped("counts no piece as kept that another run over the folder removed at its end", () =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const folder = `${yield* fs.makeTempDirectoryScoped()}/a.wav.pieces`
    const names = ["a", "b"].map((letter) => `${letter.repeat(64)}.wav`)
    const job = (removed: number) =>
      Effect.gen(function* () {
        const store = yield* PieceStore
        for (const name of names) yield* store.put(name, new Uint8Array(1))
        for (const name of names.slice(0, removed)) yield* fs.remove(`${folder}/${name}`)
        return yield* new UsageError({ message: "no" })
      })
    const noteOf = (removed: number) => Effect.flip(keepPieces({ folder, job: "a" }, job(removed)))
    expect(yield* noteOf(1)).toMatchObject({ note: expect.stringContaining("1 finished piece is kept in") })
    expect(yield* noteOf(2)).toMatchObject({ _tag: "UsageError" })
    expect(existsSync(folder)).toBe(false)
  }).pipe(Effect.provide(NodeFileSystem.layer))
)

it.scoped("removes a folder that another run removed before, and the store made again", () =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const folder = `${yield* fs.makeTempDirectoryScoped()}/a.wav.pieces`
    const job = Effect.gen(function* () {
      yield* fs.remove(folder, { recursive: true })
      yield* Effect.flatMap(PieceStore, (store) => store.put(`${"a".repeat(64)}.wav`, new Uint8Array(1)))
    })
    yield* keepPieces({ folder, job: "a" }, job)
    expect(existsSync(folder)).toBe(false)
    mkdirSync(folder)
    yield* keepPieces({ folder, job: "a" }, Effect.void)
    expect(existsSync(folder)).toBe(true)
  }).pipe(Effect.provide(NodeFileSystem.layer))
)

it.effect("a text is divided if it has more code points than a request takes", () =>
  Effect.gen(function* () {
    const pieces = (text: string) =>
      Effect.map(
        run(["synthesize", text, "--dry-run", "--out", "a.wav", "--json"], {}),
        ({ stdout }) => JSON.parse(stdout).pieces
      )
    expect(yield* pieces("𝒂".repeat(10_000))).toBe(1)
    expect(yield* pieces("𝒂".repeat(10_001))).toBeGreaterThan(1)
  })
)
