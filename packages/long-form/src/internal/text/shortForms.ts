/**
 * Decides whether a word is short for another, or an initial, in the scripts without case: all Indic scripts and the Arabic one. Lists
 * know some, and the form of the word and the text around it tell others.
 */
import {
  abbreviationsOf,
  answers,
  copulas,
  foldOf,
  numberSigns,
  particles,
  sharedWords,
  starters,
  syllables,
  verbs
} from "./abbreviations.js"
import { type Around, isCaseless, length, lookBehind, wordBefore } from "./around.js"
import { finalsOf } from "./finals.js"
import { isConnective, isSubject, opensClause } from "./openers.js"
import { spacesBefore } from "./spaces.js"

const dandaAhead = 160

/** Whether a word without case is in the lists of abbreviations. */
export const isListed = (word: string, lang: string | undefined): boolean => {
  const last = word.slice(word.lastIndexOf("-") + 1)
  return abbreviationsOf(lang).words.has(last) || sharedWords.has(foldOf(last))
}

export const isLetterName = (word: string, lang: string | undefined): boolean =>
  !verbs.has(word) &&
  (abbreviationsOf(lang).letters.has(word) || (length(word) === 1 && !syllables.has(word) && !answers.has(word)))

/** Whether a word before a full stop is an initial, as in "J. Smith", "ए. पी. जे." or "மு. கருணாநிதி". */
export const isInitial = ({ begins, depth, lang, next, nextIsShort, start, text, word }: Around): boolean => {
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
    return inChain || begins(start) || (isRequest && !opensClause(next))
  }
  if (letters.has(word)) return true
  // A word of one character: in the Dravidian languages hardly a word by itself, elsewhere one of few.
  if (/^[\u0b80-\u0d7f\u0600-\u06ff]/.test(word)) return /^[\u0b80-\u0d7f]|^.$/.test(word)
  if (inChain || !(syllables.has(word) || /^[नछঅআଆએਏ]$/u.test(word))) return true
  // "ले. जन.": an officer, not a request.
  return nextIsShort && isCaseless(next) && isListed(next, lang) && begins(start)
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
export const precedesNumber = (ahead: string): boolean => /^\p{Nd}+(?!\p{Nd}|[.)۔]\p{Zs})/u.test(ahead)

/** A word that is longer than this, beyond the length of abbreviations in a language, is a name or a noun that ends a sentence. */
const longestTruncation = 3

/** Whether no sentence ends in a word, in the languages that have a list of what ends one. */
const isNoFinal = (
  { ahead, lang, next, start, text, word }: Omit<Around, "begins" | "depth" | "nextIsShort">,
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
export const isShortForm = (around: Around): boolean => {
  const { begins, depth, lang, next, nextIsShort, start, text, word } = around
  const last = word.split(".").at(-1) ?? ""
  if (!isCaseless(last)) return false
  if (isListed(word, lang)) return true
  const clusters = length(word)
  // The verbs and answers of Hindi and Nepali are none of Marathi.
  if (/^mr\b/i.test(lang ?? "") && clusters > 1 && word === last && isNoFinal(around, clusters)) return true
  const nextIsNoFinal =
    nextIsShort && !isListed(next, lang) && isNoFinal({ ...around, word: next, next: "" }, length(next))
  // "Sir. Hosp.": no answer.
  if (nextIsNoFinal && clusters <= 2 && !verbs.has(last) && depth === 0 && begins(start)) return true
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
    begins(beginOfChain(text, start, lang))
  )
}
