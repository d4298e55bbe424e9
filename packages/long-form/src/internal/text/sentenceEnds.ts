/** Decides where a sentence ends. */
import { spacesAfter } from "./spaces.js"

export const terminators = ".!?…।॥۔؟。！？｡．"
const isTerminator = (unit: string | undefined): boolean => unit !== undefined && terminators.includes(unit)
const isCloser = (unit: string | undefined): boolean => unit !== undefined && /["'\p{Pe}\p{Pf}]/u.test(unit)

/** Whether a sentence ends at a place: after a terminator and what closes, before the spaces. */
export const endsSentence = (text: string, at: number, _lang: string | undefined): boolean => {
  let mark = at
  while (isCloser(text[mark - 1])) mark--
  if (!isTerminator(text[mark - 1])) return false
  let first = mark - 1
  while (isTerminator(text[first - 1])) first--
  const next = spacesAfter(text, at)
  const following = text.slice(next, next + 2)
  if (/^[\p{Ll},;:]/u.test(following)) return false
  if (/[।॥۔؟。！？｡]/.test(text.slice(first, mark))) return true
  return next > at || at === text.length
}
