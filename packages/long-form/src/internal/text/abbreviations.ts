/**
 * The words that a full stop shortens, by language of the service. Without the final full stop, and in lower case.
 *
 * What belongs here: a word that is written short in running text, an address, a prescription, a bill or a law report, and that
 * ends no sentence in full. A word that is also a common word at the end of a sentence does not. Initials, the names of Latin
 * letters in a chain, short words before a postposition and slash forms such as "S/o." need no entry: `sentenceEnds.ts` has rules.
 *
 * The lists are our own. These sources show what is in use:
 *
 * - English: the segmentation suppressions of Unicode CLDR (`cldr-segments-full` 46.1, `en`), which has none for another language of
 *   the service; the prefix list of Moses; the tokenizer of Anuvaad for Indian judgments; the style guides of Indian newspapers
 *   for titles, and the lists of abbreviations in Indian law reports (A.I.R., S.C.C.) and in the Army, Navy and Air Force Lists.
 * - Months, days, eras and units of every language: the short forms of CLDR 48.
 * - Hindi, Marathi, Gujarati, Punjabi, Bengali, Assamese, Odia, Tamil, Telugu, Kannada, Malayalam: the names of the Latin
 *   letters and the commonest abbreviations in the prefix lists of Moses, of sentencex, of the Indic NLP Library and in the
 *   resources of utoken; the lists of abbreviations (संक्षिप्त रूप, সংক্ষেপ, சுருக்கக்குறி) in the grammars and dictionaries of each language.
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
    words:
      "শ্ৰীমতী ড ডা শ্ৰী মো প্ৰ অধ্যা কি মি ছে গ্ৰা টা নং খ্ৰী পূ পৃ লি প্ৰা উদা স্ব কু জি এড মেছাৰ্ছ মোহা অধ্য গুৱা ডিব্ৰু বিশ্ব পো থা ৰাজ্যি মহা মণ্ড জানু ফেব্ৰু আগ ছেপ্তে ছেপ্টে অক্টো নৱে ডিচে দেও বৃহ কৰ্ণে কৰ্ণ ব্ৰিগে লেফ জেনে কেপ্টে ইঞ্জি উপা সম্পা কাৰ্যা টেলি ইণ্ডা কাৰ্য অভি গড় আনু যোগা ন্যায় জ্যে অধি বছ ফু পৃষ্ঠা কমা হাব চুবে বিভা",
    letters: "এ বি চি ডি ই এফ জি এইচ আই জে কে এল এম এন অ' পি কিউ আৰ এছ টি ইউ ভি ডব্লিউ এক্স ৱাই জেড"
  },
  bn: {
    words:
      "মিসেস মিস শ্রীমতী ড ডা মো মোসা মু শ্রী অধ্যা প্রফে প্রো রু টা কি মি সে সেমি কিমি গ্রা খ্রি খ্রী পূ পৃ নং লি প্রা কোং অ্যাড এড ইঞ্জি দ্র উদা ইং বাং তাং লে ব্রি মে সা রা রহ হি স্ব প রেজি মেসার্স মোহা মোছা আলহা জনা বিশ্ব অধ্যক্ষ পো থা উপ জানু ফেব ফেব্রু এপ্রি আগ সেপ সেপ্টে অক্টো নভে ডিসে বৃহ বঙ্গা কর্নে কর্ণে ব্রিগে জেনা জেনে লেফ লেফটে ক্যাপ ক্যাপ্টে ক্যাপ্ট ইন্স ইন্সপে প্রফেস সম্পা কার্যা সরকা ঢাবি রাবি জাবি চবি টেলি ইন্ডা ইন্ডি ফার্মা কর্পো কর্প প্রাই লিমি ট্যাব সিরা ইনজে ক্যাপসু মিগ্রা কেজি ধা নির্বা নির্ প্রকৌ প্রাক্ক কমা কনস্টে বিচা অ্যাট ফরি যোগা বৎ ফু ল্যা পশ্চি উত্ত দক্ষি পৃষ্ঠা সম্পাদ বিভা অধি জ্যে হাব সুবে সিনি জুনি ডেপু মহাপ উপপ",
    letters: "এ বি সি ডি ই এফ জি এইচ আই জে কে এল এম এন ও পি কিউ আর এস টি ইউ ভি ডব্লিউ ডব্লু এক্স ওয়াই জেড"
  },
  gu: {
    words:
      "પ્રિ મિસ શ્રીમતી ડૉ ડો ડોક્ટ શ્રી કુ પ્રો પં રૂ રુ ઈ ઇ પૂ કિ મી કિમી સેમી મિમી તા જિ લિ પ્રા નં ક્ર સ્વ મો પૃ ગ્રા ચો ચિ એડ એડવો ઇજ દા ઉદા સે સં મુ પો વિ ગુજ અમદા યુનિ અધ્ય અધ્યા ઉપા સંપા પ્રિન્સિ ડે કલે જાન્યુ ફેબ્રુ એપ્રિ ઑગ ઓગ સપ્ટે સપ્ટેં ઑક્ટો ઓક્ટો નવે ડિસે લેફ જન બ્રિગે કર્ન ઇન્ડ ઇન્સ ઇન્સ્પે પ્રાઇ લિમિ કોર્પો કું ટેલિ ફો મર્યા સરના ટેબ કેપ ઇન્જે સિર મિગ્રા કિગ્રા એડ્વો હસ્તે અંદા સંપ ફૂ મામ ફરિ કલેક કમા કમાં હવા હવ સુબે અધિ વહી ઉત્ત દક્ષિ પ્રાચા વિભા",
    letters: "એ બી સી ડી ઈ ઇ એફ જી એચ આઈ આઇ જે કે એલ એમ એન ઓ પી ક્યૂ ક્યુ આર એસ ટી યુ યૂ વી ડબલ્યુ ડબ્લ્યુ એક્સ વાય ઝેડ",
    ambiguous: "આઈ જી પી સી"
  },
  hi: {
    words:
      "मा ता ज़ि मिसेस श्रीमती डॉ डा डाॅ श्री सुश्री प्रो पं रु रू सं नं पृ ई पू वि चौ कु मो स्व कं लि प्रा प्र क्र उदा अनु सेमी सेंमी किमी मिमी किग्रा ग्रा मि कि मी सें एड एडवो इंजी जन फर अग सित अक्टू नव दिस तह जि पो शि टे ब्रि मौ पु स्त्री मे मै मेसर्स फी फ़ी विवि इला कै टै सि नि बॉ कां उप अधी अपर पंजी कार्या पा प्रति मंत्रा निदे सचि संपा सम्पा संयो अध्य अध्या मुख्या आयु चिकि अस्प केंद्री फ़र अप्रै जुला जुल अक्तू सितं नवं दिसं फ़ैक फ़ो फो हस्ता प्लेट अभि आवे आज्ञा संप उत्त हरि स्वतं प्राचा थानाध् महाधि प्रांती फु इं घं",
    letters:
      "ए बी सी डी ई एफ ऐफ जी एच ऐच आई आइ जे के एल ऐल एम ऐम एन ऐन ओ पी क्यू आर एस ऐस टी यू वी डब्ल्यू डब्लू एक्स ऐक्स वाई वाय ज़ेड जेड ज़ैड",
    ambiguous: "आई जी पी"
  },
  kn: {
    words:
      "ಡಾ ಶ್ರೀ ಶ್ರೀಮತಿ ಪ್ರೊ ಪ್ರೋ ಪಂ ರೂ ರು ಕಿ ಮೀ ಕಿಮೀ ಕಿಮಿ ಸೆಂ ಸೆಂಮೀ ಗ್ರಾಂ ಮಿ ಕ್ರಿ ಪೂ ನಂ ಸಂ ಉದಾ ಲಿ ಪು ಶೇ ದಿ ಕು ಚಿ ಸೌ ಅಡ್ವೊ ಜಿ ತಾ ಮೆ ಮ ವಿವಿ ವಿ ಭಾನು ಸೋಮ ಆಗ ಫೆಬ್ರ ಏಪ್ರಿ ಸೆಪ್ಟೆಂ ಅಕ್ಟೋ ನವೆಂ ಡಿಸೆಂ ಅಡ್ವ ಎಂಟ ಪ್ರೈ ಕಂ ಕಲಂ ನ್ಯಾ ಮಾನ್ಯ ಪ್ರಾ ಲೆ ಲೆಫ್ ಕರ್ನ ಬ್ರಿಗೇ ಕ್ಯಾ ಕ್ಯಾಪ್ಟ ಇನ್ಸ್ ಇನ್ಸ್‌ಪೆ ಸಬ್ ದೂ ಮೊ ಫೋ ಪೋ ಅಂ ಎಕ ಗಂ ನಿಮಿ ಸೆಕೆಂ ಹೆ ಕೆಜಿ ಸಂಪು ಅಧ್ಯಾ ಉಪ ವಿಭಾ ಸಹಾ ನಿರ್ದೇ ಜಿಲ್ಲಾ ಕಮಾಂ ಕಮಾ ಹವಾ ಹವಿ ಸುಬೇ ಲೆಫ್ಟಿ ಎಕ್ಸಿ ಅಸಿ ಸೀನಿ ಜೂನಿ ಡೆಪ್ಯು ಪ್ರಿನ್ಸಿ ಕಾರ್ಯದ ವ್ಯವ ಅಧ್ಯ ಜಿಲ್ಲಾಧಿ ತಹ ತಹಶೀ ಇನ್ಸ್ಪೆ ಕಾನ್ಸ್ ಕಾನ್‌ಸ್ಟೇ ಸಂಪ ಅಂದಾ ಕ್ವಿಂ ಟ್ಯಾಬ್ ಕ್ಯಾಪ್ಸೂ ಇಂಜೆ ಉತ್ತ ದಕ್ಷಿ ಗ್ರಾ ವಿಶ್ವ ಕಾಲೇ ಸರ್ಕಾ ಪ್ರೈವೇ ಲಿಮಿ ಕಾರ್ಪೊ ಲೋಕೋ ನ್ಯಾಯ ಜಸ್ಟಿ ವಕೀ ಗೌರ ಇಂಜಿ ಎಂಜಿ ಡಾಕ್ಟ ಪ್ರೊಫೆ ರೆಫ",
    letters: "ಎ ಏ ಬಿ ಸಿ ಡಿ ಇ ಈ ಎಫ್ ಜಿ ಎಚ್ ಹೆಚ್ ಐ ಜೆ ಜೇ ಕೆ ಕೇ ಎಲ್ ಎಂ ಎಮ್ ಎನ್ ಒ ಓ ಪಿ ಕ್ಯೂ ಕ್ಯು ಆರ್ ಎಸ್ ಟಿ ಯು ಯೂ ವಿ ಡಬ್ಲ್ಯು ಡಬ್ಲ್ಯೂ ಎಕ್ಸ್ ವೈ ಝಡ್ ಜೆಡ್",
    ambiguous: "ಹೂ ಕೈ ಮೈ ನೀ ಬಾ ತಾ ಹೋ ಈ ಆ ನಾ"
  },
  ml: {
    words:
      "ബഹു നമ്പ്ര ഡോ ശ്രീ ശ്രീമതി പ്രൊഫ പ്രഫ രൂ കി മീ കിമീ ക്രി നം പേ ഉദാ ലി അഡ്വ മി മിസ് സെ ഫാ റവ മോൺ ബ്ര സെന്റ് പ്രസ് ജനു ഫെബ്രു മാർ ഏപ്രി ഓഗ സെപ്റ്റം ഒക്ടോ നവം ഡിസം മെ സർവ ഞായ തിങ്ക ബുധ വ്യാഴ കേണ കേണ് ബ്രിഗേ ബ്രിഗ ലെഫ് ലഫ് ജന ക്യാപ് ക്യാപ്റ്റ മേജ ഇൻസ് ഇൻസ്പെ ലിമി പ്രൈ കമ്പ കോർപ് കോർപ്പ യൂണി യൂണിവ സ്പെ അസി അസിസ്റ്റ ഡെ ഡെപ്യൂ അഡീ അഡി ജി വി പഞ്ചാ താലൂ ജില്ലാ പി ഫോ മൊ മൊബൈ ഏക്ക ഹെക് നിമി ഗ്രാ കിഗ്രാ മിഗ്രാ ടാബ് ക്യാപ്സ് സിറ ഗവ സെക് സെക്ര എൻജി എഞ്ചി മാനേ ഡയ ജ ജസ്റ്റി കമാ കമാൻ ഹവി സുബേ ലഫ്റ്റ എക്സി സീനി ജൂനി പ്രിൻസി ഡയറ ചെയ കളക് തഹ തഹസി സബ് കോൺ കോൺസ്റ്റ ബന്ധ വിലാ ക്വി ഇൻജ തെക്ക് കിഴ പടി ഗ്രാമ പോസ് സ്ട്രീ കെട്ടി സർവക കോളേ സ്കൂ ക്ലാ വകു പ്രൈവ ലിമിറ്റ സൊസൈ വക്കീ ഡോക്ട ചങ് റഫ നമ്പ പുറം ഏപ്ര ജനുവ ഫെബ്ര സെപ്റ്റ ഒക്ട നവ ഡിസ",
    letters: "എ ഏ ബി സി ഡി ഇ എഫ് ജി എച്ച് എച് ഐ ജെ കെ എൽ എം എൻ ഒ ഓ പി ക്യൂ ക്യു ആർ എസ് ടി റ്റി യു വി ഡബ്ല്യു ഡബ്ല്യൂ എക്സ് വൈ ഇസഡ് സെഡ്",
    ambiguous: "പൂ കൈ തീ നീ വാ പോ ഈ ആ താ നാ മൈ"
  },
  mr: {
    words:
      "मो वै मिसेस श्रीमती डॉ डा श्री सौ कु चि प्रा प्रो पं रु रू क्र इ ई पू दि जि मु पो उदा कि मी किमी सेंमी स्व कै मा अॅड ॲड इंजि प्राचा लि कं पृ सं नं वगै प्र पु वि गो ले मे मेसर्स न्या विद्या सोम मंगळ कॅ कॅप्ट कर्न ब्रिगे लेफ वा सह मर्या छ कॉ दं भा फौ नि जाने फेब्रु एप्रि ऑग सप्टें सप्टे ऑक्टो नोव्हें डिसें बुध शुक्र शनि रवि अ‍ॅड अॅडव्हो ग्रॅ ग्रा किग्रॅ मिनि हेक्टर हे भ्र फो मोबा अध्या संपा कार्या उपा सहा प्राध्या विवि महावि शा मनपा फला अभि सां बां संप अंदा वकी उप दिग्द निर्मा स्था फू इं",
    letters: "ए बी सी डी ई एफ जी एच आय जे के एल एम एन ओ पी क्यू आर एस टी यू व्ही वी डब्ल्यू एक्स वाय झेड",
    ambiguous: "ना जी पी"
  },
  ne: {
    words:
      "श्रीमती डा डॉ श्री प्रा प्रो रु वि सं ई पू नं क्र कि मी किमी लि पं इन्जि अधि पृ मो जि सु प्र उदा स्व ले त्रि त्रिवि पूर्वा काठ विवि आइत सोम मंगल मङ्गल बुध बिहि शुक्र शनि ब्रि ब्रिगे जन कर्ण लेफ्टि टेलि कं गाविस नपा जिविस रजि कार्या सचि उप महा निर्दे संपा सम्पा फो घ हे नि वै मङ्सि फागु वरि सम्प जाहे फि इ सुबे हव कमा क्षे निमि",
    letters: "ए बी बि सी सि डी डि ई इ एफ जी एच आई आइ जे के एल एम एन ओ पी पि क्यू आर एस टी टि यू यु भी भि डब्ल्यू डब्लु एक्स वाई जेड",
    ambiguous: "आई जी भी पी"
  },
  or: {
    words:
      "ଶ୍ରୀମତୀ ଡ ଡା ଡଃ ଶ୍ରୀ ପ୍ରଫେ ପ୍ର ଅଧ୍ୟା ଟ କି ମି ସେମି କିମି ଗ୍ରା ନଂ ପୃ ଖ୍ରୀ ପୂ ଲି ମୋ ସ୍ୱ ସ୍ବ କୁ ପଂ ରୁ ଉଦା ମେ ପୋ ଥା ବିଶ୍ୱ ବିଶ୍ବ ବ୍ରିଗେ କର୍ଣ୍ଣେ କର୍ଣ୍ଣ କର୍ନ ଲେ ଲେଫ୍ ଜେ ଜେନ କ୍ୟାପ୍ ଇନ୍ସ ଇଣ୍ଡି ଇଣ୍ଡ ଲିମି ପ୍ରାଇ କର୍ପୋ ଟେଲି ଅଧ୍ୟ ଉପା ସମ୍ପା କାର୍ଯ୍ୟା ଜାନୁ ଫେବୃ ଅଗ ସେପ୍ଟେ ଅକ୍ଟୋ ନଭେ ଡିସେ ସୋମ ମଙ୍ଗଳ ବୁଧ ଶୁକ୍ର ଶନି ରବି ମିଲି ମିଗ୍ରା କିଗ୍ରା ଟ୍ୟାବ୍ ଜି ଫୋ ନିର୍ଦ୍ଦେ ଇଂ ଇଞ୍ଜି ଆଡ ଆଡଭୋ ଓଡ଼ି ଭୁବ କାର୍ଯ୍ୟ ଆନୁ ଯୋଗା ବିଚା ଓକି ମାନ୍ୟ ପୃଷ୍ଠା ଫୁ କମା ହାବ ସୁବେ ବିଭା",
    letters: "ଏ ବି ସି ଡି ଇ ଏଫ୍ ଏଫ ଜି ଏଚ୍ ଏଚ ଆଇ ଜେ କେ ଏଲ୍ ଏଲ ଏମ୍ ଏମ ଏନ୍ ଏନ ଓ ପି କ୍ୟୁ ଆର୍ ଆର ଏସ୍ ଏସ ଟି ୟୁ ଭି ଡବ୍ଲୁ ଡବ୍ଲ୍ୟୁ ଏକ୍ସ ୱାଇ ଜେଡ୍"
  },
  pa: {
    words:
      "ਸ੍ਰ ਮਿਸ ਮੋ ਸ਼੍ਰੀਮਤੀ ਸ੍ਰੀਮਤੀ ਡਾ ਪ੍ਰੋ ਸ੍ਰੀ ਸ਼੍ਰੀ ਸ ਰੁ ਰੂ ਪੰ ਨੰ ਕਿ ਮੀ ਕਿਮੀ ਈ ਪੂ ਲਿ ਜ਼ਿ ਤਹਿ ਇੰਜੀ ਐਡ ਮਿ ਗਿ ਪ੍ਰਿੰ ਸਵ ਕੁ ਪੰਨਾ ਪ੍ਰਾ ਉਦਾ ਮੈ ਬ੍ਰਿਗੇ ਬ੍ਰਿਗ ਲੈਫ਼ ਲੈਫ ਲੈਫਟੀ ਜਨ ਕੈਪ ਕੈਪਟ ਇੰਸ ਇੰਸਪੈ ਸਬ ਯੂਨੀ ਯੂਨੀਵ ਯੂਨਿ ਸੋਮ ਮੰਗਲ ਬੁੱਧ ਸ਼ੁੱਕਰ ਸ਼ੁਕਰ ਸ਼ਨੀ ਐਤ ਇੰਡ ਟੈਕਸ ਲਿਮ ਲਿਮਿ ਪ੍ਰਾਈ ਕੰ ਕਾਰਪੋ ਭਾ ਮਾਨ ਐੱਡ ਐਡਵੋ ਫ਼ੋ ਫੋ ਮੋਬਾ ਪਿੰ ਫ਼ਰ ਅਪ੍ਰੈ ਜੁਲਾ ਅਗ ਸਤੰ ਅਕਤੂ ਨਵੰ ਦਸੰ ਪ੍ਰਿੰਸੀ ਪ੍ਰਧਾ ਸਕੱ ਡਿਪ ਡਾਇ ਅਧਿ ਸੰਪਾ ਹੈਕਟ ਗ੍ਰਾ ਕਿਗ੍ਰਾ ਟੈਬ ਕੈਪਸੂ ਇੰਜੈ ਨਿਰ ਕਾਰਜ ਅਨੁ ਕਮਾਂ ਕਮਾ ਹੌਲ ਸਿਪਾ ਮੁਦ ਸੰਪ ਹਰਿ ਫੁ ਇੰ ਸੂਬੇ ਹਵ ਥਾ ਚੇਅਰ ਮੈਨੇ ਸੀਨੀ ਜੂਨੀ ਡਿਪਟੀ ਨਿਰਦੇ",
    letters:
      "ਏ ਬੀ ਸੀ ਡੀ ਈ ਐਫ ਐੱਫ ਐਫ਼ ਜੀ ਐਚ ਐੱਚ ਆਈ ਜੇ ਕੇ ਐਲ ਐੱਲ ਐਮ ਐੱਮ ਐਨ ਐੱਨ ਓ ਪੀ ਕਿਊ ਕਿਯੂ ਆਰ ਐਸ ਐੱਸ ਟੀ ਯੂ ਵੀ ਡਬਲਯੂ ਡਬਲਿਊ ਐਕਸ ਐਕ੍ਸ ਵਾਈ ਜ਼ੈੱਡ ਜ਼ੈਡ",
    ambiguous: "ਸੀ ਜੀ ਪੀ ਆਈ ਵੀ ਏ ਈ"
  },
  ta: {
    words:
      "டாக்டர் திரு திருமதி செல்வி டாக் டாக்ட பேரா ரூ கி மீ கிமீ செமீ மிமீ தொ பக் எண் லிட் உதா உம் பி திருவாள் வழ காவ தலை இரா மெ மாவ மாவட் வட் வட்டா ஞாயி திங் செவ் புத வியா வெள் ஜன பிப் மார் ஏப் ஆக செப் அக் நவ டிச பிரிகே பிரிக் கர்ன கேண லெப் லெப்ட ஜென கேப் கேப்ட இன்ஸ் இன்ஸ்பெ பல்க கம் கம்பெ லிமி இன்க் கார்ப் கார்ப்ப பிரை தமிழ மாண்பு அட்வ வழக் பொறி பேராசி ஆசி தொலை கைபே மொபை நிமி ஏக் ஏக்க கிமு கிபி தபா அஞ் செய இயக் மருத் அர மேலா அலு மிகி மிலி கமா கமாண் ஹவி சுபே பிளை லெப்டி செயற் மூத் இளை கூடு முதன் செயலா இயக்கு மேலாள் ஆட்சி வட்டாட் ஆய்வா புகா தொடர்பு மதிப் மதிப்பீ மொத் குவி செண் அங் கஜ மாத்தி மாத் கேப்சு சிரப் ஊசி மேற் கிரா அஞ்ச எதிரி பல்கலை நிறு கூட் அறக் நீதி நீதிய மாண் மறை புல வித் சித் பிப்ர ஏப்ர ஆகஸ் செப்டெ செப்டம் அக்டோ நவம் டிசம்",
    letters:
      "ஏ எ பி பீ சி சீ டி டீ இ ஈ எஃப் எப் ஜி ஜீ எச் ஹெச் ஐ ஜே ஜெ கே கெ எல் எம் என் ஓ ஒ கியூ க்யூ ஆர் எஸ் யு யூ வி வீ டபிள்யூ டபுள்யூ டபிள்யு எக்ஸ் வை இசட் செட்",
    ambiguous: "பூ கை தீ மா பா நீ தை வா போ தா நா ஈ ஆ மை பை"
  },
  te: {
    words:
      "డా డాక్ట శ్రీ శ్రీమతి ప్రొ రూ రు కి మీ కిమీ సెం క్రీ పూ నెం నం పే ఉదా లి సె మి చి సౌ పం కు అడ్వ జి మె ఇం గౌ కల్న కర్న బ్రిగే లెఫ్ లెఫ్టి జన కెప్ట కెప్టె ఇన్స్ ఇన్‌స్పె సోమ మంగళ బుధ గురు శుక్ర శని ఆది విశ్వ యూని యూనివ లిమి ప్రై కం కార్పొ కార్పొరే ఇంజ ఇంజి అడ్వొ ప్రొఫె అసి అసిస్టెం డిప్యూ ఫిబ్ర ఏప్రి ఆగ సెప్టెం సెప్టెంబ అక్టో నవం డిసెం గం నిమి సెక అం మై ఎక ఫో మొ మొబై మండ సంపా అధ్య పు సం అధ్యా ట్యా టాబ్ కిగ్రా మిగ్రా మిలీ దూ కమా కమాం హవి సుబే లెఫ్ట ఎక్సి సీని జూని డెప్యూ అద అదన ప్రిన్సి కార్యద డైరె మేనే మేనేజ చైర్మ అధ్యక్షు కలె తహసీ ఎస్సై కాని కానిస్టే ఫిర్యా సంప్ర అంచ క్విం ట్యాబ్ క్యాప్సూ సిర ఇంజె ఉత్త దక్షి బిల్డిం యూనివర్శి కళా పాఠ విభా ప్రభు కంపె ప్రైవే లిమిటె కార్పో జస్టి గౌర ప్రొఫ రెఫ నెంబ",
    letters:
      "ఎ ఏ బి బీ సి సీ డి డీ ఇ ఈ ఎఫ్ జి జీ హెచ్ ఎచ్ ఐ జె జే కె కే ఎల్ ఎం ఎమ్ ఎన్ ఒ ఓ పి పీ క్యు క్యూ ఆర్ ఎస్ టి టీ యు యూ వి వీ డబ్ల్యు డబ్ల్యూ ఎక్స్ వై జెడ్ జడ్",
    ambiguous: "నీ మా ఈ ఆ రా పో పూ చే వే నా"
  },
  ur: {
    words:
      "ڈاک پروف ص ج رض رح صلعم ق ڈاکٹر پروفیسر مولانا مولوی میسرز جنرل کرنل میجر کیپٹن بریگ بریگیڈیئر لیفٹ لیفٹیننٹ ایڈ ایڈووکیٹ انج انجینئر انجنیئر مسٹر مسز مس سید حاجی قاری جسٹس انسپکٹر پرنسپل لمیٹڈ لم پرا پرائیویٹ مثلا علیہ رحمہ رضی علامہ حوالدار صوبیدار کمانڈر ونگ اسکواڈرن ولد ساکن بنت زوجہ ٹیک لیکچرر اسسٹنٹ ایگزیکٹو سینئر جونیئر ڈپٹی ایڈیشنل سیکرٹری سیکریٹری ڈائریکٹر منیجر چیئرمین کانسٹیبل ایئر مارشل وائس ایڈمرل حضرت مفتی خواجہ بیرسٹر حکیم منشی مرزا چودھری چوہدری ملک راجہ نواب شیخ میاں خان بیگم رانا سردار پیر سوموار منگل بدھ جمعرات جمعہ ہفتہ اتوار جنوری فروری مارچ اپریل مئی جون جولائی اگست ستمبر اکتوبر نومبر دسمبر دفعہ مقدمہ",
    letters: "اے بی سی ڈی ای ایف جی ایچ آئی جے کے ایل ایم این او پی کیو آر ایس ٹی یو وی ڈبلیو ایکس وائی زیڈ",
    ambiguous: "آئی جی پی سی بی کے"
  }
} satisfies Readonly<Record<string, Abbreviations>>

/**
 * Abbreviations that the Brahmic scripts write alike: English words in Indian spelling, and words of Sanskrit. In Devanagari.
 * They are compared by {@link foldOf}, so that one entry stands for कर्न, કર્ન and ಕರ್ನ, and for कॉर्पो and કોર્પો.
 */
const shared = [
  // Officers: Brig., Col., Lt., Gen., Capt., Maj., Sub., Hav., Sqn., Ldr., Cdr., Adm., Insp., Const., Supdt.
  "ब्रिगे ब्रिग ब्रिगा कर्न कर्ने कल्न लेफ लेफ्ट लेफ्टि जन जने जेन जेना कैप्ट केप्ट क्याप्ट कैप्टे क्याप्टे केप्टे सूबे हव हवल स्क्वा स्क्वॉ कमां कमो एडमि फ्ला",
  "इंस्पे इंस्प इंस इंसपे कांस कांस्टे कॉन्स सुपरि अधी निरी पुनि उपायु तहसी तहसि",
  // Offices and degrees: Prof., Adv., Engr., Regd., Lect., Prin., Asst., Dir., Secy., and their words of Sanskrit.
  "प्रोफ प्रोफे प्रफ प्रिं प्रिंसि एड एडवो एडव अडव अड्व एड्व एड्वो इंजि इंजी आर्कि लेक्च रजि रेजि रजिस्ट असि असिस्ट सेक्र डाय डिप डिप्टी डेप्यु मैने मेने",
  "विद्या अध्या अध्य प्राध्या सचि संपा संपाद संयो निदे निर्दे प्रबं कार्या पंजी न्या न्याय न्याया न्यायमू विधा विवि विश्व विश्ववि महावि युनि यूनि युनिव मंत्रा विभा चिकि",
  // Companies: Ltd., Pvt., Inc., Corp., Ind., Ent., Tel., Tech.
  "मेसर्स मेसर्ज लिमि लिम प्राइ प्राय प्रै इंक कॉर्प कॉर्पो कॉरपो इंड इंडि इंडस्ट एंट एंटर टेलि टेक्स गवर्न मर्या सहका मार्के",
  // Places and letters: Dist., Bldg., Apt., Sec., Stn., Jn., Ph., Mob., Ref.
  "मंड तालु बिल्ड अपा अपार्ट क्वा सेक्ट स्टे जंक मोबा फैक रेफ नंब क्रमां दिनां उदा अनु अनुच्छे परिशि",
  // Medicine, measures.
  "किलो टैब टेब ट्याब कैप केप कैप्सु क्याप्सु इंजे इंजेक् सस्पें मिग्रा मिग्रॅ किग्रा किग्रॅ सेमी सेंमी मिमी किमी सेकें मिनि",
  // Months and days.
  "जानु जनु फेब फेब्र फेब्रु फिब्र अप्रै एप्रि एप्रै जुला सित सितं सेप सेप्ट सेप्टे सेप्टें सेप्टं सप्टे सप्टें ऑक्टो अक्टू अक्टो अक्तू नवं नवें नव नभे नोव्हें दिसं दिस डिस डिसे डिसें डिसं",
  "सोम मंगल मंगळ बुध गुरु शुक्र शनि आइत बृह बिहि"
]

/** Spellings that count as the same, by code unit: vowels and their signs, the two nasal signs of Gurmukhi, candrabindu. */
const respelled = new Map([
  [0x0901, "ं"],
  [0x0970, "ं"],
  [0x0971, "ं"],
  [0x0940, "ि"],
  [0x0942, "ु"],
  [0x0908, "इ"],
  [0x090a, "उ"],
  [0x0945, "े"],
  [0x0946, "े"],
  [0x0949, "ो"],
  [0x094a, "ो"],
  [0x090e, "ए"],
  [0x090d, "ए"],
  [0x0912, "ओ"],
  [0x0911, "ओ"]
])

/**
 * A word in the letters of Devanagari, without what the languages spell differently: the length of i and u, of e and o, the sign
 * for a nasal before a consonant, the dot below, joiners, and a virama at the end. The blocks of the scripts in Unicode are parallel.
 */
export const foldOf = (word: string): string => {
  let folded = ""
  for (let at = 0; at < word.length; at++) {
    const unit = word.charCodeAt(at)
    const own =
      unit < 0x980 || unit > 0xd7f ? unit : word[at] === "ৰ" ? 0x930 : word[at] === "ৱ" ? 0x935 : 0x900 + (unit & 0x7f)
    const isLast = at + 1 === word.length
    if (own === 0x93c || own === 0x200c || own === 0x200d || (own === 0x94d && isLast)) continue
    if (nasals.has(own) && at + 2 < word.length && (word.charCodeAt(at + 1) & 0x7f) === 0x4d) {
      folded += "ं"
      at++
    } else folded += respelled.get(own) ?? String.fromCharCode(own)
  }
  return folded
}

const nasals = new Set(Array.from("ङञणनम", (letter) => letter.charCodeAt(0)))

export const setOf = (words: ReadonlyArray<string>): ReadonlySet<string> =>
  new Set(words.flatMap((each) => each.normalize("NFC").split(" ")).filter((word) => word !== ""))

/**
 * Words of one or two characters that end many sentences, most of them verbs, in languages that also write a full stop. No
 * abbreviation is written like them.
 */
export const verbs = setOf([
  "है हैं हूँ हूं हो था थे थी थीं गया गई गए गयी गये रहा रही रहे हुआ हुई हुए किया किए लिया लिये दिया दिए आया आए करें करो करना लें दें होगा होगी होंगे नहीं",
  "पढ़ी पढ़ा पढ़े सुनी सुना सुने लगी लगा लगे देखी देखा देखे लिखी लिखा लिखे चली चला चले मिली मिला मिले बनी बना बने रुकी रुका रुके बोला बोली बोले सोया खाया पिया डाला डाली दिखा दिखी रखा रखी रखे बैठा बैठी बैठे उठा उठी उठे",
  "आहे आहेत होते होता होती नाही नको गेला गेली गेले आला आली आले केला केली केले",
  "छ छन् छु छौं भयो गयो गरे थियो हुन् हुन्छ होइन गए आए",
  "લો દો હો છે છું છો હતા હતો હતી હતું નથી નહીં થયું થયો થઈ ગયો ગઈ ગયા આવ્યો આવી કર્યું",
  "ਹੈ ਹਨ ਸਨ ਹਾਂ ਹੋ ਗਿਆ ਗਈ ਗਏ ਆਇਆ ਆਏ ਰਿਹਾ ਰਹੀ ਰਹੇ ਨਹੀਂ ਲਈ ਕੀਤਾ ਕੀਤੀ ਦਿੱਤਾ",
  "হয় নয় না নেই আছে ছিল হল হলো গেল দিল নিল যায় খায় কর করে হবে যাব",
  "আছে নাই হয় আছিল হ'ল গ'ল দিলে কৰে হ’ল গ’ল",
  "ନା ନୁହେଁ ଅଛି ଅଟେ ଥିଲା ଗଲା ହେଲା ହେବ ନାହିଁ ଅଛନ୍ତି କଲା",
  "ہے ہیں تھا تھے تھی ہوں ہو گا گے گی گیا گئی گئے آیا آئے کیا دیا لیا رہا رہی رہے ہوا ہوئی ہوئے نہیں"
])

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

/** What is short for a word in one language and a verb in another, as छ, is a verb in a text of unknown language. */
const together = knownOf(Object.values(table))
const all: Known = { ...together, words: new Set([...together.words].filter((word) => !verbs.has(word))) }
const byLang = new Map(Object.entries(table).map(([lang, entry]) => [lang, knownOf([entry])]))

/** The abbreviations of a language by its code, such as `hi` or `hi-IN`. Those of all languages for any other code. */
export const abbreviationsOf = (lang: string | undefined): Known =>
  byLang.get(lang?.toLowerCase().replace(/[-_].*$/, "") ?? "") ?? all

/** What the Brahmic scripts share, as {@link foldOf} gives it. */
export const sharedWords = setOf(shared.map((line) => line.split(" ").map(foldOf).join(" ")))

/** English abbreviations before a name or a word. They end no sentence. */
export const beforeNames = setOf([
  "mr mrs ms mx dr drs prof rev revd fr hon hon'ble gov sen rep messrs mssrs smt smti shri shree sri sh er engr ar adv advt pt ven sant",
  "mohd mohammd md mhd mst mstt kum sow asst asstt assoc asso dy addl jt exec prin spl supt supdt insp pres ld lrd commr ald sardar",
  "gen col maj capt cmdr cdr comdr cmde cmdt comdt lt flt sgt cpl lcpl adm radm vadm brig wg gp sqn ldr plt offr avm hav nb nk rfn spr gnr pte hony",
  "m/s c/o s/o d/o w/o h/o r/o f/o m/o b/o",
  "vs v viz cf e.g i.e eg ie al mt ft st approx ca esp incl excl resp deg"
])

/** English abbreviations before a number. Elsewhere they may be words, as in "No." */
export const beforeNumbers = setOf([
  "no nos vol vols fig figs ch chap sec secs art arts eq eqs ex p pp para paras cl cls c pt pts sl rs re inr usd ps op ed nr vers ver",
  "tel ph mob pin approx r o ss u/s dt d sr sn ext tab std flr bk ord sch abt min max avg st",
  "तारीख दिनांक क्रमांक नंबर नम्बर फ़ोन फोन मोबाइल તારીખ તારિખ નંબર ફોન તારીખ তারিখ নম্বর ফোন মোবাইল ਮਿਤੀ ਨੰਬਰ ਫ਼ੋਨ ਫੋਨ தேதி எண் தொலைபேசி తేదీ నంబర్ ఫోన్ ದಿನಾಂಕ ಸಂಖ್ಯೆ ಫೋನ್ തീയതി നമ്പർ ഫോൺ",
  "ତାରିଖ ନମ୍ବର ଫୋନ୍ نمبر فون موبائل صفحہ تاریخ مورخہ روپے"
])

/** Words for "number". A word before them is no end of a sentence: "புகார். எண். 45" is "complaint no. 45". */
export const numberSigns = setOf(["नं क्र सं নং নম্বর ਨੰ નં ક્ર எண் నం నెం ನಂ ಸಂ നം നമ്പർ نمبر"])

/** English abbreviations before the name of an office, which is often short too: "Addl. Sess. Judge". */
export const beforeOffices = setOf(["addl asst asstt dy jt spl ch jr sr exec prin"])

/** Those that are also used before a Roman number. */
export const beforeRomans = setOf(["vol vols ch chap sec art fig pt part app bk sch"])

/** English abbreviations that begin no sentence: what stands before them is part of the same name. */
export const tails = setOf([
  "dept deptt ltd inc corp corpn pvt llp dn divn dte commn bd cttee instt inst univ engg rly rlys regt bn bde sqn hosp soc fedn mgmt cantt dist distt"
])

/** English units. They end a sentence before a capital letter. */
export const units = setOf([
  "hrs hr km kms kg kgs cm mm mtr mtrs mts ft lb lbs oz min mins secs max gm gms g mg mcg ml ltr ltrs sq yds",
  "kmph mph cr lkh lakh mn bn pcs nos doz pkt pkts btl yr yrs mth mths qtl qtls ha tsp tbsp"
])

/** English abbreviations that may end a sentence. */
export const beforeStarters = setOf([
  "inc llc ltd co corp bros jr sr esq pvt dept deptt univ assn ave blvd rd govt mfg intl natl ed eds trans",
  // Addresses, offices, schools.
  "est estd dist distt dt tq tal teh tehs vill tk nr opp beh adj regd regn stn rly jn jct cantt bldg apt apts flr blk extn ext hwy ln hsg soc socy mkt ind inds indl engg",
  "secy sectt secr dir dte chmn mgr mngr regr admn estt div commn comm cttee cmte bd regt bde coy instt inst hosp hr sch sec matric coll elem dir",
  "acct accts acctt a/c attn encl ref refs reg qty amt bal cust txn inv chq recd dtd wt ht dia temp avg mob tel fax ph resi off misc",
  // Law reports and judgments.
  "elec ans qn cond exp dely supp electr comml corpn commn secrett subdn divn prob defn eqn soln expt obs pathol cardiol obst gyn gynae ortho dent agri agric hort mun panch prop propr partn treas convr orgn coord auth",
  "cri crl crim civ appl applt petn resp respt deft pltf ors anr sched ss cls annx annex expln exh const reptd writ sub-sec sub-cl ibid id op cit j jj cj",
  // Police, courts, revenue.
  "accd complt complnt compl decd invn investn prosn judgt judgmt jdgmt magte magt mgt mgmt affdt affid exhbt deposn convn acqtl baill surety wtns ptn petr petnr respdt defdt pltff advs cnsl coun jurisd supdg supg offg actg divl sub-div sub-divn sub-divl tahs revn reven settlt surv irrign irrig agrl devt devpt devlpt constn constr constrn mtce maint impvt acqn reqd reqt requ allott sanctd apprd fwd fwdd encls notif notfn notifn endt endst ltr corr corres corresp instrn instn assocn fedn confedn",
  // Banks and trade.
  "depo trf trfr clg clrg nomn matty wdl withdl mfrs mfr mfd manuf manufg distr distrs distrib distbrs whsle stkt stockt dlr dlrs agts agt agcy agcs mercht merchts trdg trdrs tdg tdrs prods pdts equipts machy mach fabr fabrn contr contrs enterp entp entpr entps ent ents conslt conslts assocs svcs servs transp transpt tpt logist printg ptg pubs publ publn publns publrs staty furn hdwe genl chem chems pharm electl electr eltrl specn specns spec quot quotn consgt consgn invc freit frt rebt gr deliv delv desp despd despt rcpt ackn ackt advt challn",
  // Addresses.
  "crs ngr clny colny cly coop co-op complx cmplx ctr ctre hts enclv exten junc brdg tlk vllg mdl mndl flts bldgs bldng grd gnd basemt shpg cplx resdl resdcy",
  // Schools and sciences.
  "qual quals qualif qualfn obtd obt subj phy hist geog econ philos psych sociol anth zool biol biochem enrl enrlt enrol schol prelim pract theor attd attdce avge percentg sal sals vac vacs stip exptl acad adms schols",
  // Medicine.
  "amp drps crm noct diag diagn dischg disch radiol anaes anesth derm dermat neurol nephrol urol oncol gastro pathol microbiol paed paeds pharmac physiol surg phys pres prescr",
  // News, army, films.
  "oppn parl parlt legis legisl assy spksmn consty cand cands candt munl rptr rptrs edn edtn arty armd sigs regtl comd comdg adjt qm subed sigmn dfr wkt wkts ovs inns starr chor lyr exch telecom commun educ edu libn lib asstts stenog steno typ clk clks",
  // Medicine and degrees.
  "syp syr susp oint inj tabs caps supp paed hons dip cert elect mech"
])

/** English abbreviations that are words too in small letters: "Tab. Paracetamol", "Sat. 5 May", but "They sat." */
export const capitalized = setOf([
  "exams maths net pet disc equip vet sect mag bot fab inf med doc int pros inv tab cap mob sub sep chi bro min max ref tech pol cell mon tue tues wed weds thu thur thurs fri sat sun",
  "jan feb mar apr jun jul aug sept oct nov dec late hind pat lot fl pl hon spec col ex cat sem"
])

/**
 * English words and names of at most four letters, the last a consonant, that end sentences with a capital letter: answers and
 * requests, the commonest names of persons and places. Others of this length, as "Lab." and "Plat.", are short for a word.
 */
export const shortNames = setOf([
  "yes stop wait well good fine okay right sure look help thanks done gone bad then now hush run sit stand sad mad wow oh ah hm",
  "god lord king dad mum mom man men boy son law act bill army navy sun moon east west north south hindu islam sikh jain urdu tamil bank club hall fort park road hill lake town part door card form film book fund list plan test cup",
  "john jack james jim tom sam ben bob dan don ken max ron ted tim will bill fred paul mark luke adam alan andy carl dean eric evan hugh ivan joan jean jill joel josh karl kim kurt lynn neil nick noel owen pam pat paul phil ravi rick robin ross roy ruth ryan sean seth todd toby walt ann ellen",
  "ram raj dev das lal pal nath singh jain khan roy sen dutt bose paul patil amit anil arun ajay alok amar anup asif atul azim babar bal balan dass dhan dil firoz gopal govind hari imran irfan iqbal jagan kabir kamal karan karim kiran krish lalit madan mohan mukul naresh nitin om omar pawan prem rahul raman rohan rohit sachin sahil salim sanjay shah shyam sohan sonam sunil tarun uday vijay vikas vinod yash zakir ali ahmed alam anand ashok asad aziz badal chand dilip gill gagan hasan hamid iyer jadav kapur kaur laxman malik mann mir nair naik nehal noor pant puri qasim rafiq raut reddy sahu samar shakti suman swamy tej ved vir yadav nitish jyot sher taj zain aman rajan sagar kapil nikhil deepak vimal",
  "iran iraq oman japan spain nepal bhutan sudan yemen assam kochi leh ooty puri ajmer alwar bidar gurgaon hisar jammu kargil kutch mysore nagpur pune salem sangli satara solan surat tonk ujjain una delhi goa bihar paris berlin rome milan perth lyon bonn cork dublin kent york bath wales"
])

/** What may follow an hour: 6 p.m. Monday, 6 p.m. Indian time. */
export const days =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun|Jan|Feb|Mar|Apr|May|June?|July?|Aug|Sep|Oct|Nov|Dec|Indian|Local|Sharp|Onwards)/

/** Companies and programmes whose names end with a mark. */
export const brands = /^(?:yahoo|yum|kahoot|jeopardy|joomla|wham|याहू|याहु|યાહૂ|યાહુ|ইয়াহু|ইয়াহু|ਯਾਹੂ|ୟାହୁ|யாகூ|యాహూ|ಯಾಹೂ|യാഹൂ|یاہو)$/iu

/** English words that begin a sentence more often than they follow an abbreviation within one. */
export const starters = setOf([
  "the a an this that these those he she it they we i you his her its their our my your in on at for from with by to of but and so or",
  "then there here when while where who whom whose what which why how if as after before since although though because until unless",
  "however meanwhile moreover furthermore therefore thus hence also still yet once one two some many most more all both each every no",
  "not never now today yesterday tomorrow did do does is are was were has have had can could will would may might must should let",
  "please yes perhaps maybe another other such under over during within without among between about later finally first next last"
])

/** Words that are a sentence alone: answers, greetings, requests, forms of address. In languages without capital letters. */
export const answers = setOf([
  "हाँ हां जी ना नहीं नही ठीक अच्छा सही बस धन्यवाद नमस्ते नमस्कार शुक्रिया स्वागत बिल्कुल ज़रूर जरूर सच वाह अरे कभी कल आज अभी यहाँ वहाँ मैं तुम आप कौन क्यों कब क्या कुछ सब",
  "मैडम साहब भाई बहन बाबा दीदी સર ભાઈ બેન ਭਾਈ স্যার দাদা দিদি ভাই சார் அம்மா ஐயா సార్ బాబు మేడం అమ్మా అక్కా ಸಾರ್ ಸರ್ ಅಮ್ಮ ಅಣ್ಣ സർ സാർ മോനേ ചേട്ടാ جناب صاحب بھائی",
  "होय नाही बरं बरे ठीक नको चला छान हो होइन हुन्छ छैन अहँ हजुर",
  "હા ના નહીં બરાબર ઠીક સારું સરસ આભાર નમસ્તે બસ",
  "হ্যাঁ না ঠিক আচ্ছা ধন্যবাদ বেশ ভালো নমস্কার এসো যাও বসো দাঁড়াও হয় নহয় বাৰু ভাল নমস্কাৰ",
  "ହଁ ନା ଠିକ୍ ଠିକ ଧନ୍ୟବାଦ ଭଲ ନମସ୍କାର ଆଚ୍ଛା",
  "ਹਾਂ ਨਹੀਂ ਠੀਕ ਅੱਛਾ ਚੰਗਾ ਧੰਨਵਾਦ ਬੱਸ ਜੀ ਸ਼ੁਕਰੀਆ",
  "ஆம் ஆமா சரி நன்றி வணக்கம் வா போ நில் உண்டு ஓகே இல்லை",
  "అవును కాదు సరే లేదు నమస్తే నమస్కారం వద్దు మంచిది ఆగు అలాగే ఓకే రా పో",
  "ಹೌದು ಇಲ್ಲ ಸರಿ ಅಲ್ಲ ಧನ್ಯವಾದ ನಮಸ್ಕಾರ ಬೇಡ ಬಾ ಹೋಗು ಆಯಿತು ಆಯ್ತು ನಿಲ್ಲು ಓಕೆ",
  "അതെ അല്ല ശരി ഇല്ല നന്ദി നമസ്കാരം വേണ്ട വാ പോ ഉണ്ട് മതി ഓക്കേ",
  "ہاں جی نہیں ٹھیک اچھا شکریہ بس سلام آداب خیر بالکل ضرور سنو آؤ جاؤ رکو چلو"
])

/** Words of one character that may end a sentence, in the languages of North India. Any other is an abbreviation. */
export const syllables = setOf([
  "का की के को ने में से तक पर वह वो ये यह तू तो भी ही न ना जी हम मैं मैँ दो दे ले लो जा आ जो सो छः छह नौ सौ घी बू लू माँ मां पा खा पी सी ली दी गा गो हाँ हां वाह क्या क्यों म ऊ यो त ते ती तो हे मी बा रे गं घे ये थू द्या घ्या व्हा प्या ल्या",
  "જા લે લો દો દે જો તો એ તે હું શું મા પી ખા આ જ ને કે હા ના પણ બે છ નવ સો ઘી",
  "হ্যাঁ কে কি কী যা খা দে নে মা ছি ও সে তা এ ঘি পা গা",
  "মই সি তাই নে ক",
  "ସେ ମୁଁ ତୁ ମା ଘି ଗା ଯା ଖା ଦେ ନେ କି ତ ହଁ",
  "ਨਾ ਜੀ ਕੀ ਕੇ ਦੇ ਲੈ ਜਾ ਆ ਪੀ ਖਾ ਮਾਂ ਨੂੰ ਤੋਂ ਤੂੰ ਮੈਂ ਦੋ ਛੇ ਨੌਂ ਸੌ ਘਿਓ ਦਾ ਦੀ ਨੇ"
])

/** Words that begin no sentence: postpositions, and endings that are written apart after an abbreviation. */
export const particles = setOf([
  "का की के को ने में से तक वाला वाली वाले एवं द्वारा चा ची चे च्या ला नी मध्ये पासून पर्यंत साठी येथे येथील ले लाई मा बाट देखि सम्म र व",
  "નો ની નું થી માં સુધી વાળા દ્વારા",
  "থেকে পর্যন্ত দ্বারা র ৰ লৈ ত পৰা পৰ্যন্ত",
  "ର ରେ ରୁ କୁ ଙ୍କ ଙ୍କୁ ପର୍ଯ୍ୟନ୍ତ ଠାରୁ",
  "ਦਾ ਦੇ ਦੀ ਦੀਆਂ ਨੂੰ ਨੇ ਤੋਂ ਤੱਕ ਤਕ ਵਿੱਚ ਵਿਚ ਰਾਹੀਂ ਵੱਲੋਂ ਵਾਲਾ ਵਾਲੇ",
  "வரை இல் இன் ஆகிய ஆகியோர் மற்றும் என்னும்",
  "నుండి నుంచి వరకు లో కు కి ను యొక్క మరియు లోని గారు గారి",
  "ದಿಂದ ವರೆಗೆ ವರೆಗೂ ರ ರಲ್ಲಿ ರಿಂದ ಗೆ ನ ನಲ್ಲಿ ಯ ಯಲ್ಲಿ ಮತ್ತು ಹಾಗೂ",
  "ൽ യിൽ ത്ത് ത്തെ ക്ക് യുടെ യെ നെ ലേക്ക് ലെ ന് ന്റെ മുതൽ വരെ എന്ന എന്നീ എന്നിവർ",
  "کا کی کے کو نے سے تک تا والا والی والے"
])

/** Forms of "to be" that end a clause in languages with the verb last, and begin none. */
export const copulas = setOf([
  "है हैं था थे थी थीं हुआ हुई हुए आहे आहेत आहोत होते होता होती झाले झाली झाला छ छन् थियो",
  "হয় হয়েছে হয়েছিল ছিল ছিলেন আছেন ਹੈ ਹਨ ਸੀ ਸਨ છે હતો હતી હતું હતા થયો થયું થઈ",
  "ஆகும் ஆவார் உள்ளது உள்ளன உள்ளார் உள்ளனர் இருந்தது இருந்தார் ఉంది ఉన్నాయి ఉన్నారు ఉన్నాడు ఉండేది అయింది జరిగింది",
  "ಇದೆ ಇವೆ ಇದ್ದಾರೆ ಇತ್ತು ಆಗಿದೆ ಆಗಿತ್ತು ആണ് ഉണ്ട് ആയിരുന്നു ഉണ്ടായിരുന്നു ഉണ്ടായി ہے ہیں تھا تھے تھی تھیں ہوا ہوئی ہوئے"
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
