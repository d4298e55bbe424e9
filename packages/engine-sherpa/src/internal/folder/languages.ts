/**
 * The languages of a model, as its metadata or the name of its folder states them. A code has two letters, or three if the language has
 * no code of two.
 */

/** The official languages of India that have no code of two letters, and Cantonese. */
const codesOfThreeLetters = ["brx", "doi", "gom", "kok", "mai", "mni", "sat", "yue"]

const letters = Array.from("abcdefghijklmnopqrstuvwxyz")

/** English names of languages in small letters, and their codes. */
const makeNames = (): ReadonlyMap<string, string> => {
  const names = new Intl.DisplayNames("en", { type: "language", fallback: "none" })
  const codes = [...letters.flatMap((first) => letters.map((second) => first + second)), ...codesOfThreeLetters]
  return new Map(
    codes.flatMap((code) => {
      const name = names.of(code)
      return name === undefined || canonical(code) !== code ? [] : [[name.toLowerCase(), code] as const]
    })
  )
}

let cached: { readonly codes: ReadonlyMap<string, string>; readonly known: ReadonlySet<string> } | undefined

/** It takes 30 ms, so it waits until a model needs it. */
const names = () => {
  if (cached === undefined) {
    // As the exporters of Piper and of MMS write them.
    const codes = new Map([...makeNames(), ["oriya", "or"], ["panjabi", "pa"], ["bengali", "bn"]])
    cached = { codes, known: new Set(codes.values()) }
  }
  return cached
}

/** The shortest code: `hin` becomes `hi`, and `cmn` `zh`. Only the language of a tag is kept. */
export const canonical = (code: string): string => {
  try {
    return new Intl.Locale(code).language
  } catch {
    return code
  }
}

const distinct = (codes: ReadonlyArray<string>): ReadonlyArray<string> => [...new Set(codes)]

/** The languages of a list of English names, such as `Hindi` or `multi-lang, e.g., English, Chinese`. */
export const languagesInWords = (words: string): ReadonlyArray<string> =>
  distinct(words.split(/[,;/+&]/).flatMap((part) => names().codes.get(part.trim().toLowerCase()) ?? []))

/** The language of a voice of espeak-ng, such as `en-gb-x-rp` or `cmn`. */
export const languageOfEspeak = (voice: string): ReadonlyArray<string> => {
  const [code = ""] = voice.toLowerCase().split(/[-_+]/)
  return /^[a-z]{2,3}$/.test(code) ? [canonical(code)] : []
}

/** How those who publish models begin the names of folders. Elsewhere two letters may be any word. */
const published = /^(sherpa-onnx|vits|icefall|kokoro|kitten|indicconformer|stt|zipformer|parakeet|whisper)[-_]/

/** GigaAM is a family of models, not Amharic. "My voice" is not Burmese, and "speech to text" is not Tongan. */
const isWord = (code: string, before: string | undefined): boolean =>
  code === "my" || code === "to" || (code === "am" && before === "giga")

/**
 * The languages in the name of a folder, such as `vits-piper-hi_IN-pratham-medium`, `vits-mms-hin` and
 * `sherpa-onnx-nemo-ctc-giga-am-russian-2024-10-24`. Only names in the form of published models are read.
 */
export const languagesInName = (name: string): ReadonlyArray<string> => {
  if (!published.test(name)) return []
  const withRegion = Array.from(name.matchAll(/(?<=^|[-_])([a-z]{2,3})_[A-Z]{2}(?=[-_]|$)/g), ([, code = ""]) => code)
  const ofMms = /(?<=^|[-_])mms[-_]([a-z]{3})(?=[-_]|$)/.exec(name)?.[1]
  const parts = name.split(/[-_.]/)
  const inWords = parts.flatMap((part) => names().codes.get(part) ?? [])
  const codes = parts.filter((part, at) => names().known.has(part) && !isWord(part, parts[at - 1]))
  const found = [withRegion, ofMms === undefined ? [] : [ofMms], inWords, codes].find(({ length }) => length > 0) ?? []
  return distinct(found.map(canonical))
}
