/** In UTF-16 units. */
const windowLength = 512

/** The last segments of a window may depend on the text after it. */
const uncertain = 3

/** The segments of a text, in a time that grows with its length: `Intl.Segmenter` copies its whole input into each segment. */
export function* segmentsOf(segmenter: Intl.Segmenter, text: string): Generator<Intl.SegmentData, void> {
  for (let at = 0, length = windowLength; at < text.length; ) {
    const found = Array.from(segmenter.segment(text.slice(at, at + length)))
    const certain = at + length < text.length ? found.slice(0, -uncertain) : found
    const last = certain.at(-1)
    if (last === undefined) length *= 2
    else {
      yield* certain
      at += last.index + last.segment.length
      length = windowLength
    }
  }
}
