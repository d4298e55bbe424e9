/**
 * The commands that list what a service, or a folder of models, offers.
 */
import { type Command, flag, optional, text } from "../option.js"
import { dotenv, json } from "./shared.js"

export const models = {
  summary: "List the models of the service, or of your own folder.",
  details:
    "The list is the one that the service at SPEECH_STT_BASE_URL publishes. No key is sent. Afterwards your shell completes --model.",
  examples: ["speech models", "speech models models --check", "speech models models --json"],
  operands: {
    name: "FOLDER",
    description: "Folder with a subfolder for each model of your own.",
    min: 0,
    max: 1,
    completes: "file"
  },
  options: {
    check: flag("--check", "Load and try each model of FOLDER. It needs the package sherpa-onnx-node."),
    dotenv,
    json
  }
} satisfies Command

export const voices = {
  summary: "List the languages and voices of the service.",
  details:
    "The list is the one that the service at SPEECH_TTS_BASE_URL publishes. No key is sent. Afterwards your shell completes --lang and --voice.",
  examples: ["speech voices", "speech voices --lang en"],
  options: {
    lang: optional("--lang CODE", text, "Only the voices of this language, such as en.", {
      default: "all languages",
      completes: "languages"
    }),
    dotenv,
    json
  }
} satisfies Command
