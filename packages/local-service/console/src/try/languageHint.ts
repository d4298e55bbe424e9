/** A hint if a text is not written in the script of its language: its voice then speaks it wrongly, or not at all. */
import { language } from "../format.js"

/** Matches a letter of the script that a language is written in. `undefined`: its script has no name in a regular expression. */
const letterOf = (lang: string): RegExp | undefined => {
  try {
    const { script } = new Intl.Locale(lang).maximize()
    return script === undefined ? undefined : new RegExp(`\\p{Script=${script}}`, "u")
  } catch {
    return undefined
  }
}

/** The hint, or `undefined` if the text has a letter of the script, or no letters. */
export const hintOf = (text: string, lang: string): string | undefined => {
  const letter = letterOf(lang)
  if (letter === undefined || !/\p{Letter}/u.test(text) || letter.test(text)) return undefined
  return `No letter of this text is in the script of ${language(lang)}. Check the language.`
}
