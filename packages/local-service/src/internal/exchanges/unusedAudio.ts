import { readdir, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { wallMillis } from "../realTime.js"
import { readExchange } from "./exchangeIndex.js"
import { isExchangeFile } from "./identity.js"
import { audioFolder } from "./spool.js"

/** Only files that a recording has named. */
const name = /^[\da-f]{64}\.\w+$/

/** In milliseconds: ten minutes. The exchange of a newer file may not be written yet, by another process. */
const newMillis = 10 * 60 * 1000

/** Removes audio that no exchange names any more. Nothing is removed if an exchange can't be read: it may name some. */
export const removeUnusedAudio = async (folder: string): Promise<void> => {
  const used = new Set<string>()
  for (const file of await readdir(folder)) {
    if (!isExchangeFile(file)) continue
    const { request, responses } = Either.getOrThrowWith(
      await Effect.runPromise(Effect.either(readExchange(folder, file))),
      (error) => error
    )
    if (request.audio !== undefined) used.add(request.audio.file)
    for (const { body } of responses) if ("file" in body) used.add(body.file)
  }
  for (const file of await readdir(join(folder, audioFolder))) {
    if (!name.test(file) || used.has(`${audioFolder}/${file}`)) continue
    const path = join(folder, audioFolder, file)
    if (wallMillis() - (await stat(path)).mtimeMs > newMillis) await rm(path)
  }
}
