/** The whole text of a run, and the subtitles of a recording. It is loaded when one of them is asked for. */
import * as SegmentReader from "@effect-speech/long-form/SegmentReader"
import * as Subtitles from "@effect-speech/long-form/Subtitles"
import { type Segment, segmentsOf } from "@effect-speech/long-form/unstable/Segments"
import * as SttContract from "@effect-speech/stt/SttContract"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { RequestDetails } from "../../../src/internal/console/messages.js"
import { call } from "../api.js"
import type { RunCall } from "./groupRuns.js"

export interface WholeText {
  readonly text: string
  /** In the time of the recording. Those whose `times` are `piece` are as long as their piece. */
  readonly segments: ReadonlyArray<Segment>
}

export type Reading =
  | { readonly ok: true; readonly value: WholeText }
  | { readonly ok: false; readonly problem: string }

const decodeBody = Schema.decodeUnknownEither(Schema.parseJson(SttContract.Success))

const readsAtOnce = 4

/** The response of a call, in the time of its recording. */
const readCall = async ({ latest, piece }: RunCall, following: RunCall | undefined): Promise<Reading> => {
  const outcome = await call("GET", `platform/api/requests/${latest.number}`, RequestDetails)
  if (!outcome.ok && outcome.status !== 404) return { ok: false, problem: outcome.failure.message }
  const body = outcome.ok ? outcome.value.response?.body : undefined
  if (body === undefined || body === null) {
    return {
      ok: false,
      problem: `The service no longer keeps the response of request ${latest.number}. Transcribe the recording again: its pieces cost nothing if your program keeps them.`
    }
  }
  const startMillis = piece?.startMillis ?? 0
  const millis = latest.audioMillis ?? (following?.piece?.startMillis ?? Number.MAX_SAFE_INTEGER) - startMillis
  return Either.match(decodeBody(body), {
    onLeft: () => ({
      ok: false,
      problem: `The response of request ${latest.number} can't be read: it is longer than the service keeps, or not as the contract says.`
    }),
    onRight: ({ aux_info: auxInfo, text }) => ({
      ok: true,
      value: {
        text: text.trim(),
        segments: segmentsOf(
          { startMillis, endMillis: startMillis + millis },
          { text, auxInfo },
          SegmentReader.localService
        ).segments
      }
    })
  })
}

/** Reads the transcripts of the pieces of a recording, a few at once. `onRead` gets how many are read. */
export const readTranscript = async (
  calls: ReadonlyArray<RunCall>,
  onRead: (count: number) => void
): Promise<Reading> => {
  const done = calls.filter(({ state }) => state === "done")
  const read: Array<WholeText> = []
  for (let at = 0; at < done.length; at += readsAtOnce) {
    const few = done.slice(at, at + readsAtOnce)
    for (const reading of await Promise.all(few.map((each, index) => readCall(each, done[at + index + 1])))) {
      if (!reading.ok) return reading
      read.push(reading.value)
    }
    onRead(read.length)
  }
  const texts = read.map(({ text }) => text).filter((text) => text !== "")
  return { ok: true, value: { text: texts.join(" "), segments: read.flatMap(({ segments }) => segments) } }
}

/** The texts of the pieces of a long text, in order. */
export const textOfPieces = (calls: ReadonlyArray<RunCall>): WholeText => ({
  text: calls
    .map(({ latest: { request } }) => request?.text)
    .filter((text) => typeof text === "string")
    .join(" "),
  segments: []
})

export const subtitles = (segments: ReadonlyArray<Segment>, format: "srt" | "vtt"): string => {
  const cues = Subtitles.layout(segments)
  return format === "srt" ? Subtitles.toSrt(cues) : Subtitles.toVtt(cues)
}
