import { type Command, number, optional, required, text } from "../option.js"
import { modelExample, modelWords, recognition, telephony } from "./recognising.js"
import { allowInsecureHttp, concurrencyOf, json, retries, timeout } from "./shared.js"

export const listenBack = {
  summary: "Transcribe synthesized speech, and compare it with its texts.",
  examples: [
    "speech listen-back prompts --model hi-general-v2-8khz",
    "speech listen-back prompts --model hi-general-v2-8khz --telephony --at-most 0.1",
    "speech listen-back prompts --texts prompts.csv --model ta-general-v2-8khz --json"
  ],
  operands: {
    name: "FOLDER",
    description: "Folder with NAME.wav and NAME.txt, also in its subfolders.",
    min: 1,
    max: 1,
    completes: "file"
  },
  options: {
    model: required("--model NAME", text, modelWords, { example: modelExample }),
    texts: optional("--texts FILE", text, "The .jsonl or .csv of texts from which speech archive run made FOLDER.", {
      default: "NAME.txt beside NAME.wav",
      completes: "file"
    }),
    atMost: optional(
      "--at-most RATE",
      number({ from: 0 }),
      "End with exit code 41 if the word error rate of a recording is above this, such as 0.1.",
      { default: "no limit" }
    ),
    ...recognition,
    telephony,
    concurrency: concurrencyOf("Recordings"),
    timeout,
    retries,
    allowInsecureHttp,
    json
  }
} satisfies Command
