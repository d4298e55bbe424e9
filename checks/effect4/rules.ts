/** How a source for Effect 3 becomes one for Effect 4 by pattern. What no pattern can do is in `overlay/`. */

import { modules, names } from "./renames.js"

/** The index after the string, template, regular expression or comment at `at`, or `at` if there is none. */
const skipText = (text: string, at: number): number => {
  if (text.startsWith("//", at)) return text.indexOf("\n", at)
  if (text.startsWith("/*", at)) return text.indexOf("*/", at) + 2
  const quote = text.charAt(at)
  if (quote === "/") {
    if (!/[(,=:[!&|?{};]\s*$/.test(text.slice(Math.max(0, at - 20), at))) return at
    let isInClass = false
    for (at++; at < text.length && (isInClass || text[at] !== "/"); at++) {
      if (text[at] === "\\") at++
      else if (text[at] === "[") isInClass = true
      else if (text[at] === "]") isInClass = false
    }
    return at + 1
  }
  if (!/["'`]/.test(quote)) return at
  for (at++; at < text.length && text[at] !== quote; at++) if (text[at] === "\\") at++
  return at + 1
}

/** The parts of what is in the brackets that open at `open`, and the index of the bracket that closes them. */
const insideBrackets = (
  text: string,
  open: number
): { readonly parts: ReadonlyArray<string>; readonly close: number } => {
  const parts: Array<string> = []
  let depth = 0
  let begin = open + 1
  for (let at = open; at < text.length; at++) {
    const next = skipText(text, at)
    if (next > at) at = next - 1
    else if (/[([{]/.test(text.charAt(at))) depth++
    else if (/[)\]}]/.test(text.charAt(at))) depth--
    if (depth > 1 || next > at || !(depth === 0 || (depth === 1 && text[at] === ","))) continue
    parts.push(text.slice(begin, at))
    begin = at + 1
    if (depth === 0) return { parts: parts.filter((part) => part.trim() !== ""), close: at }
  }
  throw new Error(`A bracket is not closed: ${text.slice(open, open + 60)}`)
}

type Rewrite = (parts: ReadonlyArray<string>) => string | undefined

/** `self.pipe(f(rest))`, or `f(rest)` when a call has one argument less. */
const dual =
  (arity: number, name: string, rest: (parts: ReadonlyArray<string>) => string): Rewrite =>
  (parts) =>
    parts.length < arity ? `${name}(${rest(parts)})` : `${name}(${parts[0]}, ${rest(parts.slice(1))})`
const provide = (service: string): Rewrite => dual(2, "Effect.provideService", ([value = ""]) => `${service}, ${value}`)
const check =
  (name: string): Rewrite =>
  (parts) =>
    `Schema.check(Schema.${name}(${parts.join(",")}))`
const noName = (parts: ReadonlyArray<string>) => parts.map((part) => part.replace(/\breason: /, "_tag: ")).join(",")
/** The metric of a tagged key. */
const metricOf = (key: string): string | undefined => {
  const tagged = key.indexOf("MetricKey.taggedWithLabels(")
  if (tagged < 0) return undefined
  const [inner = "", labels] = insideBrackets(key, key.indexOf("(", tagged)).parts
  const [name, second, description] = insideBrackets(inner, inner.indexOf("(")).parts
  const attributes = `attributes: Object.fromEntries(${labels})`
  return inner.includes("MetricKey.histogram")
    ? `Metric.histogram(${name}, { boundaries: ${second}, description: ${description}, ${attributes} })`
    : `Metric.counter(${name}, { ...${second}, ${attributes} })`
}

/** A message is a text, no longer a function. */
const constantMessage = (annotations: string) =>
  annotations
    .replace(/message: \(\) => \(\{ message: (.*?), override: true \}\)/g, "message: $1")
    .replace(/message: \(\) =>/g, "message:")
const untilNone = (next: string | undefined) =>
  `Effect.mapError(${next}, (end) => (Option.isNone(end) ? Cause.Done() : end.value))`
const httpClientError = (reason: string, facts = "") =>
  `new HttpClientError.HttpClientError({ reason: new HttpClientError.${reason}(${facts.replace(/ reason: "\w+",?/, "")}) })`
const issue = "new SchemaIssue.InvalidValue"

/** Our functions that return an Either, which a generator of effects no longer yields. */
const eithers = [
  ..."BaseUrl.parse Deadlines.parse Retries.parse Concurrency.parse Wav.decode".split(" "),
  ..."parser.end validate validateOptions validateRequest encodeBody".split(" ")
]

/** Calls whose arguments have another form. `undefined` leaves a call as it is. */
const calls: Readonly<Record<string, Rewrite>> = {
  "Schema.Literal": (parts) =>
    parts.length === 1 && !/^\s*\.\.\./.test(parts[0] ?? "") ? undefined : `Schema.Literals([${parts.join(",")}])`,
  "Schema.Union": (parts) => (/^\s*\[/.test(parts[0] ?? "") ? undefined : `Schema.Union([${parts.join(",")}])`),
  "Schema.Tuple": (parts) => (/^\s*\[/.test(parts[0] ?? "") ? undefined : `Schema.Tuple([${parts.join(",")}])`),
  "Schema.Struct": ([fields, ...rest]) =>
    rest.length === 0 ? undefined : `Schema.StructWithRest(Schema.Struct(${fields}), [${rest.join(",")}])`,
  "Schema.declare": (parts) => `Schema.declare(${constantMessage(parts.join(","))})`,
  ".annotations": ([given = ""]) => {
    const [, fallback] = /^\s*\{ decodingFallback: \(\) => Effect\.succeed\((.*)\) \}\s*$/.exec(given) ?? []
    return fallback === undefined
      ? `.annotate(${constantMessage(given)})`
      : `.pipe(Schema.catchDecoding(() => Effect.succeedSome(${fallback})))`
  },
  "Duration.decodeUnknown": ([given]) => `Duration.fromInput(${given} as Duration.Input)`,
  "Schema.filter": check("makeFilter"),
  "Schema.pattern": check("isPattern"),
  "Schema.int": check("isInt"),
  "Schema.positive": () => "Schema.check(Schema.isGreaterThan(0))",
  "Schema.nonNegative": () => "Schema.check(Schema.isGreaterThanOrEqualTo(0))",
  "Schema.greaterThanOrEqualTo": check("isGreaterThanOrEqualTo"),
  "Schema.between": ([least, most]) => `Schema.check(Schema.isBetween({ minimum: ${least}, maximum: ${most} }))`,
  "Schema.minLength": check("isMinLength"),
  "Schema.maxLength": check("isMaxLength"),
  "Schema.compose": ([from, to]) => `${from}.pipe(Schema.decodeTo(${to}))`,
  "Schema.parseJson": (parts) =>
    parts.length === 0 ? "Schema.UnknownFromJsonString" : `Schema.fromJsonString(${parts.join(",")})`,
  ...Object.fromEntries(
    ["InvalidData", "MissingData"].map((name): [string, Rewrite] => [
      `ConfigError.${name}`,
      ([path, message]) =>
        `new Config.ConfigError(new Schema.SchemaError(${issue}({ message: \`\${(${path}).join(".")}: "\${${message}}"\` })))`
    ])
  ),
  ...Object.fromEntries(
    eithers.flatMap((name) =>
      ["yield* ", "Effect.flatMap(", "Effect.suspend(() => "].map((before): [string, Rewrite] => [
        `${before}${name}`,
        (parts) => `${before}Effect.fromResult(${name}(${parts.join(",")}))`
      ])
    )
  ),
  "Effect.filterOrDie": ([self, test, orDieWith]) =>
    `Effect.filterOrElse(${self}, ${test}, (value) => Effect.die((${orDieWith})(value as never)))`,
  "Effect.locally": dual(3, "Effect.provideService", (parts) => parts.join(",")),
  "Effect.repeatN": dual(2, "Effect.repeat", ([times]) => `{ times: ${times} }`),
  "Effect.withClock": provide("Clock.Clock"),
  "Effect.withConfigProvider": provide("ConfigProvider.ConfigProvider"),
  "Effect.withRandom": provide("Random.Random"),
  "Effect.zipLeft": dual(2, "Effect.tap", ([after]) => `() => ${after}`),
  "Cause.failures": ([cause]) => `${cause}.reasons.filter(Cause.isFailReason).map((reason) => reason.error)`,
  "Clock.make": () => "(Object.create(Effect.runSync(Clock.Clock)) as Clock.Clock)",
  "ConfigProvider.fromMap": ([map = ""]) =>
    `ConfigProvider.fromUnknown(${/^new Map\(Object\.entries\((.*)\)\)$/.exec(map.trim())?.[1] ?? `Object.fromEntries(${map})`})`,
  "Data.struct": ([fields = ""]) => fields,
  "Config.mapOrFail": ([config, f]) => `Config.mapEffect(${config}, (value) => Effect.fromResult((${f})(value)))`,
  "Config.zipWith": ([first, second, f]) =>
    `Config.map(Config.all([${first}, ${second}]), ([one, other]) => (${f})(one, other))`,
  "Fiber.join": ([fiber = ""]) => {
    const [, several] = /^Fiber\.all\((.*)\)$/.exec(fiber.trim()) ?? []
    return several === undefined ? undefined : `Fiber.joinAll(${several})`
  },
  "Fiber.interrupt": ([fiber]) => `Effect.andThen(Fiber.interrupt(${fiber}), Fiber.await(${fiber}))`,
  "Fiber.poll": ([fiber]) => `Effect.sync(() => Option.fromNullishOr(${fiber}.pollUnsafe()))`,
  "Stream.fromReadableStream": ([evaluate, onError]) =>
    onError === undefined ? undefined : `Stream.fromReadableStream({ evaluate: ${evaluate}, onError: ${onError} })`,
  "Fiber.interruptFork": ([fiber]) => `Effect.sync(() => ${fiber}?.interruptUnsafe())`,
  "FiberRef.getWith": ([reference, use]) =>
    reference === "FiberRef.currentMetricLabels"
      ? `Effect.flatMap(Effect.context<never>(), ${use})`
      : `Effect.flatMap(Effect.service(${reference}), ${use})`,
  "FiberRef.make": ([value]) => `Effect.sync(() => Context.Reference("test/Value", { defaultValue: () => ${value} }))`,
  "FiberRef.unsafeMake": ([value]) => `Context.Reference("test/Value", { defaultValue: () => ${value} })`,
  "Logger.replace": ([, logger]) => `Logger.layer([${logger}])`,
  "Logger.withMinimumLogLevel": provide("References.MinimumLogLevel"),
  "Runtime.runFork": ([runtime, effect, ...rest]) =>
    effect === undefined
      ? `Effect.runForkWith(${runtime})`
      : `Effect.runForkWith(${runtime})(${[effect, ...rest].join(",")})`,
  "Stream.acquireRelease": (parts) => `Stream.scoped(Stream.fromEffect(Effect.acquireRelease(${parts.join(",")})))`,
  "Stream.contextWithStream": (parts) =>
    `Stream.unwrap(Effect.contextWith(${parts.join(",").replace(/=>([\s\S]*)$/, "=> Effect.succeed($1)")}))`,
  "Stream.mapConcat": ([self, f]) =>
    f === undefined
      ? `Stream.flatMap((each) => Stream.fromIterable((${self})(each)))`
      : `Stream.flattenIterable(Stream.map(${self}, ${f}))`,
  "Metric.fromMetricKey": ([key = ""]) => metricOf(key),
  "MetricLabel.make": (parts) => `[${parts.join(",")}] as const`,
  "Random.fixed": ([values]) =>
    `((given: ReadonlyArray<number>) => ({ nextDoubleUnsafe: () => given[0] ?? 0, nextIntUnsafe: () => 0 }))(${values})`,
  "Stream.repeatEffectChunkOption": ([next]) => `Stream.fromIterableEffectRepeat(${untilNone(next)})`,
  "Stream.repeatEffectOption": ([next]) => `Stream.fromEffectRepeat(${untilNone(next)})`,
  "Stream.repeatValue": ([value]) => `Stream.forever(Stream.succeed(${value}))`,
  "Stream.toPull": ([stream]) =>
    `Effect.map(Stream.toPull(${stream}), Effect.mapError((end) => (Cause.isDone(end) ? Option.none() : Option.some(end))))`,
  "Stream.unfold": ([from, next]) =>
    `Stream.unfold(${from}, (state) => Effect.sync(() => Option.getOrUndefined((${next})(state))))`,
  "new HttpClientError.RequestError": ([facts]) => httpClientError("TransportError", facts),
  "new HttpClientError.ResponseError": ([facts]) => httpClientError("DecodeError", facts),
  "new SystemError": (parts) => `systemError(${noName(parts)})`,
  "new BadArgument": (parts) => `badArgument(${parts.join(",")})`,
  "Chunk.toReadonlyArray": ([chunk = ""]) => chunk,
  "Chunk.toArray": ([chunk = ""]) => chunk,
  "Chunk.unsafeFromArray": ([array = ""]) => array,
  "Chunk.of": (parts) => `[${parts.join(",")}]`,
  "Chunk.isEmpty": ([chunk]) => `${chunk}.length === 0`,
  "Chunk.isNonEmpty": ([chunk]) => `${chunk}.length > 0`,
  "Chunk.headNonEmpty": ([chunk]) => `(${chunk}[0] as Uint8Array)`,
  "Chunk.tailNonEmpty": ([chunk]) => `${chunk}.slice(1)`,
  "Chunk.every": ([chunk, test]) => `${chunk}.every(${test})`,
  "Chunk.flatMap": ([chunk, f]) => `${chunk}.flatMap(${f})`
}

const rewriteCall = (text: string, name: string, rewrite: Rewrite): string => {
  let done = ""
  let rest = 0
  for (let at = text.indexOf(`${name}(`); at >= 0; at = text.indexOf(`${name}(`, Math.max(at + 1, rest))) {
    if (!name.startsWith(".") && /[\w.]/.test(text.charAt(at - 1))) continue
    const { close, parts } = insideBrackets(text, at + name.length)
    // Calls inside the arguments come first: the result may hold the same name.
    const rewritten = rewrite(parts.map((part) => rewriteCall(part, name, rewrite)))
    if (rewritten === undefined) continue
    done += text.slice(rest, at) + rewritten
    rest = close + 1
  }
  return done + text.slice(rest)
}

const rewriteCalls = (text: string): string =>
  Object.entries(calls).reduce((rewritten, [name, rewrite]) => rewriteCall(rewritten, name, rewrite), text)

type Replacement = readonly [pattern: RegExp, replacement: string]

/** What has another form in a way that a pattern can see. */
const patterns: ReadonlyArray<Replacement> = [
  [/Context\.Tag\(\s*("[^"]+"|`[^`]+`)\s*\)(<[\s\S]*?>)\(\)/g, "Context.Service$2()($1)"],
  [/Schema\.Record\(\{ key: (.*?), value: (.*) \}\)/g, "Schema.Record($1, $2)"],
  [/Schema\.UUID\b/g, "Schema.String.check(Schema.isUUID())"],
  [/Schema\.NonNegativeInt\b/g, "Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))"],
  [/\bit\.scopedLive\b/g, "it.live"],
  [/\bit\.scoped\b/g, "it.effect"],
  [/Effect\.yieldNow\(\)/g, "Effect.yieldNow"],
  [/\(fc\) =>/g, '(fc: typeof import("fast-check")) =>'],
  [/\.(omit|pick)\(("[^)]*")\)/g, ".mapFields(Struct.$1([$2]))"],
  [/const \{ right \} = /g, "const { success: right } = "],
  [/\bSchema\.Schema\.Any\b/g, "Schema.Top"],
  [/ *yield\* FiberRef\.set\(.*\)\n/g, ""],
  [/\b([A-Z]\w+)\["Type"\]/g, '$1["Service"]'],
  [/\bLayer\.Layer\.Context</g, "Layer.Services<"],
  [/\.seek\((\d+),/g, ".seek($1n,"],
  [/\.unsafeUpdate\(/g, ".updateUnsafe("],
  [/\{ \.\.\.options, captureStackTrace: false \}/g, "options"],
  [/\bHttpApp\.Default</g, "Effect.Effect<HttpServerResponse.HttpServerResponse, "],
  [/\bsize === 0n/g, "Number(size) === 0"],
  [/\bEffect\.Effect\.(Success|Error|Context)</g, "Effect.$1<"],
  [/\berror\._tag === "BadArgument"/g, 'error.reason._tag === "BadArgument"'],
  [/systemError\(\{ \.\.\.error,/g, "systemError({ ...error.reason,"],
  [/\berror\._tag === "ResponseError"/g, '"response" in error.reason'],
  [/Schema\.Literal<\[/g, "Schema.Literals<["],
  [/\bdisableValidation:/g, "disableChecks:"],
  [/\bChunk\.unsafeHead\b/g, "((chunk) => chunk[0])"],
  [/import \{ effect, it, layer, scoped \}/g, "import { effect, it, layer }"],
  [/Object\.assign\(it, \{ effect, layer, scoped \}\)/g, "Object.assign(it, { effect, layer })"],
  [/Context\.Tag</g, "Context.Service<"],
  [/Config\.Config\.Wrap</g, "Config.Wrap<"],
  [/Schema\.Schema<(?=\w+(?:<\w+>)?, )/g, "Schema.Codec<"],
  [/ExecutionStrategy\.(sequential|parallel)\b/g, '"$1"'],
  [/\bFiber\.void\b/g, "Effect.runFork(Effect.void)"],
  [/\bEffect\.mapError\(Cause\.originalError\),\s*/g, ""],
  [/\bEffect\.merge\b/g, "Effect.catch((error) => Effect.succeed(error))"],
  [/(?<!new )HttpClientError\.(Request|Response)Error\b/g, "HttpClientError.HttpClientError"],
  [/\bstring16bits\(\{/g, 'string({ unit: "binary",'],
  [/Runtime\.defaultRuntime\b/g, "Context.empty()"],
  [/LogLevel\.(All|None|Debug|Info|Error)\b(?!\.)/g, '"$1"'],
  [/LogLevel\.Warning\b(?!\.)/g, '"Warn"'],
  [/logLevel\.ordinal >= LogLevel\.Warning\.ordinal/g, 'LogLevel.isGreaterThanOrEqualTo(logLevel, "Warn")'],
  [
    /Effect\.withUnhandledErrorLogLevel\((\w+), Option\.none\(\)\)/g,
    "Effect.provideService($1, References.UnhandledLogLevel, undefined)"
  ],
  [/\.unsafePoll\(\) (!==|===) null/g, ".pollUnsafe() $1 undefined"],
  [/\.unsafeInterruptAsFork\(FiberId\.none\)/g, ".interruptUnsafe()"],
  [/Exit\.interrupt\(FiberId\.none\)/g, "Exit.interrupt()"],
  [/\bunsafeCurrentTime(Nanos|Millis)\b/g, "currentTime$1Unsafe"],
  [/\.unsafeOffer\(/g, ".offerUnsafe("],
  [/\.seek\(FileSystem\.Size\(/g, ".seek(BigInt("],
  [/\b(truncate|readAlloc)\(FileSystem\.Size\((.*?)\)\)/g, "$1($2)"],
  [/FileSystem\.Size\b(?!Input)/g, "ByteSize.bytes"],
  [/FileSystem\.SizeInput\b/g, "number"],
  [/FileSystem\.OpenFileOptions\b/g, 'NonNullable<Parameters<FileSystem.FileSystem["open"]>[1]>'],
  [
    /isPlatformError\((\w+)\) && \1\._tag === "SystemError" && \1\.reason === /g,
    "$1 instanceof PlatformError && $1.reason._tag === "
  ],
  [/\berror\._tag === "SystemError"/g, 'error.reason._tag !== "BadArgument"'],
  [/\bSystemErrorReason\b/g, "SystemErrorTag"],
  [/\bChunk\.(Chunk|NonEmptyChunk)</g, "ReadonlyArray<"],
  [/\bChunk\.empty(<[^>]+>)\(\)/g, "([] as ReadonlyArray$1)"],
  [/\bEither\./g, "Result."],
  [/(_tag(?: ===|:)) "Left"/g, '$1 "Failure"'],
  [/(_tag(?: ===|:)) "Right"/g, '$1 "Success"']
]

const escapeDot = (text: string) => text.replaceAll(".", "\\.")
const aliasOf = (module: string) => module.slice(module.lastIndexOf("/") + 1)

const moveModules = (text: string): string =>
  text.replace(
    /(from|import\()(\s*)"((?:effect|@effect\/platform(?:-node)?)\/\w+)"/g,
    (all, word, space, module: string) => {
      const moved = modules[module] ?? module.replace(/^@effect\/platform\//, "effect/http/")
      if (module === "effect/FiberId" || module === "effect/FiberRef" || module === "effect/Runtime") return all
      return moved === module ? all : `${word}${space}"${moved}"`
    }
  )

/** The classes of platform errors became functions and one class. */
const platformErrors = (text: string): string =>
  text.replace(
    /import (type )?\{([^}]*)\} from "effect\/PlatformError"/g,
    (_, type: string | undefined, inside: string) => {
      const imported = inside
        .split(",")
        .map((each) => each.trim())
        .map((each) => (each === "SystemError" ? "systemError" : each === "BadArgument" ? "badArgument" : each))
        .map((each) => (each === "isPlatformError" ? "PlatformError" : each))
      return `import ${type ?? ""}{ ${[...new Set(imported.map((each) => each.replace(/^type (?=PlatformError$)/, imported.includes("PlatformError") ? "" : "type ")))].join(", ")} } from "effect/PlatformError"`
    }
  )

const renameExports = (text: string): string => {
  for (const [old, renamed] of Object.entries(names))
    text = text.replace(new RegExp(`(?<![\\w.])${escapeDot(old)}\\b`, "g"), renamed)
  return text
}

/** Modules that the rules bring into a file. */
const homes: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    "ByteSize Cause Struct Clock Config Context Effect Latch Metric Option Random References Result Schema SchemaIssue Semaphore"
      .split(" ")
      .map((alias) => [alias, `effect/${alias}`])
  ),
  ConfigProvider: "effect/ConfigProvider",
  HttpServerResponse: "effect/http/HttpServerResponse"
}

/** Renames the imports whose module has another name, removes those that nothing uses, and adds those that are missing. */
const settleImports = (text: string): string => {
  const lines = /^import (type )?\* as (\w+) from "([^"]+)"\n/gm
  const used = (alias: string, body: string) => new RegExp(`(?<![\\w.])${alias}\\.`).test(body)
  const asValue = (alias: string, body: string) =>
    new RegExp(`(?<![\\w.]|typeof )${alias}\\.\\w+(?:\\(|,|\\))|(?<![\\w.]|typeof )${alias}\\.[a-z]`).test(body)
  const body = text.replace(lines, "").replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "")
  const seen = new Set<string>()
  let settled = text.replace(lines, (_, type: string | undefined, alias: string, module: string) => {
    const renamed = /^effect\/(Result|Config|SchemaIssue)$/.test(module) ? aliasOf(module) : alias
    if (seen.has(renamed) || !new RegExp(`\\b${renamed}\\b`).test(body)) return ""
    seen.add(renamed)
    return `import ${type !== undefined && !asValue(renamed, body) ? type : ""}* as ${renamed} from "${module}"\n`
  })
  for (const [alias, module] of Object.entries(homes)) {
    if (seen.has(alias) || !used(alias, body)) continue
    const first = /^import /m.exec(settled)
    if (first === null) continue
    const line = `import ${asValue(alias, body) ? "" : "type "}* as ${alias} from "${module}"\n`
    settled = settled.slice(0, first.index) + line + settled.slice(first.index)
  }
  return settled
}

/** A class that is a reference became a value. */
const references = (text: string): string => {
  const found = /export class (\w+) extends Context\.Reference<\1>\(\)\(/.exec(text)
  if (found === null) return text
  const open = found.index + found[0].length - 1
  const { close } = insideBrackets(text, open)
  const rest = text.slice(close + 1)
  if (!rest.startsWith(" {}")) return text
  return `${text.slice(0, found.index)}export const ${found[1]} = Context.Reference${text.slice(open, close + 1)}${rest.slice(3)}`
}

const renamedSide = (side: string) => (side.toLowerCase() === "left" ? "failure" : "success")

/** The fields of an `Either`, in a file that imports it, and what tests expect of one. */
const eitherFields = (text: string, isTest: boolean): string => {
  let changed = text
  if (/"effect\/Either"|\b(Effect|Stream)\.either\b|Schema\.decodeUnknownEither/.test(text)) {
    changed = changed
      .replace(
        /(?<=\b(?!(?:state|timer|this|Either)\b)\w+\??|[)\]])\.(left|right)\b(?!\()/g,
        (_, side) => `.${renamedSide(side)}`
      )
      .replace(/\bonLeft:/g, "onFailure:")
      .replace(/\bonRight:/g, "onSuccess:")
    if (isTest) changed = changed.replace(/(?<=[{,(]\s*)(left|right):/g, (_, side) => `${renamedSide(side)}:`)
  }
  if (!isTest) return changed
  return changed
    .replace(/(?<=toMatchObject\(\{\s*)(left|right):/g, (_, side) => `${renamedSide(side)}:`)
    .replace(
      /\{ _tag: "SystemError", reason, (\w+: \w+) \}/g,
      '{ _tag: "PlatformError", reason: { _tag: reason, $1 } }'
    )
    .replace(/\{ _tag: "SystemError"(?:, reason: ("\w+"))?/g, (_, reason?: string) =>
      reason === undefined ? '{ _tag: "PlatformError"' : `{ _tag: "PlatformError", reason: { _tag: ${reason} }`
    )
    .replace(/"(Left|Right)"/g, (_, side) => (side === "Left" ? '"Failure"' : '"Success"'))
}

/** A source for Effect 3, as far as the rules make it one for Effect 4. */
export const rewrite = (text: string, isTest: boolean): string => {
  let changed = rewriteCalls(moveModules(eitherFields(references(text), isTest)))
  changed = renameExports(changed)
  for (const [pattern, replacement] of patterns) changed = changed.replace(pattern, replacement)
  return settleImports(platformErrors(changed))
}
