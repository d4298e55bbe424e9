import type { Steps } from "@effect-speech/common/Cooperative"
import { makeFingerprintIndex } from "./fingerprintIndex.js"
import { hop, makeFingerprinter } from "./fingerprints.js"
import { loudestStretch, sampleRate } from "./waveforms.js"

/** A sentence of a known recording. The recogniser finds a whole sentence, never a part of one. */
export interface Sentence {
  readonly text: string
  /** Position among the sentences of its recording. */
  readonly position: number
  readonly recording: KnownRecording
  /** The filtered samples, from the first sound to the last. */
  readonly shape: Int16Array
  /** Offset of the shape in its recording, in samples. */
  readonly offset: number
  /** The times that a result has, in samples from the beginning of the shape. */
  readonly start: number
  readonly end: number
  /** Start of the loudest stretch of the shape. */
  readonly loudest: number
  /** Whether there is speech right before the sentence, or right after it, without a pause. */
  readonly speechBefore: boolean
  readonly speechAfter: boolean
}

export interface KnownRecording {
  readonly text: string
  /** Language of the models that recognise it. `undefined`: all. */
  readonly lang: string | undefined
  /** Number of samples. */
  readonly length: number
  readonly sentences: ReadonlyArray<Sentence>
  /** The characters between each sentence and the next in the text. `undefined`: the text does not consist of the sentences. */
  readonly gaps: ReadonlyArray<string> | undefined
}

/** A part of a sentence, at most ten seconds long. Its fingerprints find it. */
export interface Anchor {
  readonly sentence: Sentence
  /** Offset in the sentence, in hops. */
  readonly offset: number
  /** The number of fingerprints that must be found. */
  readonly enough: number
}

/** A text with its time in a recording, in samples. */
export interface SampledText {
  readonly text: string
  readonly start: number
  readonly end: number
  /** Whether a result has these times. Otherwise it has those of the first and the last sound. */
  readonly exact: boolean
}

/** In fingerprints: ten seconds. */
const anchorLength = 500

/** In samples: 10 ms. */
const edgeStep = 0.01 * sampleRate

/** Fraction of the mean power: -20 dB. A quieter end is not part of the sentence. */
const edgeLevel = 0.01

/** In fingerprints. Sentences share words, so a few matches prove little. A short word has few fingerprints. */
const enoughOf = (length: number): number => (length < 40 ? 3 : Math.max(4, Math.ceil(length / 12)))

export const makeKnownSpeech = () => {
  let index = makeFingerprintIndex()
  /** By its number in the index. */
  let anchors = new Map<number, Anchor>()
  let nextAnchor = 0
  let recordings: Array<{
    readonly recording: KnownRecording
    readonly firstAnchor: number
    readonly endAnchor: number
    readonly fingerprints: number
  }> = []
  let length = 0
  let firstKept = 0

  return {
    /** The number of samples of all recordings. */
    length: () => length,
    visit: (fingerprint: number, visitor: (anchor: Anchor, place: number, number: number) => void) => {
      index.visit(fingerprint, (owner, place) => {
        const anchor = anchors.get(owner)
        if (anchor !== undefined) visitor(anchor, place, owner)
      })
    },
    /** The length of the longest sentence, in samples. */
    longest: () => {
      let longest = 0
      for (const { sentence } of anchors.values()) longest = Math.max(longest, sentence.shape.length)
      return longest
    },
    /** Stores a recording. */
    *add(text: string, lang: string | undefined, shape: Int16Array, timed: ReadonlyArray<SampledText>): Steps<void> {
      const recording = yield* recordingOf(text, lang, shape, timed)
      // The index is written at once, because others read it between two steps.
      const { made, prints } = yield* anchorsOf(recording.sentences, shape)
      const firstAnchor = nextAnchor
      for (const anchor of made) anchors.set(nextAnchor++, anchor)
      for (const [anchor, fingerprint, place] of prints) index.add(fingerprint, firstAnchor + anchor, 2 * place)
      recordings.push({ recording, firstAnchor, endAnchor: nextAnchor, fingerprints: prints.length })
      length += shape.length
    },
    /** Forgets the oldest recordings, until no more than `capacity` samples are left. */
    limit: (capacity: number) => {
      while (length > capacity && firstKept < recordings.length) {
        const oldest = recordings[firstKept++]
        if (oldest === undefined) break
        index.removeOldest(oldest.fingerprints)
        for (let number = oldest.firstAnchor; number < oldest.endAnchor; number++) anchors.delete(number)
        length -= oldest.recording.length
      }
      if (firstKept > 1000) {
        recordings = recordings.slice(firstKept)
        firstKept = 0
      }
    },
    forget: () => {
      index = makeFingerprintIndex()
      anchors = new Map()
      recordings = []
      length = 0
      firstKept = 0
    }
  }
}

/** A recording with its sentences, without those that are silent. */
function* recordingOf(
  text: string,
  lang: string | undefined,
  shape: Int16Array,
  timed: ReadonlyArray<SampledText>
): Steps<KnownRecording> {
  const audible = timed.flatMap((each) => {
    const sound = soundOf(shape, each)
    return sound === undefined ? [] : [{ ...each, text: each.text.trim(), sound }]
  })
  const sentences: Array<Sentence> = []
  const recording: KnownRecording = { text, lang, length: shape.length, sentences, gaps: gapsOf(text, audible) }
  for (const { end, exact, sound, start, text } of audible) {
    const of = shape.subarray(sound.start, sound.end)
    const power = powerOf(of, 0, of.length)
    sentences.push({
      text,
      position: sentences.length,
      recording,
      shape: of,
      offset: sound.start,
      start: exact ? start - sound.start : 0,
      end: exact ? end - sound.start : of.length,
      loudest: yield* loudestStretch(of),
      speechBefore: !isQuiet(shape, sound.start - quietLength, sound.start, power),
      speechAfter: !isQuiet(shape, sound.end, sound.end + quietLength, power)
    })
  }
  return recording
}

/** The anchors of the sentences of a recording, and the fingerprints of each. */
function* anchorsOf(sentences: ReadonlyArray<Sentence>, shape: Int16Array) {
  const made: Array<Anchor> = []
  const prints: Array<readonly [anchor: number, fingerprint: number, place: number]> = []
  for (const sentence of sentences) {
    const print = makeFingerprinter(2)
    const count = Math.ceil(sentence.shape.length / (2 * hop))
    for (let number = 0; number < count; number++) {
      if (number % anchorLength === 0) {
        yield
        const enough = enoughOf(Math.min(anchorLength, count - number))
        made.push({ sentence, offset: 2 * number, enough })
      }
      const found = print(shape, sentence.offset + number * 2 * hop)
      if (found !== undefined) prints.push([made.length - 1, found[0] as number, number % anchorLength])
    }
  }
  return { made, prints }
}

export type KnownSpeech = ReturnType<typeof makeKnownSpeech>

/** In samples: 40 ms, which must be quiet at each end of a sentence. Otherwise the end may be inside a word. */
export const quietLength = 0.04 * sampleRate

/** Fraction of the mean power of a sentence: -12 dB. */
const quiet = 0.0625

/** Whether a part of a shape is quiet beside a sentence of this power. */
export const isQuiet = (shape: Int16Array, start: number, end: number, power: number): boolean =>
  powerOf(shape, start, end) <= quiet * power

/** The mean square of a part of a shape. Samples outside of the shape are silent. */
export const powerOf = (shape: Int16Array, start: number, end: number): number => {
  let sum = 0
  for (let index = Math.max(0, start); index < Math.min(shape.length, end); index++)
    sum += (shape[index] as number) ** 2
  return sum / (end - start)
}

/** From the first sound to the last in a part of a recording, or `undefined` if it is silent. */
const soundOf = (
  shape: Int16Array,
  part: SampledText
): { readonly start: number; readonly end: number } | undefined => {
  let start = Math.max(0, Math.round(part.start))
  let end = Math.min(shape.length, Math.round(part.end))
  if (end <= start) return undefined
  const least = edgeLevel * powerOf(shape, start, end)
  if (least === 0) return undefined
  while (end - start > edgeStep && powerOf(shape, start, start + edgeStep) < least) start += edgeStep
  while (end - start > edgeStep && powerOf(shape, end - edgeStep, end) < least) end -= edgeStep
  return { start, end }
}

/** The characters of a text between its parts: between the first and the second, and so on. */
const gapsOf = (text: string, parts: ReadonlyArray<{ readonly text: string }>): ReadonlyArray<string> | undefined => {
  const gaps: Array<string> = []
  let end = 0
  for (const part of parts) {
    const start = text.indexOf(part.text, end)
    if (start < 0) return undefined
    gaps.push(text.slice(end, start))
    end = start + part.text.length
  }
  return gaps.slice(1)
}
