/** One client that calls faulty servers, as a process of its own: `node caller.js OPERATION NAME TARGETS`. */

import { callAll } from "./call.js"

/** What is thrown where no caller can catch it would end a program. @type {Array<string>} */
const uncaught = []
process.on("uncaughtException", (error) => uncaught.push(String(error)))

const outcomes = await callAll(String(process.argv[2]), String(process.argv[3]), JSON.parse(String(process.argv[4])))
process.stdout.write(JSON.stringify({ outcomes, uncaught }), () => process.exit())
