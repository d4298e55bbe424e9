import { synthesize } from "../commands/synthesize.js"

export { main } from "../main.js"

export const commands = { synthesize }
