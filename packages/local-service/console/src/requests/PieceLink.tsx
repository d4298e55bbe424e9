/** A link to the run that a piece is of. */
import { linkTo } from "../address.js"
import type { Piece } from "./rowText.js"

export interface PieceLinkProps {
  readonly piece: Piece
  readonly tabIndex?: number | undefined
}

export const PieceLink = ({ piece: { number, run, whole }, tabIndex }: PieceLinkProps) => (
  <a href={linkTo("runs", [run ?? whole])} tabIndex={tabIndex}>
    {isId(whole) ? (
      `piece ${number} · long text`
    ) : (
      <>
        piece {number} of <bdi>{whole}</bdi>
      </>
    )}
  </a>
)

/** An id that a person has not chosen says nothing to one. */
const isId = (whole: string): boolean => /^[\da-f]{8}-[\da-f-]{27}$/i.test(whole)
