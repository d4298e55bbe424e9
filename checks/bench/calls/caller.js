/** One client that makes small calls, as a process of its own: `node caller.js OPERATION NAME URL LENGTH`. */
import { at } from "../../../test/support/report.js"
import { measure } from "./measure.js"

const [operation, name, url] = [at(process.argv, 2), at(process.argv, 3), at(process.argv, 4)]
const result = await measure(/** @type {any} */ (operation), name, url, JSON.parse(at(process.argv, 5)))
process.stdout.write(JSON.stringify(result), () => process.exit())
