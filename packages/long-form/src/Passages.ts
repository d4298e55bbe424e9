/**
 * Parts of a text that are spoken in their own way.
 */

/** A part of a text with its own language, voice or speed. */
export interface Passage {
  readonly text: string
  /** Language code. Default: the language of the request. */
  readonly lang?: string | undefined
  /** Default: the voice of the request. */
  readonly voice?: string | undefined
  /** Default: the speed of the request. */
  readonly speed?: number | undefined
}

/** The scripts that {@link byScript} tells apart, and the language that a text in the script has by default. */
export const languages = {
  Arabic: "ur",
  Bengali: "bn",
  Devanagari: "hi",
  Gujarati: "gu",
  Gurmukhi: "pa",
  Kannada: "kn",
  Latin: "en",
  Malayalam: "ml",
  Oriya: "or",
  Tamil: "ta",
  Telugu: "te"
} as const

export type Script = keyof typeof languages

export interface ScriptOptions {
  /** The language of each script, such as `{ Devanagari: "mr" }`. Default: {@link languages}. */
  readonly languages?: { readonly [script in Script]?: string } | undefined
  /** A passage of fewer words stays in the passage before it. Default: 1. */
  readonly minimumWords?: number | undefined
}

const scripts = Object.keys(languages) as ReadonlyArray<Script>
const letters = new RegExp(scripts.map((script) => `(?<${script}>\\p{Script=${script}})`).join("|"), "gu")

/**
 * Tags the passages of a mixed text by their script. Digits, punctuation and spaces stay with the passage before them. The
 * texts of all passages together are the text.
 */
export function* byScript(text: string, options: ScriptOptions = {}): Generator<Passage, void> {
  const langs: Readonly<Record<Script, string>> = { ...languages, ...options.languages }
  const pattern = new RegExp(letters)
  let start = 0
  let lang: string | undefined
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const script = scripts.find((each) => match?.groups?.[each] !== undefined)
    const next = script === undefined ? lang : langs[script]
    if (lang !== undefined && next !== lang) {
      yield { text: text.slice(start, match.index), lang }
      start = match.index
    }
    lang = next
  }
  if (start < text.length) yield { text: text.slice(start), lang }
}
