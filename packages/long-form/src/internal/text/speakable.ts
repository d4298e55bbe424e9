/** Letters, numbers and symbols. Some letters show nothing, such as the fillers of Hangul: the clients refuse them alone. */
const speakable = /(?!\p{Default_Ignorable_Code_Point})[\p{L}\p{N}\p{S}]/u

/** Whether a text has anything to speak. */
export const isSpeakable = (text: string): boolean => speakable.test(text)
