import {
  beforeNames,
  beforeNumbers,
  beforeOffices,
  beforeRomans,
  beforeStarters,
  capitalized,
  days,
  shortNames,
  starters,
  tails,
  units,
  verbs
} from "./abbreviations.js"
import { type Around, isCaseless, length } from "./around.js"
import { isInitial, isShortForm, precedesNumber } from "./shortForms.js"

/** No English word: without a vowel, or with consonants at the end that none has. Acronyms in capitals may be one. */
const noWord =
  /^(?![A-Z]+$)(?:[B-DF-HJ-NP-TV-XZb-df-hj-np-tv-xz][b-df-hj-np-tv-xz]+|[A-Za-z][a-z]{0,5}(?:[bcdfgjkmnpqstvwxz]r|[bcfgjkmpqtvxz]d|[bcdfjkpqstvxz]n|[bcdfgjkmnpqtvxz]l|[^aeiouyrl]tt|[gjkv]t|gmt|[cnr]gg|[bcdfjkmpqtvxz]g|[cdfgjknpqtvxz]b|[bdfkptv]m)s?)$/

/** A capital letter and a consonant at the end, as in "Lab. Rpt." and "Plat. 2.1": few words and names are so short. */
const isCut = (word: string, beforeNumber: boolean): boolean =>
  (beforeNumber ? /^[A-Z][a-z]{0,4}[b-df-hj-np-tv-xz]$/ : /^[A-Z][a-z]{0,2}[b-df-hj-np-tv-xz]$/).test(word) &&
  !shortNames.has(word.toLowerCase())

/** Whether a full stop belongs to the word before it. */
export const isAbbreviation = (around: Around): boolean => {
  const { ahead, begins, next, nextIsShort, start, text, word } = around
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
    if (/^Nos?$/.test(word) && !begins(start)) return true
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
    return !starts || begins(start)
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
