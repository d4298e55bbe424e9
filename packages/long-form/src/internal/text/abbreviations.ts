/**
 * The words that a full stop shortens, by language of the service. Without the final full stop, and in lower case.
 *
 * The lists are our own. These sources show what is in use:
 *
 * - English: the segmentation suppressions of Unicode CLDR 47 (`common/segments/en.xml`), which has none for another language of
 *   the service; the style guides of Indian newspapers for titles ("Smt.", "Sh.", "Adv.").
 * - Hindi, Marathi, Gujarati, Punjabi, Bengali, Assamese, Odia, Tamil, Telugu, Kannada, Malayalam: the names of the Latin
 *   letters and the commonest abbreviations in the prefix lists of Moses and in the resources of utoken; the lists of
 *   abbreviations (संक्षिप्त रूप, সংক্ষেপ, சுருக்கக்குறி) in the grammars and dictionaries of each language.
 * - Nepali: as Hindi, with the spellings of the Nepali Academy. Urdu has no list there: the names of the Latin letters, and the
 *   signs for page, volume and era in its dictionaries. pySBD has empty lists for Hindi, Marathi and Urdu.
 */

interface Abbreviations {
  /** Titles, units and others. They end no sentence. */
  readonly words: string
  /** The names of Latin letters, with which initials and acronyms are written: ए. पी. जे. */
  readonly letters: string
  /** Words of one character, and letters that are words too, such as आई ("came"): initials only beside another one. */
  readonly ambiguous?: string
}

const table = {
  as: {
    words: "শ্ৰীমতী ড ডা শ্ৰী মো প্ৰ অধ্যা কি মি ছে গ্ৰা টা নং খ্ৰী পূ পৃ লি প্ৰা উদা স্ব কু জি এড",
    letters: "এ বি চি ডি ই এফ জি এইচ আই জে কে এল এম এন অ' পি কিউ আৰ এছ টি ইউ ভি ডব্লিউ এক্স ৱাই জেড"
  },
  bn: {
    words:
      "মিসেস মিস শ্রীমতী ড ডা মো মোসা মু শ্রী অধ্যা প্রফে প্রো রু টা কি মি সে সেমি কিমি গ্রা খ্রি খ্রী পূ পৃ নং লি প্রা কোং অ্যাড এড ইঞ্জি দ্র উদা ইং বাং তাং লে ব্রি মে সা রা রহ হি স্ব প রেজি",
    letters: "এ বি সি ডি ই এফ জি এইচ আই জে কে এল এম এন ও পি কিউ আর এস টি ইউ ভি ডব্লিউ ডব্লু এক্স ওয়াই জেড"
  },
  gu: {
    words:
      "પ્રિ મિસ શ્રીમતી ડૉ ડો ડોક્ટ શ્રી કુ પ્રો પં રૂ રુ ઈ ઇ પૂ કિ મી કિમી સેમી મિમી તા જિ લિ પ્રા નં ક્ર સ્વ મો પૃ ગ્રા ચો ચિ એડ એડવો ઇજ દા ઉદા સે સં મુ પો વિ",
    letters: "એ બી સી ડી ઈ ઇ એફ જી એચ આઈ આઇ જે કે એલ એમ એન ઓ પી ક્યૂ ક્યુ આર એસ ટી યુ યૂ વી ડબલ્યુ ડબ્લ્યુ એક્સ વાય ઝેડ",
    ambiguous: "આઈ જી પી સી"
  },
  hi: {
    words:
      "मा ता ज़ि मिसेस श्रीमती डॉ डा डाॅ श्री सुश्री प्रो पं रु रू सं नं पृ ई पू वि चौ कु मो स्व कं लि प्रा प्र क्र उदा अनु सेमी सेंमी किमी मिमी किग्रा ग्रा मि कि मी सें एड एडवो इंजी जन फर अग सित अक्टू नव दिस तह जि पो शि टे ब्रि मौ पु स्त्री",
    letters:
      "ए बी सी डी ई एफ ऐफ जी एच ऐच आई आइ जे के एल ऐल एम ऐम एन ऐन ओ पी क्यू आर एस ऐस टी यू वी डब्ल्यू डब्लू एक्स ऐक्स वाई वाय ज़ेड जेड ज़ैड",
    ambiguous: "आई जी पी"
  },
  kn: {
    words: "ಡಾ ಶ್ರೀ ಶ್ರೀಮತಿ ಪ್ರೊ ಪ್ರೋ ಪಂ ರೂ ರು ಕಿ ಮೀ ಕಿಮೀ ಕಿಮಿ ಸೆಂ ಸೆಂಮೀ ಗ್ರಾಂ ಮಿ ಕ್ರಿ ಪೂ ನಂ ಸಂ ಉದಾ ಲಿ ಪು ಶೇ ದಿ ಕು ಚಿ ಸೌ ಅಡ್ವೊ ಜಿ ತಾ",
    letters: "ಎ ಏ ಬಿ ಸಿ ಡಿ ಇ ಈ ಎಫ್ ಜಿ ಎಚ್ ಹೆಚ್ ಐ ಜೆ ಜೇ ಕೆ ಕೇ ಎಲ್ ಎಂ ಎಮ್ ಎನ್ ಒ ಓ ಪಿ ಕ್ಯೂ ಕ್ಯು ಆರ್ ಎಸ್ ಟಿ ಯು ಯೂ ವಿ ಡಬ್ಲ್ಯು ಡಬ್ಲ್ಯೂ ಎಕ್ಸ್ ವೈ ಝಡ್ ಜೆಡ್",
    ambiguous: "ಹೂ ಕೈ ಮೈ ನೀ ಬಾ ತಾ ಹೋ ಈ ಆ ನಾ"
  },
  ml: {
    words:
      "ബഹു നമ്പ്ര ഡോ ശ്രീ ശ്രീമതി പ്രൊഫ പ്രഫ രൂ കി മീ കിമീ ക്രി നം പേ ഉദാ ലി അഡ്വ മി മിസ് സെ ഫാ റവ മോൺ ബ്ര സെന്റ് പ്രസ് ജനു ഫെബ്രു മാർ ഏപ്രി ഓഗ സെപ്റ്റം ഒക്ടോ നവം ഡിസം",
    letters: "എ ഏ ബി സി ഡി ഇ എഫ് ജി എച്ച് എച് ഐ ജെ കെ എൽ എം എൻ ഒ ഓ പി ക്യൂ ക്യു ആർ എസ് ടി റ്റി യു വി ഡബ്ല്യു ഡബ്ല്യൂ എക്സ് വൈ ഇസഡ് സെഡ്",
    ambiguous: "പൂ കൈ തീ നീ വാ പോ ഈ ആ താ നാ മൈ"
  },
  mr: {
    words:
      "मो वै मिसेस श्रीमती डॉ डा श्री सौ कु चि प्रा प्रो पं रु रू क्र इ ई पू दि ता जि मु पो उदा कि मी किमी सेंमी स्व कै मा अॅड ॲड इंजि प्राचा लि कं पृ सं नं वगै प्र पु वि गो ले मे",
    letters: "ए बी सी डी ई एफ जी एच आय जे के एल एम एन ओ पी क्यू आर एस टी यू व्ही वी डब्ल्यू एक्स वाय झेड",
    ambiguous: "ना जी पी"
  },
  ne: {
    words: "श्रीमती डा डॉ श्री प्रा प्रो रु वि सं ई पू नं क्र कि मी किमी लि पं इन्जि अधि पृ मो जि सु प्र उदा स्व ले",
    letters: "ए बी बि सी सि डी डि ई इ एफ जी एच आई आइ जे के एल एम एन ओ पी पि क्यू आर एस टी टि यू यु भी भि डब्ल्यू डब्लु एक्स वाई जेड",
    ambiguous: "आई जी भी पी"
  },
  or: {
    words: "ଶ୍ରୀମତୀ ଡ ଡା ଡଃ ଶ୍ରୀ ପ୍ରଫେ ପ୍ର ଅଧ୍ୟା ଟ କି ମି ସେମି କିମି ଗ୍ରା ନଂ ପୃ ଖ୍ରୀ ପୂ ଲି ମୋ ସ୍ୱ ସ୍ବ କୁ ପଂ ରୁ ଉଦା",
    letters: "ଏ ବି ସି ଡି ଇ ଏଫ୍ ଏଫ ଜି ଏଚ୍ ଏଚ ଆଇ ଜେ କେ ଏଲ୍ ଏଲ ଏମ୍ ଏମ ଏନ୍ ଏନ ଓ ପି କ୍ୟୁ ଆର୍ ଆର ଏସ୍ ଏସ ଟି ୟୁ ଭି ଡବ୍ଲୁ ଡବ୍ଲ୍ୟୁ ଏକ୍ସ ୱାଇ ଜେଡ୍"
  },
  pa: {
    words: "ਸ੍ਰ ਮਿਸ ਮੋ ਸ਼੍ਰੀਮਤੀ ਸ੍ਰੀਮਤੀ ਡਾ ਪ੍ਰੋ ਸ੍ਰੀ ਸ਼੍ਰੀ ਸ ਰੁ ਰੂ ਪੰ ਨੰ ਕਿ ਮੀ ਕਿਮੀ ਈ ਪੂ ਲਿ ਜ਼ਿ ਤਹਿ ਇੰਜੀ ਐਡ ਮਿ ਗਿ ਪ੍ਰਿੰ ਸਵ ਕੁ ਪੰਨਾ ਪ੍ਰਾ ਉਦਾ",
    letters:
      "ਏ ਬੀ ਸੀ ਡੀ ਈ ਐਫ ਐੱਫ ਐਫ਼ ਜੀ ਐਚ ਐੱਚ ਆਈ ਜੇ ਕੇ ਐਲ ਐੱਲ ਐਮ ਐੱਮ ਐਨ ਐੱਨ ਓ ਪੀ ਕਿਊ ਕਿਯੂ ਆਰ ਐਸ ਐੱਸ ਟੀ ਯੂ ਵੀ ਡਬਲਯੂ ਡਬਲਿਊ ਐਕਸ ਐਕ੍ਸ ਵਾਈ ਜ਼ੈੱਡ ਜ਼ੈਡ",
    ambiguous: "ਸੀ ਜੀ ਪੀ ਆਈ ਵੀ ਏ ਈ"
  },
  ta: {
    words: "டாக்டர் திரு திருமதி செல்வி டாக் டாக்ட பேரா ரூ கி மீ கிமீ செமீ மிமீ தொ பக் எண் லிட் உதா உம் பி திருவாள் வழ காவ தலை",
    letters:
      "ஏ எ பி பீ சி சீ டி டீ இ ஈ எஃப் எப் ஜி ஜீ எச் ஹெச் ஐ ஜே ஜெ கே கெ எல் எம் என் ஓ ஒ கியூ க்யூ ஆர் எஸ் யு யூ வி வீ டபிள்யூ டபுள்யூ டபிள்யு எக்ஸ் வை இசட் செட்",
    ambiguous: "பூ கை தீ மா பா நீ தை வா போ தா நா ஈ ஆ மை பை"
  },
  te: {
    words: "డా డాక్ట శ్రీ శ్రీమతి ప్రొ రూ రు కి మీ కిమీ సెం క్రీ పూ నెం నం పే ఉదా లి సె గ్రా మి చి సౌ పం కు అడ్వ జి",
    letters:
      "ఎ ఏ బి బీ సి సీ డి డీ ఇ ఈ ఎఫ్ జి జీ హెచ్ ఎచ్ ఐ జె జే కె కే ఎల్ ఎం ఎమ్ ఎన్ ఒ ఓ పి పీ క్యు క్యూ ఆర్ ఎస్ టి టీ యు యూ వి వీ డబ్ల్యు డబ్ల్యూ ఎక్స్ వై జెడ్ జడ్",
    ambiguous: "నీ మా ఈ ఆ రా పో పూ చే వే నా"
  },
  ur: {
    words: "ڈاک پروف ص ج رض رح صلعم ق",
    letters: "اے بی سی ڈی ای ایف جی ایچ آئی جے کے ایل ایم این او پی کیو آر ایس ٹی یو وی ڈبلیو ایکس وائی زیڈ",
    ambiguous: "آئی جی پی سی بی کے"
  }
} satisfies Readonly<Record<string, Abbreviations>>

const setOf = (words: ReadonlyArray<string>): ReadonlySet<string> =>
  new Set(words.flatMap((each) => each.normalize("NFC").split(" ")).filter((word) => word !== ""))

/** The sets of one language, or of several. */
interface Known {
  readonly words: ReadonlySet<string>
  readonly letters: ReadonlySet<string>
  readonly ambiguous: ReadonlySet<string>
}

const knownOf = (entries: ReadonlyArray<Abbreviations>): Known => ({
  words: setOf(entries.map(({ words }) => words)),
  letters: setOf(entries.map(({ letters }) => letters)),
  ambiguous: setOf(entries.map(({ ambiguous = "" }) => ambiguous))
})

const all = knownOf(Object.values(table))
const byLang = new Map(Object.entries(table).map(([lang, entry]) => [lang, knownOf([entry])]))

/** The abbreviations of a language by its code, such as `hi` or `hi-IN`. Those of all languages for any other code. */
export const abbreviationsOf = (lang: string | undefined): Known =>
  byLang.get(lang?.toLowerCase().replace(/[-_].*$/, "") ?? "") ?? all

/** English abbreviations before a name or a word. They end no sentence. */
export const beforeNames = setOf([
  "mr mrs ms mx dr drs prof rev revd fr hon gov sen rep gen col maj capt cmdr cdr lt sgt cpl adm brig messrs mssrs pres supt insp",
  "smt shri sri sh kum er adv pt ven sant ald asst assoc dy addl jt",
  "vs v viz cf e.g i.e eg ie al mt ft st approx ca esp incl excl resp"
])

/** English abbreviations before a number. Elsewhere they may be words, as in "No." */
export const beforeNumbers = setOf([
  "no nos vol vols fig figs ch chap sec secs art arts eq eqs ex p pp para paras cl c pt pts sl rs re inr usd ps op ed nr vers ver",
  "jan feb mar apr jun jul aug sep sept oct nov dec tel ph mob pin approx",
  "तारीख दिनांक क्रमांक તારીખ তারিখ নম্বর ਮਿਤੀ தேதி எண் తేదీ ದಿನಾಂಕ തീയതി നമ്പർ"
])

/** Those that are also used before a Roman number. */
export const beforeRomans = setOf(["vol vols ch chap sec art fig pt part app bk"])

/** English units. They end a sentence before a capital letter. */
export const units = setOf(["hrs hr km kg cm mm ft lb lbs oz min max gm gms ml sq"])

/** English abbreviations that may end a sentence. */
export const beforeStarters = setOf([
  "inc ltd co corp bros jr sr esq pvt dept univ assn ave blvd rd est govt dist tq sq mfg intl natl ed eds trans bldg apt"
])

/** English words that begin a sentence more often than they follow an abbreviation within one. */
export const starters = setOf([
  "the a an this that these those he she it they we i you his her its their our my your in on at for from with by to of but and so or",
  "then there here when while where who whom whose what which why how if as after before since although though because until unless",
  "however meanwhile moreover furthermore therefore thus hence also still yet once one two some many most more all both each every no",
  "not never now today yesterday tomorrow did do does is are was were has have had can could will would may might must should let",
  "please yes perhaps maybe another other such under over during within without among between about later finally first next last"
])

/** Verbs that end many sentences and have one or two characters, in languages that also write a full stop. */
export const verbs = setOf([
  "है हैं हूँ हूं हो था थे थी थीं गा गे गी गया गई गए छ छन् छु હો છે છું છો હતા ਹੈ ਹਨ ਸਨ ਹਾਂ হয় নয় না নেই ନା ନୁହେଁ ہے ہیں تھا تھے تھی ہوں ہو"
])

/**
 * The words of a speaker after a quote: "…!" Ram said. In Tamil, Telugu, Kannada, Malayalam and Marathi they begin with the word
 * for "thus".
 */
export const attributions =
  /^(?:(?:\p{Lu}\S* ){1,3}(?:said|asked|cried|replied|answered|shouted|whispered|exclaimed|called|added|says|asks|thought|muttered|laughed)\b|என்[றன]|என(?![\p{L}\p{M}])|அப்படி|అని(?![\p{L}\p{M}])|అన్నా|అన్నద|అనుకు|అంటూ|అంటా|అంటుం|అంది|అందు|ಎಂದ|ಎಂಬ|ಅಂತ|ಅಂದ|എന്ന|अस[ेां](?!\p{M})|अशी|म्हण)/u

/** Verbs of saying in the languages that have them at the end of a clause. */
export const verbsOfSaying =
  /(?<![\p{L}\p{M}])(?:कहा|कही|कहे|कहते|कहने|कहती|कहता|पूछा|पूछी|पूछते|पूछने|बोल[ाीे]|चिल्लाय|चिल्लाई|पुकारा|उत्तर|जवाब|फुसफुस|म्हण|विचारल|ओरड|भन[ेि्ी]|सोध|বলল|বলে|বলি|বললে|বলেছ|জিজ্ঞ|জিজ্ঞেস|শুধা|চিৎকার|চেঁচ|উত্তর|কহি|ক[’']লে|সুধি|চিঞৰ|કહ્ય|કહે|કહી|પૂછ|બોલ|જવાબ|બૂમ|ਕਿਹਾ|ਕਹਿ|ਪੁੱਛ|ਬੋਲਿ|ਬੋਲੀ|ਆਖ|ਜਵਾਬ|کہا|کہی|کہنے|کہتے|کہتی|پوچھ|بولا|بولی|بولے|جواب|چلای|କହି|କହଲ|ପଚାରି|ചോദിച്ച|പറഞ്ഞ|പറയു|கேட்டா|சொன்னா|கூறினா|అడిగా|అడిగి|చెప్పా|చెప్పి|ಕೇಳಿದ|ಹೇಳಿದ)/u
