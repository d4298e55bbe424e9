/** Entry of the check, which `command.ts` describes. */
import { conformance } from "./command.js"

process.exitCode = await conformance(process.argv.slice(2), process.env)
