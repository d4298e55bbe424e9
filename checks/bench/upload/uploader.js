/**
 * One client that uploads a recording, as a process of its own: `node uploader.js NAME URL FILE SMALLFILE`. Uploads the
 * small file to warm up, then the file, and prints what that took, or why it failed.
 */

import { measure } from "./measure.js"

const [name, url, path, smallPath] = [2, 3, 4, 5].map((index) => process.argv[index])
const result = await measure(String(name), String(url), String(path), String(smallPath))
process.stdout.write(JSON.stringify(result), () => process.exit())
