/**
 * The data of espeak-ng for American English and Hindi, 0.9 MB, from the npm package that speaks for the local service. Texts in other
 * scripts need the dictionaries of their languages: without them, espeak-ng ends its process.
 */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"

/** The files by their paths, such as `espeak-ng-data/phontab`. */
export const espeakData = (): Record<string, Uint8Array> => {
  const path = createRequire(import.meta.url).resolve("@echogarden/espeak-ng-emscripten")
  const data = readFileSync(join(dirname(path), "espeak-ng.data"))
  // The package lists its files with their places in its data.
  const listed =
    /share\/(espeak-ng-data\/(?:phon\w+|intonations|(?:en|hi)_dict|lang\/(?:gmw\/en-US|inc\/hi)))",start:(\d+),end:(\d+)/g
  const found = Array.from(readFileSync(path, "utf8").matchAll(listed))
  return Object.fromEntries(found.map(([, name, start, end]) => [name, data.subarray(Number(start), Number(end))]))
}
