import { type Command, group, number, optional, required, text } from "../option.js"
import { modelDetails, modelWords, recognition, telephony } from "./recognising.js"
import { allowInsecureHttp, concurrencyOf, dotenv, json, retries, timeout } from "./shared.js"

export const listenBack = {
  summary: "Compare synthesized speech with its texts.",
  details:
    "The command transcribes each NAME.wav, compares it with the NAME.txt beside it, and prints the word error rate.",
  examples: [
    "speech listen-back prompts --model hi-general-v2-8khz",
    "speech listen-back prompts --model hi-general-v2-8khz --at-most 0.1",
    "speech listen-back prompts --texts prompts.csv --model ta-general-v2-8khz"
  ],
  operands: {
    name: "FOLDER",
    description: "Folder with NAME.wav and NAME.txt, also in its subfolders.",
    min: 1,
    max: 1,
    completes: "file"
  },
  options: {
    ...group("Recognition", {
      model: required("--model NAME", text, modelWords, modelDetails),
      ...recognition,
      telephony
    }),
    ...group("Comparison", {
      texts: optional("--texts FILE", text, "The .jsonl or .csv from which speech archive run made FOLDER.", {
        default: "NAME.txt beside NAME.wav",
        completes: "file"
      }),
      atMost: optional(
        "--at-most RATE",
        number({ from: 0 }),
        "End with exit code 41 if a recording has a higher word error rate, such as 0.1.",
        { default: "no limit" }
      ),
      json
    }),
    ...group("Calls", { concurrency: concurrencyOf("Recordings"), timeout, retries, dotenv, allowInsecureHttp })
  },
  mostUsed: ["model", "atMost", "texts", "telephony", "hotwords", "parseNumber", "concurrency", "json"]
} satisfies Command
