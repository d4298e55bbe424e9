/**
 * The command that lists a folder of models.
 */
import { type Command, flag } from "../option.js"
import { json } from "./shared.js"

export const models = {
  summary: "List the models in a folder, and say why one can't be used.",
  examples: ["speech models models", "speech models models --check", "speech models models --json"],
  operands: {
    name: "FOLDER",
    description: "Folder with a subfolder for each model.",
    min: 1,
    max: 1,
    completes: "file"
  },
  options: {
    check: flag("--check", "Load and try each model. It needs the package sherpa-onnx-node."),
    json
  }
} satisfies Command
