import type { Steps } from "@effect-speech/common/Cooperative"
import { hop, makeFingerprinter } from "./fingerprints.js"
import { isQuiet, type KnownSpeech, powerOf, quietLength, type Sentence } from "./knownSpeech.js"
import { windowLength } from "./spectrum.js"
import { blocksOf, differenceOf, lagReach, makeShaper, sampleRate, tolerance } from "./waveforms.js"

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

/** In samples: half a minute. Sentences are compared each time after so much of the input, and at its end. */
const batch = 30 * sampleRate

/** In samples: 50 ms. Two sentences with a shorter gap have no pause between them, or an encoder made them overlap. */
const joint = 0.05 * sampleRate

/** In hops: 15 seconds, more than the ten of an anchor. Votes that are older than two generations are not counted. */
const generation = 1500

/**
 * The most comparisons with sentences that would begin in the same quarter of a second: those with the most votes. The same
 * sentence may be known a thousand times.
 */
const mostComparisons = 4

/** In samples: a quarter of a second. */
const place = sampleRate / 4

const placeOf = (start: number): number => Math.round(start / place)

/** In samples: 30 ms. Two candidates of one sentence whose starts are at most this far apart are one candidate. */
const sameStart = 3 * hop

interface Candidate {
  readonly sentence: Sentence
  /** In samples of the input. */
  readonly start: number
  votes: number
}

/**
 * Finds known sentences anywhere in an input, which arrives in blocks. Fingerprints vote for a sentence and its start, then
 * its waveform is compared. Memory holds as much of the input as the longest sentence needs.
 */
export const makeAligner = (known: KnownSpeech, lang: string) => {
  const shaper = makeShaper()
  const print = makeFingerprinter(1)
  const longest = known.longest()
  const retained = longest + 2 * lagReach + batch
  const input = makeInput(retained)
  let nextHop = 0
  let votes = new Map<number, number>()
  let earlierVotes = new Map<number, number>()
  /** By the key of their votes. The last one to reach enough votes is last. */
  const pending = new Map<number, Candidate>()
  const matches: Array<Match> = []

  /** Counts the votes of all windows that are complete, or at the end of all windows. */
  const vote = (atEnd: boolean) => {
    const end = atEnd ? input.length() : input.length() - windowLength
    const first = input.first()
    const samples = input.samples()
    for (; nextHop * hop < end; nextHop++) {
      if (nextHop % generation === generation - 1) {
        earlierVotes = votes
        votes = new Map()
      }
      const found = print(samples, nextHop * hop - first)
      if (found === undefined) continue
      for (const fingerprint of found) {
        known.visit(fingerprint, (anchor, place, number) => {
          const { enough, offset, sentence } = anchor
          if ((sentence.recording.lang ?? lang) !== lang) return
          const start = nextHop - place
          const key = number * 2 ** 22 + start + 2 ** 12
          const count = (votes.get(key) ?? earlierVotes.get(key) ?? 0) + 1
          votes.set(key, count)
          if (count < enough) return
          const candidate = pending.get(key)
          if (candidate === undefined) pending.set(key, { sentence, start: (start - offset) * hop, votes: count })
          else candidate.votes = count
        })
      }
    }
  }

  /** Compares the likeliest candidates that have been read whole. */
  function* compare(atEnd: boolean): Steps<void> {
    // A candidate waits until the longest sentence would have been read: by then, all that begin in the same place have their votes.
    const decided = input.length() - longest - lagReach - quietLength - windowLength
    for (const { sentence, start } of likeliestOf(takeBefore(pending, atEnd ? Number.POSITIVE_INFINITY : decided))) {
      const { loudest, shape } = sentence
      yield
      const first = input.first()
      const samples = input.samples()
      const { difference, lag } = yield* differenceOf(shape, loudest, samples, start - first)
      if (difference <= tolerance) matches.push(matchOf(sentence, difference, samples, Math.round(lag), first))
    }
  }

  return {
    /** Reads samples. */
    *push(samples: Float32Array): Steps<void> {
      for (const block of blocksOf(samples)) {
        input.append(shaper.push(block))
        vote(false)
        if (pending.size > 0 && input.length() - input.first() >= retained) yield* compare(false)
        yield
      }
    },
    /** Returns the known sentences of the whole input, in order. */
    *flush(): Steps<ReadonlyArray<Match>> {
      input.append(shaper.flush())
      vote(true)
      yield* compare(true)
      return chosenOf(matches)
    }
  }
}

/** Removes the candidates that begin in an earlier place than `end`. Returns them, the latest first. */
const takeBefore = (pending: Map<number, Candidate>, end: number): ReadonlyArray<Candidate> => {
  const taken = [...pending].filter(([, { start }]) => placeOf(start) < placeOf(end))
  for (const [key] of taken) pending.delete(key)
  return taken.map(([, candidate]) => candidate).reverse()
}

/** A match at `from` in samples, before which there are `first` samples of the input. */
const matchOf = (sentence: Sentence, difference: number, samples: Int16Array, from: number, first: number): Match => {
  const to = from + sentence.shape.length
  const power = powerOf(samples, from, to)
  return {
    sentence,
    start: first + from,
    end: first + to,
    difference,
    quietBefore: sentence.speechBefore || isQuiet(samples, from - quietLength, from, power),
    quietAfter: sentence.speechAfter || isQuiet(samples, to, to + quietLength, power)
  }
}

/** The latest part of the filtered input: `retained` samples or more. */
const makeInput = (retained: number) => {
  let buffer = new Int16Array(0)
  let first = 0
  let length = 0
  return {
    /** The number of samples so far. */
    length: () => length,
    /** The number of samples before the part. */
    first: () => first,
    /** The part. It is valid until the next `append`. */
    samples: () => buffer.subarray(0, length - first),
    append: (shape: Int16Array): void => {
      if (length - first + shape.length > buffer.length) {
        const from = Math.max(first, length - retained)
        const needed = length - from + shape.length
        const left = buffer.subarray(from - first, length - first)
        if (needed > buffer.length) {
          buffer = new Int16Array(Math.max(needed, Math.min(2 * needed, retained + batch)))
          buffer.set(left)
        } else buffer.copyWithin(0, from - first, length - first)
        first = from
      }
      buffer.set(shape, length - first)
      length += shape.length
    }
  }
}

/** The candidates to compare: those with the most votes. If two have as many, the first: most requests are for recent speech. */
const likeliestOf = (candidates: ReadonlyArray<Candidate>): ReadonlyArray<Candidate> => {
  const ofSentence = new Map<Sentence, Array<Candidate>>()
  for (const candidate of [...candidates].sort(byVotes)) {
    const others = ofSentence.get(candidate.sentence) ?? []
    const same = others.find(({ start }) => Math.abs(start - candidate.start) <= sameStart)
    // If a sentence starts between two hops, each of them has a part of its votes.
    if (same !== undefined) same.votes += candidate.votes
    else ofSentence.set(candidate.sentence, [...others, candidate])
  }
  const compared = new Map<number, number>()
  return [...ofSentence.values()]
    .flat()
    .sort(byVotes)
    .filter(({ start }) => {
      const comparisons = (compared.get(placeOf(start)) ?? 0) + 1
      compared.set(placeOf(start), comparisons)
      return comparisons <= mostComparisons
    })
}

const byVotes = (a: Candidate, b: Candidate): number => b.votes - a.votes

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
