/**
 * Decides where a sentence ends. The candidates are those of Unicode (UAX #29, sentence boundaries: a terminator, then what
 * closes); the rules remove the false ones. `Intl.Segmenter` is not used: it knows no abbreviations, copies the whole text
 * into each segment, and differs between versions of ICU. If in doubt, there is no end: a wrong end is heard, a missing one is not.
 *
 * Each place is judged by the text around it: at most {@link lookBehind} units before it, and {@link lookAhead} after its spaces.
 */
import {
  abbreviationsOf,
  answers,
  attributions,
  beforeNames,
  beforeNumbers,
  beforeOffices,
  beforeRomans,
  beforeStarters,
  brands,
  capitalized,
  copulas,
  days,
  foldOf,
  numberSigns,
  particles,
  sharedWords,
  shortNames,
  starters,
  syllables,
  tails,
  units,
  verbs,
  verbsOfSaying
} from "./abbreviations.js"
import { finalsOf } from "./finals.js"
import { isConnective, isSubject, opensClause } from "./openers.js"
import { isLineEnd, noBreak, spacesAfter, spacesBefore } from "./spaces.js"
import { joiningViramas } from "./viramas.js"

const lookBehind = 320
const lookAhead = 64
const dandaAhead = 160

export const terminators = ".!?‼⁇⁈⁉…।॥۔؟。！？｡．|"

/** Closes a sentence after its terminator: quotes, brackets, and the numbers of footnotes. */
export const closers = `["'“‟‘\\p{Pe}\\p{Pf}]*(?:\\[\\p{Nd}{1,3}\\])*`

const isTerminator = (unit: string): boolean => unit !== "" && terminators.includes(unit)
const isDot = (unit: string): boolean => unit !== "" && ".…।॥|".includes(unit)
/** A quote that opens in one style closes in another, as in „…“ and ”…“: right after a terminator, it closes. */
const isCloser = (unit: string): boolean => /["'“‟‘\p{Pe}\p{Pf}]/u.test(unit)
const isOpener = (unit: string): boolean => /["'\p{Ps}\p{Pi}*_#]/u.test(unit)
const isOfWord = (unit: string): boolean => /[\p{L}\p{M}\p{N}'’.&/@:\-\u200c\u200d]/u.test(unit)

const opening = /^(?:[–—-]\p{Zs}+)?["'\p{Ps}\p{Pi}*_#]*/u
const firstWord = /^[\p{L}\p{M}\p{N}'’\-\u200c\u200d]*/u
const noBreakAhead = new RegExp(`^[${noBreak}]`)

/** Letters without case, as in all Indic and Arabic scripts and in Han. */
const isCaseless = (word: string): boolean => /\p{Lo}/u.test(word)

const conjoined = new RegExp(`[${joiningViramas}]\\u200d?\\p{L}`, "gu")

/** Number of characters that a reader sees in a word. A conjunct is one. */
const length = (word: string): number => word.replace(conjoined, "").replace(/[\p{M}\u200c\u200d]/gu, "").length

/** The beginning of a run of such units that ends at a place. */
const back = (text: string, at: number, least: number, has: (unit: string) => boolean): number => {
  let from = at
  while (from > least && has(text[from - 1] ?? "")) from--
  return from
}

/** The word that ends at a place. It may have full stops inside, but begins with none. */
const wordBefore = (text: string, at: number): string =>
  text.slice(back(text, at, Math.max(0, at - 64), isOfWord), at).replace(/^[.'’:&/@-]+/, "")

/** The end of the text before a word, its opening marks and the spaces before them. */
const beforeOpening = (text: string, at: number): number => {
  const least = Math.max(0, at - lookBehind)
  return back(text, back(text, at, least, isOpener), least, (unit) => /[\p{Zs}\t]/u.test(unit))
}

const beginsLine = (text: string, at: number): boolean => {
  const from = beforeOpening(text, at)
  const bullet = back(text, from, Math.max(0, from - 8), (unit) => /[\p{Zs}\t•*–-]/u.test(unit))
  return bullet === 0 || isLineEnd(text.charCodeAt(bullet - 1))
}

/** Whether a sentence, a line or a list begins at a place. */
const begins = (text: string, at: number, lang: string | undefined, depth: number): boolean => {
  if (beginsLine(text, at)) return true
  const from = beforeOpening(text, at)
  const unit = text[from - 1] ?? ""
  if (unit === ":") return true
  return (isTerminator(unit) || isCloser(unit)) && (depth > 1 || endsSentence(text, from, lang, depth + 1))
}

/** The text around a terminator. */
interface Around {
  readonly text: string
  readonly lang: string | undefined
  readonly depth: number
  /** Before the terminator, with the full stops inside it, in Unicode's form NFC. */
  readonly word: string
  /** Offset of the word. */
  readonly start: number
  /** After the spaces and what opens. */
  readonly next: string
  /** All after the spaces, with what opens. */
  readonly ahead: string
  /** Whether a full stop follows the next word. */
  readonly nextIsShort: boolean
}

/** Whether a word without case is in the lists of abbreviations. */
const isListed = (word: string, lang: string | undefined): boolean => {
  const last = word.slice(word.lastIndexOf("-") + 1)
  return abbreviationsOf(lang).words.has(last) || sharedWords.has(foldOf(last))
}

const isLetterName = (word: string, lang: string | undefined): boolean =>
  !verbs.has(word) &&
  (abbreviationsOf(lang).letters.has(word) || (length(word) === 1 && !syllables.has(word) && !answers.has(word)))

/** Whether a word before a full stop is an initial, as in "J. Smith", "ए. पी. जे." or "மு. கருணாநிதி". */
const isInitial = ({ depth, lang, next, nextIsShort, start, text, word }: Around): boolean => {
  if (/^\p{Lu}\p{M}*$/u.test(word)) {
    // 30 °C is none.
    if (/[^\s\p{P}]/u.test(text[start - 1] ?? " ")) return false
    return nextIsShort || !(starters.has(next.toLowerCase()) && /^\p{Lu}/u.test(next))
  }
  if (!isCaseless(word) || verbs.has(word)) return false
  const { ambiguous, letters } = abbreviationsOf(lang)
  const single = length(word) === 1
  if (!single && !letters.has(word)) return false
  const from = spacesBefore(text, start)
  const previous = /[.۔]/.test(text[from - 1] ?? "") ? wordBefore(text, from - 1).normalize("NFC") : ""
  const inChain =
    (previous !== "" && isCaseless(previous) && isLetterName(previous, lang)) ||
    (nextIsShort && isCaseless(next) && isLetterName(next, lang))
  if (ambiguous.has(word) && /^[\u0b80-\u0d7f]/.test(word) && /^\p{Nd}/u.test(next) && !answers.has(word)) return true
  if (ambiguous.has(word)) {
    // "come", "go" and "give" are names too: "రా. విశ్వనాథశాస్త్రి".
    const isRequest = /^[\u0b80-\u0d7f]/.test(word) && finalsOf(word, lang)?.words.has(word) === true && depth === 0
    return inChain || begins(text, start, lang, depth) || (isRequest && !opensClause(next))
  }
  if (letters.has(word)) return true
  // A word of one character: in the Dravidian languages hardly a word by itself, elsewhere one of few.
  if (/^[\u0b80-\u0d7f\u0600-\u06ff]/.test(word)) return /^[\u0b80-\u0d7f]|^.$/.test(word)
  if (inChain || !(syllables.has(word) || /^[नछঅআଆએਏ]$/u.test(word))) return true
  // "ले. जन.": an officer, not a request.
  return nextIsShort && isCaseless(next) && isListed(next, lang) && begins(text, start, lang, depth)
}

/** Whether a word ends as verbs in the past, the present or the future do, in the languages with danda. */
const endsWithVerb = (word: string): boolean =>
  verbs.has(word) ||
  answers.has(word) ||
  (length(word) > 2 && /(?:[गਗ][ाीेਾੀੇ]ं?|[ाे]या|[िਿ]ਆ|[লত]েন|[লছব]ে|[ছব]েন)$/u.test(word))

/** Whether danda ends the sentences around a place: the one before it, or the one that it is in. */
const usesDanda = (text: string, at: number): boolean => {
  if (/[।॥]/.test(text.slice(Math.max(0, at - lookBehind), at))) return true
  const pattern = /[.!?؟।॥۔\n\r]/g
  pattern.lastIndex = at
  let skipped = 0
  for (let mark = pattern.exec(text); mark !== null && mark.index < at + dandaAhead; mark = pattern.exec(text)) {
    if (/[।॥]/.test(mark[0])) return true
    if (mark[0] !== "." || skipped > 7) return false
    if (/^[\p{L}\p{M}\p{N}]/u.test(text[mark.index + 1] ?? "")) continue
    if (mark.index + 1 === text.length && skipped === 0) return false
    const word = (wordBefore(text, mark.index).split(".").at(-1) ?? "").normalize("NFC")
    if (length(word) > 1 && endsWithVerb(word)) return false
    skipped++
  }
  // Text that is appended may change the last two sentences only: what it will decide for several full stops ends none yet.
  return skipped > 0 && text.length < at + dandaAhead
}

/** Whether danda ends the sentence before a place, and the one that it is in. */
const isAmongDandas = (text: string, at: number): boolean => {
  if (!/[।॥][^!?؟।॥۔\n\r]*$/.test(text.slice(Math.max(0, at - lookBehind), at))) return false
  const ahead = text.slice(at, at + dandaAhead)
  const mark = /[!?؟।॥۔\n\r]/.exec(ahead)?.[0]
  // As in usesDanda: what appended text will decide ends nothing yet.
  return mark === undefined ? ahead.length < dandaAhead : /[।॥]/.test(mark)
}

/** Two short syllables in i or u, in the Dravidian scripts: a word that is cut short, unless it is one of few. */
const light = /^(?:[அஇஉஎஒఅఇఉఎఒಅಇಉಎಒഅഇഉഎഒ]|[க-ஹక-హಕ-ಹക-ഹ][ிுெொిుెొృಿುೆೊೃിുെൊൃ]?)[க-ஹక-హಕ-ಹക-ഹ][ிுిుಿುിു]$/u

const iAtEnd = /[ि-ीિીிீిీಿೀിീ]$/

/** Whether a number follows, but not that of a list item. */
const precedesNumber = (ahead: string): boolean => /^\p{Nd}+(?!\p{Nd}|[.)۔]\p{Zs})/u.test(ahead)

/** A word that is longer than this, beyond the length of abbreviations in a language, is a name or a noun that ends a sentence. */
const longestTruncation = 3

/** Whether no sentence ends in a word, in the languages that have a list of what ends one. */
const isNoFinal = (
  { ahead, lang, next, start, text, word }: Omit<Around, "depth" | "nextIsShort">,
  clusters: number
): boolean => {
  const finals = finalsOf(word, lang)
  if (finals === undefined || finals.words.has(word)) return false
  const isFinal = clusters > 1 && finals.endings.test(word)
  // After a number, what ends so in Telugu and Kannada is measured. Many verbs end in i, but so do other words that are cut short.
  const isMeasured = clusters === 2 && /[ుುೆ]$/.test(word) && /\p{Nd} $/u.test(text.slice(Math.max(0, start - 2), start))
  const isTruncated =
    (clusters === 2 && precedesNumber(ahead) && iAtEnd.test(word)) ||
    (clusters <= finals.longest && numberSigns.has(next))
  if (isFinal && !isMeasured && !light.test(word) && !isTruncated) return false
  const chillus = word.match(/[\u0d7a-\u0d7f]/g)?.length ?? 0
  if (isFinal || finals.truncated.test(word)) return isFinal || !(clusters > 2 && isSubject(next))
  // A name or a noun: "His name is Ram. He left."
  if (isConnective(next) || (clusters > 1 && isSubject(next))) return false
  if (clusters - chillus <= finals.longest) return true
  return clusters - chillus <= finals.longest + longestTruncation && !opensClause(next)
}

/** Where a chain of short words before a place begins, as in "गौ. न्या. राव". */
const beginOfChain = (text: string, start: number, lang: string | undefined): number => {
  let from = start
  for (let count = 0; count < 3; count++) {
    const dot = spacesBefore(text, from)
    if (!/[.۔]/.test(text[dot - 1] ?? "")) break
    const word = wordBefore(text, dot - 1)
    const clusters = length(word)
    const at = dot - 1 - word.length
    if (!isCaseless(word) || verbs.has(word) || answers.has(word)) break
    if (clusters > 1 && !isNoFinal({ text, lang, word, start: at, ahead: "", next: "" }, clusters)) break
    from = at
  }
  return from
}

/** Whether a word without case is short for another: listed, or by its form and the text around it. */
const isShortForm = (around: Around): boolean => {
  const { depth, lang, next, nextIsShort, start, text, word } = around
  const last = word.split(".").at(-1) ?? ""
  if (!isCaseless(last)) return false
  if (isListed(word, lang)) return true
  const clusters = length(word)
  // The verbs and answers of Hindi and Nepali are none of Marathi.
  if (/^mr\b/i.test(lang ?? "") && clusters > 1 && word === last && isNoFinal(around, clusters)) return true
  const nextIsNoFinal =
    nextIsShort && !isListed(next, lang) && isNoFinal({ ...around, word: next, next: "" }, length(next))
  // "Sir. Hosp.": no answer.
  if (nextIsNoFinal && clusters <= 2 && !verbs.has(last) && depth === 0 && begins(text, start, lang, depth)) return true
  // "സർ. നം. 45": no form of address.
  if (numberSigns.has(next) && nextIsShort && clusters <= 2 && !verbs.has(last)) return true
  // "স. না. দত্ত": no answer.
  if (answers.has(word) && isAmongDandas(text, start) && beginOfChain(text, start, lang) < start) return true
  if (verbs.has(last) || answers.has(word)) return false
  if ((particles.has(next) && !nextIsShort) || copulas.has(next)) return true
  const isUrdu = /^[\u0600-\u06ff]/.test(word)
  if (word !== last || isLetterName(word, lang)) return false
  if (isNoFinal(around, clusters)) return true
  const isNorthern = /^[\u0900-\u0a7f\u0b00-\u0b7f]/.test(word) && !/^mr/i.test(lang ?? "")
  // In a text with dandas, a full stop ends a sentence after a verb at most.
  if (isNorthern && depth === 0) {
    if (isAmongDandas(text, start) || (!endsWithVerb(word) && usesDanda(text, start + word.length + 1))) return true
  }
  if (clusters > (isUrdu ? 5 : 3)) return false
  // No word of Hindi, Marathi, Gujarati or Punjabi that ends a sentence ends in a short i, none of the last two in a virama, and
  // none of Tamil in a plosive.
  if (/[\u093f\u0a3f\u0abf\u0a4d\u0acd]$|[கசடதபற]\u0bcd$/u.test(word)) return true
  // What stands before is judged by the word alone.
  if (depth > 0) return false
  // A short word alone is no sentence, unless it is an answer or a request, or words are listed one by one.
  return (
    (!nextIsShort || isListed(next, lang) || isLetterName(next, lang) || nextIsNoFinal) &&
    (clusters <= 2 || isUrdu) &&
    !/[ोओ]$|[इि]ए$/u.test(word) &&
    begins(text, beginOfChain(text, start, lang), lang, depth)
  )
}

/** No English word: without a vowel, or with consonants at the end that none has. Acronyms in capitals may be one. */
const noWord =
  /^(?![A-Z]+$)(?:[B-DF-HJ-NP-TV-XZb-df-hj-np-tv-xz][b-df-hj-np-tv-xz]+|[A-Za-z][a-z]{0,5}(?:[bcdfgjkmnpqstvwxz]r|[bcfgjkmpqtvxz]d|[bcdfjkpqstvxz]n|[bcdfgjkmnpqtvxz]l|[^aeiouyrl]tt|[gjkv]t|gmt|[cnr]gg|[bcdfjkmpqtvxz]g|[cdfgjknpqtvxz]b|[bdfkptv]m)s?)$/

/** A capital letter and a consonant at the end, as in "Lab. Rpt." and "Plat. 2.1": few words and names are so short. */
const isCut = (word: string, beforeNumber: boolean): boolean =>
  (beforeNumber ? /^[A-Z][a-z]{0,4}[b-df-hj-np-tv-xz]$/ : /^[A-Z][a-z]{0,2}[b-df-hj-np-tv-xz]$/).test(word) &&
  !shortNames.has(word.toLowerCase())

/** Whether a full stop belongs to the word before it. */
const isAbbreviation = (around: Around): boolean => {
  const { ahead, depth, lang, next, nextIsShort, start, text, word } = around
  const whole = word.toLowerCase()
  const tail = whole.slice(whole.lastIndexOf("-") + 1)
  const isAny = (words: ReadonlySet<string>) => words.has(whole) || words.has(tail)
  const isUpper = /^\p{Lu}/u.test(word)
  const upperNext = /^\p{Lu}/u.test(next)
  // "O.S. No. 5"
  const starts =
    upperNext && starters.has(next.toLowerCase()) && !(nextIsShort && beforeNumbers.has(next.toLowerCase()))
  // "the Irrign. Dept.", "Closure of S.B. A/c. No. 5"
  if (isUpper && (/^A\/cs?\b/i.test(ahead) || (nextIsShort && upperNext && tails.has(next.toLowerCase())))) return true
  if (isAny(beforeNames)) return !(starts && /^\p{Lu}{2,}$/u.test(word))
  if (isAny(beforeNumbers)) {
    // Sub-sec. (2), Cl. (b), No. HR/2024/17
    if (/^\(?[\p{L}\p{Nd}]{1,4}\)|^\p{Nd}|^[\p{Lu}/-]{1,8}\p{Nd}/u.test(ahead)) return true
    if (/^Nos?$/.test(word) && !begins(text, start, lang, depth)) return true
  }
  if (/^\p{Ll}$/u.test(word) && /^\p{Nd}/u.test(next)) return true
  // "Svy. No. 5", "2 acs. 14 gts.", "the Met. Dept."
  if (isUpper && /^Nos?\. ?\p{Nd}/u.test(ahead)) return true
  const before = text.slice(Math.max(0, start - 8), start)
  if (/^\p{Ll}{1,3}$/u.test(word) && /^\p{Nd}+(?!\p{Nd}|[.)]\p{Zs})/u.test(ahead) && /\p{Nd} ?$/u.test(before))
    return true
  const office = /([A-Za-z]+)\. $/.exec(before)?.[1]?.toLowerCase() ?? ""
  if (isUpper && upperNext && !starts && beforeOffices.has(office)) return true
  if (/^\p{Lu}\p{Ll}{1,2}$/u.test(word) && upperNext && !starts && /\b[Tt]he $/.test(before)) return true
  if (beforeRomans.has(whole) && /^[IVXLC]+$/.test(next)) return true
  if (units.has(whole)) return !upperNext || (isUpper && !starts) || (nextIsShort && /^\p{Lu}$/u.test(next))
  const isKnown = isAny(beforeStarters) || (isUpper && capitalized.has(whole))
  // A/c., N/A., S/Shri.; c. and b. of a score; Mshl., Offr., Instt.
  if (
    isKnown ||
    /^\p{L}\/\p{L}{1,5}$|^\p{Ll}$/u.test(word) ||
    noWord.test(word) ||
    isCut(word, precedesNumber(ahead))
  ) {
    return !starts || begins(text, start, lang, depth)
  }
  if (whole === "etc") return !upperNext && !isCaseless(next)
  if (/^[ap]\.m$/.test(word) && /^\p{Lu}\p{Ll}{2}/u.test(next) && !nextIsShort && !days.test(next)) return false
  if (isInitial(around) || isShortForm(around)) return true
  // B.Tech., D.Litt.
  if (/^(?:\p{Lu}\.)+\p{Lu}\p{Ll}{1,4}$/u.test(word)) return !starts
  // U.S., a.m., कि.मी., பி.ஏ., but not file.txt.
  const parts = word.split(".")
  const longest = /^[\p{Ll}.]+$/u.test(word) ? 1 : 3
  return (
    parts.length > 1 &&
    !starts &&
    parts.every((part) => /^\p{L}[\p{L}\p{M}\u200c\u200d]*$/u.test(part) && length(part) <= longest) &&
    !parts.some((part) => part.length > 1 && verbs.has(part))
  )
}

/** Whether a full stop ends a sentence although a letter follows at once, as in "वह आया है.उसने कहा", but not in "डॉ.शर्मा". */
const endsBeforeLetter = ({ lang, next, word }: Around, letter: string): boolean => {
  const last = word.split(".").at(-1) ?? ""
  if (!isCaseless(last) || !isCaseless(letter) || /[@/:]/.test(word) || length(next) < 2) return false
  return verbs.has(last) || (length(last) > 2 && !abbreviationsOf(lang).letters.has(last) && !isListed(last, lang))
}

/** Whether a number or a letter before a full stop counts the items of a list. */
const countsItems = ({ depth, lang, start, text, word }: Around): boolean => {
  if (/^(?:\p{Nd}{1,3}(?:\.\p{Nd}{1,3})*|[ivxIVX]{1,4})$/u.test(word)) return begins(text, start, lang, depth)
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
const goesOnAfter = (
  text: string,
  mark: number,
  at: number,
  ahead: string,
  lang: string | undefined,
  depth: number
) => {
  const close = text[at - 1] ?? ""
  const open = pairs[close]
  if (open === undefined) return false
  const least = Math.max(0, mark - lookBehind)
  const inside = text.slice(least, mark - 1)
  const from = Math.max(...[...open].map((each) => inside.lastIndexOf(each)))
  if (from < 0) return false
  const atBeginning = begins(text, least + from, lang, depth)
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

/** Whether a sentence ends at a place: after a terminator and what closes it, before the spaces. */
export const endsSentence = (text: string, at: number, lang: string | undefined, depth = 0): boolean => {
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
    else break
  }
  if (first === mark) return false

  const marks = text.slice(first, mark)
  const to = spacesAfter(text, at)
  const ahead = text.slice(to, to + lookAhead)
  const atEnd = to === text.length
  const hasSpace = to > at || atEnd
  if (noBreakAhead.test(ahead)) return false
  const rest = ahead.replace(opening, "")
  const last = text[first - 1] ?? ""
  // A small letter, unless it counts items or the script before it has none, or a mark that no sentence begins with.
  if (/^\p{Ll}(?!\p{L}{0,2}\))/u.test(rest) && !/[\p{Lo}\p{M}]/u.test(last)) return false
  // A dash before a space begins the words of the next speaker.
  if (/^[,;:،؛)\]}…&=/@+%]|^[–—-](?!\p{Zs})/u.test(ahead) && !/[।॥]/.test(marks)) return false
  // "(!)" and "(?)" end no sentence.
  if (end > mark && /\p{Ps}/u.test(last)) return false
  const next = (firstWord.exec(rest)?.[0] ?? "").normalize("NFC")
  const nextIsShort = /^[.۔]/.test(rest.replace(firstWord, ""))
  const written = wordBefore(text, first)
  const word = written.normalize("NFC")
  const around: Around = { text, lang, depth, word, start: first - written.length, next, ahead, nextIsShort }

  if (marks === "|" || marks === "||") {
    const spoken = spacesBefore(text, first)
    return hasSpace && /[\u0900-\u0d7f]/.test(text[spoken - 1] ?? "") && !isTable(text, first)
  }
  if (end > mark && !atEnd && goesOnAfter(text, mark, end, ahead, lang, depth)) return false
  if (/[।॥]/.test(marks)) {
    // The number of a verse: ॥ १ ॥
    if (/^\p{Nd}{1,4}(?:[.:-]\p{Nd}{1,4})*\p{Zs}*[।॥]/u.test(ahead)) return false
    const previous = text[spacesBefore(text, around.start) - 1] ?? ""
    return /^[।॥]$/.test(previous) || !countsItems(around)
  }
  if (/[。！？｡]/.test(marks)) return true
  if (marks === "۔") {
    if (word === "") return true
    // 3۔5, بی۔ایڈ, بی۔ایڈ۔
    const previous = text[around.start - 1] === "۔" ? wordBefore(text, around.start - 1).normalize("NFC") : ""
    if (!hasSpace && (/^\p{Nd}/u.test(ahead) || isLetterName(word, lang))) return false
    if (previous !== "" && isLetterName(previous, lang)) return false
    if (beforeNumbers.has(word) && /^\p{Nd}/u.test(next)) return false
    return !(countsItems(around) || isInitial(around) || isShortForm(around))
  }
  if (/[!?؟‼⁇⁈⁉]/.test(marks)) {
    // Yahoo! Inc.
    if (brands.test(word) && !starters.has(next.toLowerCase())) return false
    // Without a space, a mark between letters without case ends a sentence; in an address it does not.
    return hasSpace || (/[\p{Lo}\p{M}]/u.test(last) && isCaseless(rest.slice(0, 1)))
  }
  if (!hasSpace) return marks === "." && endsBeforeLetter(around, text[at] ?? "")
  if (/…|\.[. ]*\./.test(marks)) {
    return atEnd || (/^\p{Lu}/u.test(rest) && (word !== "" || starters.has(next.toLowerCase())))
  }
  return word === "" || atEnd || !(countsItems(around) || isAbbreviation(around))
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
