import { readFileSync } from "node:fs"
import { describe, expect, it } from "@effect/vitest"
import { TtsContract } from "@effect-speech/tts"
import { documents } from "../../../scripts/snippets.js"
import {
  allOptions,
  type CommandName,
  commandGroups,
  commandNames,
  commandOf,
  commands,
  commonOptions,
  exitStatuses,
  readBy
} from "../src/declaration.js"
import { explanation, signature } from "../src/help.js"
import type { Command, Option } from "../src/option.js"
import { type Printed, parse, type Run } from "../src/parse.js"
import { plainView } from "../src/terminal.js"
import { rowsOf } from "./environment.js"

/** What arguments print. In a row of a table, spaces separate them and `''` is an empty one. */
const printed = (line: string): Printed => {
  const args = line.split(" ").map((arg) => (arg === "''" ? "" : arg))
  return parse(line === "" ? [] : args) as Printed
}

describe("the arguments", () => {
  it.each([
    ["before", "--model m --hotword one --hotword=two:2 --json transcribe a.wav -"],
    ["after", "transcribe a.wav - --hotword=one --hotword two:2 --json --model=m"],
    ["between", "transcribe --model m a.wav --json --hotword one - --hotword two:2"],
    ["between, with -- before", "transcribe --model m --json --hotword one --hotword two:2 -- a.wav -"]
  ])("take options %s the operands, and - as an operand", (_, line) => {
    expect(printed(line)).toMatchObject({
      name: "transcribe",
      json: true,
      given: { operands: ["a.wav", "-"], model: "m", hotwords: ["one", "two:2"], aux: false, concurrency: undefined }
    })
  })

  it("of run are options before --, and the command with its own options after it", () => {
    const [command, ...operands] = ["npm", "test", "--", "--help", "--json", "-x"]
    expect(parse(["run", "--credits", "5", "--log-level=error", "--", command ?? "", ...operands])).toMatchObject({
      name: "run",
      json: false,
      logLevel: "error",
      given: { operands: [command, ...operands], credits: 5, newKey: false }
    })
  })

  it("of a command of two words are options before, between and after the words", () => {
    for (const line of [
      "archive run calls --out o --rate 2",
      "--out o archive --rate=2 run calls",
      "archive --out=o run --rate 2 -- calls"
    ]) {
      expect(printed(line)).toMatchObject({ name: "archive run", given: { operands: ["calls"], out: "o", rate: 2 } })
    }
  })

  it("read pairs of names and values, and --format json as --json", () => {
    expect(printed("synthesize a --out b --pause sentence=300,paragraph=0")).toMatchObject({
      given: { pauses: { sentence: 300, paragraph: 0 } }
    })
    const fields = "unit=millis,start=times.0,end=times.1"
    expect(printed(`transcribe a --model m --format json --segment-fields ${fields}`)).toMatchObject({
      json: true,
      given: { segmentFields: { unit: "millis", start: "times.0", end: "times.1" } }
    })
    expect(printed("transcribe a --model m --format srt")).toMatchObject({ json: false })
    expect(printed("transcribe a --model m --out-dir b --format json")).toMatchObject({ json: false })
    expect(printed("archive run a --out b --format json")).toMatchObject({ json: false, given: { format: "json" } })
  })

  it("have short forms, together and before or after the operands", () => {
    const long = printed("synthesize a --quiet --out b --json")
    for (const line of ["synthesize a -o b -q --json", "-qo b synthesize a --json"]) expect(printed(line)).toEqual(long)
    expect(long).toMatchObject({ name: "synthesize", quiet: true, logLevel: "error", given: { out: "b" } })
    expect(printed("archive run a -o b -v")).toMatchObject({ quiet: false, logLevel: "debug", given: { out: "b" } })
    expect(printed("doctor -q --log-level info")).toMatchObject({ quiet: true, logLevel: "info" })
    const letters = commandNames.flatMap((name) =>
      Object.values<Option<unknown>>({ ...commands[name].options, ...commonOptions })
    )
    const names = new Map(letters.map(({ name, short }) => [short, name]))
    for (const { name, short } of letters) if (short !== undefined) expect(names.get(short)).toBe(name)
  })

  it("leave a file name that is not UTF-8 to the error of opening it", () => {
    expect(parse(["transcribe", "\ufffd.wav", "--model", "m"])).toMatchObject({ given: { operands: ["\ufffd.wav"] } })
  })

  it("take a value that begins with a dash, and read every kind of value", () => {
    const line =
      "synthesize --out - --speed -1 --num-step 5 --voice=--x --output-format 8000:pcm16 --log-level debug --g2p-overrides"
    const run = parse([...line.split(" "), '{"a":["b"]}', "--", "-5 degrees"]) as Run
    expect(run).toMatchObject({
      name: "synthesize",
      logLevel: "debug",
      given: {
        operands: ["-5 degrees"],
        out: "-",
        speed: -1,
        numStep: 5,
        voice: "--x",
        outputFormat: "8000:pcm16",
        g2pOverrides: { a: ["b"] }
      }
    })
  })

  const refusals = `
    sing                                       | There is no such command. The commands are synthesize, transcribe, listen-back, archive, serve, run, models, voices, doctor.
    synthesise                                 | synthesise is not a command. Did you mean synthesize?
    Transcribe                                 | Transcribe is not a command. Did you mean transcribe?
    doc                                        | doc is not a command. Did you mean doctor?
    --log-level debug --timeout 1              | Give a command: synthesize, transcribe, listen-back, archive, serve, run, models, voices, doctor.
    transcribe a --telephny                    | --telephny is not an option here. Did you mean --telephony?
    transcribe a --modle m                     | --modle is not an option here. Did you mean --model?
    doctor --allow-insecure                    | --allow-insecure is not an option here. Did you mean --allow-insecure-http?
    synthesize a -out b                        | Put a space after -o, or write --out.
    synthesize a -ob.wav                       | Put a space after -o, or write --out.
    synthesize a -quiet                        | -u is not an option here. Did you mean --quiet?
    synthesize a -o b -o c                     | --out is given more than once.
    synthesize a -o                            | -o needs a value, such as --out speech.wav.
    doctor -qv                                 | --verbose is --log-level debug: leave it out, or --quiet.
    doctor -v --log-level info                 | --verbose is --log-level debug: leave it out, or --log-level.
    -v                                         | Give a command: synthesize, transcribe, listen-back, archive, serve, run, models, voices, doctor. --version prints the version.
    synthesize -5 --out a                      | -5 is not an option here. An argument that begins with a dash goes last, after --.
    doctor --env-file .env                     | --env-file is not an option here. Give the file with --dotenv: Node 20 reads --env-file itself, and obeys its NODE_OPTIONS, before this command starts.
    synthesize a --output b                    | --output is not an option here. Did you mean --out?
    transcribe a --model m -o b                | --out is not an option of transcribe. It prints the transcript: add > FILE, or write a file for each recording with --out-dir DIR.
    transcribe a --lang hi                     | --lang is not an option of transcribe. The model decides the language: speech models lists both.
    transcribe -i a.wav                        | -i is not an option here. Give FILE without it.
    synthesize -i a.txt -o b                   | -i is not an option here. Did you mean --text-file?
    synthesize a -o b -y                       | -y is not an option here. An output file that exists is replaced.
    --list-voices                              | --list-voices is not an option here. Use speech voices.
    list                                       | list is not a command. Use speech models, or speech voices.
    synthesize a --language en                 | --language is not an option here. Did you mean --lang?
    synthesize a --format 8000:pcm16           | --format is not an option of synthesize. Did you mean --output-format?
    transcribe a --api-key b                   | --api-key is not an option here. Set SPEECH_API_KEY in the environment: other users can see a command line.
    transcribe a --url b                       | --url is not an option here. Set SPEECH_STT_BASE_URL and SPEECH_TTS_BASE_URL in the environment.
    synthesize a --model m                     | --model is not an option of synthesize. The language decides the model: give --lang and --voice.
    serve --timeout 1                          | --timeout is not an option of serve, but of synthesize, transcribe, and listen-back.
    transcribe a --model m --model=n           | --model is given more than once.
    transcribe a --model m --hotword           | --hotword needs a value.
    transcribe a --model --aux                 | --model needs a value, such as --model hi-general-v2-8khz.
    transcribe a --model -- b                  | --model needs a value, such as --model hi-general-v2-8khz.
    transcribe a --model                       | --model needs a value, such as --model hi-general-v2-8khz.
    transcribe a --model --loudly              | --model needs a value. If the value begins with dashes, write --model=NAME.
    transcribe a --aux=true                    | --aux takes no value.
    transcribe a --model ''                    | --model must not be empty.
    transcribe a --model=                      | --model must not be empty.
    transcribe a --log-level loud              | --log-level must be one of all, trace, debug, info, warning, error, fatal, none.
    --completions tcsh                         | --completions must be one of bash, zsh, fish.
    synthesize a                               | --out is required, such as --out speech.wav.
    transcribe a                               | --model is required, such as --model hi-general-v2-8khz.
    synthesize a b --out c                     | synthesize takes one TEXT. Put quotes around a text that has spaces, and --out before the name of the file.
    synthesize --text a --out c                | --text is not an option here. Give TEXT without it.
    transcribe --file a --model m              | --file is not an option here. Give FILE without it.
    hlep                                       | hlep is not a command. Did you mean help?
    help speek                                 | There is no such command. The commands are synthesize, transcribe, listen-back, archive, serve, run, models, voices, doctor.
    help archive rn                            | rn is not a command of archive. Did you mean run?
    synthesize a --out b --speed x             | --speed must be a number.
    synthesize a --out b --g2p-overrides [1]   | --g2p-overrides must be a JSON object.
    synthesize a --out b --g2p-overrides {     | --g2p-overrides must be a JSON object.
    transcribe --model m                       | Give at least one FILE, or - for standard input.
    transcribe                                 | Give FILE and --model, such as: speech transcribe call.wav --model hi-general-v2-8khz.
    synthesize                                 | Give TEXT and --out, such as: speech synthesize "नमस्ते" --out namaste.wav.
    synthesize --text-file a                   | --out is required, such as --out speech.wav.
    man                                        | man is not a command. Use speech --help --man: it prints the manual page.
    keys                                       | keys is not a command. Set SPEECH_API_KEY in the environment. For a key of your own service: speech serve.
    tss                                        | tss is not a command. Did you mean synthesize?
    -V                                         | -V is not an option here. Did you mean --version?
    transcribe a --model m --timeout 0         | --timeout must be a number above 0.
    transcribe a --model m --retries -1        | --retries must be a whole number from 0.
    synthesize a --out b --retries 0.5         | --retries must be a whole number from 0.
    transcribe a --model m --concurrency 1.5   | --concurrency must be a whole number above 0.
    serve --port x                             | --port must be a whole number.
    serve --shell tcsh                         | --shell must be one of sh, bash, zsh, fish, powershell, cmd.
    synthesize a\ufffd --out b                 | TEXT is not valid UTF-8. Check the encoding of your terminal or script, or give the text in a file: --text-file FILE.
    synthesize a --out b --voice=\ufffd        | --voice is not valid UTF-8. Check the encoding of your terminal or script.
    synthesize a --out \ufffd                  | --out is not valid UTF-8, so its file can't be opened. Use a name in UTF-8.
    serve --data-dir \ufffd                    | --data-dir is not valid UTF-8, so its folder can't be opened. Use a name in UTF-8.
    synthesize a --out b --pause word=1        | --pause must be NAME=VALUE, separated by commas. The names are paragraph, line, sentence, clause.
    synthesize a --out b --pause line=a        | --pause has a line that must be a whole number from 0 to 60000, in milliseconds.
    synthesize a --out b --pause line=1,line=2 | --pause has line more than once.
    transcribe a --model m --segment-fields start=a,end=b | --segment-fields must have start, end and unit, which is seconds or millis.
    transcribe a --model m --piece-minutes 61  | --piece-minutes must be a number from 0.1 to 60.
    transcribe a --model m --format docx       | --format must be one of text, txt, json, srt, vtt.
    synthesize a --out b --long                | --long is not an option of synthesize, but of transcribe.
    doctor now                                 | doctor takes only options.
    archive                                    | Give a command of archive: run, status, pause, resume, retry, export, repair, work.
    archive stauts                             | stauts is not a command of archive. Did you mean status?
    archive serve                              | There is no such command of archive. The commands are run, status, pause, resume, retry, export, repair, work.
    archives                                   | archives is not a command. Did you mean archive?
    archive run --out b                        | Give at least one SOURCE.
    archive run a.wav b.wav --out c            | archive run takes one SOURCE. Give a folder, or put quotes around the pattern.
    archive run a                              | --out is required, such as --out transcripts.
    archive run a --out b --rate 0             | --rate must be a number above 0, or none.
    archive run a --out b --format text        | --format must be one of txt, json, srt, vtt, wav.
    archive status --outt b                    | --outt is not an option here. Did you mean --out?
    archive status --model m                   | --model is not an option of archive status, but of transcribe, listen-back, and archive run.`
  it.each(rowsOf<[line: string, sentence: string]>(refusals))("refuse %j: %s", (line, sentence) => {
    const [first = "", second = ""] = line.split(" ").filter((word) => word !== "help")
    const of = [`${first} ${second}`, first].find((each) => commandNames.some((name) => name === each))
    const helpOf = of ?? (first === "archive" ? first : undefined)
    const message = `${sentence} See speech ${helpOf === undefined ? "" : `${helpOf} `}--help.`
    const refused = { _tag: "Printed", code: 2 }
    expect(printed(line)).toEqual({ ...refused, stream: "stderr", text: `speech: ${message} [UsageError]` })
    const { text, ...asJson } = printed(`--json ${line}`)
    expect(asJson).toEqual({ ...refused, stream: "stdout" })
    expect(JSON.parse(text)).toEqual({ error: { _tag: "UsageError", message } })
  })

  it.each([
    ["run", "Give the command after --: speech run -- COMMAND."],
    ["run -- ''", "Give the command after --: speech run -- COMMAND."],
    ["run --", "Give the command after --: speech run -- COMMAND."],
    ["run npm test", "Give the command after --: speech run -- COMMAND."],
    ["run npm -- test", "Give the command after --: speech run -- COMMAND."],
    ["run -- echo a\ufffd", "COMMAND is not valid UTF-8. Check the encoding of your terminal or script."]
  ])("of run are refused in words alone, because standard output is that of the command: %j", (line, sentence) => {
    const text = `speech: ${sentence} See speech run --help. [UsageError]`
    expect(printed(line)).toEqual({ _tag: "Printed", code: 2, stream: "stderr", text })
    expect(printed("run --json -- npm").text).toContain(
      "--json is not an option of run, but of synthesize, transcribe,"
    )
  })

  it("are printable in a suggestion", () => {
    expect(printed("transcrib\u009be\u202e").text).toContain("transcrib\\u009be\\u202e is not a command.")
    expect(printed("transcrib\u009be\u202e --json").text).toContain("transcrib\\u009be\\u202e is not a command.")
  })

  it.each([
    "--api-key=pre.secret",
    "--api-key pre.secret",
    "-k=pre.secret",
    "-kpre.secret",
    "--pre.secret",
    "pre.secret"
  ])("never show a key: %s", (line) => {
    for (const place of [line, `doctor ${line}`, `${line} doctor`, `transcribe a --model ${line} --model b`]) {
      expect(printed(place)).toMatchObject({ code: 2, text: expect.not.stringContaining("secret") })
    }
  })
})

const linesOver = (columns: number, text: string): ReadonlyArray<string> =>
  text.split("\n").filter((line) => Array.from(line).length > columns)

const document = (page: string): string =>
  readFileSync(new URL(`../../../docs/command/${page}.md`, import.meta.url), "utf8")

/** The pages of docs/command, and the commands whose options each has. The last has those of every command. */
const pages: ReadonlyArray<readonly [page: string, names: ReadonlyArray<CommandName>]> = [
  ["synthesize", ["synthesize"]],
  ["transcribe", ["transcribe"]],
  ["listen-back", ["listen-back"]],
  ["archive", ["archive run"]],
  ["archive-commands", commandNames.filter((name) => name.startsWith("archive ") && name !== "archive run")],
  ["serve", ["serve", "run"]],
  ["models", ["models"]],
  ["voices", ["voices"]],
  ["doctor", ["doctor"]],
  ["every-command", []]
]

type Options = Readonly<Record<string, Option<unknown>>>

/** The rows of a table of options: of every command, of one, or of several, whose last words are a third column. */
const rowsOfTable = (names: ReadonlyArray<CommandName>): ReadonlyArray<string> => {
  const sets: ReadonlyArray<readonly [name: string, options: Options]> =
    names.length === 0 ? [["", commonOptions]] : names.map((name) => [name, commands[name].options])
  const words = new Map<string, Array<string>>()
  for (const [name, options] of sets) {
    for (const option of Object.values(options)) {
      const row = `| \`${signature(option)}\` | ${explanation(option)} |`
      words.set(row, [...(words.get(row) ?? []), name.replace(/^.* /, "")])
    }
  }
  return Array.from(words, ([row, of]) => (names.length < 2 ? row : `${row} ${of.join(", ")} |`))
}

describe("the help", () => {
  it.each(["", "--help", "-h", "speak --help", "--log-level debug"])("of the whole is printed for %j", (line) => {
    const { code, stream, text } = printed(line)
    expect({ code, stream }).toEqual({ code: 0, stream: "stdout" })
    for (const name of commandNames) expect(text).toMatch(new RegExp(`^  ${name} +[A-Z].+\\.$`, "m"))
    for (const { name } of Object.values(commonOptions)) expect(text).toMatch(new RegExp(`^  (-\\w, )?--${name} `, "m"))
  })

  it.each([
    ["help", "--help"],
    ["help transcribe", "transcribe --help"],
    ["help archive", "archive --help"],
    ["help archive run", "archive run --help"],
    ["archive help", "archive --help"],
    ["archive help run", "archive run --help"],
    ["version", "--version"]
  ])("is printed for %j as for %j", (line, other) => {
    expect(printed(line)).toEqual(printed(other))
    expect(printed(line)).toMatchObject({ code: 0, stream: "stdout" })
  })

  it("of archive has its commands", () => {
    const { code, text } = printed("archive --help")
    expect(code).toBe(0)
    for (const name of commandNames) expect(text.includes(`\n  ${name} `)).toBe(name.startsWith("archive "))
  })

  it("of the whole has each command under one heading", () => {
    expect(commandGroups.flatMap(([, names]) => names).toSorted()).toEqual(commandNames.toSorted())
  })

  it("of the whole fits on a screen", () => {
    const { text } = printed("--help")
    expect(text.split("\n").length).toBeLessThanOrEqual(40)
    expect(linesOver(80, text)).toEqual([])
  })

  it.each(commandNames)("of %s fits on a screen: what it does, two examples, and its ten most used options", (name) => {
    const { options, mostUsed = Object.keys(options) }: Command = commands[name]
    const { text } = printed(`${name} --json --help`)
    expect(text).toMatch(/^[A-Z][^\n]+/)
    expect(text).toContain(`$ speech ${name}`)
    expect(mostUsed.length).toBeLessThanOrEqual(10)
    for (const option of mostUsed.map((key) => options[key])) {
      expect(text).toContain(`\n  ${signature(option as Option<unknown>)}`)
    }
    expect(text.split("\n").length).toBeLessThanOrEqual(40)
    expect(linesOver(80, text)).toEqual([])
  })

  it.each(commandNames)("of %s with --all has every option under a heading", (name) => {
    const { text } = printed(`${name} --help --all`)
    for (const option of Object.values(commands[name].options)) expect(text).toContain(`\n  ${signature(option)}`)
    expect(linesOver(80, text)).toEqual([])
  })

  it.each([60, 72, 100])("fits %i columns", (columns) => {
    for (const name of commandNames) {
      const result = parse([...name.split(" "), "--help", "--all"], { ...plainView, columns })
      const text = result._tag === "Printed" ? result.text : ""
      // An example is a line that can be copied.
      expect(linesOver(columns, text).filter((line) => !/^ {2}(\$ |speech )/.test(line))).toEqual([])
    }
  })

  it.each(pages)("is the tables of docs/command/%s.md: %j", (page, names) => {
    const rows = document(page).match(/^\| `-.*$/gm) ?? []
    expect(rows.map((row) => row.replace(/ +/g, " "))).toEqual(rowsOfTable(names))
  })

  it("has each command on a page of docs/command", () => {
    expect(pages.flatMap(([, names]) => names).toSorted()).toEqual(commandNames.toSorted())
  })

  it("is a manual page too, with every option, variable and exit code, and no letter but ASCII", () => {
    const { code, text } = printed("help --man")
    expect(code).toBe(0)
    expect(printed("--help --man").text).toBe(text)
    const plain = text.replaceAll("\\-", "-")
    for (const name of commandNames) expect(plain).toContain(`.SS "speech ${name} `)
    for (const { name } of allOptions.values()) expect(plain).toMatch(new RegExp(`^\\.B ".*--${name}[ "]`, "m"))
    expect(text).not.toMatch(/[^\x20-\x7e\n]/)
    const requests = text.match(/^[.'].*/gm) ?? []
    expect(requests.filter((line) => !/^\.(TH|SH|SS|TP|PP|RS|RE|nf|fi|B|I)\b/.test(line))).toEqual([])
  })

  it("has the exit codes of docs/command/index.md", () => {
    const rows = document("index").match(/^\| \d+ .*$/gm) ?? []
    const declared = exitStatuses.map(([code, text]) => `| ${code} | ${text} |`)
    expect(rows.map((row) => row.replaceAll("`", "").replace(/ +/g, " "))).toEqual(declared)
  })

  const defaults = `
    synthesize    | concurrency | 4                   | long-form/src/internal/speech/speakPieces.ts      | { concurrency = 4,
    synthesize    | retries     | 2                   | transport/src/internal/options/retries.ts         | times = 2 }
    synthesize    | pauses      | paragraph=600       | long-form/src/internal/speech/joinSpeech.ts       | paragraph: "600 millis"
    synthesize    | pauses      | line=400            | long-form/src/internal/speech/joinSpeech.ts       | line: "400 millis"
    synthesize    | pauses      | sentence=250        | long-form/src/internal/speech/joinSpeech.ts       | sentence: "250 millis"
    synthesize    | pauses      | clause=120          | long-form/src/internal/speech/joinSpeech.ts       | clause: "120 millis"
    transcribe    | format      | text                | cli/src/commands/transcribe.ts                    | format = "text"
    transcribe    | pieceMinutes| 5                   | cli/src/commands/transcribe.ts                    | defaultPieceMinutes = 5
    transcribe    | concurrency | 4                   | cli/src/manyRecordings.ts                         | defaultConcurrency = 4
    archive run   | pieceMinutes| 5                   | archive/src/internal/file/transcribe.ts           | longestPiece = 300_000
    archive run   | concurrency | 16                  | cli/src/archive/store.ts                          | defaultConcurrency = 16
    archive run   | afterCrash  | hold                | archive/src/internal/model/request.ts             | stored?.unanswered ?? "hold"
    serve         | port        | 7800                | cli/src/servePorts.ts                             | usualPort = 7800
    run           | host        | 127.0.0.1           | local-service/src/internal/options.ts             | options.host ?? "127.0.0.1"
    run           | credits     | 1,000,000           | local-service/src/internal/options.ts             | options.credits ?? 1_000_000
    run           | capacity    | 2                   | local-service/src/KnownRecordings.ts              | options.capacity ?? "2 hours"
    run           | queue       | 128                 | engine-sherpa/src/Sherpa.ts                       | options.queue ?? 128
    run           | threads     | half of the cores, at most 4 | engine-sherpa/src/Sherpa.ts              | Math.min(4, Math.ceil(availableParallelism() / 2))`
  it.each(rowsOf<[name: CommandName, key: string, value: string, file: string, code: string]>(defaults))(
    "of %s says the default of %s that the code has: %s",
    (name, key, value, file, code) => {
      expect((commands[name] as Command).options[key]?.default).toContain(value)
      expect(readFileSync(new URL(`../../${file}`, import.meta.url), "utf8")).toContain(code)
    }
  )

  it("says the defaults of the contract", () => {
    const { lang, outputFormat, voice } = commands.synthesize.options
    expect([lang, voice, outputFormat].map((option) => option.default)).toEqual([
      TtsContract.defaultLang,
      TtsContract.defaultVoice,
      TtsContract.defaultOutputFormat
    ])
  })

  it("has the formats of the contract, and the version of the package", () => {
    expect(commands.synthesize.options.outputFormat.choices).toEqual(TtsContract.outputFormats)
    const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"))
    expect(printed("--version")).toMatchObject({ code: 0, text: version })
    expect(printed("transcribe a --version")).toMatchObject({ code: 0, text: version })
  })
})

/** The words of a line of a shell, without its comment, and up to a pipe or a redirection. */
const wordsOf = (line: string): ReadonlyArray<string> => {
  const words = line.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? []
  const end = words.findIndex((word) => /^(?:[#|>&;]|&&)/.test(word))
  return (end === -1 ? words : words.slice(0, end)).map((word) => word.replace(/["']/g, ""))
}

describe("a command in the documents", () => {
  const lines = documents.flatMap((document) => {
    const text = readFileSync(new URL(`../../../${document}`, import.meta.url), "utf8")
    const blocks = [...text.matchAll(/^ *```sh\n(.*?)^ *```$/gms)].map(([, block = ""]) => block)
    return blocks.flatMap((block) =>
      [...block.matchAll(/^ *(?:.*\| )?(?:pnpm )?speech (.+)$/gm)].map(([, line = ""]) => [document, line] as const)
    )
  })

  it("is found", () => expect(lines.length).toBeGreaterThan(40))

  it.each(lines)("of %s is accepted: speech %s", (_, line) => {
    expect(parse(wordsOf(line))).not.toMatchObject({ code: 2 })
  })

  it("names only options that it has", () => {
    const unknown = documents.flatMap((document) => {
      const text = readFileSync(new URL(`../../../${document}`, import.meta.url), "utf8")
      return [...text.matchAll(/`(?:pnpm )?speech ([^`]+)`/g)].flatMap(([written, line = ""]) => {
        const [first = "", ...words] = wordsOf(line)
        const command = commandOf(`${first} ${words[0]}`) ?? commandOf(first)
        const known = new Set(readBy(command).map((option) => `--${option.name}`))
        const own = words.slice(0, words.includes("--") ? words.indexOf("--") : undefined)
        const options = own.flatMap((word) => /^--[a-z-]+/.exec(word)?.[0] ?? [])
        return command !== undefined && options.some((option) => !known.has(option)) ? [`${document}: ${written}`] : []
      })
    })
    expect(unknown).toEqual([])
  })
})
