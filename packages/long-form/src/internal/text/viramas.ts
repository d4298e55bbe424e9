/**
 * Viramas: signs that join two consonants to a conjunct. Source: `IndicSyllabicCategory.txt` of Unicode, the values `Virama`
 * and `Invisible_Stacker`.
 */

/** Those of the scripts of the service, but Tamil: Devanagari, Bengali, Gurmukhi, Gujarati, Odia, Telugu, Kannada, Malayalam. */
export const joiningViramas = "\u094d\u09cd\u0a4d\u0acd\u0b4d\u0c4d\u0ccd\u0d4d"

/** That of Tamil. Most consonants after it are not joined. */
export const tamilVirama = "\u0bcd"

/** Those of the scripts of the service, and of Sinhala, Burmese and Khmer, in which subtitles may be. */
export const allViramas = `${joiningViramas}${tamilVirama}\u0dca\u1039\u17d2`
