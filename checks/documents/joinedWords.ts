/** Words of a built site that a reader sees as one, since the space between them was lost. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

/** One element ends, and the next begins at once: `hurry?</strong><a href="…">Install`. */
const joined = /[^<>\s]+<\/(?:a|code|strong|em)><(?:a|code|strong|em)\b[^>]*>[^<>\s]+/g

export const findJoinedWords = (dist: string): ReadonlyArray<string> =>
  readdirSync(dist, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".html"))
    .flatMap((file) =>
      Array.from(readFileSync(join(dist, file), "utf8").matchAll(joined), ([words]) => `${file}: ${words}`)
    )
