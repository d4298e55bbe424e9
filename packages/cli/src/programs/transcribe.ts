import { transcribe } from "../commands/transcribe.js"

export { main } from "../main.js"

export const commands = { transcribe }
