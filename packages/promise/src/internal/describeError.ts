/**
 * What an error says, as plain data: that of the Effect clients, and of the few tags that only this package has.
 */
import { isPlatformError, type PlatformError } from "@effect/platform/Error"
import { WavError } from "@effect-speech/audio-codec/WavError"
import { withLink, withoutLink } from "@effect-speech/common/ErrorPage"
import * as Printable from "@effect-speech/common/Printable"
import { codeOrName, isTooManyOpenFiles, systemCode } from "@effect-speech/common/SystemCode"
import { PieceStoreError } from "@effect-speech/long-form/PieceStore"
import { SttError } from "@effect-speech/stt/SttError"
import { nothingSent } from "@effect-speech/transport/CallReport"
import { TtsError } from "@effect-speech/tts/TtsError"
import * as ConfigError from "effect/ConfigError"
import type { CallReport } from "../Call.js"
import type { Category, CommonFacts, ErrorFacts, SpeechErrorJson } from "../ErrorFacts.js"
import { OutputRefused } from "./outputFile.js"
import { plain } from "./plain.js"

export type Described = Omit<SpeechErrorJson, "name">

type ServiceError = TtsError | SttError

const classes: ReadonlyMap<string, new (facts: object) => ServiceError> = new Map(
  [...TtsError.members, ...SttError.members].map((Class) => [
    Class._tag,
    Class as unknown as new (facts: object) => ServiceError
  ])
)

/** Describes an error of the Effect clients. `path` is the file that the call writes. `undefined`: it is a defect. */
export const describeError = (error: unknown, path = "the file"): Described | undefined => {
  if (isServiceError(error)) return describeServiceError(error)
  if (ConfigError.isConfigError(error)) return describeOption(problemOf(error))
  if (error instanceof PieceStoreError) return describePieceStoreError(error)
  if (error instanceof WavError) return describeFile({ path, operation: "writeFile" }, withoutLink(error.message))
  if (isPlatformError(error)) return describePlatformError(error, { path, operation: "writeFile" })
  if (error instanceof OutputRefused) {
    // The path of the reason may be that of the trial.
    return describePlatformError(error.reason, { path: error.path, operation: "openFile" }, error.path)
  }
  return undefined
}

/** Describes the error of this tag that has these facts, for a test. */
export const describeTag = <Tag extends keyof ErrorFacts>(
  tag: Tag,
  facts: Partial<ErrorFacts[Tag]>,
  call: Partial<CallReport>
): Described => {
  const error = toServiceError({ tag, facts, call: { ...noCall, ...call } })
  if (error !== undefined) return describeServiceError(error)
  if (!Object.hasOwn(ownErrors, tag)) throw new TypeError(`There is no error with the tag ${tag}.`)
  return { ...ownErrors[tag as keyof CommonFacts](facts), call: { ...noCall, ...call } }
}

/** The error of the Effect clients. `undefined`: none of them has this tag. */
export const toServiceError = ({
  call,
  facts,
  message,
  tag
}: Pick<SpeechErrorJson, "tag" | "facts" | "call"> & { readonly message?: string }): ServiceError | undefined => {
  const Class = classes.get(tag)
  return Class && new Class({ ...facts, call: withTags(call), ...(message === undefined ? {} : { message }) })
}

const noCall: CallReport = plain(nothingSent)

/** A tagged value as the Effect clients have it. */
export const withTag = ({ tag: _tag, ...fields }: { readonly tag: string }): object => ({ _tag, ...fields })

/** A report as the Effect clients have it. */
export const withTags = ({ piece, ...call }: CallReport): object =>
  piece === undefined ? call : { ...call, piece: withTag(piece) }

const isServiceError = (error: unknown): error is ServiceError =>
  error instanceof Error && "_tag" in error && classes.get(String(error._tag)) === error.constructor

const describeServiceError = (error: ServiceError): Described => {
  const { _tag: tag, call, message, ...facts } = error
  return {
    tag,
    category: error.category,
    retryable: error.retryable,
    message,
    facts: plain(facts),
    call: plain(call)
  }
}

const describe = <Tag extends keyof CommonFacts>(
  tag: Tag,
  category: Category,
  message: string,
  facts: CommonFacts[Tag],
  call: CallReport = noCall
): Described => ({ tag, category, retryable: false, message: withLink(Printable.line(message), tag), facts, call })

/** `during`: the client was closed while the call ran. */
export const describeClosed = (when: "before" | "during"): Described =>
  describe(
    "ClientClosed",
    "request",
    when === "before"
      ? "Nothing was sent: the client was closed. Connect again."
      : "The client was closed during the call. Close it after all calls.",
    {},
    when === "before" ? noCall : { ...noCall, billing: "unknown" }
  )

export const describeOption = (facts: CommonFacts["InvalidOption"]): Described =>
  describe("InvalidOption", "request", `Nothing was sent: ${facts.option} ${facts.problem}.`, facts)

/** The setting of a `ConfigError`, and what is wrong with it. */
const problemOf = (error: ConfigError.ConfigError): CommonFacts["InvalidOption"] => {
  if (error._op === "And" || error._op === "Or") return problemOf(error.left)
  const problem = error._op === "MissingData" ? `is missing: ${error.message}` : error.message
  return { option: error.path.join("."), problem }
}

/** Other calls of the same operation may be paid. */
const describeFile = (facts: CommonFacts["FileFailed"], message: string): Described =>
  describe("FileFailed", "file", message, plain(facts), {
    ...noCall,
    billing: facts.operation === "openPieces" || facts.operation === "openFile" ? "notBilled" : "unknown"
  })

const pieceOperations = { open: "openPieces", get: "readPiece", reserve: "reservePiece", put: "keepPiece" } as const

const describePieceStoreError = ({ code, message, operation, piece, store }: PieceStoreError): Described =>
  describeFile({ path: store, operation: pieceOperations[operation], code, piece: plain(piece) }, withoutLink(message))

const describePlatformError = (
  error: PlatformError,
  given: Pick<CommonFacts["FileFailed"], "path" | "operation">,
  // An open file is known by its descriptor, a number.
  path = error._tag === "SystemError" && typeof error.pathOrDescriptor === "string"
    ? error.pathOrDescriptor
    : given.path
): Described => {
  const code = systemCode(error)
  const isNoFile = code === undefined && error._tag === "SystemError" && error.reason === "BadResource"
  const problem = isNoFile
    ? ": it is a folder, a pipe or a socket. Write to a file."
    : causeOf(code ?? codeOrName(error))
  return describeFile({ path, operation: given.operation, code }, `${path} can't be written${problem}`)
}

const fullDisk = "the disk is full. Free some space, or write to another disk."
const noPermission = "this process has no permission. Change that of the folder, or write to another one."

const problems: ReadonlyMap<string, string> = new Map([
  ["ENOSPC", fullDisk],
  ["EDQUOT", fullDisk],
  ["ENOENT", "its folder does not exist. Create it, or write to another one."],
  ["EACCES", noPermission],
  ["EPERM", noPermission],
  ["EROFS", "the file system is read-only. Write to another disk."],
  ["EFBIG", "it may not be longer. Raise the limit of this process (ulimit -f), or write to another disk."],
  ["EISDIR", "it is a folder. Write to a file."],
  ["ENAMETOOLONG", "its name is too long for this system. Choose a shorter one."]
])

/** Why a file can't be written, as the end of a sentence, and what to do. */
const causeOf = (code: string): string => {
  if (isTooManyOpenFiles(code)) {
    return `: the process has too many open files (${code}). Raise the limit of open files (ulimit -n).`
  }
  const problem = problems.get(code)
  return problem === undefined ? ` (${code}). Write to a file in another folder.` : ` (${code}): ${problem}`
}

/** The errors of this package alone, with defaults for what a test does not give. */
const ownErrors: Readonly<Record<keyof CommonFacts, (given: object) => Described>> = {
  InvalidOption: (given) => describeOption({ option: "apiKey", problem: "is missing", ...given }),
  ClientClosed: () => describeClosed("before"),
  FileFailed: (given) => {
    const facts = { path: "speech.wav", operation: "writeFile", code: "ENOSPC", ...given } as const
    return describeFile(facts, `${facts.path} can't be written${causeOf(facts.code)}`)
  }
}
