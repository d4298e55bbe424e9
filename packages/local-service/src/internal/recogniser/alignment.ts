import { hop, makeFingerprinter, windowLength } from "./fingerprints.js"
import { isQuiet, type KnownSpeech, powerOf, quietLength, type Sentence } from "./knownSpeech.js"
import { differenceOf, lagReach, makeShaper, type Steps, sampleRate, tolerance } from "./waveforms.js"

/** A known sentence in an input. */
export interface Match {
  readonly sentence: Sentence
  /** In samples of the input: the beginning and the end of the sentence's sound. */
  readonly start: number
  readonly end: number
  readonly difference: number
  /** Whether it is quiet before the sentence, and after it. */
  readonly quietBefore: boolean
  readonly quietAfter: boolean
}

/** In samples: half a minute. Sentences are compared when so much has been read, or all. */
const batch = 30 * sampleRate

/** In samples: 50 ms. Two sentences with a shorter gap follow each other without a pause, or overlap by an encoder's doing. */
const joint = 0.05 * sampleRate

/** In hops: 15 seconds, more than the ten of an anchor. Votes that are older than two generations are not counted. */
const generation = 1500

/**
 * The most comparisons with sentences that would begin in the same quarter of a second. The same sentence may be known a thousand
 * times.
 */
const mostComparisons = 4

/** In samples: a quarter of a second. */
const place = sampleRate / 4

/** In hops: two candidates of one sentence that are closer than this are the same one. */
const sameStart = 3

interface Candidate {
  readonly sentence: Sentence
  /** In samples of the input. */
  readonly start: number
  /** The key of its votes. */
  readonly key: number
}

/**
 * Finds known sentences anywhere in an input, which arrives in blocks. Fingerprints vote for a sentence and its start; the
 * waveforms decide. It keeps as much of the input as the longest sentence needs.
 */
export const makeAligner = (known: KnownSpeech, lang: string) => {
  const shaper = makeShaper()
  const print = makeFingerprinter(1)
  const retained = known.longest() + 2 * lagReach + batch
  /** The latest part of the filtered input, from the sample `first` to the sample `length`. */
  let buffer = new Int16Array(0)
  let first = 0
  let length = 0
  let nextHop = 0
  let votes = new Map<number, number>()
  let earlierVotes = new Map<number, number>()
  let pending: Array<Candidate> = []
  const seen = new Map<Sentence, Array<number>>()
  const compared = new Map<number, number>()
  const matches: Array<Match> = []

  const append = (shape: Int16Array) => {
    if (length - first + shape.length > buffer.length) {
      const from = Math.max(first, length - retained)
      const needed = length - from + shape.length
      const kept = buffer.subarray(from - first, length - first)
      if (needed > buffer.length) {
        buffer = new Int16Array(Math.max(needed, Math.min(2 * needed, retained + batch)))
        buffer.set(kept)
      } else buffer.copyWithin(0, from - first, length - first)
      first = from
    }
    buffer.set(shape, length - first)
    length += shape.length
  }

  const votesOf = (key: number): number => (votes.get(key) ?? 0) + (earlierVotes.get(key) ?? 0)

  const propose = (sentence: Sentence, start: number, key: number) => {
    const starts = seen.get(sentence) ?? []
    if (starts.some((other) => Math.abs(other - start) <= sameStart)) return
    seen.set(sentence, [...starts, start])
    pending.push({ sentence, start: start * hop, key })
  }

  /** Counts the votes of all windows that are complete, or at the end of all windows. */
  const vote = (atEnd: boolean) => {
    const end = atEnd ? length : length - windowLength
    const input = buffer.subarray(0, length - first)
    for (; nextHop * hop < end; nextHop++) {
      if (nextHop % generation === generation - 1) {
        earlierVotes = votes
        votes = new Map()
      }
      const found = print(input, nextHop * hop - first)
      if (found === undefined) continue
      for (const fingerprint of found) {
        known.visit(fingerprint, (anchor, place, number) => {
          const { enough, offset, sentence } = anchor
          if ((sentence.recording.lang ?? lang) !== lang) return
          const start = nextHop - place
          const key = number * 2 ** 22 + start + 2 ** 12
          votes.set(key, (votes.get(key) ?? 0) + 1)
          if (votesOf(key) === enough) propose(sentence, start - offset, key)
        })
      }
    }
  }

  /** Compares the candidates that have been read whole, the likeliest first. */
  function* compare(atEnd: boolean): Steps<void> {
    const margin = lagReach + quietLength
    const isRead = ({ sentence, start }: Candidate) => atEnd || start + sentence.shape.length + margin <= length
    // Of the same votes, the latest first: most requests are for recent speech.
    const ready = pending.filter(isRead).reverse()
    const ranked = ready.map((candidate) => ({ ...candidate, votes: votesOf(candidate.key) }))
    pending = pending.filter((candidate) => !isRead(candidate))
    for (const { sentence, start } of ranked.sort((a, b) => b.votes - a.votes)) {
      const { loudest, shape } = sentence
      const comparisons = (compared.get(Math.round(start / place)) ?? 0) + 1
      if (comparisons > mostComparisons) continue
      compared.set(Math.round(start / place), comparisons)
      yield
      const input = buffer.subarray(0, length - first)
      const { difference, lag } = yield* differenceOf(shape, loudest, input, start - first)
      if (difference > tolerance) continue
      const from = Math.round(lag)
      const to = from + shape.length
      const power = powerOf(input, from, to)
      matches.push({
        sentence,
        start: first + from,
        end: first + to,
        difference,
        quietBefore: sentence.goesOnBefore || isQuiet(input, from - quietLength, from, power),
        quietAfter: sentence.goesOnAfter || isQuiet(input, to, to + quietLength, power)
      })
    }
  }

  return {
    /** Reads a block of samples. */
    *push(block: Float32Array): Steps<void> {
      append(shaper.push(block))
      vote(false)
      if (pending.length > 0 && length - first >= retained) yield* compare(false)
    },
    /** Returns the known sentences of the whole input, in order. */
    *flush(): Steps<ReadonlyArray<Match>> {
      append(shaper.flush())
      vote(true)
      yield* compare(true)
      return chosenOf(matches)
    }
  }
}

const inOrder = (a: Match, b: Match): number => a.start - b.start

/** Whether the second match continues the recording of the first. */
export const isNext = (a: Match, b: Match): boolean =>
  a.sentence.recording === b.sentence.recording &&
  b.sentence.position === a.sentence.position + 1 &&
  Math.abs(b.start - b.sentence.offset - (a.start - a.sentence.offset)) <= joint

/** Matches that have silence or another match at each end. */
const closed = (matches: ReadonlyArray<Match>): ReadonlyArray<Match> => {
  const isJoined = (at: number, side: "start" | "end") => matches.some((match) => Math.abs(match[side] - at) <= joint)
  const left = matches.filter(
    ({ end, quietAfter, quietBefore, start }) =>
      (quietBefore || isJoined(start, "end")) && (quietAfter || isJoined(end, "start"))
  )
  return left.length === matches.length ? left : closed(left)
}

/** Of matches that overlap, the one that explains most of the input. */
const chosenOf = (matches: ReadonlyArray<Match>): ReadonlyArray<Match> => {
  const candidates = closed(matches)
  const score = (match: Match): number => {
    const isNeighbour = candidates.some((other) => isNext(match, other) || isNext(other, match))
    return (match.end - match.start) * (1 - match.difference) * (isNeighbour ? 1.02 : 1)
  }
  const chosen: Array<Match> = []
  const ranked = candidates.map((match) => ({ match, score: score(match) })).sort((a, b) => b.score - a.score)
  for (const { match } of ranked) {
    const isFree = chosen.every(({ end, start }) => Math.min(end, match.end) - Math.max(start, match.start) <= joint)
    if (isFree) chosen.push(match)
  }
  return closed([...chosen].sort(inOrder))
}
