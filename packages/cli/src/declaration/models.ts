/**
 * The command that lists a folder of models.
 */
import { type Command, flag } from "../option.js"
import { json } from "./shared.js"

export const models = {
  summary: "List the models in a folder, and say why one is not understood.",
  examples: ["speech models models", "speech models models --check", "speech models models --json"],
  operands: {
    name: "FOLDER",
    description: "Folder of models: each has a folder of its own in it.",
    min: 1,
    max: 1,
    completes: "file"
  },
  options: {
    check: flag(
      "--check",
      "Load each model. A recogniser hears a second of silence, and a voice speaks a word. It needs sherpa-onnx-node."
    ),
    json
  }
} satisfies Command
