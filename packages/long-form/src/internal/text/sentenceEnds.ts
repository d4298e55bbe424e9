/**
 * Decides where a sentence ends. The candidates are those of Unicode (UAX #29, sentence boundaries: a terminator, then what
 * closes); the rules remove the false ones. `Intl.Segmenter` is not used: it knows no abbreviations, copies the whole text
 * into each segment, and differs between versions of ICU. If in doubt, there is no end: a wrong end is heard, a missing one is not.
 *
 * Each place is judged by the text around it: at most {@link lookBehind} units before it, and {@link lookAhead} after its spaces.
 */
import {
  abbreviationsOf,
  attributions,
  beforeNumbers,
  brands,
  starters,
  verbs,
  verbsOfSaying
} from "./abbreviations.js"
import {
  type Around,
  back,
  beforeOpening,
  beginsLine,
  isCaseless,
  isCloser,
  isDot,
  isTerminator,
  length,
  lookBehind,
  wordBefore
} from "./around.js"
import { isAbbreviation } from "./isAbbreviation.js"
import { isInitial, isLetterName, isListed, isShortForm } from "./shortForms.js"
import { isLineEnd, noBreak, spacesAfter, spacesBefore } from "./spaces.js"

const lookAhead = 64

const opening = /^(?:[–—-]\p{Zs}+)?["'\p{Ps}\p{Pi}*_#]*/u
const firstWord = /^[\p{L}\p{M}\p{N}'’\-\u200c\u200d]*/u
const noBreakAhead = new RegExp(`^[${noBreak}]`)

/** Whether a sentence, a line or a list begins at a place. */
const begins = (text: string, at: number, lang: string | undefined, depth: number): boolean => {
  if (beginsLine(text, at)) return true
  const from = beforeOpening(text, at)
  const unit = text[from - 1] ?? ""
  if (unit === ":") return true
  return (isTerminator(unit) || isCloser(unit)) && (depth > 1 || endsSentence(text, from, lang, depth + 1))
}

/** Whether a full stop ends a sentence although a letter follows at once, as in "वह आया है.उसने कहा", but not in "डॉ.शर्मा". */
const endsBeforeLetter = ({ lang, next, word }: Around, letter: string): boolean => {
  const last = word.split(".").at(-1) ?? ""
  if (!isCaseless(last) || !isCaseless(letter) || /[@/:]/.test(word) || length(next) < 2) return false
  return verbs.has(last) || (length(last) > 2 && !abbreviationsOf(lang).letters.has(last) && !isListed(last, lang))
}

/** Whether a number or a letter before a full stop counts the items of a list. */
const countsItems = ({ begins, start, text, word }: Around): boolean => {
  if (/^(?:\p{Nd}{1,3}(?:\.\p{Nd}{1,3})*|[ivxIVX]{1,4})$/u.test(word)) return begins(start)
  return /^\p{L}\p{M}*$/u.test(word) && !verbs.has(word) && beginsLine(text, start)
}

const pairs: Readonly<Record<string, string>> = {
  "”": "“„",
  "“": "”„",
  "’": "‘‚",
  "‘": "’‚",
  "»": "«",
  '"': '"',
  "'": "'",
  ")": "(",
  "]": "[",
  "}": "{"
}

/** Whether the sentence continues after a quote or a bracket that closes between `mark` and `at`. */
const continuesAfter = ({ ahead, begins, text }: Around, mark: number, at: number): boolean => {
  const close = text[at - 1] ?? ""
  const open = pairs[close]
  if (open === undefined) return false
  const least = Math.max(0, mark - lookBehind)
  const inside = text.slice(least, mark - 1)
  const from = Math.max(...[...open].map((each) => inside.lastIndexOf(each)))
  if (from < 0) return false
  const atBeginning = begins(least + from)
  if (/[)\]}]/.test(close)) return !atBeginning
  // “…?” उसने पूछा। "…?" Ram asked. The words of a speaker may follow a quote that the sentence began with.
  return atBeginning && isAttribution(ahead)
}

/** Whether a text begins with a clause that names the speaker: it begins with "thus", or is short and has a verb of saying. */
const isAttribution = (ahead: string): boolean => {
  if (attributions.test(ahead)) return true
  const clause = /^[^.!?…।॥۔؟"“”„‘«»\n\r]*[.…।॥۔]/.exec(ahead)?.[0]
  return clause !== undefined && verbsOfSaying.test(clause)
}

/** The place before the numbers of footnotes: has ended.[1][2] */
const beforeNotes = (text: string, at: number, least: number): number => {
  const note = /\[\p{Nd}{1,3}\]$/u.exec(text.slice(Math.max(least, at - 5), at))
  return note === null ? at : beforeNotes(text, at - note[0].length, least)
}

/** The terminators before a place and before what closes the sentence: where they begin and end, and where footnotes begin. */
const marksBefore = (
  text: string,
  at: number
): { readonly first: number; readonly mark: number; readonly end: number } => {
  const least = Math.max(0, at - lookBehind)
  const end = beforeNotes(text, at, least)
  const mark = back(text, end, least, isCloser)
  let first = mark
  for (;;) {
    if (first > least && isTerminator(text[first - 1] ?? "")) first--
    else if (
      first > least + 1 &&
      first < mark &&
      text[first - 1] === " " &&
      isDot(text[first] ?? "") &&
      isDot(text[first - 2] ?? "")
    )
      first -= 2
    else return { first, mark, end }
  }
}

/** Whether a sentence ends at a place: after a terminator and what closes it, before the spaces. */
export const endsSentence = (text: string, at: number, lang: string | undefined, depth = 0): boolean => {
  const { end, first, mark } = marksBefore(text, at)
  if (first === mark) return false

  const marks = text.slice(first, mark)
  const to = spacesAfter(text, at)
  const ahead = text.slice(to, to + lookAhead)
  const atEnd = to === text.length
  if (noBreakAhead.test(ahead)) return false
  const rest = ahead.replace(opening, "")
  const last = text[first - 1] ?? ""
  // A small letter, unless it counts items or the script before it has none, or a mark that no sentence begins with.
  if (/^\p{Ll}(?!\p{L}{0,2}\))/u.test(rest) && !/[\p{Lo}\p{M}]/u.test(last)) return false
  // A dash before a space begins the words of the next speaker.
  if (/^[,;:،؛)\]}…&=/@+%]|^[–—-](?!\p{Zs})/u.test(ahead) && !/[।॥]/.test(marks)) return false
  // "(!)" and "(?)" end no sentence.
  if (end > mark && /\p{Ps}/u.test(last)) return false

  const written = wordBefore(text, first)
  const around: Around = {
    text,
    lang,
    depth,
    begins: (place) => begins(text, place, lang, depth),
    word: written.normalize("NFC"),
    start: first - written.length,
    next: (firstWord.exec(rest)?.[0] ?? "").normalize("NFC"),
    ahead,
    nextIsShort: /^[.۔]/.test(rest.replace(firstWord, ""))
  }
  const hasSpace = to > at || atEnd
  if (marks === "|" || marks === "||") {
    const spoken = spacesBefore(text, first)
    return hasSpace && /[\u0900-\u0d7f]/.test(text[spoken - 1] ?? "") && !isTable(text, first)
  }
  if (end > mark && !atEnd && continuesAfter(around, mark, end)) return false
  if (/[।॥]/.test(marks)) return endsWithDanda(around)
  if (/[。！？｡]/.test(marks)) return true
  if (marks === "۔") return endsWithUrduStop(around, hasSpace)
  if (/[!?؟‼⁇⁈⁉]/.test(marks)) {
    // Yahoo! Inc.
    if (brands.test(around.word) && !starters.has(around.next.toLowerCase())) return false
    // Without a space, a mark between letters without case ends a sentence; in an address it does not.
    return hasSpace || (/[\p{Lo}\p{M}]/u.test(last) && isCaseless(rest.slice(0, 1)))
  }
  if (!hasSpace) return marks === "." && endsBeforeLetter(around, text[at] ?? "")
  if (/…|\.[. ]*\./.test(marks)) {
    return atEnd || (/^\p{Lu}/u.test(rest) && (around.word !== "" || starters.has(around.next.toLowerCase())))
  }
  return around.word === "" || atEnd || !(countsItems(around) || isAbbreviation(around))
}

const endsWithDanda = (around: Around): boolean => {
  // The number of a verse: ॥ १ ॥
  if (/^\p{Nd}{1,4}(?:[.:-]\p{Nd}{1,4})*\p{Zs}*[।॥]/u.test(around.ahead)) return false
  const previous = around.text[spacesBefore(around.text, around.start) - 1] ?? ""
  return /^[।॥]$/.test(previous) || !countsItems(around)
}

const endsWithUrduStop = (around: Around, hasSpace: boolean): boolean => {
  const { ahead, lang, next, start, text, word } = around
  if (word === "") return true
  // 3۔5, بی۔ایڈ, بی۔ایڈ۔
  const previous = text[start - 1] === "۔" ? wordBefore(text, start - 1).normalize("NFC") : ""
  if (!hasSpace && (/^\p{Nd}/u.test(ahead) || isLetterName(word, lang))) return false
  if (previous !== "" && isLetterName(previous, lang)) return false
  if (beforeNumbers.has(word) && /^\p{Nd}/u.test(next)) return false
  return !(countsItems(around) || isInitial(around) || isShortForm(around))
}

/** Whether a place is in a row of a table, whose cells a vertical bar divides. */
const isTable = (text: string, at: number): boolean => {
  const least = Math.max(0, at - lookBehind)
  const line = back(text, at, least, (unit) => !isLineEnd(unit.charCodeAt(0)))
  return /^\s*\|/.test(text.slice(line, at))
}

/** Whether a clause ends at a place: after a comma, a semicolon, a colon or a dash before spaces, or a mark that needs none. */
export const endsClause = (text: string, at: number): boolean => {
  const from = spacesBefore(text, at)
  const mark = text[back(text, from, Math.max(0, from - 8), isCloser) - 1] ?? ""
  return mark !== "" && (from < at ? ",;:،؛、，；：–—-" : "،؛、，；：—").includes(mark)
}
