import * as Issue from "@effect-speech/transport/unstable/Issue"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { SynthesisRequest } from "../SynthesisRequest.js"
import * as Contract from "../TtsContract.js"
import { TtsInvalidRequest } from "../TtsError.js"

const decodeRequest = Issue.strictly(Schema.typeSchema(SynthesisRequest))

/** Checks a request as the client does before it sends anything. */
export const validate = (request: SynthesisRequest): Either.Either<SynthesisRequest, TtsInvalidRequest> =>
  Either.mapLeft(decodeRequest(request), (issue) => new TtsInvalidRequest(issue))

const encoder = new TextEncoder()

/** Encodes the fields that the caller set, and the records as they were given. JSON omits undefined fields. */
export const encodeBody = (
  request: SynthesisRequest,
  { additionalFields, g2pOverrides }: Pick<SynthesisRequest, "additionalFields" | "g2pOverrides">
): Either.Either<Uint8Array, TtsInvalidRequest> => {
  const body: Contract.SynthesisBody = {
    text: request.text,
    lang: request.lang,
    voice: request.voice,
    output_format: request.outputFormat,
    speed: request.speed,
    num_step: request.numStep,
    g2p_overrides: g2pOverrides
  }
  return Either.try({
    try: () => encoder.encode(JSON.stringify({ ...additionalFields, ...body })),
    // Only these fields can hold values that are not JSON.
    catch: () =>
      new TtsInvalidRequest({
        field: additionalFields === undefined ? "g2pOverrides" : "g2pOverrides or additionalFields",
        problem: "must be a value that JSON can hold"
      })
  })
}

/** The headers of a request, without the key. */
export const headersOf = (sentId: string): Readonly<Record<string, string>> => ({
  "Content-Type": "application/json",
  "Accept-Encoding": "identity",
  [Contract.header.requestId]: sentId
})
