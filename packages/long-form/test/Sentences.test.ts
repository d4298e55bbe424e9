import { describe, expect, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { Sentences } from "../src/index.js"
import { texts } from "./support/texts.js"

/** Texts by language, with ‖ at the end of each sentence but the last. */
const marked: Readonly<Record<string, ReadonlyArray<string>>> = {
  en: [
    "Dr. Smith met Mr. Jones at 5 p.m. on Jan. 5. ‖They left. ‖He paid Rs. 500. ‖Then he said no. ‖No. 7 is here.",
    "It cost 3.14 dollars. ‖The U.S. Government agreed. ‖He lives in the U.S. ‖He works there. ‖It was 30°C. ‖₹500 too.",
    "J. K. Rowling wrote it. ‖A. P. J. Abdul Kalam read it. ‖Alice (b. 1950) lived. ‖The answer is A. ‖Then B.",
    '"Stop!" he said. ‖"Why?" Ram asked. ‖"Why?" ‖She left. ‖He said, "It is over." ‖Then he left.',
    "Wait... what? ‖Well… ‖Then go. ‖The end . ‖And so on !",
    "See https://example.com/a?b=c.d for more. ‖Mail me at a.b@c.com. ‖Version 2.0.1 is out. ‖Open a.txt. ‖Go.",
    "1. First item here. ‖2. Second item. ‖(a) One. ‖Done!",
    "Apples, pears, etc. are nice. ‖He likes apples, etc. ‖She does not. ‖ABC Pvt. Ltd. was there. ‖ABC Ltd. ‖The firm closed.",
    "Was it in sec. 5? ‖No. ‖It was in Vol. II. ‖No. ‖I won't. ‖Approx. 5 kg. ‖Done. ‖Plan C. ‖I like it.",
    "He came (at last!) and left. ‖(He was late.) ‖She sat.[1] ‖[Note.] ‖End.",
    "M/s. Rao paid. ‖Mohd. Ali and Md. Irfan, S/o. Karim, D/o. Devi, C/o. The Manager, came. ‖The A/c. No. is 7. ‖It is N/A. ‖He left.",
    "Regd. Office, Opp. Town Hall, Nr. Bus Stand. ‖Wg. Cdr. Menon met Engr. Khan. ‖Qty. 12 came. ‖Ref. No. HR/7 is mine. ‖Rs. 5 Cr. was paid.",
    "We open Mon. to Sun., 9 to 5. ‖Sat. 5 May is off. ‖They sat. ‖Ravi stood. ‖Yahoo! Inc. sold it. ‖Yahoo! ‖We won. ‖Yum! Brands did.",
    "See A.I.R. 1978 S.C. 597, (2004) 3 S.C.C. 161, S. 302, u/s. 302, Cl. (b), Sub-sec. (2) and O.S. No. 5. ‖He has a B.Tech. Degree.",
    "Air Mshl. Rao, Hd. Master, met the Mng. Dir. ‖The TV. ‖Rao saw John. ‖Ravi did not. ‖Bring 5 kg. ‖Ravi has 5 km. ‖Km. Devi came.",
    "The Met. Dept. and Addl. Sess. Judge Rao sat. ‖Svy. No. 212 has 2 acs. 14 gts. of land. ‖The Engg. Wing won.",
    "Lab. Rpt. of Mast. Arjun: Plat. 2.1 Lakh. ‖The Irrign. Dept. paid by S.B. A/c. No. 5 with int. @ 6 p.c. only. ‖It rained.",
    "Tab. Aspirin 5 mg. daily. ‖She took a tab. ‖Ravi paid. ‖He wore a cap. ‖Ravi had none. ‖In the app. ‖Kohli c. Smith b. Starc 82."
  ],
  hi: [
    "यह डॉ. शर्मा हैं। ‖वे रु. 500 देते हैं। ‖ए. पी. जे. अब्दुल कलाम आए। ‖बी. आर. आंबेडकर भी।",
    "वह घर है. ‖मैं आया. ‖उसने चाय पी. ‖वह आई. ‖फिर चले गए.",
    "दूरी 5 कि.मी. है। ‖ई.पू. 300 में पं. नेहरू ने कहा। ‖उ. प्र. में भी।",
    "क्या तुम आओगे? ‖हाँ! ‖है।‖अच्छा?‖ठीक है...",
    "उसने कहा, “मैं आऊँगा।” ‖फिर वह चला गया। ‖“कौन है?” उसने पूछा। ‖“रुको!” ‖मैं दौड़ा। ‖वह आया (कब?) और गया।",
    "- कौन? ‖- मैं। ‖— क्या हुआ? ‖— कुछ नहीं। ‖वह आया है.‖उसने कहा ठीक है.‖चलो. ‖डॉ.शर्मा आए। ‖सुनो ॥ १.२ ॥ ‖मा. मंत्री।",
    "१. पहला नियम। ‖२. दूसरा नियम। ‖सुनो ॥ १ ॥ ‖फिर ॥२॥ ‖वह गया | ‖ऐसा हुआ... और फिर नहीं। ‖app खोलो। ‖iPhone है।",
    "फी. मार्शल और ब्रिगे. राणा आए। ‖कर्न. वर्मा दिल्ली विवि. के थे। ‖छ.ग. सरकार ने कहा। ‖याहू! इंक. बंद है।",
    "कर्न. वर्मा ने कहा. ‖वह विवि. में है. ‖उसने चाय पी. ‖मैंने दी. ‖हाँ. ‖ठीक है. ‖तू जा. ‖वह चला गया. ‖M/s. शर्मा आए."
  ],
  mr: [
    "न्या. रानडे आले. ‖ब्रिगे. कदम गेले. ‖सोम. ते शनि. चालू आहे. ‖अर्ज द्या. ‖मग या.",
    "डॉ. आंबेडकर यांनी प्रा. जोशी यांना सांगितले. ‖इ.स. १९५० मध्ये पु. ल. देशपांडे आले. ‖ती हो. ‖बरं."
  ],
  ne: ["डा. शर्मा आए। ‖यो राम्रो छ. ‖वि. सं. २०५० मा।"],
  bn: [
    "ড. ইউনূস ঢাকায় থাকেন। ‖মো. রহমান এলেন। ‖৫ কি.মি. দূরে। ‖“থামো!” সে বলল। ‖“থামো!” ‖আমি দৌড়ালাম।",
    "ব্রিগে. হাসান এলেন। ‖মেসার্স. রায় নেই। ‖বৃহ. থেকে শুক্র. খোলা।"
  ],
  as: ["ড° বৰুৱা আহিল। ‖ডা. দাসে ক'লে। ‖তেওঁ গ'ল।"],
  or: ["ଡ. ଦାସ ଆସିଲେ। ‖ସେ ଗଲେ।"],
  gu: [
    "તમારો ગ્રાહ. નં. ૩૩૪૧ મળી ગયો. ‖વિદ્યા. વેબસાઇટ જોઈ શકશે. ‖ગોળી લો. ‖વરસાદ પડશે.",
    "ડૉ. પટેલ આવ્યા. ‖તે ઘર છે. ‖રૂ. ૫૦૦ આપ્યા. ‖કે. લાલ જાદુગર છે.",
    "કર્ન. જાડેજા ગયા. ‖ગુજ. યુનિ. ની પરીક્ષા છે. ‖સ્વ. હરિભાઈ હતા."
  ],
  pa: ["ਡਾ. ਸਿੰਘ ਆਏ। ‖ਉਹ ਗਿਆ ਸੀ. ‖ਫਿਰ ਸ. ਭਗਤ ਸਿੰਘ ਆਏ।", "ਕਰਨ. ਸੰਧੂ ਆਏ। ‖ਯੂਨੀ. ਦੇ ਮੁਖੀ ਗਏ। ‖ਇੰਸ. ਸਿੰਘ ਹਨ।"],
  ta: [
    "பல்க. தேர்வுக் கட்டு. அலுவலர் வந்தார். ‖விழாவில் முது. அலுவலர்கள் வாழ்த்தினர். ‖மழை பெய்யும்.",
    "மேல்முறை. மனு வந்தது. ‖கால்நடை. மருத்துவர் வந்தார். ‖அவர் பெயர் ராம். ‖அவர் போனார்.",
    "திரு. குமார் வந்தார். ‖மு. கருணாநிதி பேசினார். ‖எம். ஜி. ஆர். நடித்தார். ‖விலை ரூ. 500 ஆகும். ‖இது ஒரு பூ. ‖சரி.",
    "“நில்!” ‖அவன் ஓடினான். ‖“நில்!” என்று கத்தினான்.",
    "இரா. முத்தரசன் பேசினார். ‖பிரிகே. நாயர் வந்தார். ‖திங். முதல் வெள். வரை உண்டு. ‖பி. ஜே. பி. வென்றது. ‖நீ வா. ‖அவன் போனான்."
  ],
  te: [
    "జిల్లా వ్యవసా. అధికారి వచ్చారు. ‖విద్యు. కనె. నం. 7781 ఇచ్చారు. ‖వాన పడుతుంది. ‖ధర తక్కువ.",
    "డా. రావు వచ్చారు. ‖ఎన్. టి. రామారావు నటించారు. ‖రూ. 100 ఇచ్చారు. ‖“ఆగు!” అంటాడు. ‖ఆగాడు.",
    "గౌ. జస్టి. రమణ వచ్చారు. ‖సోమ. నుండి ఉంటారు. ‖ఇది నీ ఇల్లు. ‖సరే."
  ],
  kn: [
    "ಪೊಲೀ. ಇನ್‌. ಮಂಜುನಾಥ್ ಬಂದರು. ‖ಮಹಾ. ಪಾಲಿ. ಆಯು. ಇಂದು ಹೋದರು. ‖ಮಳೆ ಬರುತ್ತದೆ. ‖ರಜೆ ಇಲ್ಲ.",
    "ಡಾ. ರಾಜ್‌ಕುಮಾರ್ ನಟಿಸಿದರು. ‖ಕೆ. ಆರ್. ನಾರಾಯಣ ಬಂದರು. ‖ರೂ. 50 ಆಯಿತು.",
    "ಕರ್ನ. ಪಾಟೀಲ ಬಂದರು. ‖ಬೆಂಗಳೂರು ವಿವಿ. ಕುಲಪತಿ ಹೋದರು. ‖ಹೌದು. ‖ಅಮ್ಮ ಬಂದಳು."
  ],
  ml: [
    "ജില്ലാ കള. ഹരികുമാർ വന്നു. ‖വൈദ്യു. കണ. നം. 3345 മാറി. ‖മഴ പെയ്യും. ‖ഫീസ് ഇല്ല.",
    "ഡോ. നായർ വന്നു. ‖എം. ടി. വാസുദേവൻ എഴുതി. ‖രൂ. 50 ആണ്. ‖“ആര്?” അവൾ ചോദിച്ചു. ‖ആരുമില്ല.",
    "ബ്രിഗേ. മേനോൻ വന്നു. ‖കേരള സർവ. പരീക്ഷ മാറ്റി. ‖നീ വാ. ‖അവൻ പോയി."
  ],
  ur: [
    "ڈپٹی کمش۔ لاہور نے کہا۔ ‖انسپ۔ طارق اور کانس۔ بشیر آئے۔ ‖مدد ملے گی۔ ‖بارش ہوگی۔",
    "وہ گھر گیا۔ ‖پی۔ ایچ۔ ڈی۔ مکمل کی۔ ‖کیا وہ آیا؟ ‖وہ آئی۔ ‖ٹھیک ہے۔‖ایم۔ اے۔ جناح آئے۔",
    "۱۔ پہلا۔ ‖۲۔ دوسرا۔ ‖اس نے بی۔ایڈ۔ کیا۔ ‖اس نے کہا، ”میں آؤں گا۔“ ‖پھر چلا گیا۔",
    "مقدمہ۔ نمبر 44 درج ہوا۔ ‖مرزا۔ غالب آئے۔ ‖پیر۔ تا جمعہ۔ دفتر کھلا ہے۔",
    "ڈاکٹر۔ خان آئے۔ ‖پروف۔ علی بھی۔ ‖نمبر۔ 45 باقی ہے۔ ‖ہاں۔ ‖وہ گئے۔ ‖حوالدار۔ کریم نہیں آیا۔"
  ],
  zh: ["今天很好。‖我们走吧！‖为什么？‖因为。"]
}

describe("the sentences of a text", () => {
  const cases = Object.entries(marked).flatMap(([lang, all]) => all.map((text) => [lang, text] as const))

  it.each(cases)("in %s end where a reader ends them: %s", (lang, text) => {
    const whole = text.replaceAll("‖", "")
    for (const known of [lang, `${lang}-IN`, undefined]) {
      expect([...Sentences.split(whole, { lang: known })].map((sentence) => sentence.text).join("‖")).toBe(text)
    }
  })

  it("end with a line, but not with one that a paragraph was wrapped into", () => {
    const sentences = (text: string) => [...Sentences.split(text)].map((sentence) => sentence.text)
    expect(sentences("A heading\n\nRoses are red\nViolets are blue\r\nएक")).toEqual([
      "A heading\n\n",
      "Roses are red\n",
      "Violets are blue\r\n",
      "एक"
    ])
    const wrapped = "The quick brown fox jumps over the lazy dog, and then it runs away\nfrom Dr.\nWho. "
    expect(sentences(`${wrapped}Then`)).toEqual([wrapped.slice(0, -5), "Who. ", "Then"])
  })

  it("joined are the text, each at its place and with something to read, and text that is appended changes but the last two", () => {
    FastCheck.assert(
      FastCheck.property(texts, texts, FastCheck.constantFrom(undefined, "hi", "ta"), (text, more, lang) => {
        const sentences = [...Sentences.split(text, { lang })]
        expect(sentences.map((sentence) => sentence.text).join("")).toBe(text)
        for (const sentence of sentences) expect(text.slice(sentence.start, sentence.end)).toBe(sentence.text)
        expect(sentences.slice(0, -1).filter((sentence) => /^[ \t\r\n]*$/.test(sentence.text))).toEqual([])
        const longer = [...Sentences.split(text + more, { lang })]
        expect(longer.slice(0, Math.max(0, sentences.length - 2))).toEqual(sentences.slice(0, -2))
      }),
      { numRuns: 80, seed: 22 }
    )
  })

  it("are read one at a time", () => {
    const text = "एक वाक्य। ".repeat(100_000)
    const sentences = Sentences.split(text)
    expect(sentences.next().value?.end).toBe(10)
    expect(sentences.next().value?.start).toBe(10)
  })
})
