/** A text that was decoded from another. */
export interface Decoded {
  readonly text: string
  /** The part of the other text that the characters from `start` to `end` were decoded from. */
  readonly origin: (start: number, end: number) => Span
}

export type Span = readonly [start: number, end: number]

/** The first and the last of characters that follow each other. */
export type Range = readonly [first: number, last: number]

export const space: Range = [0x20, 0x20]

/**
 * White space, control characters and characters that are not seen (Default_Ignorable_Code_Point of Unicode, and the blank of
 * Braille), without {@link space}. A character above U+FFFF counts as two blanks, since it is a pair of surrogates here. Many
 * programs put line breaks and the like into text, also between the characters of one escape.
 */
export const otherBlanks: ReadonlyArray<Range> = [
  [0x0000, 0x001f],
  [0x007f, 0x00a0],
  [0x00ad, 0x00ad],
  [0x034f, 0x034f],
  [0x061c, 0x061c],
  [0x115f, 0x1160],
  [0x1680, 0x1680],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x2000, 0x200f],
  [0x2028, 0x202f],
  [0x205f, 0x206f],
  [0x2800, 0x2800],
  [0x3000, 0x3000],
  [0x3164, 0x3164],
  [0xd800, 0xdfff],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff0, 0xfffb]
]

const escaped = (code: number): string => `\\u${code.toString(16).padStart(4, "0")}`

/** All blanks, as the content of a character class. */
export const blanks = [space, ...otherBlanks].map(([first, last]) => `${escaped(first)}-${escaped(last)}`).join("")

/** A pattern for blanks between two characters. The stack of a regular expression is limited, so they are too. */
export const gap = `[${blanks}]{0,16}`

/** A character that is part of nothing that is looked for. */
export const noCharacter = "\ufffd"

/** Bytes of blanks in UTF-8 and UTF-16, beside those that are ASCII. */
const blankBytes = new Set([
  ...[0x00, 0x0b, 0x0c, 0x0e, 0x0f, 0x7f, 0x80, 0x81, 0x8b, 0x8c, 0x8d, 0x8e, 0x8f],
  ...[0xa0, 0xad, 0xbb, 0xbf, 0xc2, 0xe2, 0xef, 0xfe, 0xff]
])

/** The character of a byte: none if it may be a part of a blank, and {@link noCharacter} if it is not ASCII otherwise. */
export const ofByte = (byte: number): string =>
  blankBytes.has(byte)
    ? ""
    : (byte >= 0x20 && byte < 0x7f) || (byte >= 0x09 && byte <= 0x0d)
      ? String.fromCharCode(byte)
      : noCharacter

/** Whether a byte can't be text: {@link ofByte} gives {@link noCharacter}. */
export const isForeignByte: ReadonlyArray<boolean> = Array.from(
  { length: 256 },
  (_, byte) => ofByte(byte) === noCharacter
)
