/**
 * Sentences of callers and banks, each with a partner that differs in one word: `[this|that]` is "this" in the sentence and
 * "that" in its partner.
 *
 * Many of the words differ only by a vowel, a nasal or a hiss, and stand at the start or the end, so that the rest of the
 * sentence stays aligned. No two of them sound the same.
 */
export interface Pair {
  readonly lang: "en" | "hi"
  readonly sentence: string
  readonly partner: string
}

const english = `
You [can|can't] open the account today. Your balance is [fifteen|fifty] thousand rupees.
Please press [one|nine] for English. Your card has been [blocked|unlocked].
The [branch|bank] opens at ten in the morning. We will call you back on [Monday|Sunday] before noon.
Your request number is four [six|eight] two seven. Is this [Anita|Amita] speaking?
Thank you for calling [our|your] bank. The payment of nine hundred rupees is [now|not] complete.
Enter the last four digits of your [card|cards]. The last date for the [payment|payments] is the fifth of May.
A fee of two [hundred|thousand] rupees applies to each late payment.
This call [may|will] be recorded for training and quality. Say yes [or|and] press one to go on.
Your loan of [thirteen|thirty] lakh rupees was approved yesterday. Please hold while I check the [price|prize].
We could not [verify|clarify] your date of birth. Never tell anyone your [pin|bin] number.
Your appointment is at [five|four] in the evening. Please [send|spend] the amount before the end of this month.
The interest [rate|rates] will change in April. He paid the [bill|bills] last week.
We have [sent|spent] the money from your savings account.
Did you [make|take] a payment of twelve hundred rupees at the petrol pump on Friday?
The [first|third] installment is due on the tenth of March. Please check your [account|accounts].
You have no pending [request|requests]. Mister [Seth|Sheth] is on the other line.
You have [three|free] transfers left this month. Please send the [fax|facts] by tomorrow evening.
Your money is [safe|saved]. We [sold|hold] your shares in the gold fund.
Do not [share|spare] the code that we have just sent to your phone.
The nearest cash machine is [behind|beside] the railway station. The statement [is|was] ready.
I would like to [speak|meet] with an agent. The offer ends [today|Tuesday].
Your reference number ends in [sixteen|sixty]. [Can|Could] you repeat that, please?
[He|She] has already paid the whole amount. [This|His] account is two years old.
[Press|Pass] the hash key when you are done. [My|Your] name is on the list of customers for the new branch in Mumbai.
[Her|Our] loan was closed last year in December. [Nine|Mine] is the number on the back of the card.
[Four|For] payments, call the number on your bill.
[Rohan|Rohit] will visit your home on Saturday morning with the papers. [Meena|Reena] has signed the second page.
[Sixty|Sixteen] people are waiting before you in the queue.
The cheque from [Suresh|Mahesh] was returned by the other bank because the signature did not match.
We regret that your application for a home loan of forty lakh rupees was [declined|delayed] last Thursday.
To hear the same options once more in English or in Hindi, please press the [star|start] key on your phone.
Your insurance policy will end on the last day of June unless you pay the [premium|premiums] before that.
If you did not make this purchase, please say [no|now] after the tone.
I lost my [card|cart] in the train from Pune last night.
She wants to [lend|send] four thousand rupees to her brother in Delhi.
The meeting with the manager is at [seven|eleven]. Our office is closed on [Saturday|Saturdays].
The amount will reach you within [two|ten] working days.
You may withdraw up to [eighty|eighteen] thousand rupees each day. The account holder is [Vinod|Binod] Kumar.
There is [a|the] problem with this line. We have a new plan for [you|two]. Is the address on this letter [mine|fine]?
The charge was put on your [bill|pill] by mistake. Please keep the receipt of every [deal|meal].
Your [password|passport] will expire in nine days. The tax on your fixed deposit was [paid|made] in advance.
I have [mailed|nailed] the form to your home. The bank will [lower|cover] the fee for students.
All of the papers are in the [box|bag]. The new limit is [ninety|nineteen] thousand rupees per month.
Two people can [sign|shine] on this page. A copy of the [letter|ledger] was sent to your old address.
Please wait, your call is in a [queue|list].
The exchange rate for the dollar is eighty [two|three] rupees and forty paise.
Your mobile number ends in seven seven [zero|four] five. The [old|gold] loan is paid in full.
Are you calling about a debit card or a [credit|prepaid] card? My mother did not get her pension [this|last] month.
The guard at the [gate|gates] will show you the way. I need a loan to buy a [house|horse].
The [van|fan] will be repaired at no cost to you. He said that the money [was|wasn't] in the account on Wednesday.
You [should|shouldn't] sign the form before a witness. I [did|didn't] receive the code.
We do [not|now] offer this service in your city. The customer has [more|fewer] debts than last year.
Please read me the [number|numbers] on the last page.
The transfer was made [to|through] another bank at half past six on the twenty first of August.
I am calling from the collection team about the [month|months] of rent that you owe since the first of January.
Our agent will be with you in about [six|sixty] minutes, or you can leave a message after the tone.
Please note down this number, nine eight two zero one [five|nine] seven three four one.
The locker in our [main|mean] branch is free from next week.
The ticket was [booked|cooked] for the evening flight from Chennai. Go to the [third|first] floor.
Wait for the [beep|beat]. I [live|left] here. Good morning, [sir|sirs].
`

const hindi = `
आपका खाता अब [चालू|बंद] है। आपकी बकाया राशि [पंद्रह|पचास] हज़ार रुपये है। आपका कार्ड [नहीं|यहीं] बना है।
हिंदी के लिए [एक|नौ] दबाएँ। कार्ड तैयार [है|हैं]। क्या मैं [सीता|गीता] जी से बात कर रही हूँ?
आपको [सात|साठ] रुपये देने होंगे। कृपया [दो|दस] मिनट प्रतीक्षा करें। यह कॉल गुणवत्ता के लिए रिकॉर्ड की [जा|आ] रही है।
आपका भुगतान [मिल|मिट] गया है। बैंक [कल|कम] खुला रहेगा। शाखा में [दो|नौ] बजे तक आइए।
हमारे प्रतिनिधि [आपसे|उनसे] बाद में मिलेंगे। आपकी अगली किस्त [बीस|तीस] तारीख को देनी है।
[मेरा|तेरा] खाता किस शाखा में है? [हमारी|तुम्हारी] शाखा स्टेशन के पास है। [राम|श्याम] कुमार ने आज पैसे जमा किए।
[अमित|सुमित] जी, आपका ऋण मंज़ूर हो गया है। [नेहा|स्नेहा] का फ़ोन नंबर बदल गया है। [आप|अब] यहाँ हस्ताक्षर कर सकते हैं।
[वह|यह] चेक वापस आ गया है। [कब|अब] पैसे मिलेंगे? [क्या|क्यों] आपने यह भुगतान किया था?
[पाँच|पाँचों] खाते एक ही नाम पर हैं। [चार|चाय] के लिए धन्यवाद। मेरी बेटी का खाता खोलना [है|था]।
पैसे कल तक आ [जाएँगे|जाएँ]। आपने गलत पिन तीन बार [डाला|डाली] है। शायद ग्राहक अपना नाम [बताए|बताएँ]।
दस्तावेज़ जमा हो [गए|गया]। मैनेजर साहब आज छुट्टी पर [हैं|है]। मुझे अपना पता [बदलना|बताना] है।
ग्राहक का नाम [कमल|कमला] है। आपका कोड है चार सात नौ [दो|नौ]। इस महीने का ब्याज [जमा|कम] हुआ।
खाते में [मात्र|अब] पाँच सौ रुपये हैं। इस सेवा का शुल्क [सौ|दो] रुपये है। आपकी शिकायत [दर्ज|रद्द] कर दी गई है।
फ़ॉर्म [में|पर] अपना पूरा पता लिखिए। चेक पर तारीख [और|या] राशि लिखिए। उनका [काम|नाम] पूरा हो चुका है।
यह ऋण [घर|कर] के लिए है। आपका नया कार्ड [डाक|कल] से भेजा जाएगा। हमने आपकी राशि [भेज|बेच] दी है।
ग्राहक लाइन पर बने [रहें|रहे]। बचत खाते पर ब्याज [चार|छह] प्रतिशत है। यह राशि आपके खाते से [काटी|बाँटी] गई है।
आपका बीमा अगले [साल|माह] तक चलेगा। मैंने कल ही बिजली का बिल [भरा|धरा] था। रकम [दो|सौ] बार कट गई है।
गाड़ी के ऋण की किस्त बाकी [है|थी]। आपके मोबाइल पर एक [कोड|मोड] भेजा गया है। किसी को भी अपना पिन [न|भी] बताइए।
अधिक जानकारी के लिए [शून्य|नौ] दबाएँ। पिछले मेन्यू में जाने के लिए [आठ|सात] दबाएँ, या फिर लाइन पर बने रहें।
आपके क्रेडिट कार्ड की कुल देय राशि बारह हज़ार [तीन|सात] सौ चालीस रुपये है।
यदि आपने यह लेनदेन नहीं किया है तो तुरंत हमें [इस|उस] नंबर पर कॉल कीजिए।
आपका आवेदन हमें मिल गया है और उस पर सात [दिन|दिनों] के भीतर कार्रवाई की जाएगी।
नमस्ते, मैं बैंक की ओर से [पूजा|पूनम] बोल रही हूँ, क्या अभी दो मिनट बात हो सकती है?
हमारी सभी शाखाएँ सोमवार से शुक्रवार सुबह दस बजे से शाम चार बजे तक [खुली|खाली] रहती हैं।
आपके खाते में [सत्रह|सत्तर] हज़ार रुपये जमा हुए हैं। मेरा कार्ड [खो|हो] गया है। उस दिन सर्वर [बंद|मंद] था।
पासबुक की [छपाई|सफ़ाई] आज हो जाएगी। मेरी [चाबी|चाची] घर पर है। पिता जी की पेंशन [आई|गई]।
एटीएम से [नकद|कागज़] नहीं निकला। आपकी उम्र [साठ|आठ] साल से अधिक है। मुझे [सोने|मकान] पर ऋण चाहिए।
क्या आपको [रसीद|ख़रीद] मिली? मैं [शनिवार|रविवार] को आऊँगा। पता [वही|यही] है जो पहले था। यह नंबर [गलत|अलग] है।
कृपया [तेज़|तीन] बोलिए। आवाज़ [साफ़|साथ] नहीं आ रही। मुझे [हिंदी|सिंधी] में जानकारी चाहिए। यह [भारी|सारी] रकम जमा है।
[दाल|डाल] मत दीजिए। मेरे [घर|शहर] का पता लिख लीजिए। यह [पल|फल] याद रहेगा। आपका [बाग|भाग] बीस हज़ार रुपये का है।
यह [दर|शर्त] अगले महीने बदल जाएगी। वह [कर|घर] समय पर भरता है। [पैसा|किराया] वापस कर दिया गया।
अपने मोबाइल का [बटन|बदन] दबाइए। ऋण की अवधि [तेरह|ग्यारह] महीने है। आज डॉलर का भाव [इक्यासी|इकसठ] रुपये है।
आपका [शेष|शेयर] पाँच हज़ार रुपये है। क्या आप [विवाहित|अविवाहित] हैं? [सुनीता|अनीता] ने फ़ॉर्म नहीं भरा।
नई [दिल्ली|टिहरी] की शाखा में जाइए। हम आपको [फिर|ख़ुद] फ़ोन करेंगे। कल [शाम|रात] को आइए। आप [कौन|मौन] हैं?
[हाँ|माँ] आ रही है। जी [हाँ|नहीं], ठीक है। बहुत [धन्यवाद|साधुवाद] आपका। आपका दिन [शुभ|शांत] रहे।
यह पैसा [मेरी|तेरी] माँ के नाम पर है। इस चेक की राशि [दस|दो] लाख रुपये से कम है।
`

const words = /\[(.+)\|(.+)\]/
const pairsOf = (lang: Pair["lang"], lines: string): ReadonlyArray<Pair> =>
  lines
    .trim()
    .split(/(?<=[.?।])\s+/)
    .map((marked) => ({ lang, sentence: marked.replace(words, "$1"), partner: marked.replace(words, "$2") }))

export const pairs: ReadonlyArray<Pair> = [...pairsOf("en", english), ...pairsOf("hi", hindi)]
