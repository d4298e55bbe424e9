/**
 * The number words of Hindi, Marathi, Gujarati, Kannada and Malayalam. Words are compared by sound, so one entry covers
 * many spellings.
 *
 * Sources: Unicode CLDR's RBNF (hi, gu), AI4Bharat's indic-numtowords (all five) and NVIDIA's NeMo-text-processing (hi,
 * mr). They differ only in spelling, and both spellings are read.
 */
import * as Struct from "effect/Struct"

/** A part of a number. */
export type Part =
  /** 0 to 99. `open`: round tens in the form before a unit, such as ഇരുപത്തി. */
  | { readonly kind: "count"; readonly value: number; readonly open?: boolean }
  /** A hundred, thousand, lakh (10^5), crore (10^7) or arab (10^9). */
  | { readonly kind: "scale"; readonly value: number }
  /** Before a scale: the count `alone`. Before a count and a scale: `added` to the count. */
  | { readonly kind: "fraction"; readonly alone?: number; readonly added?: number }

export interface NumberWord {
  readonly parts: ReadonlyArray<Part>
  /** Often no number: Hindi एक ("a"), दो ("give"), a लाख without a count ("no matter how much"). */
  readonly everyday?: boolean
  /** A number only after a number: Marathi शे; Hindi अरब, which also means "Arab". */
  readonly after?: boolean
  /** A number only before a number, such as ಸಾವಿರದ ("of a thousand"), or only before a scale, such as ഒരു ("a"). */
  readonly before?: "number" | "scale"
}

export type Reader = (word: string) => NumberWord | undefined

export const hundred = 100
const thousand = 1000
export const lakh = 100_000
export const crore = 10_000_000
export const arab = 1_000_000_000

/** The reader of a language, if it has one. The first use makes it, so that the service starts fast. */
export const readerOf = (lang: string): Reader | undefined => {
  const made = readers.get(lang)
  if (made !== undefined) return made
  const reader = Object.hasOwn(makers, lang) ? makers[lang]?.() : undefined
  if (reader !== undefined) readers.set(lang, reader)
  return reader
}

const readers = new Map<string, Reader>()
const makers: Readonly<Record<string, () => Reader>> = {
  hi: () => tableReader(hindi),
  mr: () => tableReader(marathi),
  gu: () => tableReader(gujarati),
  kn: () => compoundReader(kannada()),
  ml: () => compoundReader(malayalam())
}

/** In UTF-16 units: twice the longest number word. Longer words are no numbers. */
const longestWord = 100

const count = (value: number): Part => ({ kind: "count", value })
const scale = (value: number): Part => ({ kind: "scale", value })

const vowels = ["a", "A", "i", "I", "u", "U", "R", "", "E", "e", "E", "ɛ", "O", "o", "O", "ɔ"]
const consonants = [
  ...["k", "kh", "g", "gh", "ṅ", "c", "ch", "j", "jh", "ñ", "ṭ", "ṭh", "ḍ", "ḍh", "ṇ", "t", "th", "d", "dh", "n", "n"],
  ...["p", "ph", "b", "bh", "m", "y", "r", "ṟ", "l", "ḷ", "ḻ", "v", "ś", "ṣ", "s", "h"]
]
const bareConsonants = ["ṇ", "n", "r", "l", "ḷ", "k"]

/**
 * A word in Latin letters, one or two per sound, or "" if it is not in these scripts. Their Unicode blocks share the
 * layout of ISCII, so a sound has the same position in each. The inherent vowel is written out, so that a compound is
 * the concatenation of its members: ಇಪ್ಪತ್ತೈದು is ippatt and ɛdu. Nukta and joiners are dropped. A nasal before a stop is N,
 * in any of its spellings.
 */
const sounds = (word: string): string => {
  let text = ""
  let open = false
  for (const letter of word.normalize("NFC")) {
    if (/[\u200c\u200d]/u.test(letter)) continue
    if (!/[\u0900-\u097f\u0a80-\u0aff\u0c80-\u0cff\u0d00-\u0d7f]/u.test(letter)) return ""
    const place = (letter.codePointAt(0) ?? 0) & 0x7f
    if (place === 0x3c) continue
    const isVowelSign = place >= 0x3e && place <= 0x4d
    if (open && !isVowelSign) text += "a"
    open = place >= 0x15 && place <= 0x39
    if (open) text += consonants[place - 0x15]
    // 0x4d is the virama: no vowel.
    else if (isVowelSign) text += place === 0x4d ? "" : vowels[place - 0x3d]
    else if (place >= 0x05 && place <= 0x14) text += vowels[place - 0x05]
    else if (place === 0x01 || place === 0x02) text += "m"
    else if (place === 0x03) text += "h"
    else if (place >= 0x7a) text += bareConsonants[place - 0x7a]
    else return ""
  }
  return (open ? `${text}a` : text).replace(/[ṅñṇnm](?=[kgcjṭḍtdpb])/gu, "N")
}

/** A language with a separate word for each number below a hundred. */
interface Table {
  /** 0 to 99, ten per line. A comma separates numbers, a bar the words of one number. */
  readonly counts: ReadonlyArray<string>
  readonly scales: Readonly<Record<keyof typeof scales, string>>
  /** The suffix for a hundred, joined to its count. */
  readonly hundredSuffix: string
  readonly fractions: Readonly<Record<keyof typeof fractions, string>>
  /** Words that are often no number. */
  readonly everyday: string
  /** Scales that are a number only after a count. */
  readonly after: string
  /** An irregular word for two hundred. */
  readonly twoHundred?: string
}

const scales = { hundred, thousand, lakh, crore, arab }

const fractions = {
  half: { kind: "fraction", alone: 0.5 },
  // Before a count: a quarter more.
  oneAndAQuarter: { kind: "fraction", alone: 1.25, added: 0.25 },
  oneAndAHalf: { kind: "fraction", alone: 1.5 },
  twoAndAHalf: { kind: "fraction", alone: 2.5 },
  halfMore: { kind: "fraction", added: 0.5 },
  quarterLess: { kind: "fraction", added: -0.25 }
} satisfies Readonly<Record<string, Part>>

const words = (list: string): Array<string> => list.split("|").filter((word) => word !== "")

/** Ignores the length of i and u and doubled consonants: spellings differ there, but no two numbers do. */
const looseSounds = (word: string): string =>
  sounds(word)
    .replace(/I/gu, "i")
    .replace(/U/gu, "u")
    .replace(/e/gu, "E")
    .replace(/o/gu, "O")
    .replace(/ḷ/gu, "l")
    .replace(/ṟ/gu, "r")
    .replace(/([kgcjṭḍtdpbnṇmyrlvśṣs])h?(?=\1)/gu, "")
    .replace(/um$/u, "u")

const tableReader = (table: Table): Reader => {
  const known = new Map<string, NumberWord>()
  const everyday = new Set(words(table.everyday).map(looseSounds))
  const after = new Set(words(table.after).map(looseSounds))
  const learn = (list: string, parts: ReadonlyArray<Part>) => {
    for (const word of words(list).map(looseSounds)) {
      known.set(word, { parts, everyday: everyday.has(word), after: after.has(word) })
    }
  }
  for (const [tens, line] of table.counts.entries()) {
    for (const [unit, list] of line.split(", ").entries()) learn(list, [count(tens * 10 + unit)])
  }
  for (const name of Struct.keys(scales)) learn(table.scales[name], [scale(scales[name])])
  const prefixes: Array<string> = []
  for (const name of Struct.keys(fractions)) {
    const fraction = fractions[name]
    learn(table.fractions[name], [fraction])
    if ("added" in fraction) prefixes.push(...words(table.fractions[name]).map(looseSounds))
  }
  learn(table.twoHundred ?? "", [count(2), scale(hundred)])

  const suffix = looseSounds(table.hundredSuffix)
  const read = (word: string): NumberWord | undefined => {
    const whole = known.get(word)
    if (whole !== undefined) return whole
    for (const prefix of prefixes) {
      if (!word.startsWith(prefix)) continue
      const fraction = known.get(prefix)
      const rest = read(word.slice(prefix.length))
      if (fraction !== undefined && rest?.parts[0]?.kind === "count")
        return { parts: [...fraction.parts, ...rest.parts] }
    }
    if (word.endsWith(suffix)) {
      const counted = known.get(word.slice(0, -suffix.length))
      const [first] = counted?.parts ?? []
      if (counted !== undefined && (first?.kind === "fraction" || (first?.kind === "count" && first.value > 0))) {
        return { parts: [...counted.parts, scale(hundred)] }
      }
    }
    return undefined
  }
  return (word) => (word.length > longestWord ? undefined : read(looseSounds(word)))
}

const hindi: Table = {
  counts: [
    "शून्य|ज़ीरो, एक, दो, तीन, चार, पाँच|पाच, छह|छः|छे|छै|छ, सात, आठ, नौ",
    "दस, ग्यारह, बारह, तेरह, चौदह, पंद्रह|पंदरह, सोलह, सत्रह|सतरह, अठारह, उन्नीस",
    "बीस, इक्कीस, बाईस, तेईस, चौबीस, पच्चीस, छब्बीस, सत्ताईस, अट्ठाईस, उनतीस|उंतीस",
    "तीस, इकतीस|इकत्तीस, बत्तीस, तैंतीस|तेंतीस|तेतीस|तैतीस, चौंतीस|चौतीस, पैंतीस|पैतीस, छत्तीस, सैंतीस|सैतीस, अड़तीस, उनतालीस|उंतालीस",
    "चालीस, इकतालीस|इक्तालीस, बयालीस|ब्यालीस, तैंतालीस|तेतालीस|तैतालीस|तेंतालीस, चौवालीस|चवालीस|चौंतालीस, पैंतालीस|पैतालीस, छियालीस|छयालीस, सैंतालीस|सैतालीस, अड़तालीस, उनचास|उंचास",
    "पचास, इक्यावन|इकयावन, बावन, तिरपन|तिरेपन, चौवन|चउवन, पचपन, छप्पन, सत्तावन, अट्ठावन, उनसठ",
    "साठ, इकसठ, बासठ|बासट, तिरसठ|तिरेसठ, चौंसठ|चौसठ, पैंसठ|पैसठ, छियासठ|छयासठ, सड़सठ|सरसठ, अड़सठ, उनहत्तर",
    "सत्तर, इकहत्तर|इकत्तर, बहत्तर, तिहत्तर, चौहत्तर, पचहत्तर|पिछत्तर|पिचहत्तर, छिहत्तर|छियत्तर, सतहत्तर|सतत्तर, अठहत्तर, उन्यासी|उनासी",
    "अस्सी, इक्यासी, बयासी|ब्यासी|बिरासी, तिरासी|तेरासी, चौरासी, पचासी|पिचासी|पिचयासी, छियासी, सत्तासी, अट्ठासी, नवासी",
    "नब्बे, इक्यानवे|इक्यानबे, बानवे|बानबे, तिरानवे|तिरानबे, चौरानवे|चौरानबे, पचानवे|पंचानवे|पंचानबे|पचानबे|पिचानवे|पिचानबे|पिचयानवे|पिचयानबे|पिच्यानवे|पिच्यानबे, छियानवे|छियानबे, सत्तानवे|सत्तानबे, अट्ठानवे|अट्ठानबे, निन्यानवे|निन्यानबे|निन्यान्वे|निन्यान्बे"
  ],
  scales: { hundred: "सौ", thousand: "हज़ार", lakh: "लाख", crore: "करोड़", arab: "अरब" },
  hundredSuffix: "सौ",
  fractions: {
    half: "आधा",
    oneAndAQuarter: "सवा|सावा",
    oneAndAHalf: "डेढ़",
    twoAndAHalf: "ढाई|अढ़ाई",
    halfMore: "साढ़े",
    quarterLess: "पौने"
  },
  everyday: "एक|दो|लाख|करोड़",
  after: "अरब"
}

const marathi: Table = {
  counts: [
    "शून्य|झिरो, एक, दोन, तीन, चार, पाच|पांच, सहा, सात, आठ, नऊ",
    "दहा, अकरा, बारा, तेरा, चौदा, पंधरा, सोळा, सतरा, अठरा, एकोणीस",
    "वीस, एकवीस, बावीस, तेवीस, चोवीस|चौवीस, पंचवीस, सव्वीस, सत्तावीस, अठ्ठावीस, एकोणतीस",
    "तीस, एकतीस, बत्तीस, तेहेतीस|तेहतीस|तेतीस, चौतीस|चौंतीस, पस्तीस, छत्तीस, सदतीस, अडतीस, एकोणचाळीस",
    "चाळीस, एक्केचाळीस, बेचाळीस, त्रेचाळीस, चव्वेचाळीस, पंचेचाळीस, सेहेचाळीस|सेहचाळीस|शेहेचाळीस|शेचाळीस, सत्तेचाळीस, अठ्ठेचाळीस, एकोणपन्नास",
    "पन्नास, एक्कावन्न, बावन्न, त्रेपन्न, चोपन्न|चौपन्न, पंचावन्न, छप्पन्न, सत्तावन्न, अठ्ठावन्न, एकोणसाठ",
    "साठ, एकसष्ट|एकसष्ठ, बासष्ट|बासष्ठ, त्रेसष्ट|त्रेसष्ठ, चौसष्ट|चौसष्ठ, पासष्ट|पासष्ठ, सहासष्ट|सहासष्ठ, सदुसष्ट|सदुसष्ठ|सदसष्ट, अडुसष्ट|अडुसष्ठ|अडसष्ट, एकोणसत्तर",
    "सत्तर, एकाहत्तर, बाहत्तर, त्र्याहत्तर, चौऱ्याहत्तर, पंच्याहत्तर|पंचाहत्तर, शहात्तर|शाहत्तर|शहाहत्तर, सत्याहत्तर, अठ्ठ्याहत्तर|अठ्ठ्यात्तर|अठ्ठाहत्तर, एकोणऐंशी",
    "ऐंशी|ऐशी, एक्याऐंशी|एक्यांशी, ब्याऐंशी|ब्यांशी, त्र्याऐंशी|त्र्यांशी, चौऱ्याऐंशी|चौऱ्यांशी, पंच्याऐंशी|पंचाऐंशी|पंच्यांशी, शहाऐंशी|शह्यांशी|सह्यांशी, सत्याऐंशी|सत्यांशी, अठ्ठ्याऐंशी|अठ्ठ्यांशी, एकोणनव्वद",
    "नव्वद, एक्याण्णव, ब्याण्णव, त्र्याण्णव, चौऱ्याण्णव, पंच्याण्णव|पंचाण्णव, शहाण्णव|शह्याण्णव, सत्याण्णव, अठ्ठ्याण्णव|अठ्ठाण्णव, नव्याण्णव"
  ],
  scales: { hundred: "शंभर|शे", thousand: "हजार", lakh: "लाख", crore: "कोटी|करोड", arab: "अब्ज" },
  hundredSuffix: "शे",
  fractions: {
    half: "अर्धा",
    oneAndAQuarter: "सव्वा",
    oneAndAHalf: "दीड",
    twoAndAHalf: "अडीच",
    halfMore: "साडे",
    quarterLess: "पावणे"
  },
  everyday: "एक|लाख|कोटी|करोड",
  after: "शे|अब्ज"
}

const gujarati: Table = {
  counts: [
    "શૂન્ય|ઝીરો, એક, બે, ત્રણ, ચાર, પાંચ, છ, સાત, આઠ, નવ",
    "દસ|દશ, અગિયાર, બાર, તેર, ચૌદ, પંદર, સોળ, સત્તર, અઢાર, ઓગણીસ",
    "વીસ, એકવીસ, બાવીસ, ત્રેવીસ|તેવીસ, ચોવીસ, પચ્ચીસ, છવ્વીસ, સત્તાવીસ, અઠ્ઠાવીસ, ઓગણત્રીસ",
    "ત્રીસ, એકત્રીસ, બત્રીસ, તેત્રીસ, ચોત્રીસ, પાંત્રીસ, છત્રીસ, સાડત્રીસ|સડત્રીસ, અડત્રીસ|આડત્રીસ, ઓગણચાલીસ",
    "ચાલીસ, એકતાલીસ, બેતાલીસ|બેંતાલીસ, ત્રેતાલીસ|તેતાલીસ, ચુંમાલીસ, પિસ્તાલીસ, છેતાલીસ, સુડતાલીસ, અડતાલીસ, ઓગણપચાસ",
    "પચાસ, એકાવન, બાવન, ત્રેપન, ચોપન, પંચાવન, છપ્પન, સત્તાવન, અઠ્ઠાવન, ઓગણસાઠ|ઓગણસાઈઠ|ઓગણસાંઠ",
    "સાઠ|સાઈઠ|સાંઠ, એકસઠ, બાસઠ|બાંસઠ, ત્રેસઠ, ચોસઠ, પાંસઠ, છાસઠ|છાંસઠ, સડસઠ, અડસઠ, ઓગણોસિત્તેર|અગણોસિત્તેર|ઓગણસિત્તેર",
    "સિત્તેર, એકોતેર|ઇકોતેર, બોતેર|બોંતેર, તોતેર|તોંતેર, ચુમોતેર, પંચોતેર, છોતેર, સિત્યોતેર|સત્યોતેર, ઇઠ્યોતેર|અઠ્યોતેર, ઓગણાએંસી|ઓગણએંસી|ઓગણ્યાએંસી|અગણ્યાએંસી",
    "એંસી|એંશી, એક્યાસી, બ્યાસી|બ્યાંસી, ત્યાસી|ત્યાંસી, ચોર્યાસી, પંચાસી|પંચ્યાસી, છ્યાસી|છ્યાંસી|છયાસી, સિત્યાસી|સત્યાસી, અઠ્યાસી|ઇઠ્યાસી, નેવ્યાસી|નેવાસી",
    "નેવું, એકાણું, બાણું, ત્રાણું, ચોરાણું, પંચાણું, છન્નું, સત્તાણું, અઠ્ઠાણું, નવ્વાણું"
  ],
  scales: { hundred: "સો", thousand: "હજાર", lakh: "લાખ", crore: "કરોડ", arab: "અબજ" },
  hundredSuffix: "સો",
  fractions: {
    half: "અડધો|અડધા",
    oneAndAQuarter: "સવા",
    oneAndAHalf: "દોઢ",
    twoAndAHalf: "અઢી",
    halfMore: "સાડા",
    quarterLess: "પોણા"
  },
  // બસો also means "buses".
  everyday: "એક|બસો|લાખ|કરોડ",
  after: "અબજ",
  twoHundred: "બસો"
}

/** A language that joins the words of a number into one. All its strings except `everyday` are sounds. */
interface Compounds {
  readonly sounds: (word: string) => string
  /** Numbers below a hundred. */
  readonly counts: ReadonlyMap<string, Part>
  /** Counts in their form before a scale. */
  readonly multipliers: Readonly<Record<string, number>>
  readonly scales: ReadonlyArray<CompoundScale>
  /** The words for a unit and a half, such as ഒന്നര. */
  readonly andAHalf: (units: number) => Array<string>
  /** Irregular words. `undefined` marks a word that only looks like a number. */
  readonly others: ReadonlyArray<readonly [string, NumberWord | undefined]>
  readonly everyday: string
}

interface CompoundScale {
  readonly value: number
  readonly stem: string
  /** The count of a stem that includes it. */
  readonly multiplier?: number
  /** Endings of a complete number. */
  readonly ends: ReadonlyArray<string>
  /** Endings before the rest of a number, in the same word or the next. */
  readonly links: ReadonlyArray<string>
  /** Endings before the rest in the same word only. */
  readonly joints: ReadonlyArray<string>
}

const compoundReader = (language: Compounds): Reader => {
  const everyday = new Set(words(language.everyday).map(language.sounds))
  const known = new Map<string, NumberWord | undefined>(language.others)
  for (const [word, part] of language.counts) {
    const isOpen = part.kind === "count" && part.open === true
    known.set(word, { parts: [part], ...(isOpen ? { before: "number" } : {}) })
  }
  for (let unit = 1; unit < 10; unit++) {
    for (const word of language.andAHalf(unit)) known.set(word, { parts: [{ kind: "fraction", alone: unit + 0.5 }] })
  }

  const multiplierOf = (text: string): Part | undefined => {
    // ഇരുപതിനായിരം is twenty, -in-, thousand.
    for (const form of [text, text.replace(/in$/u, "")]) {
      if (Object.hasOwn(language.multipliers, form)) return count(language.multipliers[form] ?? 1)
      const found = language.counts.get(form)
      if (found?.kind === "count" && found.value > 0) return count(found.value)
    }
    return undefined
  }

  /** Reads a rest below `limit`. After a link, a consonant is doubled and a y separates two vowels. */
  const readRest = (text: string, limit: number): NumberWord | undefined =>
    [...new Set([text, text.replace(/^y/u, ""), text.replace(/^(.)(?=\1)/u, "")])]
      .map((rest) => (rest === "" ? undefined : read(rest, limit)))
      .find((found) => found !== undefined)

  const read = (text: string, limit: number): NumberWord | undefined => {
    if (known.has(text)) return known.get(text)
    for (const { ends, joints, links, multiplier, stem, value } of language.scales) {
      const at = value < limit ? text.indexOf(stem) : -1
      if (at < 0) continue
      const left = multiplier !== undefined ? count(multiplier) : at === 0 ? undefined : multiplierOf(text.slice(0, at))
      if (left === undefined ? at > 0 : multiplier !== undefined && at > 0) continue
      const head = [...(left === undefined ? [] : [left]), scale(value)]
      const right = text.slice(at + stem.length)
      if (ends.includes(right)) return { parts: head }
      if (links.includes(right)) return { parts: head, before: "number" }
      for (const link of [...links, ...joints]) {
        const rest = right.startsWith(link) ? readRest(right.slice(link.length), value) : undefined
        if (rest !== undefined) return { ...rest, parts: [...head, ...rest.parts] }
      }
    }
    return undefined
  }

  return (word) => {
    if (word.length > longestWord) return undefined
    const text = language.sounds(word)
    const found = text === "" ? undefined : read(text, Number.POSITIVE_INFINITY)
    return found !== undefined && everyday.has(text) ? { ...found, everyday: true } : found
  }
}

/** The counts below a hundred: the words below twenty, the tens, and each ten joined with each unit. */
const joinedCounts = (
  soundsOf: (word: string) => string,
  belowTwenty: ReadonlyArray<string>,
  tens: ReadonlyArray<string>,
  join: (tens: string, unit: string) => Array<string>
): Map<string, Part> => {
  const counts = new Map<string, Part>()
  for (const [value, list] of belowTwenty.entries()) {
    for (const word of words(list)) counts.set(soundsOf(word), count(value))
  }
  for (const [index, list] of tens.entries()) {
    const ten = (index + 2) * 10
    for (const word of words(list).map(soundsOf)) {
      counts.set(word, count(ten))
      for (let unit = 1; unit < 10; unit++) {
        for (const unitWord of words(belowTwenty[unit] ?? "").map(soundsOf)) {
          for (const joined of join(word, unitWord)) counts.set(joined, count(ten + unit))
        }
      }
    }
  }
  return counts
}

const kannada = (): Compounds => {
  const soundsOf = (word: string) => sounds(word).replace(/bh/gu, "b")
  const belowTwenty = [
    ...["ಸೊನ್ನೆ|ಶೂನ್ಯ|ಝೀರೋ|ಜೀರೋ", "ಒಂದು", "ಎರಡು", "ಮೂರು", "ನಾಲ್ಕು|ನಾಲಕ್ಕು|ನಾಕು", "ಐದು", "ಆರು", "ಏಳು", "ಎಂಟು", "ಒಂಬತ್ತು"],
    ...["ಹತ್ತು", "ಹನ್ನೊಂದು", "ಹನ್ನೆರಡು", "ಹದಿಮೂರು", "ಹದಿನಾಲ್ಕು", "ಹದಿನೈದು", "ಹದಿನಾರು", "ಹದಿನೇಳು", "ಹದಿನೆಂಟು", "ಹತ್ತೊಂಬತ್ತು"]
  ]
  const tens = ["ಇಪ್ಪತ್ತು", "ಮೂವತ್ತು", "ನಲವತ್ತು|ನಲ್ವತ್ತು|ನಾಲ್ವತ್ತು", "ಐವತ್ತು", "ಅರವತ್ತು|ಅರುವತ್ತು", "ಎಪ್ಪತ್ತು", "ಎಂಬತ್ತು", "ತೊಂಬತ್ತು"]
  const join = (ten: string, unit: string): Array<string> => {
    const stem = ten.slice(0, -1)
    return /^[aAiIuUeEɛoOɔ]/u.test(unit)
      ? [stem + unit]
      : [`${stem}a${unit}`, `${stem}u${unit}`, stem + unit, stem.slice(0, -1) + unit]
  }
  return {
    sounds: soundsOf,
    counts: joinedCounts(soundsOf, belowTwenty, tens, join),
    multipliers: { in: 2, mun: 3, nA: 4, nAn: 4, nAl: 4, ɛ: 5, Ar: 6, Eḷ: 7, eNṭ: 8, oNbɛ: 9, oNbay: 9 },
    scales: [
      { value: crore, stem: "kOṭi", ends: [""], links: ["ya"], joints: ["y", ""] },
      { value: lakh, stem: "lakṣa", ends: [""], links: ["da"], joints: ["d", ""] },
      { value: thousand, stem: "sAvira", ends: [""], links: ["da"], joints: ["d", ""] },
      { value: hundred, stem: "nUr", ends: ["u"], links: ["a", "A"], joints: ["u", ""] }
    ],
    andAHalf: (unit) => words(belowTwenty[unit] ?? "").map((word) => `${soundsOf(word).slice(0, -1)}Uvare`),
    others: [
      [soundsOf("ಅರ್ಧ"), { parts: [{ kind: "fraction", alone: 0.5 }] }],
      // Means "hundreds", not "a hundred and six".
      [soundsOf("ನೂರಾರು"), undefined]
    ],
    everyday: "ಒಂದು|ಲಕ್ಷ|ಕೋಟಿ"
  }
}

const malayalam = (): Compounds => {
  // The final u of a word is optional: അഞ്ച്, അഞ്ചു.
  const soundsOf = (word: string) => sounds(word).replace(/u$/u, "")
  const belowTwenty = [
    ...["പൂജ്യം|സീറോ", "ഒന്ന്", "രണ്ട്", "മൂന്ന്", "നാല്", "അഞ്ച്", "ആറ്", "ഏഴ്", "എട്ട്", "ഒമ്പത്"],
    ...["പത്ത്", "പതിനൊന്ന്", "പന്ത്രണ്ട്", "പതിമൂന്ന്", "പതിനാല്", "പതിനഞ്ച്", "പതിനാറ്", "പതിനേഴ്", "പതിനെട്ട്", "പത്തൊമ്പത്"]
  ]
  const tens = ["ഇരുപത്", "മുപ്പത്", "നാല്പത്|നാൽപ്പത്", "അമ്പത്", "അറുപത്", "എഴുപത്", "എൺപത്", "തൊണ്ണൂറ്"]
  // The last consonant of the tens is doubled before a unit.
  const doubled = (ten: string) => ten + ten.slice(-1)
  const join = (ten: string, unit: string): Array<string> => {
    const stem = doubled(ten)
    return /^[aAiIuUeEɛoOɔ]/u.test(unit) ? [stem + unit, `${stem}i${unit}`, `${stem}iy${unit}`] : [`${stem}i${unit}`]
  }
  const counts = joinedCounts(soundsOf, belowTwenty, tens, join)
  for (const ten of tens.flatMap((list) => words(list).map(soundsOf))) {
    const part = counts.get(ten)
    if (part?.kind === "count") counts.set(`${doubled(ten)}i`, { ...part, open: true })
  }
  const multipliers: Record<string, number> = { or: 1, oru: 1, pat: 10, mUv: 3, ayy: 5, eṇṇ: 8 }
  for (const ten of tens.flatMap((list) => words(list).map(soundsOf))) {
    const part = counts.get(ten)
    if (part?.kind !== "count") continue
    for (const unit of ["mUv", "ayy", "eṇṇ"]) {
      for (const joined of join(ten, unit)) multipliers[joined] = part.value + (multipliers[unit] ?? 0)
    }
  }
  Object.assign(multipliers, { i: 2, in: 2, iru: 2, irun: 2, mun: 3, nA: 4, nAn: 4 })
  Object.assign(multipliers, { añ: 5, aṟu: 6, aṟun: 6, eḻu: 7, eḻun: 7, eṇ: 8 })
  const hundredForms = { ends: [""], links: ["ṟi"], joints: ["ṟ", "u"] }
  const otherForms = { ends: ["m"], links: ["tti"], joints: ["tt"] }
  return {
    sounds: soundsOf,
    counts,
    multipliers,
    scales: [
      { value: crore, stem: "kOṭi", ends: [""], links: [], joints: [] },
      { value: lakh, stem: "lakṣa", ...otherForms },
      { value: hundred, stem: "toḷḷAyira", multiplier: 9, ...otherForms },
      { value: thousand, stem: "Ayira", ...otherForms },
      { value: hundred, stem: "nUṟ", ...hundredForms },
      { value: hundred, stem: "ñUṟ", ...hundredForms },
      { value: hundred, stem: "ṇUṟ", ...hundredForms }
    ],
    andAHalf: (unit) => words(belowTwenty[unit] ?? "").map((word) => `${soundsOf(word)}ara`),
    others: [
      [soundsOf("ഒരു"), { parts: [count(1)], before: "scale" }],
      [soundsOf("അര"), { parts: [{ kind: "fraction", alone: 0.5 }] }]
    ],
    everyday: "ഒന്ന്|ലക്ഷം|കോടി"
  }
}
