import { mkdirSync, writeFileSync } from "node:fs"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { expect, layer } from "@effect/vitest"
import { LocalService } from "@effect-speech/local-service"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { requestCount, run, serviceOfTones, serviceWith, speechCommand, temporaryFolder } from "./environment.js"

const model = ["--model", "en-general-v2-8khz"]

/** Speaks the texts into a folder. `texts` are the files of the texts beside them, if these differ. */
const spoken = (said: Readonly<Record<string, string>>, texts: Readonly<Record<string, string>> = said) =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    mkdirSync(`${folder}/menu`)
    for (const [name, text] of Object.entries(said)) {
      const written = yield* speechCommand("synthesize", text, "--lang", "en", "--out", `${folder}/${name}.wav`)
      expect(written.code).toBe(0)
    }
    for (const [name, text] of Object.entries(texts)) writeFileSync(`${folder}/${name}.txt`, text)
    return folder
  })

const said = {
  right: "Platform two, please.",
  worse: "the train leaves at nine",
  "menu/worst": "hello"
}

const texts = { right: "platform TWO please\n", worse: "The train leaves at 9 today", "menu/worst": "Good evening!" }

// A run of an archive waits by the real clock.
layer(Layer.merge(serviceOfTones(), NodeFileSystem.layer), { excludeTestServices: true })(
  "speech listen-back",
  (it) => {
    it.scoped("lists the recordings that differ from their texts, the worst first", () =>
      Effect.gen(function* () {
        const folder = yield* spoken(said, texts)
        const outcome = yield* speechCommand("listen-back", folder, ...model, "--telephony")
        expect(outcome).toEqual({
          code: 0,
          stderr: "",
          stdout: [
            `1.000  2 errors in 2 words  ${folder}/menu/worst.wav`,
            '       said "good evening", heard "hello"',
            `0.333  2 errors in 6 words  ${folder}/worse.wav`,
            '       said "9 today", heard "nine"',
            "3 recordings, 1 without an error, 11 words: word error rate 0.364, character error rate 0.320."
          ].join("\n")
        })
      })
    )

    it.scoped("ends with exit code 41 if one is above --at-most", () =>
      Effect.gen(function* () {
        const folder = yield* spoken(said, texts)
        const above = yield* speechCommand("listen-back", folder, ...model, "--telephony", "--at-most", "0.4")
        expect(above).toMatchObject({ code: 41, stderr: "speech: 1 recording above 0.4." })
        expect((yield* speechCommand("listen-back", folder, ...model, "--at-most", "1")).code).toBe(0)
      })
    )

    it.scoped("with --json prints one object with all recordings", () =>
      Effect.gen(function* () {
        const folder = yield* spoken(said, { ...texts, worse: "…" })
        const { code, stdout } = yield* speechCommand("listen-back", folder, ...model, "--json")
        expect(code).toBe(0)
        expect(JSON.parse(stdout)).toMatchObject({
          words: {
            reference: 5,
            heard: 9,
            hits: 3,
            substitutions: 1,
            deletions: 1,
            insertions: 5,
            errors: 7,
            rate: 1.4
          },
          recordings: [
            { file: `${folder}/worse.wav`, words: { reference: 0, errors: 5, rate: null } },
            { file: `${folder}/menu/worst.wav`, differences: [{ said: "good evening", heard: "hello" }] },
            { file: `${folder}/right.wav`, words: { errors: 0, rate: 0 }, characters: { rate: 0 }, differences: [] }
          ]
        })
      })
    )

    it.scoped("asks the model for what transcribe asks for", () =>
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        yield* speechCommand("synthesize", "बीस लोग आए", "--out", `${folder}/a.wav`)
        writeFileSync(`${folder}/a.txt`, "२० लोग आए।")
        const hindi = ["listen-back", folder, "--model", "hi-general-v2-8khz", "--hotword", "लोग:2"]
        expect((yield* speechCommand(...hindi)).stdout).toContain('said "20", heard "बीस"')
        expect((yield* speechCommand(...hindi, "--parse-number")).stdout).toMatch(/^1 recording, 1 without an error/)
        const { request } = (yield* (yield* LocalService).requests).at(-1) ?? {}
        expect(request).toMatchObject({ hotwords: [{ phrase: "लोग", score: 2 }] })
      })
    )

    it.scoped("compares the others if one fails, and ends with the code of the failure", () =>
      Effect.gen(function* () {
        const folder = yield* spoken(said, texts)
        writeFileSync(`${folder}/menu/worst.txt`, new Uint8Array([0xff]))
        const allFailed = yield* speechCommand("listen-back", `${folder}/menu`, ...model)
        expect(allFailed).toMatchObject({
          code: 3,
          stdout: "",
          stderr: expect.stringContaining("1 of 1 recording failed")
        })
        const facts = yield* speechCommand("listen-back", `${folder}/menu`, ...model, "--json")
        expect(JSON.parse(facts.stdout)).toMatchObject({ words: { rate: null }, characters: { rate: null } })
        writeFileSync(`${folder}/right.wav`, "")
        const failed = yield* speechCommand("listen-back", folder, ...model, "--telephony", "--at-most", "0.1")
        expect(failed.code).toBe(3)
        expect(failed.stdout).toContain("1 recording, 0 without an error, 6 words")
        expect(failed.stderr).toContain(
          `speech: ${folder}/menu/worst.wav: ${folder}/menu/worst.txt is not text in UTF-8. [InputFailed]`
        )
        expect(failed.stderr).toContain("speech: 2 of 3 recordings failed.\nspeech: 1 recording above 0.1.")
        const { stdout } = yield* speechCommand("listen-back", folder, ...model, "--json")
        expect(JSON.parse(stdout).recordings).toMatchObject([
          { file: `${folder}/worse.wav` },
          { error: { _tag: "InputFailed" } },
          { file: `${folder}/right.wav`, error: { _tag: "SttAudioUnreadable" } }
        ])
      })
    )

    it.scoped("sends no further recording once the account is refused", () =>
      Effect.gen(function* () {
        const folder = yield* spoken(said)
        const environment = yield* serviceWith({ operation: "transcribe", status: 402 })
        const before = yield* requestCount
        const { code, stderr } = yield* run(["listen-back", folder, ...model, "--concurrency", "1"], environment)
        expect(code).toBe(12)
        expect(stderr).toContain("1 of 3 recordings failed, and 2 were not sent")
        expect((yield* requestCount) - before).toBe(1)
      })
    )

    it.scoped("compares the audio of a run with the texts of the run", () =>
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        const [lines, out] = [`${folder}/prompts.csv`, `${folder}/out`]
        writeFileSync(lines, "id,text\nmenu/one,Platform two\nfour,half past nine\n")
        const settings = { ...(yield* serviceWith()), SPEECH_ARCHIVE_STORE: "" }
        expect((yield* run(["archive", "run", lines, "--lang", "en", "--out", out], settings)).code).toBe(0)
        writeFileSync(lines, "id,text\nmenu/one,Platform two\nfour,half past ten\nfive,later\n")
        const outcome = yield* speechCommand("listen-back", out, "--texts", lines, ...model, "--telephony")
        expect(outcome).toMatchObject({ code: 0, stderr: `speech: Without audio in ${out}: 1 text.` })
        expect(outcome.stdout.split("\n").slice(0, 2)).toEqual([
          `0.333  1 error in 3 words  ${out}/four.wav`,
          '       said "ten", heard "nine"'
        ])
        const other = yield* speechCommand("listen-back", out, "--texts", `${folder}/prompts.txt`, ...model)
        expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining("--texts must be a .jsonl or .csv") })
      })
    )

    it.scoped("sends nothing for a recording without a text, and says so", () =>
      Effect.gen(function* () {
        const folder = yield* spoken(said, { right: texts.right })
        const before = yield* requestCount
        writeFileSync(`${folder}/menu/later.txt`, "Not spoken yet.")
        const outcome = yield* speechCommand("listen-back", folder, ...model, "--telephony")
        expect(outcome.stderr.split("\n")).toEqual([
          "speech: Not sent, since they have no NAME.txt beside them: 2 recordings.",
          `speech: Without audio in ${folder}: 1 text.`
        ])
        const none = yield* speechCommand("listen-back", `${folder}/menu`, ...model)
        expect(none).toMatchObject({
          code: 3,
          stderr: expect.stringContaining("has no NAME.wav with a NAME.txt beside")
        })
        expect((yield* requestCount) - before).toBe(1)
        const missing = yield* speechCommand("listen-back", `${folder}/nowhere`, ...model)
        expect(missing).toMatchObject({
          code: 3,
          stderr: `speech: ${folder}/nowhere does not exist; check the path. [InputFailed]`
        })
      })
    )
  }
)
