import { SynthesisBody } from "../TtsContract.js"

const fields = new RegExp(`(?<![A-Za-z0-9_])(${Object.keys(SynthesisBody.fields).join("|")})(?![A-Za-z0-9_])`)

/**
 * The first field of the request that the message of a 400 names, if it names one. A message that names only a sample
 * rate means `output_format`.
 */
export const fieldNamedIn = (message: string): string | undefined =>
  fields.exec(message)?.[1] ?? (/\brate\b|\d ?k?Hz\b/i.test(message) ? "output_format" : undefined)
