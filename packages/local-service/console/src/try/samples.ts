/** A short sentence in each language that the built-in voice speaks: "Hello, how are you?" */
export const samples: Readonly<Record<string, string>> = {
  as: "নমস্কাৰ, আপুনি কেনে আছে?",
  bn: "নমস্কার, আপনি কেমন আছেন?",
  en: "Hello, how are you?",
  gu: "નમસ્તે, તમે કેમ છો?",
  hi: "नमस्ते, आप कैसे हैं?",
  kn: "ನಮಸ್ಕಾರ, ಹೇಗಿದ್ದೀರಿ?",
  ml: "നമസ്കാരം, സുഖമാണോ?",
  mr: "नमस्कार, तुम्ही कसे आहात?",
  ne: "नमस्ते, तपाईंलाई कस्तो छ?",
  or: "ନମସ୍କାର, ଆପଣ କେମିତି ଅଛନ୍ତି?",
  pa: "ਸਤ ਸ੍ਰੀ ਅਕਾਲ, ਤੁਸੀਂ ਕਿਵੇਂ ਹੋ?",
  ta: "வணக்கம், எப்படி இருக்கிறீர்கள்?",
  te: "నమస్కారం, మీరు ఎలా ఉన్నారు?",
  ur: "السلام علیکم، آپ کیسے ہیں؟"
}

/** Whether a text is one of ours, so that another can take its place. */
export const isSample = (text: string): boolean => Object.values(samples).includes(text)
