import { SynthesisBody } from "../TtsContract.js"

const fields = new RegExp(`(?<![A-Za-z0-9_])(${Object.keys(SynthesisBody.fields).join("|")})(?![A-Za-z0-9_])`)

/**
 * The field of the wire that the service's words about a 400 name first, if they name one. An unsupported sample rate
 * is refused by its rate alone, which is a part of `output_format`.
 */
export const fieldNamedIn = (message: string): string | undefined =>
  fields.exec(message)?.[1] ?? (/\brate\b|\d ?k?Hz\b/i.test(message) ? "output_format" : undefined)
