/**
 * What a call costs, by the price of `Limits`: a credit is a started second of audio, or a code point of a text.
 *
 * A call is reserved at its highest cost before it begins. What it came to is counted by a {@link Tally}.
 */

/** What a call costs at most. */
export interface Cost {
  /** In credits. */
  readonly most: number
  /** Whether the file states its length. If not, `most` is an estimate by its size. */
  readonly isStated: boolean
}

export const nothing: Cost = { most: 0, isStated: true }

/** What is known of a recording before its call. */
export interface RecordingFacts {
  /** In bytes. */
  readonly size: number
  readonly container: string | undefined
  /** As its header states it. */
  readonly durationMillis: number | undefined
  /** The longest piece in milliseconds, if the recording is sent in pieces. */
  readonly pieceMillis: number | undefined
}

/** The lowest rate of speech in kbit/s, that of Opus (RFC 6716, section 2.1.1). Silence may have less. */
const lowestRate = 6

/** An estimate of the duration of so many bytes, in milliseconds. */
const estimated = (size: number): number => (size * 8) / lowestRate

/** What a decoder may give more than the header states, in milliseconds: a packet of Opus (RFC 6716, section 3.2.5). */
const longestPacket = 120

/** Started seconds. */
export const secondsOf = (millis: number): number => Math.ceil(millis / 1_000)

/** The most pieces of a recording: each but the last is longer than half of the longest one. */
const mostPieces = (millis: number, pieceMillis: number): number =>
  millis <= pieceMillis ? 1 : Math.floor(millis / (10 * Math.floor(pieceMillis / 20))) + 1

/** The highest cost of a recording: an estimate if its duration is not known. Each piece begins a second of its own. */
export const ofRecording = ({ container, durationMillis, pieceMillis, size }: RecordingFacts): Cost => {
  const isStated = durationMillis !== undefined
  const stated = durationMillis ?? estimated(size)
  if (pieceMillis === undefined) return { most: secondsOf(stated), isStated }
  const decoded = container === "wav" ? stated : stated + longestPacket
  return { most: secondsOf(decoded) + mostPieces(decoded, pieceMillis) - 1, isStated }
}

/** A piece whose result is known, now or from an earlier call. */
export interface PaidPiece {
  /** The id of the call that was paid. Equal pieces share one. */
  readonly call: string | undefined
  readonly credits: number
  /** It was sent now. */
  readonly isSent: boolean
}

/** What the pieces cost that earlier calls paid. */
export const ofKept = (pieces: ReadonlyArray<PaidPiece>): number => {
  const sent = new Set(pieces.filter(({ isSent }) => isSent).map(({ call }) => call))
  const kept = new Map(pieces.filter(({ call }) => !sent.has(call)).map(({ call, credits }) => [call, credits]))
  return [...kept.values()].reduce((sum, credits) => sum + credits, 0)
}

/** What the calls for one file came to. */
export interface Tally {
  /** A call is sent that costs so many credits. `id` names the call, such as the number of a piece. */
  readonly begun: (id: number, credits: number) => void
  /** So many of its attempts may be billed, and were repeated within the call. Default: 1. */
  readonly repeated: (id: number, attempts?: number) => void
  /** Its answer has arrived. */
  readonly paid: (id: number) => void
  /** Whether a call has begun. */
  readonly isBegun: () => boolean
  /** Whether a call has begun and has no answer. */
  readonly isOpen: () => boolean
  /** Credits of the calls that were paid or repeated and, unless it is certain that they were not billed, of those without an answer. */
  readonly spent: (billing: string) => number
}

export const makeTally = (): Tally => {
  let paid = 0
  let isBegun = false
  const open = new Map<number, number>()
  return {
    begun: (id, credits) => {
      isBegun = true
      open.set(id, credits)
    },
    repeated: (id, attempts = 1) => {
      paid += attempts * (open.get(id) ?? 0)
    },
    paid: (id) => {
      paid += open.get(id) ?? 0
      open.delete(id)
    },
    isBegun: () => isBegun,
    isOpen: () => open.size > 0,
    spent: (billing) => (billing === "notBilled" ? paid : [...open.values()].reduce((sum, each) => sum + each, paid))
  }
}
