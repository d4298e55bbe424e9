import { randomUUID } from "node:crypto"
import type * as HttpApp from "@effect/platform/HttpApp"
import * as HttpBody from "@effect/platform/HttpBody"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as SttContract from "@effect-speech/stt/SttContract"
import * as TtsContract from "@effect-speech/tts/TtsContract"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { OperationName } from "../../OperationName.js"
import type { Problem } from "../http/problems.js"
import type { KeptForm } from "../journal/details.js"
import type { FoundRequest, OpenEntry } from "../journal/entry.js"
import type { JournalService } from "../journal/journal.js"
import { inProcessClient } from "./inProcess.js"
import type { Replayed } from "./messages.js"
import { replayProblem } from "./requestDetails.js"

/** Runs an operation without a key, with a journal. */
export type OperationWith = (
  operation: OperationName,
  journal: (journal: JournalService) => JournalService
) => HttpApp.Default<never, Scope.Scope>

/** As long as a call of the clients takes at most. */
const longest = "10 minutes"

/**
 * Sends a request again as it was received, with a new id. Returns when it has begun, and goes on in `scope`: the journal says how it ends.
 */
export const replayRequest = (
  found: FoundRequest,
  operationWith: OperationWith,
  scope: Scope.Scope
): Effect.Effect<Replayed, Problem> =>
  Effect.gen(function* () {
    const problem = replayProblem(found)
    if (problem !== undefined) {
      return yield* Effect.fail<Problem>({
        status: 409,
        message: `request ${found.entry.number} can't be sent again: ${problem}`
      })
    }
    const begun = yield* Deferred.make<OpenEntry>()
    const app = operationWith(found.entry.operation, (journal) => ({
      ...journal,
      begin: (request) => {
        const entry = journal.begin(request)
        Deferred.unsafeDone(begun, Effect.succeed(entry))
        return entry
      }
    }))
    const client = yield* inProcessClient(app)
    yield* Effect.flatMap(client.execute(requestOf(found)), ({ stream }) => Stream.runDrain(stream)).pipe(
      Effect.ignore,
      Effect.timeoutOption(longest),
      Effect.zipRight(Deferred.die(begun, "the replay ended before it began")),
      Effect.forkIn(scope)
    )
    const { number } = yield* Deferred.await(begun)
    return { number }
  })

/** The address does not matter: the client has one service. */
const requestOf = ({ audio, details }: FoundRequest): HttpClientRequest.HttpClientRequest => {
  const { body, head } = details
  const request = HttpClientRequest.post(new URL(head.path, "http://localhost")).pipe(
    HttpClientRequest.setHeaders(head.headers.filter(([name]) => name.toLowerCase() === "content-encoding"))
  )
  if (body?._tag === "Form") {
    const boundary = `effect-speech-${randomUUID()}`
    const form = formStream(body, boundary, audio?.stream ?? Stream.empty)
    return HttpClientRequest.setBody(request, HttpBody.stream(form, `multipart/form-data; boundary=${boundary}`))
  }
  const [, contentType] = head.headers.find(([name]) => name.toLowerCase() === "content-type") ?? []
  return request.pipe(
    HttpClientRequest.setHeader(TtsContract.header.requestId, randomUUID()),
    HttpClientRequest.setBody(HttpBody.uint8Array(body?.bytes ?? new Uint8Array(0), contentType))
  )
}

/** The same form, with a new transaction id. */
const formStream = (
  { fields, file }: KeptForm,
  boundary: string,
  bytes: Stream.Stream<Uint8Array, unknown>
): Stream.Stream<Uint8Array, unknown> => {
  const parts = fields.map(([name, value]) => part(boundary, dispositionOf(name), "", newId(name, value)))
  const end = `--${boundary}--\r\n`
  if (file === undefined) return Stream.encodeText(Stream.make(parts.join("") + end))
  const { fieldsBefore, fileName, mediaType } = file
  const disposition = dispositionOf(SttContract.field.audioFile, fileName)
  const before = parts.slice(0, fieldsBefore).join("") + part(boundary, disposition, `Content-Type: ${mediaType}\r\n`)
  const after = `\r\n${parts.slice(fieldsBefore).join("")}${end}`
  return Stream.encodeText(Stream.make(before)).pipe(
    Stream.concat(bytes),
    Stream.concat(Stream.encodeText(Stream.make(after)))
  )
}

const part = (boundary: string, disposition: string, headers: string, value?: string): string =>
  `--${boundary}\r\n${disposition}${headers}\r\n${value === undefined ? "" : `${value}\r\n`}`

const dispositionOf = (name: string, fileName?: string): string =>
  `Content-Disposition: form-data; name=${quoted(name)}${fileName === undefined ? "" : `; filename=${quoted(fileName)}`}\r\n`

const quoted = (name: string): string => `"${name.replace(/["\\]/g, "\\$&")}"`

const isUuid = Schema.is(Schema.UUID)

/** An id that was refused stays, so that it is refused again. */
const newId = (name: string, value: string): string =>
  name === SttContract.field.transactionId && isUuid(value) ? randomUUID() : value
