import { chances } from "effect-speech-test-support/random"
import { paragraphs } from "../../packages/long-form/test/support/texts.js"

/**
 * A text of this many code points or a few more, in turn Hindi and English. Each paragraph has a number, so that no two are
 * the same.
 */
export const book = (codePoints: number, seed: number): string => {
  const chance = chances(seed)
  const pick = (lang: string): string => {
    const all = paragraphs[lang] ?? []
    return all[Math.floor(chance() * all.length)] ?? ""
  }
  let text = ""
  let length = 0
  for (let number = 1; length < codePoints; number++) {
    const paragraph = number % 2 === 1 ? `अध्याय ${number}। ${pick("hi")}\n\n` : `Chapter ${number}. ${pick("en")}\n\n`
    text += paragraph
    length += [...paragraph].length
  }
  return text.trimEnd()
}
