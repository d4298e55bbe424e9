/** Checks the request and the options of a speech before anything is sent. */
import * as Issue from "@effect-speech/transport/unstable/Issue"
import { SynthesisRequest } from "@effect-speech/tts/SynthesisRequest"
import * as Contract from "@effect-speech/tts/TtsContract"
import { TtsInvalidRequest } from "@effect-speech/tts/TtsError"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type { Passage } from "../../Passages.js"
import { callback, concurrency, duration, gracePeriod, outage, whole } from "../optionRules.js"

/** Room for a point and the number of a piece: `.0000001`. */
const idSuffix = 8
const maximumId = 64 - idSuffix

const Text = Schema.String.pipe(Schema.filter((text) => Issue.inText(text) ?? true))

const Passages = Schema.Array(
  Schema.Struct({
    text: Text,
    lang: Schema.optional(Schema.String),
    voice: Schema.optional(Schema.String),
    speed: Schema.optional(Contract.Speed)
  })
)

const Fields = Schema.typeSchema(SynthesisRequest.omit("text", "requestId")).pipe(
  Schema.extend(
    Schema.Struct({
      requestId: Schema.optional(
        Schema.String.pipe(
          Schema.filter(
            (id) =>
              (Contract.requestIdPattern.test(id) && id.length <= maximumId) ||
              `must be 1 to ${maximumId} characters from letters, digits and . _ : -, since the number of the piece follows`
          )
        )
      )
    })
  )
)

const Pause = duration("0 seconds", "60 seconds")

const Options = Schema.Struct({
  maximumCodePoints: whole(1, 10_000),
  firstCodePoints: whole(1, 10_000),
  concurrency,
  pauses: Schema.optional(
    Schema.Struct({
      paragraph: Pause,
      line: Pause,
      sentence: Pause,
      clause: Pause,
      word: Pause,
      cluster: Pause
    })
  ),
  edgeSilence: Pause,
  fade: Pause,
  differentFormat: Schema.optional(Schema.Literal("resample", "fail")),
  outage,
  gracePeriod,
  onEvent: callback
})

const decodePassages = Issue.strictly(Passages)
const decodeFields = Issue.strictly(Fields)
const decodeOptions = Issue.strictly(Options, "is not a known option")

const invalid = (field: string, problem: string) => Either.left(new TtsInvalidRequest({ field, problem }))

const checked = <A>(decoded: Either.Either<A, Issue.Issue>, within = ""): Either.Either<A, TtsInvalidRequest> =>
  Either.mapLeft(decoded, ({ field, problem }) => new TtsInvalidRequest({ field: `${within}${field}`, problem }))

/** The passages of a valid request. A text is one passage. Nothing of the other fields is changed. */
export const validate = (
  request: { readonly text: string | ReadonlyArray<Passage> },
  options: object
): Either.Either<ReadonlyArray<Passage>, TtsInvalidRequest> =>
  Either.gen(function* () {
    const { text, ...fields } = request
    yield* checked(decodeOptions(options))
    yield* checked(decodeFields(fields))
    yield* checkJson(fields)
    if (typeof text === "string") {
      const problem = Issue.inText(text)
      if (problem !== undefined) return yield* invalid("text", problem)
    }
    // Other iterables, such as a generator, may have nothing left for the next run.
    else if (!Array.isArray(text)) return yield* invalid("text", "must be a string, or an array of passages")
    else yield* checked(decodePassages(text), "text.")
    const passages = typeof text === "string" ? [{ text }] : text
    if (passages.every((passage) => passage.text === "")) return yield* invalid("text", "must not be empty")
    return passages
  })

/** The cache key of a piece is made from these fields, as JSON. */
const checkJson = (fields: object): Either.Either<void, TtsInvalidRequest> =>
  Either.try({
    try: () => void JSON.stringify(fields),
    catch: () =>
      new TtsInvalidRequest({
        field: "g2pOverrides or additionalFields",
        problem: "must be a value that JSON can hold"
      })
  })
