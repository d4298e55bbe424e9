/** A text that was decoded from another. */
export interface Decoded {
  readonly text: string
  /** The part of the other text that the characters from `start` to `end` were decoded from. */
  readonly origin: (start: number, end: number) => Span
}

export type Span = readonly [start: number, end: number]

/**
 * The content of a character class: white space, control characters and characters that are not seen (Default_Ignorable_Code_Point of
 * Unicode, and the blank of Braille). A character above U+FFFF counts as two blanks, since it is a pair of surrogates here. Many
 * programs put line breaks and the like into text, also between the characters of one escape.
 */
export const blanks =
  "\\0-\\x20\\x7f-\\xa0\\xad\\u034f\\u061c\\u115f\\u1160\\u1680\\u17b4\\u17b5\\u180b-\\u180f\\u2000-\\u200f\\u2028-\\u202f\\u205f-\\u206f\\u2800\\u3000\\u3164\\ud800-\\udfff\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb"

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
