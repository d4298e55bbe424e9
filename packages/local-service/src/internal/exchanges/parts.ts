import { createHash } from "node:crypto"
import { readdir, rm, stat } from "node:fs/promises"
import { hostname } from "node:os"
import { join } from "node:path"
import { isRunning } from "../isRunning.js"
import { wallMillis } from "../realTime.js"

/** Processes of other machines may write the same folder, and their numbers say nothing here. */
const machine = createHash("sha256").update(hostname()).digest("hex").slice(0, 8)

/** A name for a temporary file of this process. */
export const partName = (id: string): string => `${machine}.${process.pid}.${id}.part`

const form = /^([\da-f]{8})\.(\d+)\.[\da-f-]{36}\.part$/

/** In milliseconds: a day. A file of another machine that was not written for so long is of a process that was killed. */
const abandonedMillis = 24 * 60 * 60 * 1000

/** Removes the temporary files of processes that were killed. Folders that do not exist have none. */
export const removeAbandonedParts = async (folders: ReadonlyArray<string>): Promise<void> => {
  for (const folder of folders) {
    for (const name of await readdir(folder).catch(() => [])) {
      const [, owner, id] = form.exec(name) ?? []
      if (owner === undefined) continue
      const path = join(folder, name)
      const abandoned =
        owner === machine
          ? !isRunning(Number(id))
          : await stat(path).then(
              ({ mtimeMs }) => wallMillis() - mtimeMs > abandonedMillis,
              () => false
            )
      if (abandoned) await rm(path, { force: true })
    }
  }
}
