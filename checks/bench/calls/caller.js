/** One client that makes small calls, as a process of its own: `node caller.js OPERATION NAME URL LENGTH`. */

import { measure } from "./measure.js"

const [operation, name, url] = [String(process.argv[2]), String(process.argv[3]), String(process.argv[4])]
const result = await measure(/** @type {any} */ (operation), name, url, JSON.parse(String(process.argv[5])))
process.stdout.write(JSON.stringify(result), () => process.exit())
