/** The recogniser of known recordings, as tests teach and ask it. */
import type { RecogniserService, Samples } from "@effect-speech/local-service/Recogniser"

/** What it learns and recognises, in English. Throws if it can't be taught. */
export const teachable = ({ knownRecordings, recognise }: RecogniserService) => {
  if (knownRecordings === undefined) throw new Error("this recogniser can't be taught")
  return {
    ...knownRecordings,
    recognise: <E = never, R = never>(samples: Samples<E, R>) =>
      recognise({ model: "en-general-v2-8khz", lang: "en", samples, hotwords: [] })
  }
}
