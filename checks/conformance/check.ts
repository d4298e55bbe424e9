/** Holds a service to the wire contract: `pnpm verify conformance`, which `command.ts` describes. */
import { conformance } from "./command.js"

process.exitCode = await conformance(process.argv.slice(2), process.env)
