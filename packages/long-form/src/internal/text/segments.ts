/** In UTF-16 units. */
const windowLength = 512

/** The last segments of a window may depend on the text after it. */
const uncertain = 3

/** What is the same in a text and in a window of it: not the index. */
type Segment = Pick<Intl.SegmentData, "segment" | "isWordLike">

const firstOf = (segments: Iterable<Segment>, most: number): ReadonlyArray<Segment> => {
  const found: Array<Segment> = []
  for (const segment of segments) if (found.push(segment) === most) break
  return found
}

/** The segments of a text, in a time that grows with its length: `Intl.Segmenter` copies its whole input into each segment. */
export function* segmentsOf(segmenter: Intl.Segmenter, text: string): Generator<Segment, void> {
  for (let at = 0, length = windowLength; at < text.length; ) {
    // Short segments may follow the one that needs a longer window.
    const most = length === windowLength ? windowLength : uncertain + 1
    const found = firstOf(segmenter.segment(text.slice(at, at + length)), most)
    const isComplete = at + length >= text.length && found.length < most
    const certain = isComplete ? found : found.slice(0, -uncertain)
    if (certain.length === 0) length *= 2
    else {
      yield* certain
      for (const { segment } of certain) at += segment.length
      length = windowLength
    }
  }
}
