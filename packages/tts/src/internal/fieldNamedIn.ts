import { SynthesisBody } from "../TtsContract.js"

const fields = Object.keys(SynthesisBody.fields).sort((a, b) => b.length - a.length)

/**
 * The field of the wire that the service's words about a 400 name, if they name one. An unsupported sample rate is
 * refused by its rate alone, which is a part of `output_format`.
 */
export const fieldNamedIn = (message: string): string | undefined => {
  if (/sample.?rate/i.test(message)) return "output_format"
  return fields.find((field) => new RegExp(`(?<![A-Za-z0-9_])${field}(?![A-Za-z0-9_])`).test(message))
}
