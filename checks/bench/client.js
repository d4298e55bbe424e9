// Plain JavaScript: no compiler adds to the CPU time and memory that are measured.
/** Measures one client, as a process of its own: `node client.js PART PARAMETERS`, as JSON. Prints the result as JSON. */
const [part, parameters = "[]"] = process.argv.slice(2)

/** Errors that no caller can catch would end a program. For other parts they end this process. @type {Array<string>} */
const uncaught = []
if (part === "faults") process.on("uncaughtException", (error) => uncaught.push(String(error)))

const { measure } = await import(`./${part}/measure.js`)
const result = await measure(...JSON.parse(parameters))
const output = part === "faults" ? { outcomes: result, uncaught } : result
process.stdout.write(JSON.stringify(output), () => process.exit())
