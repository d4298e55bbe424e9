import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { field, file, form, model, transactionId } from "../blackbox/support/messages.js"
import { recording, replaying, start, synthesize, temporaryFolder, transcribe } from "./support.js"

/** The headers that a client reads. */
const contractHeaders = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith("x-") || name.startsWith("content-")))

it.scopedLive("a replay gives the recorded responses byte for byte, with the ids of the new requests", () =>
  Effect.gen(function* () {
    const real = yield* start()
    const folder = yield* temporaryFolder
    const requests = (service: typeof real, id: string) =>
      Effect.all([
        synthesize(service, { text: "Platform two", lang: "en" }, { "X-Request-Id": id }),
        synthesize(service, { text: "(wait) eins", lang: "en", output_format: "8000:pcm16" }, { "X-Request-Id": id }),
        synthesize(service, { text: "x", lang: "xx" }, { "X-Request-Id": id }),
        transcribe(service, form(field("model", model), field("transaction_id", transactionId), file()))
      ])
    const recorded = yield* recording(folder, real, (service) => requests(service, "first"))
    expect(recorded.map(({ status }) => status)).toEqual([200, 200, 400, 200])
    const replayed = yield* replaying(folder, (service) => requests(service, "second"))
    replayed.forEach((answer, number) => {
      const { bytes, headers = {}, status } = recorded[number] ?? {}
      expect([answer.status, answer.bytes.equals(bytes ?? Buffer.alloc(0))]).toEqual([status, true])
      const id = number < 3 ? { "x-request-id": "second" } : {}
      expect(contractHeaders(answer.headers)).toEqual({ ...contractHeaders(headers), ...id })
    })
  })
)
