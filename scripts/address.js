/** The address of the repository, such as `https://github.com/OWNER/NAME`. It is not known yet. */
export const repository = process.env.EFFECT_SPEECH_REPOSITORY ?? ""
