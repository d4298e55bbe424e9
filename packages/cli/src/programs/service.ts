import { run } from "../commands/run.js"
import { serve } from "../commands/serve.js"

export { main } from "../main.js"

export const commands = { run, serve }
