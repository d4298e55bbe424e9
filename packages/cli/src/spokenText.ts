/**
 * The text of a synthesis with its language, or its parts if it has several languages.
 */
import * as Passages from "@effect-speech/long-form/Passages"
import * as Sentences from "@effect-speech/long-form/Sentences"

/** `text`: whole, or its parts, each with a language of its own. */
export interface SpokenText<Text = string | ReadonlyArray<Passages.Passage>> {
  readonly text: Text
  readonly lang: string | undefined
}

const words = /[\p{L}\p{M}]+/gu

/** The language of most words of a sentence. `undefined`: it has no letter of a known script. */
const languageOf = (sentence: string): string | undefined => {
  const counts = new Map<string, number>()
  for (const { lang, text } of Passages.byScript(sentence)) {
    if (lang !== undefined) counts.set(lang, (counts.get(lang) ?? 0) + (text.match(words)?.length ?? 0))
  }
  return [...counts].toSorted(([, one], [, other]) => other - one)[0]?.[0]
}

/**
 * Finds the language of each sentence by the script of most of its words. A foreign name or term stays in the sentence around it, whose
 * voice reads it.
 */
export const byScript = (text: string): SpokenText => {
  const passages: Array<Passages.Passage> = []
  for (const sentence of Sentences.split(text)) {
    const lang = languageOf(sentence.text) ?? passages.at(-1)?.lang
    const before = passages.at(-1)
    if (before !== undefined && (before.lang === undefined || before.lang === lang)) {
      passages[passages.length - 1] = { text: before.text + sentence.text, lang }
    } else passages.push({ text: sentence.text, lang })
  }
  const [first] = passages
  return passages.length > 1 ? { text: passages, lang: first?.lang } : { text, lang: first?.lang }
}

/** The languages of a text, each once. */
export const languagesOf = ({ lang, text }: SpokenText): ReadonlyArray<string> => {
  const all = typeof text === "string" ? [lang] : text.map((passage) => passage.lang)
  return [...new Set(all.filter((each) => each !== undefined))]
}
