import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { recordingOf, requestCount, serviceOfTones, speechCommand, temporaryFolder } from "./environment.js"

const hindi = ["--model", "hi-general-v2-8khz"]

/** A folder with two recordings, of which the service knows the words. */
const folderOfTwo = Effect.gen(function* () {
  const folder = yield* temporaryFolder
  for (const [name, text] of [
    ["one", "एक"],
    ["two", "दो"]
  ] as const) {
    yield* speechCommand("synthesize", text, "--out", `${folder}/${name}.wav`, "--output-format", "8000:pcm16")
  }
  return folder
})

layer(Layer.merge(serviceOfTones(), NodeFileSystem.layer))("transcribe --out-dir", (it) => {
  it.scoped("writes a file for each recording, and a failure of one leaves the others and its earlier file", () =>
    Effect.gen(function* () {
      const folder = yield* folderOfTwo
      const files = ["one", "no", "two"].map((name) => `${folder}/${name}.wav`)
      mkdirSync(`${folder}/out/texts`, { recursive: true })
      for (const name of ["no", "two"]) writeFileSync(`${folder}/out/texts/${name}.txt`, "earlier")
      const written = yield* speechCommand("transcribe", ...files, ...hindi, "--out-dir", `${folder}/out/texts`)
      expect(written).toMatchObject({ code: 3, stdout: "" })
      expect(written.stderr.split("\n")).toEqual([
        `${folder}/out/texts/one.txt: the transcript of ${folder}/one.wav`,
        expect.stringMatching(/no\.wav: .*it does not exist.*\[SttAudioUnreadable\]$/),
        `${folder}/out/texts/two.txt: the transcript of ${folder}/two.wav`,
        "speech: 1 of 3 recordings failed."
      ])
      const read = (name: string) => readFileSync(`${folder}/out/${name}`, "utf8")
      expect([read("texts/one.txt"), read("texts/no.txt"), read("texts/two.txt")]).toEqual(["एक\n", "earlier", "दो\n"])
      expect(readdirSync(`${folder}/out/texts`).toSorted()).toEqual(["no.txt", "one.txt", "two.txt"])
    })
  )

  it.scoped(
    "writes subtitles of several recordings, and JSON with --format json, while --json prints a line for each",
    () =>
      Effect.gen(function* () {
        const folder = yield* folderOfTwo
        const files = ["one", "two"].map((name) => `${folder}/${name}.wav`)
        const into = (...args: ReadonlyArray<string>) =>
          speechCommand("transcribe", ...files, ...hindi, "--out-dir", `${folder}/new/out`, ...args)
        expect(yield* into("--format", "srt", "-q")).toEqual({ code: 0, stdout: "", stderr: "" })
        expect(readFileSync(`${folder}/new/out/two.srt`, "utf8")).toMatch(/^1\n00:00:00,\d+ --> 00:00:\d\d,\d+\nदो\n$/)
        expect(yield* into("--format", "json")).toMatchObject({ code: 0, stdout: "" })
        expect(JSON.parse(readFileSync(`${folder}/new/out/one.json`, "utf8"))).toMatchObject({ text: "एक" })
        const listed = yield* into("--json")
        expect(listed.stdout.split("\n").map((line) => JSON.parse(line))).toMatchObject([
          { file: files[0], output: `${folder}/new/out/one.txt`, text: "एक" },
          { file: files[1], output: `${folder}/new/out/two.txt`, text: "दो" }
        ])
      })
  )

  it.scoped("sends nothing if two recordings would have one file, or a file would replace its recording", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      mkdirSync(`${folder}/b`)
      for (const file of ["call.wav", "b/CALL.mp3", "odd.txt"]) writeFileSync(`${folder}/${file}`, recordingOf(1))
      const before = yield* requestCount
      for (const [files, out, says] of [
        [["call.wav", "b/CALL.mp3"], "out", /call\.wav and \S+CALL\.mp3 would both be \S+CALL\.txt: give them to two/],
        [["call.wav", "call.wav"], "out", /would both be/],
        [["odd.txt"], ".", /--out-dir would replace the recording \S+odd\.txt\./],
        [["call.wav"], "odd.txt", /--out-dir \S+odd\.txt is a file\. Give the name of a folder\./]
      ] as const) {
        const paths = files.map((file) => `${folder}/${file}`)
        const outcome = yield* speechCommand("transcribe", ...paths, ...hindi, "--out-dir", `${folder}/${out}`)
        expect(outcome).toMatchObject({ stdout: "", stderr: expect.stringMatching(says) })
        expect([2, 3]).toContain(outcome.code)
      }
      expect(yield* requestCount).toBe(before)
      expect(readdirSync(folder).toSorted()).toEqual(["b", "call.wav", "odd.txt"])
    })
  )
})
