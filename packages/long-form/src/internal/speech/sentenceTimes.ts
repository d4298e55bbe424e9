/**
 * Finds the times of the sentences of a piece in its audio. The service states no times, so the ends of sentences are matched
 * with pauses of the audio. An end without a pause is estimated from the length of the text.
 */
import * as Silence from "@effect-speech/audio-codec/Silence"
import * as Sentences from "../../Sentences.js"
import { isSpeakable } from "../text/speakable.js"

/** A sentence and its time, in frames of the piece. */
export interface SentenceTime {
  readonly text: string
  /** Offset of the text in that of the piece, in UTF-16 units. */
  readonly offset: number
  readonly startFrame: number
  readonly endFrame: number
  /** Whether one of the times was not measured. */
  readonly estimated: boolean
}

/** The edges of a piece may be shorter than a pause in it. */
const pauseOptions = { minimum: "20 millis", thresholdDecibels: -45 } as const

/** The shortest pause that may end a sentence, in milliseconds. */
const shortestPause = 60

/** An end may lie this far from where its text suggests, in milliseconds, or half of the shorter sentence beside it. */
const leastDeviation = 500

/** Pairs of an end and a pause that are compared at most. Of more pauses, the longest ones are taken. */
const mostPairs = 4_000_000

/** Weight of the length of a pause against its place: a pause at the end of a sentence is longer than others. */
const lengthCounts = 3

export const sentenceTimes = (
  text: string,
  lang: string | undefined,
  samples: Float32Array,
  sampleRate: number
): ReadonlyArray<SentenceTime> => {
  const sentences = spokenSentences(text, lang)
  const found = Silence.pauses(samples, sampleRate, pauseOptions)
  const from = found[0]?.startSample === 0 ? found[0].endSample : 0
  const last = found.at(-1)
  const to =
    last !== undefined && last.endSample >= samples.length && last.startSample > from
      ? last.startSample
      : samples.length
  const pauses = withSpeech(
    found
      .map(({ endSample: end, startSample: start }) => ({ start, end }))
      .filter(({ end, start }) => start > from && end < to && end - start >= (shortestPause * sampleRate) / 1000),
    from
  )
  const speech = to - from - pauses.reduce((sum, { end, start }) => sum + end - start, 0)
  const weights = sentences.map(({ text }) => weightOf(text))
  const frames = scaled(weights, speech)
  const places = cumulative(frames).slice(0, -1)
  const compared = longest(pauses, Math.floor(mostPairs / (places.length + 1)))
  const matched = match(places, frames, compared, sampleRate)

  const ends = matched.map((pause) => (pause === undefined ? undefined : { from: pause.start, to: pause.end }))
  const known = [{ from, to: from }, ...ends, { from: to, to }]
  const placed = known.map((end, index) => end ?? between(known, weights, index))
  return sentences.map((sentence, index) => ({
    ...sentence,
    startFrame: (placed[index] as Gap).to,
    endFrame: (placed[index + 1] as Gap).from,
    estimated: known[index] === undefined || known[index + 1] === undefined
  }))
}

/** The end of one sentence and the start of the next. */
interface Gap {
  readonly from: number
  readonly to: number
}

/** A sentence of punctuation alone belongs to the one before. */
const spokenSentences = (
  text: string,
  lang: string | undefined
): ReadonlyArray<Pick<SentenceTime, "text" | "offset">> => {
  const all: Array<{ start: number; end: number; isSpoken: boolean }> = []
  for (const { endIndex: end, startIndex: start, text: sentence } of Sentences.split(text, { lang })) {
    const isSpoken = isSpeakable(sentence)
    const before = all.at(-1)
    if (before === undefined || (isSpoken && before.isSpoken)) all.push({ start, end, isSpoken })
    else {
      before.end = end
      before.isSpoken ||= isSpoken
    }
  }
  return all.map(({ end, start }) => {
    const sentence = text.slice(start, end)
    return { text: sentence.trim(), offset: start + sentence.length - sentence.trimStart().length }
  })
}

/** The time that a text takes, in letters. A digit is a word. */
const weightOf = (text: string): number =>
  1 + (text.match(/[\p{L}\p{M}]/gu) ?? []).length + 4 * (text.match(/\p{N}/gu) ?? []).length

const scaled = (weights: ReadonlyArray<number>, total: number): ReadonlyArray<number> => {
  const sum = weights.reduce((one, other) => one + other, 0)
  return weights.map((weight) => (weight / sum) * total)
}

const cumulative = (values: ReadonlyArray<number>): ReadonlyArray<number> => {
  let sum = 0
  return values.map((value) => {
    sum += value
    return sum
  })
}

/** A pause, in frames of the piece. */
interface Pause {
  readonly start: number
  readonly end: number
}

interface SpokenPause extends Pause {
  /** Frames of speech before it, without other pauses. */
  readonly speechBefore: number
}

const withSpeech = (pauses: ReadonlyArray<Pause>, from: number): ReadonlyArray<SpokenPause> => {
  let paused = 0
  return pauses.map(({ end, start }) => {
    const speechBefore = start - from - paused
    paused += end - start
    return { start, end, speechBefore }
  })
}

/** The longest pauses, in order. */
const longest = (pauses: ReadonlyArray<SpokenPause>, count: number): ReadonlyArray<SpokenPause> =>
  pauses.length <= count
    ? pauses
    : pauses
        .toSorted((one, other) => other.end - other.start - (one.end - one.start))
        .slice(0, count)
        .toSorted((one, other) => one.start - other.start)

/** The pause at each end of a sentence, in order. `undefined`: none fits. It is the cheapest of all assignments. */
const match = (
  places: ReadonlyArray<number>,
  frames: ReadonlyArray<number>,
  pauses: ReadonlyArray<SpokenPause>,
  sampleRate: number
): ReadonlyArray<SpokenPause | undefined> => {
  const least = (leastDeviation * sampleRate) / 1000
  const cost = (place: number, pause: number): number => {
    const { end, speechBefore, start } = pauses[pause] as SpokenPause
    const deviation = Math.abs(speechBefore - (places[place] as number))
    const limit = Math.max(least, Math.min(frames[place] as number, frames[place + 1] as number) / 2)
    return deviation > limit ? Number.POSITIVE_INFINITY : deviation - limit - lengthCounts * (end - start)
  }
  // costs[place][pause]: of the first places among the first pauses. An end without a pause costs nothing.
  const width = pauses.length + 1
  const costs = new Float64Array((places.length + 1) * width)
  const at = (place: number, pause: number): number => costs[place * width + pause] as number
  for (let place = 1; place <= places.length; place++) {
    costs[place * width] = 0
    for (let pause = 1; pause < width; pause++) {
      costs[place * width + pause] = Math.min(
        at(place - 1, pause),
        at(place, pause - 1),
        at(place - 1, pause - 1) + cost(place - 1, pause - 1)
      )
    }
  }
  const matched: Array<SpokenPause | undefined> = places.map(() => undefined)
  let pause = pauses.length
  for (let place = places.length; place > 0 && pause > 0; ) {
    if (at(place, pause) === at(place, pause - 1)) pause--
    else if (at(place, pause) === at(place - 1, pause)) place--
    else matched[--place] = pauses[--pause]
  }
  return matched
}

/** The end of a sentence by the length of the texts, between the known ends beside it. */
const between = (known: ReadonlyArray<Gap | undefined>, weights: ReadonlyArray<number>, index: number): Gap => {
  let before = index
  while (known[before] === undefined) before--
  let after = index
  while (known[after] === undefined) after++
  const sum = (from: number, to: number) => weights.slice(from, to).reduce((one, other) => one + other, 0)
  const start = (known[before] as Gap).to
  const end = (known[after] as Gap).from
  const at = Math.round(start + ((end - start) * sum(before, index)) / sum(before, after))
  return { from: at, to: at }
}
