/** Compares the documents with the code: links lead somewhere, and every option and error is documented. */

import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import * as HttpApi from "@effect/platform/HttpApi"
import { describe, expect, it } from "@effect/vitest"
import * as Archive from "@effect-speech/archive"
import * as AudioCodec from "@effect-speech/audio-codec"
import * as AudioDecoder from "@effect-speech/audio-decoder"
import * as Common from "@effect-speech/common"
import * as Engine from "@effect-speech/engine"
import * as EngineSherpa from "@effect-speech/engine-sherpa"
import * as LocalService from "@effect-speech/local-service"
import * as LongForm from "@effect-speech/long-form"
import { SpeechError } from "@effect-speech/promise"
import * as Stt from "@effect-speech/stt"
import * as Transport from "@effect-speech/transport"
import { retryOfUnexpectedStatus } from "@effect-speech/transport/unstable/CommonError"
import { httpStatusAnnotation } from "@effect-speech/transport/unstable/ErrorDefinition"
import { billingOf } from "@effect-speech/transport/unstable/Report"
import * as Tts from "@effect-speech/tts"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import GithubSlugger from "github-slugger"
import { lexer, type Token, type Tokens, walkTokens } from "marked"
import * as ExitCode from "../packages/cli/src/exitCode.js"
import { familyNames } from "../packages/engine-sherpa/src/internal/folder/describe.js"
import * as Concurrency from "../packages/transport/src/internal/options/concurrency.js"
import * as Deadlines from "../packages/transport/src/internal/options/deadlines.js"
import * as Retries from "../packages/transport/src/internal/options/retries.js"
import { documents, snippets, withCode } from "../scripts/snippets.js"

const root = fileURLToPath(new URL("..", import.meta.url))

/** A text without the lines between `---` at its beginning, which the site reads. */
const read = (path: string): string => readFileSync(join(root, path), "utf8").replace(/^---\n(?:.*\n)*?---\n/, "")

const parsed = new Map<string, ReturnType<typeof lexer>>()

const tokensOf = (document: string) => {
  const found = parsed.get(document) ?? lexer(read(document))
  parsed.set(document, found)
  return found
}

const tokensIn = <Type extends string>(document: string, type: Type) => {
  const found: Array<Extract<Token, { type: Type }>> = []
  walkTokens(tokensOf(document), (token) => {
    if (token.type === type) found.push(token as Extract<Token, { type: Type }>)
  })
  return found
}

describe("the code in the documents", () => {
  it("is all found, to be compiled", () => {
    const fences = withCode.flatMap((document) => read(document).match(/^ *```(ts|typescript)$/gm) ?? [])
    expect(snippets.length).toBe(fences.length)
    expect(snippets.length).toBeGreaterThan(10)
  })

  it.each([
    ["README.md", "examples/quickstart.ts"],
    ["packages/audio-codec/README.md", "examples/telephony.ts"],
    ["packages/audio-decoder/README.md", "examples/longMp3.ts"],
    ["packages/local-service/README.md", "packages/local-service/test/announcement.test.ts"]
  ])("of %s contains all of %s, which a test runs", (document, file) => {
    expect(read(document)).toContain(`\`\`\`ts\n${read(file)}\`\`\``)
  })

  it("imports only what its README says to install", () => {
    for (const document of documents.filter((each) => /^packages\/[^/]+\/README\.md$/.test(each))) {
      const installed = [...read(document).matchAll(/^npm install (.+)$/gm)].flatMap(([, names = ""]) =>
        names.split(" ").map((name) => name.replace(/(.)@.*/, "$1"))
      )
      const imported = snippets
        .filter((snippet) => snippet.document === document)
        .flatMap(({ code }) => [...code.matchAll(/ from "((?:@[^/"]+\/)?[^/"]+)/g)].map(([, name]) => name))
      expect(installed).toEqual(
        expect.arrayContaining([...new Set(imported)].filter((name) => !name?.startsWith("node:")))
      )
    }
  })
})

const anchorsOf = (document: string): ReadonlyArray<string> => {
  const slugger = new GithubSlugger()
  const plain = (tokens: ReadonlyArray<Token>): string =>
    tokens
      .map((token) => ("tokens" in token && token.tokens ? plain(token.tokens) : "text" in token ? token.text : ""))
      .join("")
  return tokensIn(document, "heading").map(({ tokens }) => slugger.slug(plain(tokens ?? [])))
}

/** Whether a page of the reference exists, which `pnpm run docs` makes from the declarations: a page for each module, a heading for each export. */
const isExported = (name: string, module: string, anchor: string | undefined): boolean => {
  const report = `packages/${name}/api.md`
  if (!existsSync(join(root, report))) return false
  const [, declarations] = read(report).split(`\n## ${module}\n`)
  const exported = /^export (?:declare )?(?:abstract )?(?:const|class|function\*?|interface|type|namespace) (\w+)/gm
  const reExported = /^export (?:type )?\{ (.+) \}/gm
  const content = declarations?.split("\n## ")[0] ?? ""
  const names = [
    ...[...content.matchAll(exported)].map(([, each = ""]) => each),
    ...[...content.matchAll(reExported)].flatMap(([, list = ""]) => list.replace(/\btype /g, "").split(", "))
  ].map((each) => each.toLowerCase())
  return declarations !== undefined && (anchor === undefined || names.includes(anchor))
}

describe("a link in the documents", () => {
  it.each(documents)("of %s leads somewhere", (document) => {
    const targets = tokensIn(document, "link").map(({ href }) => href)
    const dead = targets
      .filter((href) => !/^[a-z]+:/.test(href))
      .filter((href) => {
        const [path = "", anchor] = decodeURI(href).split("#")
        const target = path === "" ? document : relative(root, resolve(root, dirname(document), path))
        const [, name, module] = /^docs\/reference\/([\w-]+)\/(.+)\.md$/.exec(target) ?? []
        if (name !== undefined && module !== undefined) return !isExported(name, module, anchor)
        if (!existsSync(join(root, target))) return true
        return anchor !== undefined && !(target.endsWith(".md") && anchorsOf(target).includes(anchor))
      })
    expect(dead, "correct the path, or take an anchor that the page has").toEqual([])
  })
})

/** The pages of measured figures. */
const figurePage = /\bchecks\/(?:bench\/)?RESULTS\.md/

/** Numbers with their units: `1.46x`, `0.4 MB`, `33 of 40`. */
const figuresIn = (text: string): ReadonlyArray<string> =>
  text.match(/\d(?:[\d,.]*\d)?(?:x\b| %| of \d+| [a-zA-Zµ]+)?/g) ?? []

describe("a figure that was measured", () => {
  const results = ["checks/RESULTS.md", "checks/bench/RESULTS.md"].map(read).join("\n")
  const quoting = documents.filter((document) => document !== "checks/RESULTS.md" && figurePage.test(read(document)))

  it.each(quoting)("of %s is that of the results", (document) => {
    const quoted = tokensIn(document, "link").flatMap(({ href, text }) =>
      figurePage.test(href) ? figuresIn(text) : []
    )
    expect(quoted.filter((figure) => !results.includes(figure))).toEqual([])
    // More belong to the results alone.
    if (/README\.md$|^docs\//.test(document)) expect(quoted.length).toBeLessThanOrEqual(3)
  })

  it.each(documents.filter((document) => /README\.md$|^docs\//.test(document)))(
    "of %s is a link to the results",
    (document) => {
      const unlinked = read(document)
        .replace(/```.*?```/gs, "")
        .replace(/\[[^\]]*\]\([^)]*RESULTS\.md[^)]*\)/g, "")
        .match(/\d(?:\.\d+)?x\b.*|\d ?µs\b.*|\d times (?:real time|the CPU|faster|as fast).*|\d files a second.*/g)
      expect(unlinked ?? []).toEqual([])
    }
  )
})

type Row = Readonly<Record<string, ReadonlyArray<Token>>>

/** The documents of a package: its README, and the pages whose first lines name it: `packages: [stt, tts]`. */
const documentsOf = (name: string): ReadonlyArray<string> =>
  documents.filter((document) => {
    if (document === `packages/${name}/README.md`) return true
    const [, list = ""] = /^---\n(?:.*\n)*?packages: \[(.*)\]\n/.exec(readFileSync(join(root, document), "utf8")) ?? []
    return document.startsWith("docs/") && list.split(", ").includes(name)
  })

/** The tables in the documents of a package. A cell is found by the heading of its column; the first column is `name`. */
const tablesOf = (name: string): ReadonlyArray<ReadonlyArray<Row>> =>
  documentsOf(name).flatMap((document) =>
    tokensIn(document, "table").map(({ header, rows }: Tokens.Table) =>
      rows.map((row) =>
        Object.fromEntries(row.map((cell, index) => [index === 0 ? "name" : (header[index]?.text ?? ""), cell.tokens]))
      )
    )
  )

const codeIn = (tokens: ReadonlyArray<Token> = []): ReadonlyArray<string> =>
  tokens.flatMap((token) => (token.type === "codespan" ? [String(token.text)] : []))

const wordsIn = (tokens: ReadonlyArray<Token> = []): string => tokens.map(({ raw }) => raw).join("")

/** The cell of an entry in a column, from the first table that has both. */
const cellOf = (name: string, entry: string, column: string): ReadonlyArray<Token> | undefined =>
  tablesOf(name)
    .flat()
    .find((row) => column in row && codeIn(row.name).includes(entry))?.[column]

/** The entries without a row, in the table that has most of them. */
const missing = (name: string, entries: ReadonlyArray<string>): ReadonlyArray<string> =>
  tablesOf(name)
    .map((table) => table.flatMap((row) => codeIn(row.name)))
    .map((found) => entries.filter((entry) => !found.includes(entry)))
    .reduce((fewest, each) => (each.length < fewest.length ? each : fewest), entries)

const fieldsOf = (schema: Schema.Schema.All): ReadonlyArray<string> =>
  AST.getPropertySignatures(Schema.typeSchema(schema as Schema.Schema.Any).ast).map(({ name }) => String(name))

const tagsOf = (schemas: ReadonlyArray<Schema.Schema.Any>): ReadonlyArray<string> =>
  schemas.map(({ ast }) => {
    const tag = AST.getPropertySignatures(ast).find(({ name }) => name === "_tag")?.type
    if (tag === undefined || !AST.isLiteral(tag)) throw new Error("A tagged schema has a literal tag.")
    return String(tag.literal)
  })

/** The fields that an interface of a public module declares. */
const interfaceOf = (name: string, module: string, declared: string): ReadonlyArray<string> => {
  const source = read(`packages/${name}/src/${module}.ts`)
  const body =
    new RegExp(`^(?:export )?(?:interface|class) ${declared}\\b[^{]*\\{\\n(.*?)^\\}`, "ms").exec(source)?.[1] ?? ""
  const fields = [...body.matchAll(/^ {2}(?:readonly (\w+)\??:|get (\w+)\(\))/gm)].map(
    ([, field, accessor]) => field ?? accessor ?? ""
  )
  if (fields.length === 0) throw new Error(`${declared} is not found in ${module}.`)
  return fields
}

/** The tags of a union that a public module declares only as types. */
const typeTagsOf = (name: string, module: string): ReadonlyArray<string> =>
  [...read(`packages/${name}/src/${module}.ts`).matchAll(/readonly _tag: "(\w+)"/g)].map(([, tag = ""]) => tag)

type ErrorClass = { readonly prototype: Error; readonly fields?: object }

/** All error classes that a package exports. */
const errorsOf = (exported: object): ReadonlyArray<ErrorClass> => {
  const found = new Set<ErrorClass>()
  for (const value of Object.values(exported)) {
    if (typeof value === "function" && value.prototype instanceof Error) found.add(value)
    else if (Object.prototype.toString.call(value) === "[object Module]")
      for (const error of errorsOf(value)) found.add(error)
  }
  return [...found]
}

const packages = {
  common: Common,
  "audio-codec": AudioCodec,
  "audio-decoder": AudioDecoder,
  transport: Transport,
  stt: Stt,
  tts: Tts,
  "long-form": LongForm,
  archive: Archive,
  engine: Engine,
  "engine-sherpa": EngineSherpa,
  "local-service": LocalService
}

/** The page of an error, as its parts: the sentences that a user sees, its facts, and its properties by their names. */
const errorPage = (tag: string) => {
  const document = `docs/errors/${tag}.md`
  const tables = tokensIn(document, "table")
  const rows = (column: string) => tables.find(({ header }) => header[0]?.text === column)?.rows ?? []
  const properties = new Map(rows("property").map(([name, value]) => [name?.text.replaceAll("`", ""), value]))
  return {
    title: tokensIn(document, "heading").map(({ text }) => text)[0],
    sentences: tokensIn(document, "code").find(({ lang }) => lang === "text")?.text,
    facts: rows("fact").map(([fact]) => codeIn(fact?.tokens)[0] ?? ""),
    codeOf: (property: string) => codeIn(properties.get(property)?.tokens),
    textOf: (property: string) => properties.get(property)?.text
  }
}

const documented = (fields: ReadonlyArray<string>): ReadonlyArray<string> =>
  fields.filter((field) => !["_tag", "call", "message"].includes(field)).toSorted()

/** The statuses that an HttpApi gives its errors, from the class of the error. */
const httpStatusOf = (Class: Schema.Schema.All): unknown =>
  [Class.ast, ...(AST.isTransformation(Class.ast) ? [Class.ast.to] : [])]
    .map(({ annotations }) => annotations[httpStatusAnnotation])
    .find((status) => status !== undefined)

/** The fields of an error whose class has no schema, from its declaration. */
const fieldsDeclaredBy = (name: string, tag: string): ReadonlyArray<string> => {
  const source = readdirSync(join(root, `packages/${name}/src`))
    .filter((file) => file.endsWith(".ts"))
    .map((file) => read(`packages/${name}/src/${file}`))
    .find((text) => text.includes(`export class ${tag} `))
  const [, body = ""] = new RegExp(`^export class ${tag} [^{]*<\\{\n(.*?)^\\}>`, "ms").exec(source ?? "") ?? []
  return [...body.matchAll(/^ {2}readonly (\w+)\??:/gm)].map(([, field = ""]) => field)
}

/** All words of the sources of a package. A template breaks a sentence into parts. */
const sourceOf = (name: string): string =>
  readdirSync(join(root, `packages/${name}/src`), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => read(`packages/${name}/src/${file}`))
    .join("\n")
    .replaceAll(/\\"/g, '"')
    .replaceAll(/["`] \+\s+["`]/g, "")

describe("the page of an error", () => {
  const ofCalls = [...Stt.SttError.members, ...Tts.TtsError.members]
  it.each(ofCalls.map((Class) => [Class._tag, Class] as const))("%s says what its class does", (tag, Class) => {
    const page = errorPage(tag)
    const error = new Class()
    expect(page.title).toBe(tag)
    expect(page.sentences).toBe(error.message)
    expect(page.facts.toSorted()).toEqual(documented(Object.keys(Class.fields)))
    expect(page.codeOf("category")).toEqual([error.category])
    expect(page.codeOf("retry")).toContain(error.retry)
    expect(page.textOf("status in an HttpApi")).toBe(`${httpStatusOf(Class)}`)
    expect(page.textOf("exit code of speech")).toBe(`${ExitCode.ofServiceError(error)}`)
    if ("status" in error && error.status !== 418) {
      const attempt = { status: error.status, sent: "all", delayMillis: 0, elapsedMillis: 0 } as const
      expect(page.textOf("status of the service")).toBe(`${error.status}`)
      expect(page.codeOf("call.billing")[0]).toBe(
        billingOf([new Transport.CallReport.Attempt(attempt)], () => tag.startsWith("Stt"))
      )
    }
  })

  const others = Object.entries(packages).flatMap(([name, exported]) =>
    errorsOf(exported)
      .filter(({ prototype }) => !ofCalls.some((Class) => Class.prototype === prototype))
      .filter(({ prototype }) => name === "engine" || !/^(Recogniser|Voice)Failed$/.test(prototype.name))
      .map((Class) => [name, Class.prototype.name, Class] as const)
  )
  it.each(others)("of %s, %s, says what its class does", (name, tag, Class) => {
    const page = errorPage(tag)
    expect(page.title).toBe(tag)
    const fields = Class.fields === undefined ? fieldsDeclaredBy(name, tag) : Object.keys(Class.fields)
    if (tag !== "LocalServiceConsoleCallFailed") expect(page.facts.toSorted()).toEqual(documented(fields))
    if (page.textOf("status in an HttpApi") !== undefined)
      expect(page.textOf("status in an HttpApi")).toBe(`${httpStatusOf(Class as unknown as Schema.Schema.All)}`)
    // A message is made of parts that stand in several places, and an engine makes those of its own.
    const parts = (page.sentences ?? "").split(/[\n…]|[.:;,]\s|\.$|^This /m).map((part) => part.trim())
    const source = sourceOf(name === "engine" ? "engine-sherpa" : name)
    expect(parts.filter((part) => part.length > 15 && !source.includes(part))).toEqual([])
  })

  it.each(["InvalidOption", "ClientClosed", "FileFailed"] as const)("%s says what promise does", (tag) => {
    const page = errorPage(tag)
    const error = SpeechError.of(tag)
    expect(page.title).toBe(tag)
    expect(page.sentences).toBe(error.message)
    expect(page.codeOf("category")).toEqual([error.category])
    expect(page.codeOf("retryable")).toEqual([`${error.retryable}`])
    const [, facts = ""] =
      new RegExp(`readonly ${tag}: (?:object|\\{\n(.*?)^ {2}\\})`, "ms").exec(
        read("packages/promise/src/ErrorFacts.ts")
      ) ?? []
    const declared = [...facts.matchAll(/^ {4}readonly (\w+)/gm)].map(([, fact = ""]) => fact)
    expect(page.facts.toSorted()).toEqual(declared.toSorted())
  })

  it("exists for each error that has no class of a package, and no page is of none", () => {
    const [, declared = ""] = /([\s\S]*)export type CommandError/.exec(read("packages/cli/src/failure.ts")) ?? []
    const ofCommand = [...declared.matchAll(/^\/\*\* .*\nexport class (\w+) /gm)].map(([, tag = ""]) => tag)
    const seen = ofCommand.filter((tag) => !["AlreadyReported", "LongJobFailed"].includes(tag))
    const tags = [
      ...ofCalls.map(({ _tag }) => _tag),
      ...others.map(([, tag]) => tag),
      ...["InvalidOption", "ClientClosed", "FileFailed"],
      ...seen,
      ...[...read("packages/cli/src/report.ts").matchAll(/(?:case|described\(ExitCode\.\w+,) "(\w+)"/g)].map(
        ([, tag = ""]) => tag
      ),
      "ConfigError"
    ]
    const pages = readdirSync(join(root, "docs/errors")).map((file) => file.replace(/\.md$/, ""))
    expect(pages.filter((page) => page !== "index").toSorted()).toEqual([...new Set(tags)].toSorted())
    const linked = tokensIn("docs/errors/index.md", "link").map(({ href }) => href.replace(/\.md(#.*)?$/, ""))
    expect(linked).toEqual(expect.arrayContaining(tags))
  })

  it.each([
    AudioCodec.Wav.WavError,
    AudioCodec.Container.ContainerError,
    AudioCodec.AudioDecoder.AudioDecoderError,
    AudioCodec.RecordingFile.RecordingFileError
  ])("$prototype.name says what to do for each reason", ({ fields, prototype }) => {
    const named = tokensIn(`docs/errors/${prototype.name}.md`, "codespan").map(({ text }) => text)
    expect(named).toEqual(expect.arrayContaining([...fields.reason.literals]))
  })
})

it("the messages in the page of troubleshooting are those of the code", () => {
  const ofOthers = /^(Service not found|Missing data at|Dynamic require|No such built-in|exports_Undici)/
  /** Those that a template makes of a name and a problem. */
  const composed = ["SPEECH_API_KEY is missing", "sherpa-onnx-node is not installed", "publishes no list of its models"]
  const source = [...Object.keys(packages), "cli", "promise"].map(sourceOf).join("\n")
  const quoted = tokensIn("docs/troubleshooting.md", "table").flatMap(({ rows }) =>
    rows.flatMap(([message]) => codeIn(message?.tokens))
  )
  const parts = quoted
    .filter((text) => !ofOthers.test(text))
    .flatMap((text) => text.split(/…|\(\d+\)|[.:;,]\s|\.$|^This | \w+ deadline/).map((part) => part.trim()))
    .filter((part) => part.length > 8)
  expect(parts.length).toBeGreaterThan(30)
  expect(parts.filter((part) => !composed.includes(part) && !source.includes(part))).toEqual([])
})

describe("a page of the site", () => {
  const pages = documents.filter((document) => document.startsWith("docs/") && document !== "docs/index.md")
  it.each(pages)("%s begins with its description", (document) => {
    const head = readFileSync(join(root, document), "utf8").slice(0, 600)
    // A colon and a blank would begin a field inside of the description.
    expect(head, "write `description: one sentence` between two lines of dashes, and then the title").toMatch(
      /^---\n\n?description: (?!.*: ).+\n(packages: \[.*\]\n)?---\n\n# .+\n/
    )
  })
})

it("the page of the contract has the fields, headers, limits and statuses of the code", () => {
  const tables = tokensIn("docs/contract.md", "table").map(({ header, rows }) => ({
    first: header[0]?.text,
    names: rows.map(([cell]) => codeIn(cell?.tokens)[0] ?? cell?.text ?? ""),
    rows
  }))
  const names = (column: string) => tables.filter(({ first }) => first === column).map((table) => table.names)
  const [ofTranscription, ofSynthesis] = names("field of the request")
  expect(ofTranscription).toEqual(Object.values(Stt.SttContract.field))
  expect(ofSynthesis).toEqual(Object.keys(Tts.TtsContract.SynthesisBody.fields))
  const read = [Stt.SttContract.Success, Stt.SttContract.Failure].flatMap(({ fields }) => Object.keys(fields))
  expect(names("field of the response").flat().toSorted()).toEqual([...new Set(read)].toSorted())
  expect(names("field of `aux_info`").flat()).toEqual(fieldsOf(Stt.SttContract.AuxInfo))
  expect(names("header").flat()).toEqual(Object.values(Tts.TtsContract.header))
  const page = readFileSync(join(root, "docs/contract.md"), "utf8")
  for (const fact of [Stt.SttContract.path, Stt.SttContract.apiKeyHeader, Tts.TtsContract.path])
    expect(page).toContain(fact)
  const { maximum, minimum } = Tts.TtsContract.speedRange
  expect(page).toContain(`| ${minimum} to ${maximum} `)
  expect(page).toContain(`1 to ${Tts.TtsContract.maximumCodePoints.toLocaleString("en")} Unicode code points`)
  const { rows = [] } = tables.find(({ first }) => first === "status") ?? {}
  const statusesIn = (column: number) =>
    rows
      .filter((row) => row[column]?.text !== "")
      .map((row) => Number(row[0]?.text))
      .filter((status) => status !== 200)
  const defined = (members: ReadonlyArray<new () => object>) =>
    members.flatMap((Member) => {
      const { status } = new Member() as { readonly status?: number }
      return status === undefined || status === 418 ? [] : [status]
    })
  expect(statusesIn(1)).toEqual(defined(Stt.SttError.members))
  expect(statusesIn(2)).toEqual(defined(Tts.TtsError.members))
})

describe("the tables of retries and billing", () => {
  const rowsOf = (document: string, column: string) =>
    tokensIn(document, "table").find(({ header }) => header[0]?.text === column)?.rows ?? []
  const clients = [
    { column: 1, members: Stt.SttError.members },
    { column: 2, members: Tts.TtsError.members }
  ] as const
  const classes = clients.map(({ column, members }) => ({
    column,
    byStatus: new Map(
      members.flatMap((Member) => {
        const error = new Member()
        return "status" in error && error.status !== 418 ? [[error.status, error.retry] as const] : []
      })
    )
  }))

  it("say for each status whether it is retried, as the errors do", () => {
    const rows = rowsOf("docs/guides/retries.md", "status").filter(([status]) => /\d/.test(status?.text ?? ""))
    expect(rows.length).toBe(6)
    for (const row of rows) {
      for (const status of [...(row[0]?.text ?? "").matchAll(/\d{3}/g)].map(Number)) {
        for (const { byStatus, column } of classes) {
          const cell = row[column]?.text === "the same" ? row[1] : row[column]
          const retry = byStatus.get(status) ?? retryOfUnexpectedStatus(status)
          expect(codeIn(cell?.tokens), `${status}, ${column}`).toEqual([retry])
        }
      }
    }
  })

  it("say for each reason of a failed connection whether it is retried, as the error does", () => {
    const rows = rowsOf("docs/guides/retries.md", "`reason`")
    expect(rows.map(([reason]) => reason?.text.replaceAll("`", "")).toSorted()).toEqual(
      [...Transport.ServiceError.ConnectionReason.literals].toSorted()
    )
    for (const [name, , cell] of rows) {
      const reason = Schema.decodeUnknownSync(Transport.ServiceError.ConnectionReason)(name?.text.replaceAll("`", ""))
      const isFinal = cell?.text === "`never`"
      expect(new Stt.SttConnectionFailed({ reason, sent: "nothing" }).retry, reason).toBe(
        isFinal ? "never" : "transient"
      )
      expect(new Tts.TtsConnectionFailed({ reason, sent: "all" }).retry, reason).toBe(isFinal ? "never" : "ambiguous")
    }
  })

  it("say for each status whether a call may be billed, as its report does", () => {
    const rows = rowsOf("docs/guides/billing.md", "attempt").filter(([attempt]) => /\d{3}/.test(attempt?.text ?? ""))
    const statuses = rows.flatMap((row) =>
      [...(row[0]?.text ?? "").replace(/ below .*/, "").matchAll(/\d{3}/g)].map(
        (found) => [Number(found[0]), row[1]?.text, row[2]?.text] as const
      )
    )
    expect(statuses.length).toBeGreaterThan(20)
    const ofContract = new Set(
      Tts.TtsError.members.map((Member) => new Member()).map((error) => "status" in error && error.status)
    )
    for (const [status, ofSynthesis, ofTranscription] of statuses) {
      const attempt = new Transport.CallReport.Attempt({ status, sent: "all", delayMillis: 0, elapsedMillis: 0 })
      const expected = (maySpend: boolean) =>
        billingOf([attempt], () => maySpend) === "unknown" ? "may be billed" : "not billed"
      expect(ofSynthesis, `${status} of a synthesis`).toBe(
        expected(status < 300 || (status >= 500 && !ofContract.has(status)))
      )
      expect(ofTranscription, `${status} of a transcription`).toBe(expected(true))
    }
  })
})

it("the page of errors has each category, and the status of each error in an HttpApi", () => {
  const tables = tokensIn("docs/guides/errors-and-retries.md", "table")
  const rowsOf = (column: string) => tables.find(({ header }) => header[0]?.text === column)?.rows ?? []
  const errors = [...Stt.SttError.members, ...Tts.TtsError.members]
  const categories = rowsOf("category").flatMap(([category]) => codeIn(category?.tokens))
  expect(categories.toSorted()).toEqual([...new Set(errors.map((Class) => new Class().category))].toSorted())
  const listed = rowsOf("status").flatMap(([status, names]) =>
    codeIn(names?.tokens).map((name) => `${name} ${status?.text}`)
  )
  const declared = errors.map((Class) => `${Class._tag.slice(3)} ${httpStatusOf(Class)}`)
  expect(listed.toSorted()).toEqual([...new Set(declared)].toSorted())
})

describe("the documents of a package", () => {
  it("promise documents each use of a speech, and each event", () => {
    const uses = interfaceOf("promise", "Speech", "Speech").filter((name) => !["catch", "finally"].includes(name))
    const events = ["Call", "Speech", "Transcription"].flatMap((module) =>
      [...read(`packages/promise/src/${module}.ts`).matchAll(/^export type \w+Event =\n(?: .+\n)+/gm)].flatMap(
        ([union]) => [...union.matchAll(/"([A-Z]\w+)"/g)].map(([, tag]) => tag)
      )
    )
    expect(events.length).toBeGreaterThan(10)
    const documented = documentsOf("promise")
      .flatMap((document) => tokensIn(document, "codespan"))
      .map(({ text }) => text.replace(/\(.*/, ""))
    expect(documented).toEqual(expect.arrayContaining([...uses, ...events]))
  })

  /** The interfaces of each README, as `module.Interface`. A module of transport begins with `transport/`. */
  const interfaces = `
    stt: SpeechToText.SpeechToTextOptions transport/ClientOptions.ClientOptions transport/Retries.RetryOptions
    stt: transport/CallEvent.CallOptions AudioSource.NamedOptions
    stt: AudioSource.StreamOptions
    promise: SpeechClient.ConnectOptions SpeechClient.RetryPolicy Call.Deadlines Call.CallOptions
    promise: Speech.VoiceOptions Speech.SpeakOptions Speech.SpeakLongOptions
    promise: Transcription.RecognitionOptions Transcription.TranscribeOptions Transcription.TranscribeLongOptions
    promise: SpeechError.SpeechError ErrorFacts.CommonFacts
    tts: TextToSpeech.TextToSpeechOptions transport/ClientOptions.ClientOptions transport/Retries.RetryOptions
    tts: transport/CallEvent.CallOptions Speech.ResponseFacts
    tts: Speech.SpeechStream Speech.Speech internal/testResponse.TestAudio
    transport: Deadlines.Deadlines Retries.RetryOptions Retries.RetryPolicy
    transport: unstable/Operation.Operation
    audio-codec: internal/pcm/pcmStream.PcmStream Wav.WavFile Pcm.EncodeOptions Silence.PauseOptions
    audio-codec: internal/pcm/fading.FadeOptions internal/pcm/trimming.TrimOptions Quiet.CutOptions Quiet.Piece
    audio-codec: internal/resampling/resampler.Rates
    long-form: TextPieces.Options Passages.Options Sentences.Options Subtitles.Options
    long-form: internal/speech/request.Options internal/speech/request.Pauses
    long-form: internal/transcription/request.Options
    archive: internal/service/ArchiveService.RunRequest internal/service/ArchiveService.ArchiveService
    archive: Source.FilesOptions Source.FolderOptions Source.PathsOptions
    archive: Archive.WorkOptions Archive.DatabaseOptions
    engine-sherpa: Sherpa.SherpaOptions
    local-service: LocalServiceOptions.LocalServiceOptions LocalServiceOptions.ReproducibleOptions
    local-service: LocalService.LocalServiceMakeOptions KnownRecordings.KnownRecordingsOptions LocalService.LocalServiceHandle`
  const declared = [...interfaces.matchAll(/^ +([\w-]+): (.+)$/gm)].flatMap(([, name = "", all = ""]) =>
    all.split(" ").map((path) => ({ name, path }))
  )
  it.each(declared)("$name documents all fields of $path", ({ name, path }) => {
    const [, owner = name, module = "", type = ""] = /^(?:(transport)\/)?(.+)\.(\w+)$/.exec(path) ?? []
    expect(missing(name, interfaceOf(owner, module, type))).toEqual([])
  })

  /** The default of each field of an interface, as its docstring says it. */
  const defaultsOf = (owner: string, module: string, type: string): ReadonlyMap<string, string> => {
    const source = read(`packages/${owner}/src/${module}.ts`)
    const body = new RegExp(`^(?:export )?interface ${type}\\b[^{]*\\{\\n(.*?)^\\}`, "ms").exec(source)?.[1] ?? ""
    const fields = body.matchAll(/\/\*\*((?:(?!\*\/).)*)\*\/\s+readonly (\w+)/gs)
    return new Map(
      [...fields].flatMap(([, text = "", field = ""]) => {
        const [, value] = /Default: ((?:[^.]|\.\d)+)\./.exec(text.replace(/\s*\n\s*\*\s*/g, " ")) ?? []
        return value === undefined ? [] : [[field, value] as const]
      })
    )
  }

  it.each(declared)("$name says the defaults of $path", ({ name, path }) => {
    const [, owner = name, module = "", type = ""] = /^(?:(transport)\/)?(.+)\.(\w+)$/.exec(path) ?? []
    const differing = [...defaultsOf(owner, module, type)].flatMap(([field, value]) => {
      const cells = tablesOf(name)
        .flat()
        .flatMap((row) => ("default" in row && codeIn(row.name).includes(field) ? [wordsIn(row.default)] : []))
      const numbers = value.match(/\d(?:[\d,.]*\d)?/g) ?? []
      const isThere = cells.length === 0 || cells.some((text) => numbers.every((number) => text.includes(number)))
      return isThere ? [] : [`${field}: ${cells.join(" or ")}, not ${value}`]
    })
    expect(differing).toEqual([])
  })

  const documented: ReadonlyArray<readonly [name: string, what: string, entries: ReadonlyArray<string>]> = [
    ["stt", "requests", ["audio", ...fieldsOf(Stt.TranscriptionOptions)]],
    ["stt", "hotwords", fieldsOf(Stt.SttContract.Hotword)],
    ["stt", "transcriptions", fieldsOf(Stt.Transcription)],
    ["stt", "recordings", fieldsOf(Stt.Recording.Recording)],
    ["stt", "warnings", tagsOf(Stt.SttWarning.members)],
    ["tts", "requests", fieldsOf(Tts.SynthesisRequest)],
    ["tts", "warnings", tagsOf(Tts.TtsWarning.members)],
    ["transport", "events", typeTagsOf("transport", "CallEvent")],
    ["transport", "reports", fieldsOf(Transport.CallReport.CallReport)],
    ["transport", "pieces", Transport.CallReport.Piece.members.flatMap((member) => fieldsOf(member))],
    ["transport", "attempts", fieldsOf(Transport.CallReport.Attempt)],
    ["audio-codec", "formats", fieldsOf(AudioCodec.AudioFormat.AudioFormat)],
    ["transport", "reasons", Transport.ServiceError.ConnectionReason.literals],
    // The fields of results, such as a report or a status, are in the reference: they have their docstrings.
    ["long-form", "events of a speech", typeTagsOf("long-form", "internal/speech/events")],
    ["long-form", "events of a transcription", typeTagsOf("long-form", "internal/transcription/events")],
    ["long-form", "warnings", tagsOf(LongForm.LongTranscription.Warning.members.slice(Stt.SttWarning.members.length))],
    ["archive", "states of a run", Archive.Run.RunState.literals],
    ["archive", "states of a file", Archive.Run.FileState.literals],
    ["archive", "limits", fieldsOf(Archive.Run.Limits)],
    ["local-service", "faults", fieldsOf(LocalService.Faults.Fault)],
    ["local-service", "reactions to a fault", LocalService.FaultedRequest.fields.reaction.literals],
    [
      "local-service",
      "metrics",
      [...read("packages/local-service/src/internal/platform/metrics.ts").matchAll(/name: "(speech_\w+)"/g)].map(
        ([, metric = ""]) => metric
      )
    ],
    ["engine-sherpa", "families of models", Object.keys(familyNames)]
  ]
  it.each(documented)("%s documents all its %s", (name, _, entries) => {
    expect(missing(name, entries)).toEqual([])
  })

  it("archive names only tags of failures that the code has", () => {
    const named = tokensIn("docs/guides/archive-states.md", "codespan").flatMap(
      ({ text }) => /^[A-Z][a-z]+(?:[A-Z][a-z]+)+$/.exec(text) ?? []
    )
    const source = ["archive", "stt", "tts"].map(sourceOf).join("\n")
    expect(named.length).toBeGreaterThan(5)
    expect(named.filter((tag) => tag !== "FileErrorTag" && !source.includes(`"${tag}"`))).toEqual([])
  })

  // The reference shows the fields of results, such as a report or a status, with these sentences.
  it.each(["long-form", "archive"])("%s says what each field of its results is", (name) => {
    const folder = `packages/${name}/src`
    const files = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    const silent = files
      .filter((file) => file.endsWith(".ts"))
      .flatMap((file) => [...read(join(folder, file)).matchAll(/Schema\.Class<(\w+)>\("[^"]+"\)\(\{\n(.*?)^ *\}\)/gms)])
      .flatMap(([, type, body = ""]) => {
        const lines = body.split("\n")
        const isSilent = (line: string, index: number) =>
          /^ +(?!state)\w+: /.test(line) && !lines[index - 1]?.endsWith("*/")
        return lines.filter(isSilent).map((line) => `${type}.${line.trim()}`)
      })
    expect(silent).toEqual([])
  })

  it("transport documents the phases and the defaults of its code", () => {
    const phases = tablesOf("transport").flatMap((table) => table.flatMap(({ phase }) => codeIn(phase)))
    expect(phases).toEqual([...Transport.Deadlines.Phase.literals])
    const inDocument = (entry: string) => wordsIn(cellOf("transport", entry, "default"))
    const { downloadIdle, uploadIdle } = Either.getOrThrow(Deadlines.parse({}, "1 hour"))
    expect(inDocument("uploadIdle")).toBe(`${uploadIdle / 1000} s`)
    expect(inDocument("downloadIdle")).toBe(`${downloadIdle / 1000} s`)
    const retries = Either.getOrThrow(Retries.parse({}))
    for (const entry of ["retries", "times"]) expect(inDocument(entry)).toBe(`${retries.times}`)
    expect(inDocument("firstDelay")).toBe(`${retries.firstDelay} ms`)
    expect(inDocument("longestDelay")).toBe(`${retries.longestDelay / 1000} s`)
    expect(inDocument("retryAmbiguous")).toBe(`${retries.retryAmbiguous}`)
    expect(inDocument("concurrency")).toBe(`${Either.getOrThrow(Concurrency.parse({}))}`)
  })

  it("promise documents the defaults of transport", () => {
    const inDocument = (entry: string) => wordsIn(cellOf("promise", entry, "default"))
    const { downloadIdle, uploadIdle } = Either.getOrThrow(Deadlines.parse({}, "1 hour"))
    const answers = ["tts/src/TextToSpeech", "stt/src/SpeechToText"].map(
      (module) => /answerDeadline: "(.+)"/.exec(read(`packages/${module}.ts`))?.[1]
    )
    expect(answers).toEqual(["10 minutes", "1 hour"])
    expect(inDocument("answer")).toBe(
      `${uploadIdle / 1000} s; 10 min, for a recording 1 h; ${downloadIdle / 1000} s; none`
    )
    const { firstDelay, longestDelay, times } = Either.getOrThrow(Retries.parse({}))
    expect(inDocument("times")).toBe(`${times}; ${firstDelay} ms; ${longestDelay / 1000} s; none`)
    expect(inDocument("ttsBaseUrl")).toBe("`SPEECH_TTS_BASE_URL`")
  })

  it("local-service documents all routes of the platform", () => {
    const declared: Array<string> = []
    HttpApi.reflect(LocalService.PlatformApi, {
      onGroup: () => undefined,
      onEndpoint: ({ endpoint: { method, path } }) => {
        const [, route] = /^\/platform\/api(\/.*)/.exec(path) ?? []
        if (route !== undefined) declared.push(`${method} ${route.replace(/:(\w+)/g, "{$1}")}`)
      }
    })
    const documentedRoutes = tablesOf("local-service")
      .flat()
      .flatMap(({ name }) => {
        const codes = codeIn(name)
        const [, path] = / (\/.*)/.exec(codes.at(-1) ?? "") ?? []
        return path === undefined ? [] : codes.map((code) => `${code.replace(/ .*/, "")} ${path}`)
      })
    expect(documentedRoutes).toEqual(expect.arrayContaining(declared))
  })

  it("audio-codec documents all functions of audio", () => {
    const named = tablesOf("audio-codec").flatMap((table) => table.flatMap((row) => codeIn(row.name)))
    const functions = Object.keys(AudioCodec.PcmStream)
    expect(functions.filter((name) => !named.some((code) => code.replace(/\(.*/, "") === name))).toEqual([])
  })

  it("audio-decoder documents what it says of a recording that can't be decoded", () => {
    const said = ["decodeWorker.js", "decoder.ts", "probe.ts"].flatMap((file) =>
      [...read(`packages/audio-decoder/src/internal/${file}`).matchAll(/"((?:its?|reading its) [^"]+)"/g)].map(
        ([, text]) => text
      )
    )
    const explained = tablesOf("audio-decoder")
      .flat()
      .flatMap((row) => ("what to do" in row ? wordsIn(row.name).split(", ") : []))
    expect(explained.toSorted()).toEqual([...new Set(said)].toSorted())
  })

  it("long-form documents the languages whose abbreviations it knows", () => {
    const abbreviations = read("packages/long-form/src/internal/text/abbreviations.ts")
    const known = [...abbreviations.matchAll(/^ {2}([a-z]{2}): \{$/gm)].map(([, lang]) => lang)
    const [row] = tablesOf("long-form")
      .flat()
      .filter(({ name, meaning }) => codeIn(name).includes("lang") && wordsIn(meaning).includes("abbreviations"))
    expect(codeIn(row?.meaning)[0]?.split(" ")).toEqual(known)
  })

  it("tts documents the defaults of its contract", () => {
    const inDocument = (entry: string) => wordsIn(cellOf("tts", entry, "the service's default"))
    expect(inDocument("lang")).toBe(`\`${Tts.TtsContract.defaultLang}\``)
    expect(inDocument("voice")).toBe(`\`${Tts.TtsContract.defaultVoice}\``)
    expect(inDocument("outputFormat")).toBe(`\`${Tts.TtsContract.defaultOutputFormat}\``)
  })
})

it("the arrows of ARCHITECTURE.md are the dependencies of the packages", () => {
  const drawn = [...read("ARCHITECTURE.md").matchAll(/^ *([a-z-]+) --> ([a-z-]+)$/gm)].map(
    ([, from, to]) => `${from} ${to}`
  )
  const declared = readdirSync(join(root, "packages"))
    .filter((name) => statSync(join(root, "packages", name)).isDirectory())
    .flatMap((name) => {
      const { dependencies, devDependencies } = JSON.parse(read(`packages/${name}/package.json`))
      const source = readdirSync(join(root, "packages", name, "src"), { recursive: true, encoding: "utf8" })
        .filter((file) => file.endsWith(".ts"))
        .map((file) => read(`packages/${name}/src/${file}`))
        .join("\n")
      // A bundle contains its dependencies of this project, so they are not installed with it. A test may need others.
      const bundled = Object.keys(devDependencies ?? {}).filter((dependency) => source.includes(` "${dependency}`))
      return [...Object.keys(dependencies ?? {}), ...bundled]
        .filter((dependency) => dependency.startsWith("@effect-speech/"))
        .map((dependency) => `${name} ${dependency.slice("@effect-speech/".length)}`)
    })
  expect(drawn.toSorted()).toEqual(declared.toSorted())
})

const packageNames = readdirSync(join(root, "packages")).filter((name) =>
  existsSync(join(root, "packages", name, "package.json"))
)

it("the table of what each package needs is that of the manifests", () => {
  const table = tokensIn("docs/guides/installing.md", "table").find(({ header }) => header[1]?.text === "also needs")
  const inTable = (table?.rows ?? []).flatMap(([names, needs]) =>
    (names?.text ?? "")
      .split(", ")
      .map((name) => [name, codeIn(needs?.tokens).filter((code) => /^(@|sherpa)/.test(code))])
  )
  const inManifests = packageNames.map((name) => {
    const { peerDependencies = {} } = JSON.parse(read(`packages/${name}/package.json`))
    const needs = Object.keys(peerDependencies).filter((peer) => peer !== "effect")
    return [name, needs.map((peer) => (peer.startsWith("sherpa") ? `${peer}@1.13` : peer))]
  })
  expect(Object.fromEntries(inTable)).toEqual(Object.fromEntries(inManifests))
})

it("the front page links each package, and the page of the tests names each folder", () => {
  const links = tokensIn("docs/index.md", "link").map(({ href }) => href)
  expect(links).toEqual(expect.arrayContaining(packageNames.map((name) => `../packages/${name}/README.md`)))
  const folders = readdirSync(join(root, "test")).filter((name) => statSync(join(root, "test", name)).isDirectory())
  const named = tokensIn("test/README.md", "table").flatMap(({ rows }) => rows.map(([path]) => path?.text))
  expect(named).toEqual(expect.arrayContaining(folders.map((name) => `\`${name}/\``)))
})
