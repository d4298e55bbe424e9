// Plain JavaScript: no compiler adds to the CPU time and memory that are measured.
/** Measures one client, as a process of its own: `node client.js PART PARAMETERS`, as JSON. Prints the result as JSON. */
const [part, parameters = "[]"] = process.argv.slice(2)

// A client may throw where no caller can catch it. That is no outcome of its calls.
if (part === "faults") process.on("uncaughtException", console.error)

const { measure } = await import(`./${part}/measure.js`)
const result = await measure(...JSON.parse(parameters))
process.stdout.write(JSON.stringify(result), () => process.exit())
