/** A number of three digits, or of more without a zero before them. The first piece is 001. */
const piece = /^(.+)\.(?!000)(\d{3}|[1-9]\d{3,})$/

/**
 * The id of the long text whose piece has this request id: `LongSpeech` of `@effect-speech/long-form` sends the piece 7 of `book` as
 * `book.007`. `undefined` if the id does not have this form. A client of your own may use an id of this form for something else.
 */
export const parentOfPiece = (requestId: string): string | undefined => piece.exec(requestId)?.[1]
