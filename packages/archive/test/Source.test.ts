import { execFileSync, spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, mkdtempSync, symlinkSync, utimesSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { afterAll, beforeAll, expect, layer } from "@effect/vitest"
import { Source } from "@effect-speech/archive"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { unreadable } from "../src/internal/source/files.js"
import { foldsCase, inOwnPlaces, makePlaces } from "../src/internal/source/places.js"
import { makeSeen } from "../src/internal/source/seen.js"
import { walk } from "../src/internal/source/walk.js"

const folder = mkdtempSync(join(tmpdir(), "archive-source-"))
// Node removes no path that is too long for the system.
afterAll(() => void execFileSync("rm", ["-rf", folder]))

const write = (path: string, content = "sound"): string => {
  const full = join(folder, path)
  mkdirSync(dirname(full), { recursive: true })
  writeFileSync(full, content)
  return full
}

const itemsOf = <R>(source: Source.Source<R>, skip?: string) =>
  Effect.map(
    Stream.runCollect(source.items(skip === undefined ? undefined : { directory: skip, foldsCase: false })),
    Chunk.toReadonlyArray
  )

const pathsOf = <R>(source: Source.Source<R>, skip?: string) =>
  Effect.map(itemsOf(source, skip), (items) => items.map(({ path }) => path))

const notUtf8 = Buffer.from([0xff, 0xfe, 0x2e, 0x77, 0x61, 0x76])

const awkward = [
  "-rf.wav",
  "a  b.wav",
  "line\nbreak.wav",
  "CON.wav",
  "डॉ शर्मा.wav",
  "🙂.wav",
  `${"x".repeat(251)}.wav`,
  "A.wav",
  "a.WAV"
]

layer(NodeFileSystem.layer)("a folder", (it) => {
  beforeAll(() => {
    for (const name of awkward) write(`names/${name}`)
    for (const path of [
      "b/2.wav",
      "b/10.mp3",
      "b.wav",
      "b/c/1.flac",
      "b/notes.txt",
      ".hidden.wav",
      ".git/x.wav",
      "out/b.wav"
    ]) {
      write(`calls/${path}`)
    }
  })

  it.effect("lists the recordings in it and below it, in the order of their names, but not the output", () =>
    Effect.gen(function* () {
      const source = yield* Source.folder(join(folder, "calls"))
      expect(yield* pathsOf(source, join(folder, "calls/out"))).toEqual(["b.wav", "b/10.mp3", "b/2.wav", "b/c/1.flac"])
      expect(yield* pathsOf(source, join(folder, "calls"))).toContain("out/b.wav")
      const all = yield* Source.folder(join(folder, "calls"), { extensions: "all" })
      expect(yield* pathsOf(all)).toContain("b/notes.txt")
    })
  )

  it.effect("keeps names of every kind as they are", () =>
    Effect.gen(function* () {
      const source = yield* Source.folder(join(folder, "names"))
      expect(yield* pathsOf(source)).toEqual(awkward.toSorted())
    })
  )

  it.effect("is read again and again for its names if they don't fit in memory, and gives the same order", () =>
    Effect.promise(async () => {
      const names = Array.from({ length: 57 }, (_, index) => `many/${(index * 7919) % 997}.wav`)
      for (const name of names) write(name)
      const expected = names.map((name) => name.slice(5)).toSorted()
      for (const mostNames of [1, 10, 28, 29, 56, 57, 58]) {
        const found: Array<unknown> = []
        for await (const path of walk({ root: join(folder, "many"), isTaken: () => true, mostNames })) found.push(path)
        expect(found, String(mostNames)).toEqual(expected)
      }
    })
  )

  it.effect("opens no pipe and no socket, follows links to files alone, and records what can't be opened", () =>
    Effect.gen(function* () {
      const target = write("elsewhere/real.wav")
      const linked = join(folder, "linked")
      mkdirSync(linked)
      symlinkSync(target, join(linked, "link.wav"))
      symlinkSync(dirname(target), join(linked, "folder.wav"))
      symlinkSync(linked, join(linked, "circle"))
      symlinkSync(join(linked, "self.wav"), join(linked, "self.wav"))
      symlinkSync(join(folder, "nothing"), join(linked, "gone.wav"))
      execFileSync("mkfifo", [join(linked, "pipe.wav")])
      if (process.platform === "linux") writeFileSync(Buffer.concat([Buffer.from(`${linked}/`), notUtf8]), "sound")
      const items = yield* itemsOf(yield* Source.folder(linked))
      expect(items.slice(0, 4).map(({ path, problem, size }) => [path, problem?.tag ?? size])).toEqual([
        ["gone.wav", "FileGone"],
        ["link.wav", 5],
        ["pipe.wav", "NotAFile"],
        ["self.wav", "FileUnreadable"]
      ])
      for (const { problem } of items.slice(4)) expect(problem?.message).toContain("its name is not valid UTF-8.")
      expect(items[0]?.problem?.message).toMatch(
        /gone\.wav can't be opened: it does not exist, or is a link to nothing\./
      )
      expect(items[2]?.problem?.message).toMatch(
        /pipe\.wav is a pipe, not a file\. Put a recording there, or remove it, and run again\.$/
      )
    })
  )

  it.effect("has a list, a JSONL or a CSV in a pipe, such as that of another command", () =>
    Effect.gen(function* () {
      write("piped.wav")
      const pipe = join(folder, "pipe")
      execFileSync("mkfifo", [pipe])
      const pathsFrom = <R>(from: Source.Source<R>, text: string) => {
        // Opened by a process of its own: to open a pipe waits for the other end.
        const writer = spawn("sh", ["-c", `printf '%s' "$1" > "$2"`, "sh", text, pipe])
        return Effect.map(
          Effect.ensuring(
            itemsOf(from),
            Effect.sync(() => writer.kill())
          ),
          (items) => items.map(({ path }) => path)
        )
      }
      expect(yield* pathsFrom(Source.list(pipe, { root: folder }), "piped.wav\n")).toEqual(["piped.wav"])
      expect(yield* pathsFrom(Source.jsonl(pipe), '{"id":"a","text":"One."}\n')).toEqual(["a"])
      expect(yield* pathsFrom(Source.csv(pipe), "id,text\na,One.\n")).toEqual(["a"])
    })
  )

  it.effect("that can't be read below the root is recorded as failed, and the others are listed", () =>
    Effect.gen(function* () {
      write("deep/z.wav")
      const long = "y".repeat(250)
      execFileSync(
        "sh",
        ["-c", `i=0; while [ $i -lt 17 ]; do mkdir ${long} && cd ${long} 2>/dev/null; i=$((i+1)); done`],
        {
          cwd: join(folder, "deep")
        }
      )
      const items = yield* itemsOf(yield* Source.folder(join(folder, "deep")))
      expect(items.map(({ problem }) => problem?.tag)).toEqual(["FileUnreadable", undefined])
      expect(items[0]?.problem?.message).toMatch(/can't be read \(ENAMETOOLONG\): its path is too long/)
    })
  )

  it.effect("that does not exist, or is a file, is an error with its path", () =>
    Effect.gen(function* () {
      const missing = yield* Effect.flip(Source.folder(join(folder, "missing")))
      expect(missing).toMatchObject({
        _tag: "ArchiveSourceFailed",
        message: `${join(folder, "missing")} does not exist. Check the path.`
      })
      const file = yield* Effect.flip(Source.folder(write("file.wav")))
      expect(file.message).toMatch(/file\.wav is not a folder\. Give a folder, a pattern or a list\.$/)
    })
  )

  it.effect("can know its files by their content", () =>
    Effect.gen(function* () {
      const path = write("content/a.wav", "same")
      write("content/b.wav", "same")
      utimesSync(path, 1000, 1000)
      const items = yield* itemsOf(yield* Source.folder(dirname(path), { byContent: true }))
      const digest = createHash("sha256").update("same").digest("hex")
      expect(items.map(({ content }) => content)).toEqual([digest, digest])
      expect(items[0]?.modifiedMillis).toBe(1_000_000)
    })
  )
})

layer(NodeFileSystem.layer)("a pattern", (it) => {
  it.effect("matches files below the part before its first wildcard", () =>
    Effect.gen(function* () {
      const match = (pattern: string) => Effect.flatMap(Source.glob(join(folder, pattern)), pathsOf)
      expect(yield* match("calls/**/*.{wav,txt}")).toEqual(["b.wav", "b/2.wav", "b/notes.txt", "out/b.wav"])
      expect(yield* match("calls/*.wav")).toEqual(["b.wav"])
      expect(yield* match("calls/b.wav")).toEqual(["b.wav"])
      expect(yield* match("calls/{b,out}/[2b].wav")).toEqual(["b/2.wav", "out/b.wav"])
      expect((yield* Source.glob(join(folder, "calls/*/*.wav"))).root).toBe(join(folder, "calls"))
    })
  )
})

layer(NodeFileSystem.layer)("a list", (it) => {
  const root = join(folder, "calls")

  it.effect("has a path a line, or paths that NUL separates, in any order", () =>
    Effect.gen(function* () {
      const lines = write("list.txt", `\ufeffb/2.wav\r\n\r\n${join(root, "b.wav")}\n./b/c/../10.mp3`)
      expect(yield* pathsOf(Source.list(lines, { root }))).toEqual(["b/2.wav", "b.wav", "b/10.mp3"])
      write("names/\nx.wav")
      const separated = write("list.nul", "\nx.wav\0a  b.wav\0")
      expect(yield* pathsOf(Source.list(separated, { root: join(folder, "names") }))).toEqual(["\nx.wav", "a  b.wav"])
    })
  )

  it.effect("leaves out the output, and records a file that is not there", () =>
    Effect.gen(function* () {
      const source = Source.list(write("list.txt", "out/b.wav\ngone.wav\nb.wav\n"), { root })
      const items = yield* itemsOf(source, join(root, "out"))
      expect(items.map(({ path, problem }) => [path, problem?.tag])).toEqual([
        ["gone.wav", "FileGone"],
        ["b.wav", undefined]
      ])
      expect(yield* pathsOf(source, root)).toEqual(["out/b.wav", "gone.wav", "b.wav"])
    })
  )

  it("is an error, and fails no file, if this process can open no file", () => {
    const error = Object.assign(new Error("too many open files"), { code: "EMFILE" })
    expect(() => unreadable("a.wav", "/calls/a.wav", error)).toThrow(
      "/calls/a.wav can't be read (EMFILE): this process has too many open files. Raise its limit (ulimit -n)."
    )
    for (const [code, advice] of [
      ["EIO", "check its disk."],
      ["EACCES", "this process has no permission. Change its permissions."]
    ]) {
      expect(unreadable("a.wav", "/calls/a.wav", Object.assign(error, { code })).problem).toEqual({
        tag: "FileUnreadable",
        message: `/calls/a.wav can't be read (${code}): ${advice} Then run again.`
      })
    }
  })

  it.effect("is no recording and no other file that is no text", () =>
    Effect.gen(function* () {
      write("bell\x07.wav")
      const odd = Source.list(write("odd.txt", "bell\x07.wav\n"), { root: folder })
      expect((yield* itemsOf(odd)).map(({ path, problem }) => [path, problem])).toEqual([["bell\x07.wav", undefined]])
      const path = write("video.mp4", "\0\0\0\x20ftypisom\0\0\x02\0isomiso2mp41")
      const error = yield* Effect.flip(itemsOf(Source.list(path, { root: folder })))
      expect(error).toMatchObject({ _tag: "ArchiveSourceFailed", path })
      expect(error.message).toMatch(
        /video\.mp4 is no list of paths: line \d is no text\. Give a text file with a path on each line\. For one recording, give the folder that it is in\.$/
      )
    })
  )

  it.effect("with a path outside of the root is an error with the number of its line", () =>
    Effect.gen(function* () {
      const list = write("list.txt", "b.wav\n\n../names/A.wav\n")
      const error = yield* Effect.flip(itemsOf(Source.list(list, { root })))
      expect(error).toMatchObject({ _tag: "ArchiveSourceFailed", path: list, line: 3 })
      expect(error.message).toBe(
        `Path 3 of ${list} does not name a file in ${root}: ../names/A.wav. Correct it, or set root to the folder that holds all files.`
      )
    })
  )

  it.effect("can be a stream of paths", () =>
    Effect.gen(function* () {
      const source = Source.files(Stream.make("b.wav", "b/2.wav"), { root, description: "two files" })
      expect(yield* pathsOf(source)).toEqual(["b.wav", "b/2.wav"])
      const error = yield* Effect.flip(
        itemsOf(Source.files(Stream.make("b.wav", "/etc/hosts"), { root, description: "" }))
      )
      expect(error).toMatchObject({ _tag: "ArchiveSourceFailed", line: 2 })
    })
  )
})

layer(NodeFileSystem.layer)("lines of texts", (it) => {
  it.effect("are the same in JSONL, in CSV and in a stream, whatever the order of their fields", () =>
    Effect.gen(function* () {
      const rows: ReadonlyArray<Source.Text> = [
        { id: "menu/welcome", text: 'Say "yes",\nplease.', lang: "en", speed: 1.5 },
        { id: "7", text: "नमस्ते।" }
      ]
      const csv = write(
        "texts.csv",
        '\ufefftext,lang,id,speed\r\n"Say ""yes"",\nplease.",en,menu/welcome,1.5\r\n\r\nनमस्ते।,,7,\r\n'
      )
      const jsonl = write("texts.jsonl", `${JSON.stringify(rows[0])}\n\n{"text":"नमस्ते।","voice":null,"id":7}`)
      const fromStream = yield* itemsOf(Source.texts(Stream.fromIterable(rows), { root: "rows", description: "rows" }))
      expect(fromStream.map(({ line, path, size }) => [path, line, size])).toEqual([
        ["menu/welcome", { text: 'Say "yes",\nplease.', lang: "en", speed: 1.5 }, 18],
        ["7", { text: "नमस्ते।" }, 21]
      ])
      expect(yield* itemsOf(Source.csv(csv))).toEqual(fromStream)
      expect(yield* itemsOf(Source.jsonl(jsonl))).toEqual(fromStream)
      expect(new Set(fromStream.map(({ content }) => content)).size).toBe(2)
    })
  )

  const isRefused =
    (kind: "jsonl" | "csv") =>
    ([content, line, sentence]: readonly [string, number, string]) =>
      Effect.gen(function* () {
        const path = write(`bad.${kind}`, content)
        const error = yield* Effect.flip(itemsOf(Source[kind](path)))
        expect(error).toMatchObject({
          _tag: "ArchiveSourceFailed",
          path,
          line,
          message: `Line ${line} of ${path} ${sentence}`
        })
      })

  it.effect.each([
    ['{"id":"a","text":"x"}\n{"id":', 2, "is not JSON. Write one JSON object a line."],
    ['\n{"id":"a","text":"x"}\n["a"]', 3, "can't be used: it has the wrong form."],
    ['{"text":"x"}', 1, "can't be used: id is missing."],
    ['{"id":"a"}', 1, "can't be used: text is missing."],
    ['{"id":"a","text":3}', 1, "can't be used: text must be a string."],
    [
      '{"id":"a","text":"x","voise":"v"}',
      1,
      "can't be used: voise is not a known field; use id, text, lang, voice, outputFormat, speed, numStep, g2pOverrides, additionalFields."
    ],
    ['{"id":"a","text":"x","speed":9}', 1, "can't be used: speed must be a number from 0.25 to 4."],
    ['{"id":"../a","text":"x"}', 1, 'can\'t be used: id must not have a part that is empty, "." or "..".'],
    ['{"id":"/a","text":"x"}', 1, 'can\'t be used: id must not have a part that is empty, "." or "..".'],
    ['{"id":"a\\u0000","text":"x"}', 1, "can't be used: id holds a NUL character."],
    [
      '{"id":"a","text":"x"}\n{"id":"a","text":"y"}',
      2,
      "has the id a, which an earlier line has too. Give each line an id of its own."
    ]
  ] as const)("of JSONL that can't be used are an error with their number: %s", isRefused("jsonl"))

  it.effect.each([
    ["id,text\na,x\nb\n", 3, "is not CSV (CSV_RECORD_INCONSISTENT_COLUMNS). Correct it."],
    [
      "id,text,voise\na,x,v\n",
      1,
      "names the column voise, which is not known. Use id, text, lang, voice, speed, numStep, outputFormat."
    ],
    ["id,text,lang,text\na,x,hi,y\n", 1, "names the column text twice. Remove one of them."],
    ["id,text\na,x\nb,\n", 3, "can't be used: text is missing."],
    ["id,text,speed\na,x,fast\n", 2, "can't be used: speed must be a number from 0.25 to 4."]
  ] as const)("of CSV that can't be used are an error with their number: %s", isRefused("csv"))

  it.effect("that are not UTF-8, or have no end, are an error", () =>
    Effect.gen(function* () {
      const latin = Buffer.from("id,text\na,caf\xe9\n", "latin1")
      const csv = write("latin.csv")
      writeFileSync(csv, latin)
      expect((yield* Effect.flip(itemsOf(Source.csv(csv)))).message).toBe(
        `Line 2 of ${csv} is not UTF-8. Convert the file.`
      )
      const jsonl = write("latin.jsonl")
      writeFileSync(jsonl, Buffer.from('{"id":"a","text":"caf\xe9"}', "latin1"))
      expect((yield* Effect.flip(itemsOf(Source.jsonl(jsonl)))).message).toBe(
        `Line 1 of ${jsonl} is not UTF-8. Convert the file.`
      )
      writeFileSync(jsonl, new Uint8Array(17 * 1024 * 1024).fill(32))
      expect((yield* Effect.flip(itemsOf(Source.jsonl(jsonl)))).message).toMatch(
        /^Line 1 of .* is longer than 16777216 bytes\./
      )
      expect((yield* Effect.flip(itemsOf(Source.csv(join(folder, "missing.csv"))))).message).toMatch(
        /missing\.csv does not exist\./
      )
    })
  )

  it.effect("whose audio would have the place of another's are listed as failed", () =>
    Effect.gen(function* () {
      const ids = ["menu", "menu.wav/welcome", "b.wav/c.wav/d", "b.wav/c", "b", "b.wav", "menu.WAV/x", "menu.wavy/x"]
      const rows = ids.map((id): Source.Text => ({ id, text: id }))
      const items = yield* itemsOf(Source.texts(Stream.fromIterable(rows), { root: "rows", description: "rows" }))
      expect(items.filter(({ problem }) => problem !== undefined).map(({ path }) => path)).toEqual([
        "menu.wav/welcome",
        "b.wav/c",
        "b"
      ])
      expect(items[1]?.problem).toEqual({
        tag: "ArchiveOutputFailed",
        message:
          "Line 2 of rows has the id menu.wav/welcome, and its audio would have the place of that of an earlier line. Nothing was sent. Give it another id, and run again."
      })
    })
  )

  it("differ in more than the case of their ids, if the file system of the output takes such names for one", () => {
    const ids = ["Menu", "menu", "menu", "MENU.WAV/x", "a"]
    expect(ids.map(makePlaces(true))).toEqual(["free", "taken", "same", "taken", "free"])
    expect(ids.map(makePlaces(false))).toEqual(["free", "free", "same", "free", "free"])
  })

  it.effect("are compared by their ids as the file system of the output compares names", () =>
    Effect.promise(async () => {
      writeFileSync(join(folder, "Case"), "")
      const isFolding = existsSync(join(folder, "cASE"))
      expect(await foldsCase(join(folder, "not", "1", "there"))).toBe(isFolding)
    })
  )

  it.effect("of recordings whose names differ in case only, the second can't be called where such names are one", () =>
    Effect.gen(function* () {
      const item = (path: string) => ({ path, size: 1, modifiedMillis: 0 })
      const items = Stream.make(item("a/1.wav"), item("A/1.wav"), item("a/1.wav"), item("a/2.wav"))
      const all = yield* Stream.runCollect(inOwnPlaces(items))
      expect([...all].map(({ problem }) => problem?.tag)).toEqual([
        undefined,
        "ArchiveOutputFailed",
        undefined,
        undefined
      ])
    })
  )

  it("are compared by their ids, in 16 bytes each", () => {
    const isSeen = makeSeen().add
    const ids = Array.from({ length: 5000 }, (_, index) => `id-${index}`)
    expect(ids.filter(isSeen)).toEqual([])
    expect(ids.filter((id) => !isSeen(id))).toEqual([])
  })
})
