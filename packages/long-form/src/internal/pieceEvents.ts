import * as CallEvent from "@effect-speech/transport/CallEvent"

type PieceEvent =
  | { readonly _tag: "Called"; readonly number: number; readonly event: CallEvent.CallEvent }
  | { readonly _tag: "Planned" | "Kept" | "Silent" | "Started" | "Done" }

/** As for the events of one call: later progress of the upload of the same piece. */
export const replaces = (later: PieceEvent, earlier: PieceEvent): boolean =>
  later._tag === "Called" &&
  earlier._tag === "Called" &&
  later.number === earlier.number &&
  CallEvent.replaces(later.event, earlier.event)
