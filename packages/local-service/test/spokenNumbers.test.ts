import { describe, expect, it, layer } from "@effect/vitest"
import { Wav } from "@effect-speech/audio-codec"
import { cooperatively } from "@effect-speech/common/Cooperative"
import { LocalService } from "@effect-speech/local-service"
import { AudioSource, SpeechToText } from "@effect-speech/stt"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import { TextToSpeech } from "@effect-speech/tts"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Layer from "effect/Layer"
import { toCardinal as gujarati } from "n2words/gu-IN"
import { toCardinal as hindi } from "n2words/hi-IN"
import { toCardinal as kannada } from "n2words/kn-IN"
import { toCardinal as marathi } from "n2words/mr-IN"
import { writeNumbers } from "../src/internal/numbers/spokenNumbers.js"
import { withNumbers } from "../src/internal/numbers/withNumbers.js"

/** Malayalam in joined words. n2words has no Malayalam. */
const malayalam = (n: number): string => {
  const units = ["", "ഒന്ന്", "രണ്ട്", "മൂന്ന്", "നാല്", "അഞ്ച്", "ആറ്", "ഏഴ്", "എട്ട്", "ഒമ്പത്"]
  const teens = ["പത്ത്", "പതിനൊന്ന്", "പന്ത്രണ്ട്", "പതിമൂന്ന്", "പതിനാല്", "പതിനഞ്ച്", "പതിനാറ്", "പതിനേഴ്", "പതിനെട്ട്", "പത്തൊമ്പത്"]
  const tens = ["", "", "ഇരുപത്", "മുപ്പത്", "നാല്പത്", "അമ്പത്", "അറുപത്", "എഴുപത്", "എൺപത്", "തൊണ്ണൂറ്"]
  const hundreds = ["", "നൂറ്", "ഇരുനൂറ്", "മുന്നൂറ്", "നാനൂറ്", "അഞ്ഞൂറ്", "അറുനൂറ്", "എഴുനൂറ്", "എണ്ണൂറ്", "തൊള്ളായിരം"]
  const thousands = ["", "ആയിരം", "രണ്ടായിരം", "മൂവായിരം", "നാലായിരം", "അയ്യായിരം", "ആറായിരം", "ഏഴായിരം", "എണ്ണായിരം", "ഒമ്പതിനായിരം"]
  const signs: Record<string, string> = { അ: "", ആ: "ാ", എ: "െ", ഏ: "േ", ഒ: "ൊ" }
  const bare = (word: string) => word.slice(0, -1)
  const linked = (word: string) =>
    word.endsWith("റ്") ? `${word}റി` : word.endsWith("ം") ? `${bare(word)}ത്തി` : `${bare(word)}്തി`
  const joined = (ten: string, unit: string) => {
    const sign = signs[unit.charAt(0)]
    return linked(ten) + (sign === undefined ? unit : `യ${sign}${unit.slice(1)}`)
  }
  const belowHundred = (value: number): string => {
    if (value < 10) return units[value] ?? ""
    if (value < 20) return teens[value - 10] ?? ""
    const ten = tens[Math.floor(value / 10)] ?? ""
    return value % 10 === 0 ? ten : joined(ten, units[value % 10] ?? "")
  }
  const ofThousands = (value: number): string => {
    if (value < 10) return thousands[value] ?? ""
    if (value === 10) return "പതിനായിരം"
    if (value % 10 === 0) return `${bare(belowHundred(value))}${value === 90 ? "ായിരം" : "ിനായിരം"}`
    if (value < 20) return `${bare(belowHundred(value))}${value === 19 ? "ിനായിരം" : "ായിരം"}`
    return joined(tens[Math.floor(value / 10)] ?? "", value % 10 === 1 ? "ഒന്നായിരം" : (thousands[value % 10] ?? ""))
  }
  const counted = (value: number, word: string) =>
    value === 0 ? "" : `${value === 1 ? "ഒരു" : belowHundred(value)} ${word}`
  const [crores, lakhs] = [Math.floor(n / 10_000_000), Math.floor(n / 100_000) % 100]
  const parts = [
    counted(crores, "കോടി"),
    counted(lakhs, "ലക്ഷം"),
    ofThousands(Math.floor(n / 1000) % 100),
    hundreds[Math.floor(n / 100) % 10] ?? "",
    n === 0 ? "പൂജ്യം" : belowHundred(n % 100)
  ].filter((part) => part !== "")
  return parts.map((part, at) => (at < parts.length - 1 && !part.endsWith("കോടി") ? linked(part) : part)).join(" ")
}

const speakers: ReadonlyArray<{ lang: string; name: string; words: (n: number) => string }> = [
  { lang: "hi", name: "Hindi", words: hindi },
  { lang: "gu", name: "Gujarati", words: gujarati },
  { lang: "kn", name: "Kannada", words: kannada },
  { lang: "ml", name: "Malayalam", words: malayalam },
  // n2words counts hundreds with शंभर. Speakers say शे.
  { lang: "mr", name: "Marathi", words: (n) => marathi(n).replaceAll(" शंभर", "शे") }
]

const written = (lang: string, cases: ReadonlyArray<readonly [spoken: string, written: string]>) => {
  expect(cases.map(([spoken]) => writeNumbers(lang, spoken))).toEqual(cases.map(([, expected]) => expected))
}
const untouched = (lang: string, texts: ReadonlyArray<string>) =>
  written(
    lang,
    texts.map((text) => [text, text] as const)
  )

describe.each(speakers)("a spoken number in $name", ({ lang, words }) => {
  it("becomes digits, from 0 to 1000 and below ten crores", () => {
    written(
      lang,
      Array.from({ length: 1001 }, (_, n) => [words(n), String(n)] as const)
    )
    FastCheck.assert(
      FastCheck.property(FastCheck.integer({ min: 1001, max: 99_999_999 }), (n) => {
        written(lang, [[words(n), String(n)]])
      }),
      { seed: 41, numRuns: 500 }
    )
  })

  it("becomes digits in each normal form of Unicode", () => {
    for (const n of [5, 12, 38, 66, 99, 235_406, 99_999_999]) {
      written(lang, [
        [words(n).normalize("NFC"), String(n)],
        [words(n).normalize("NFD"), String(n)]
      ])
    }
  })

  it("is read without an error in any order of words and marks, and a second reading changes nothing", () => {
    const word = FastCheck.oneof(
      FastCheck.nat(99).map(words),
      FastCheck.constantFrom(100, 1000, 100_000, 10_000_000, 350, 2500, 123_456).map(words),
      FastCheck.constantFrom(
        ..."सौ हज़ार लाख करोड़ अरब साढ़े सवा डेढ़ पौने शे हजार कोटी साडे दीड सो સો હજાર લાખ બસો સાડા દોઢ".split(" "),
        ..."ನೂರಾ ನೂರು ಸಾವಿರ ಸಾವಿರದ ಲಕ್ಷದ ಕೋಟಿ ಒಂದೂವರೆ ಸಾವಿರದೈನೂರು നൂറ്റി ആയിരം ആയിരത്തി ലക്ഷം കോടി ഒരു".split(" "),
        ..."ഇരുപത്തി ഒന്നര ആയിരത്തിമുന്നൂറ് 7 x".split(" ")
      )
    )
    const gap = FastCheck.constantFrom(" ", " ", " ", "  ", "-", ", ", "। ", "\n")
    FastCheck.assert(
      FastCheck.property(FastCheck.array(FastCheck.tuple(word, gap)), (pairs) => {
        const once = writeNumbers(lang, pairs.flat().join(""))
        expect(writeNumbers(lang, once)).toBe(once)
      }),
      { seed: 41, numRuns: 500 }
    )
  })
})

describe("a text without numbers", () => {
  it("stays as it is", () => {
    FastCheck.assert(
      FastCheck.property(
        FastCheck.constantFrom("hi", "mr", "gu", "kn", "ml"),
        FastCheck.fullUnicodeString(),
        (lang, text) => {
          expect(writeNumbers(lang, text)).toBe(text)
        }
      ),
      { seed: 41 }
    )
    untouched("hi", ["", "  ", "आपका स्वागत है।", "5 लाख, ५०० रुपये"])
  })

  it("stays as it is in a language without number words", () => {
    for (const lang of ["en", "ta", "bn", "", "constructor", "__proto__"]) {
      expect(writeNumbers(lang, "पाँच सौ five hundred")).toBe("पाँच सौ five hundred")
    }
  })
})

describe("Hindi", () => {
  it("has several spellings of a number", () =>
    written("hi", [
      ["पांच पाँच", "5 5"],
      ["छह बजे", "6 बजे"],
      ["छः बजे", "6 बजे"],
      ["छे बजे", "6 बजे"],
      ["हज़ार रुपये, हजार रुपये, हज\u093cार रुपये, ह\u095bार रुपये", "1000 रुपये, 1000 रुपये, 1000 रुपये, 1000 रुपये"],
      ["पन्द्रह, पंद्रह", "15, 15"],
      ["अठारह, अट्ठारह", "18, 18"],
      ["अड़तालीस, अडतालीस", "48, 48"],
      ["उन्यासी, उनासी", "79, 79"],
      ["निन्यानबे, निन्यानवे", "99, 99"]
    ]))

  it("combines words into one number", () =>
    written("hi", [
      ["दो लाख पैंतीस हज़ार चार सौ छह", "235406"],
      ["मेरे पास पाँच सौ रुपये हैं।", "मेरे पास 500 रुपये हैं।"],
      ["सौ रुपये, हज़ार रुपये", "100 रुपये, 1000 रुपये"],
      ["उन्नीस सौ सैंतालीस में", "1947 में"],
      ["दो सौ पचास करोड़", "2500000000"],
      ["दो लाख करोड़ रुपये", "2000000000000 रुपये"],
      ["पाँचसौ", "500"]
    ]))

  it("reads fractions of a scale", () =>
    written("hi", [
      ["डेढ़ सौ", "150"],
      ["ढाई हज़ार", "2500"],
      ["साढ़े तीन लाख", "350000"],
      ["सवा सौ", "125"],
      ["सवा दो करोड़", "22500000"],
      ["पौने दो सौ", "175"],
      ["डेढ़ सौ करोड़", "1500000000"],
      ["साढ़े तीन बजे डेढ़ घंटा", "साढ़े 3 बजे डेढ़ घंटा"]
    ]))

  it("keeps words that are often no number", () =>
    untouched("hi", [
      "मुझे एक बात बताओ",
      "मुझे दो",
      "एक दो दिन में",
      "एक-एक करके",
      "लाख कोशिश की",
      "सैकड़ों, हज़ारों, लाखों, करोड़ों लोग",
      "दोनों तीनों पहला दूसरा",
      "सऊदी अरब में"
    ]))

  it("writes those words in digits among numbers, and if they stand alone", () =>
    written("hi", [
      ["एक", "1"],
      ["हाँ, दो।", "हाँ, 2।"],
      ["एक सौ एक", "101"],
      ["दो तीन दिन", "2 3 दिन"],
      ["दो-तीन दिन", "2-3 दिन"],
      ["एक दस रुपये का नोट", "एक 10 रुपये का नोट"],
      ["दो अरब लोग", "2000000000 लोग"]
    ]))

  it("joins three or more single digits, but not two", () =>
    written("hi", [
      ["नंबर नौ आठ सात छह पाँच चार तीन दो एक शून्य है", "नंबर 9876543210 है"],
      ["शून्य शून्य सात", "007"],
      ["नौ आठ सात, छह पाँच चार", "987, 654"],
      ["नौ-आठ-सात", "9-8-7"],
      ["चार पाँच लोग", "4 5 लोग"],
      ["बीस पच्चीस मिनट", "20 25 मिनट"]
    ]))

  it("writes several numbers if the words do not form one", () =>
    written("hi", [
      ["सौ लाख पाँच करोड़ हज़ार", "10000000 50001000"],
      ["सौ दो सौ रुपये", "100 200 रुपये"],
      ["दस बारह हज़ार", "10 12000"],
      ["डेढ़ हज़ार पाँच", "1500 5"],
      ["शून्य सौ", "0 100"],
      ["पाँच सौ, तीन", "500, 3"]
    ]))
})

it("Marathi reads hundreds, joined or not, and fractions", () => {
  written("mr", [
    ["शंभर रुपये", "100 रुपये"],
    ["एकशे एक", "101"],
    ["दोनशे पन्नास", "250"],
    ["दोन शे", "200"],
    ["दीडशे, अडीचशे, सव्वाशे", "150, 250, 125"],
    ["साडेतीनशे, साडे तीन हजार, साडेतीन लाख", "350, 3500, 350000"],
    ["पावणे दोनशे", "175"],
    ["चौर्\u200dयाण्णव, चौऱ्याण्णव", "94, 94"],
    ["नऊ आठ सात सहा", "9876"]
  ])
  untouched(
    "mr",
    ["एक गोष्ट सांगा", "शे", "साडेतीन वाजता", "हजारो लाखो लोक", "कोटी"].map((text) => `हे ${text} ना`)
  )
})

it("Gujarati reads joined hundreds, and tells buses from two hundred", () => {
  written("gu", [
    ["બસો પચાસ રૂપિયા", "250 રૂપિયા"],
    ["ત્રણસો, છસ્સો, નવસો", "300, 600, 900"],
    ["એકસો પચીસ", "125"],
    ["દોઢસો, અઢી હજાર, સાડા ત્રણ લાખ", "150, 2500, 350000"],
    ["નેવુ, નેવું", "90, 90"],
    ["છ વાગ્યા છે", "6 વાગ્યા છે"]
  ])
  untouched("gu", ["બસો આવે છે", "એક વાત કહો", "લાખો લોકો"])
})

it("Kannada reads words that are joined, linked or apart", () => {
  written("kn", [
    ["ಇಪ್ಪತ್ತೈದು, ಇಪ್ಪತ್ಮೂರು, ಇಪ್ಪತ್ತನಾಲ್ಕು", "25, 23, 24"],
    ["ಇನ್ನೂರು, ಮುನ್ನೂರು, ನಾನ್ನೂರು, ಐನೂರು, ಆರುನೂರು, ಏಳುನೂರು, ಎಂಟುನೂರು, ಒಂಬೈನೂರು", "200, 300, 400, 500, 600, 700, 800, 900"],
    ["ನೂರಾ ಇಪ್ಪತ್ತೈದು, ನೂರ ಇಪ್ಪತ್ತೈದು, ನೂರಿಪ್ಪತ್ತೈದು", "125, 125, 125"],
    ["ನೂರೊಂದು, ನೂರೆಂಟು, ಇನ್ನೂರೈವತ್ತು", "101, 108, 250"],
    ["ಎರಡು ಸಾವಿರದ ಇಪ್ಪತ್ತೈದು", "2025"],
    ["ಸಾವಿರದ ಐನೂರು ರೂಪಾಯಿ, ಸಾವಿರದೈನೂರು", "1500 ರೂಪಾಯಿ, 1500"],
    ["ಒಂದೂವರೆ ಲಕ್ಷ", "150000"],
    ["ಒಂಬತ್ತು ಎಂಟು ಏಳು ಒಂದು", "9871"]
  ])
  untouched("kn", ["ನನಗೆ ಒಂದು ಕೆಲಸ", "ನೂರಾರು ಜನ", "ಸಾವಿರಾರು ಜನ", "ಸಾವಿರದ ನೋಟು", "ಎರಡನೇ ಮನೆ"])
})

it("Malayalam reads words that are joined, linked or apart, in old and new spellings", () => {
  written("ml", [
    ["ഇരുപത്തിയഞ്ച്, ഇരുപത്തഞ്ച്, ഇരുപത്തിഅഞ്ച്, ഇരുപത്തി അഞ്ചു", "25, 25, 25, 25"],
    ["നൂറ്റിയിരുപത്തഞ്ച്, നൂറ്റി ഇരുപത്തിയഞ്ച്", "125, 125"],
    ["ഇനൂറ്, ഇരുനൂറ്, ഇരുന്നൂറ്", "200, 200, 200"],
    ["നൂറ്റൊന്ന്, നൂറ്റമ്പത്, നൂറ്റിപ്പത്ത്", "101, 150, 110"],
    ["ഒന്\u200dപത്, ഒൻപത്, ഒമ്പത്", "9, 9, 9"],
    ["അഞ്ഞൂറ് രൂപ", "500 രൂപ"],
    ["ആയിരത്തിത്തൊള്ളായിരത്തി നാല്പത്തിയേഴ്", "1947"],
    ["ഇരുപത്തയ്യായിരം, പതിനായിരം, തൊണ്ണൂറായിരം", "25000, 10000, 90000"],
    ["ഒരു ലക്ഷം, ഒന്നര ലക്ഷം, അര ലക്ഷം", "100000, 150000, 50000"],
    ["ഒമ്പത് എട്ട് ഏഴ് ഒന്ന്", "9871"]
  ])
  untouched("ml", ["ഒരു വീട്", "ഒന്ന് നോക്കൂ", "രണ്ടാം നില", "ആയിരത്തിൽ", "നൂറുകണക്കിന് ആളുകൾ"])
})

it("a long text is read in a time that does not grow with the square of its length", () => {
  for (const piece of ["ആയിരത്തി ", "നൂറ്റി", "ഒരു ", "അഞ്ച് ", "      ", "- ", "അഞ്ച്-", "സ"]) {
    // The square would take minutes, and exceed the time limit of a test.
    expect(writeNumbers("ml", piece.repeat(20_000)).length).toBeGreaterThan(0)
  }
}, 20_000)

it("a long text is read as its clauses are", () => {
  const words = ["पाँच", "सौ", "एक", "दो", "साढ़े", "लाख", "नौ", "शून्य", "।", "बजे", "- दस"]
  const clause = FastCheck.array(FastCheck.constantFrom(...words), { maxLength: 60 }).map(
    (all) => `आप ${all.join(" ")} हैं`
  )
  FastCheck.assert(
    FastCheck.property(FastCheck.array(clause, { maxLength: 20 }), (clauses) => {
      const expected = clauses.map((each) => writeNumbers("hi", each)).join(" ")
      expect(writeNumbers("hi", clauses.join(" "))).toBe(expected)
    }),
    { seed: 36, numRuns: 100 }
  )
})

describe("a transcript with segments", () => {
  const second = (text: string, at: number) => ({ text, startMillis: at * 1000, endMillis: at * 1000 + 900 })
  const written = (text: string, segments: ReadonlyArray<string>) =>
    cooperatively(withNumbers("hi", { text, segments: segments.map(second) }))

  it.effect.each([
    { spoken: ["मेरे पास", "पाँच सौ रुपये", "हैं"], segments: ["मेरे पास", "500 रुपये", "हैं"] },
    { spoken: ["मेरे पास पाँच", "सौ रुपये", "हैं"], segments: ["मेरे पास 500", "रुपये", "हैं"] },
    { spoken: ["एक", "सौ", "दो", "लोग"], segments: ["102", "लोग"], ends: [2900, 3900] },
    { spoken: ["नौ आठ", "सात शून्य"], segments: ["9870"], ends: [1900] },
    { spoken: ["नमस्ते"], segments: ["नमस्ते"] },
    { spoken: [], segments: [] }
  ])("has the same numbers in both: $segments", ({ ends, segments, spoken }) =>
    Effect.gen(function* () {
      const transcript = yield* written(spoken.join(" "), spoken)
      expect(transcript.text).toBe(segments.join(" "))
      expect(transcript.segments?.map(({ text }) => text)).toEqual(segments)
      if (ends !== undefined) expect(transcript.segments?.map(({ endMillis }) => endMillis)).toEqual(ends)
    })
  )

  it.effect("that are not its parts has the numbers of each", () =>
    Effect.gen(function* () {
      const transcript = yield* written("पाँच सौ रुपये", ["पाँच", "रुपये सौ"])
      expect(transcript).toMatchObject({ text: "500 रुपये", segments: [{ text: "5" }, { text: "रुपये 100" }] })
    })
  )

  it.effect("of two hours lets other requests run", () =>
    Effect.gen(function* () {
      const spoken = Array.from({ length: 1440 }, () => "मेरे खाते में दो लाख पैंतीस हज़ार चार सौ छह रुपये बीस हैं")
      let turns = 0
      let isOver = false
      const turn = () => {
        turns += 1
        if (!isOver) setImmediate(turn)
      }
      setImmediate(turn)
      yield* Effect.ensuring(
        written(spoken.join(" "), spoken),
        Effect.sync(() => {
          isOver = true
        })
      )
      expect(turns).toBeGreaterThan(2)
    })
  )
})

const TestLive = LocalService.layerClients.pipe(
  Layer.provideMerge(Layer.merge(LocalService.layer(), NodeTransport.layer))
)

layer(TestLive, { excludeTestServices: true })("a transcript", (it) => {
  it.effect("has numbers in digits with parse_number, in words without", () =>
    Effect.gen(function* () {
      const [tts, stt] = yield* Effect.all([TextToSpeech, SpeechToText])
      const text = "मेरे पास पाँच सौ रुपये हैं"
      const speech = yield* tts.synthesize({ text, lang: "hi", outputFormat: "8000:pcm16" })
      const audio = AudioSource.fromBytes(Wav.encode(speech.bytes, speech.format), { filename: "call.wav" })
      for (const [parseNumber, expected] of [
        [undefined, text],
        [false, text],
        [true, "मेरे पास 500 रुपये हैं"]
      ] as const) {
        const transcription = yield* stt.transcribe({ audio, model: "hi-general-v2-8khz", aux: true, parseNumber })
        expect(transcription).toMatchObject({ text: expected, auxInfo: { segments_meta: [{ text: expected }] } })
      }
    })
  )
})
