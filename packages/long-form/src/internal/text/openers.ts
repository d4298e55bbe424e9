/**
 * The words that begin a sentence, in the languages of `finals.ts`. They show that a sentence has ended in a noun or a
 * name, as in "His name is Ram. He left." All have the verb last, so that an object, a place or a time may follow an abbreviated
 * subject: they are weaker evidence than a second subject.
 *
 * The lists are our own, from the pronouns, demonstratives, conjunctions and questions in the grammars of each language.
 */

import { setOf } from "./abbreviations.js"

/**
 * Pronouns that are a subject, and those of the first person, which hardly follow one. Those that follow a name as an honorific are
 * among {@link others}.
 */
const subjects = setOf([
  "मी आम्ही तू तुम्ही तो ती त्याने तिने त्यांनी माझा माझी माझे आमचा आमची आमचे मला आम्हाला",
  "હું અમે આપણે તું તમે તે તેણે તેણી તેઓ તેમણે એણે મેં અમે મારું મારા મારી મારો અમારું અમારા અમારી અમારો મને અમને મારે અમારે",
  "நான் நாங்கள் நாம் நீ நீங்கள் அவன் அவள் அவர் இவன் இவள் இவர் அது இது அவை இவை என் என்னுடைய எங்கள் எனக்கு எங்களுக்கு",
  "నేను మేము మనం నువ్వు నీవు మీరు అతను అతడు ఆమె ఆయన వాడు వాళ్లు వాళ్ళు అది ఇది అవి ఇవి నా మా నాకు మాకు",
  "ನಾನು ನಾವು ನೀನು ನೀವು ಅವನು ಅವಳು ಇವನು ಇವಳು ಅದು ಇದು ಅವು ಇವು ನನ್ನ ನಮ್ಮ ನನಗೆ ನಮಗೆ",
  "ഞാൻ ഞങ്ങൾ നമ്മൾ നിങ്ങൾ അവൻ അവൾ അവർ അദ്ദേഹം അത് ഇത് ഇവൻ ഇവൾ എന്റെ ഞങ്ങളുടെ എനിക്ക് ഞങ്ങൾക്ക്",
  "وہ ہم تم یہ میرا میری میرے ہمارا ہماری ہمارے"
])

const connectives = setOf([
  "पण परंतु परन्तु म्हणून त्यामुळे तरीही",
  "પણ પરંતુ તેથી એટલે છતાં",
  "ஆனால் எனவே ஆகவே அதனால் இதனால் மேலும்",
  "కానీ కాని అందుకే అందువల్ల కాబట్టి అయితే ఎందుకంటే",
  "ಆದರೆ ಆದ್ದರಿಂದ ಹಾಗಾಗಿ ಏಕೆಂದರೆ",
  "പക്ഷേ പക്ഷെ എന്നാൽ അതിനാൽ അതുകൊണ്ട്",
  "لیکن مگر چنانچہ کیونکہ تاہم"
])

/** Demonstratives, possessives and questions: they begin many sentences, but may follow a subject too. */
const others = setOf([
  "ते हा ही हे त्या त्याला तिला त्यांना त्याचा त्याची त्याचे तिचा तिची तिचे त्यांचा त्यांची त्यांचे तुमचा तुमची तुमचे कृपया कोण काय का कसे कधी सर्व सर्वांनी",
  "આ એ તેને તેના તેની તેનું તેનો તમારું તમારા તમારી તમને કૃપા કૃપયા કોણ શું કેમ ક્યાં ક્યારે બધા",
  "அவர்கள் இவர்கள் இந்த அந்த உன் உங்கள் உனக்கு உங்களுக்கு அவனுக்கு அவளுக்கு அவருக்கு அவரது அவரை அவனை அவளை அதை இதை அதில் இதில் இதற்கு அதற்கு யார் என்ன ஏன் எப்படி எங்கே எப்போது எல்லோரும் அனைவரும் தயவுசெய்து தயவு",
  "ఈ ఆ మీ నీ మీకు నీకు అతనికి ఆమెకు ఆయనకు వారు వీరు వారికి దీని దాని దీనికి దానికి ఎవరు ఏమి ఎందుకు ఎలా ఎక్కడ ఎప్పుడు అందరూ దయచేసి ఇంకా",
  "ಅವರು ಇವರು ಈ ಆ ನಿನ್ನ ನಿಮ್ಮ ಅವನ ಅವಳ ಅವರ ನಿನಗೆ ನಿಮಗೆ ಅವನಿಗೆ ಅವಳಿಗೆ ಅವರಿಗೆ ಅದರ ಇದರ ಅದಕ್ಕೆ ಇದಕ್ಕೆ ಯಾರು ಏನು ಏಕೆ ಹೇಗೆ ಎಲ್ಲಿ ಯಾವಾಗ ಎಲ್ಲರೂ ದಯವಿಟ್ಟು",
  "നീ ഈ ആ നമ്മുടെ നിന്റെ നിങ്ങളുടെ അവന്റെ അവളുടെ അവരുടെ അദ്ദേഹത്തിന്റെ നിങ്ങൾക്ക് അവന് അവൾക്ക് അവർക്ക് അതിന് ഇതിന് അതിന്റെ ഇതിന്റെ ആര് എന്ത് എന്തിന് എങ്ങനെ എവിടെ എപ്പോൾ എല്ലാവരും ദയവായി",
  "اس ان اسے انہیں انہوں تمہارا کون کیا کیوں کیسے کہاں کب سب ہر اگر براہ"
])

export const isSubject = (word: string): boolean => subjects.has(word)
export const isConnective = (word: string): boolean => connectives.has(word)

/** Whether a sentence may begin with a word: pronouns, demonstratives, conjunctions and questions. */
export const opensClause = (word: string): boolean => subjects.has(word) || connectives.has(word) || others.has(word)
