/**
 * The command that lists a folder of models.
 */
import type { Command } from "../option.js"
import { json } from "./shared.js"

export const models = {
  summary: "List the models in a folder, and say why one is not understood.",
  examples: ["speech models models", "speech models models --json"],
  operands: {
    name: "FOLDER",
    description: "Folder of models: each has a folder of its own in it.",
    min: 1,
    max: 1,
    completes: "file"
  },
  options: {
    json
  }
} satisfies Command
