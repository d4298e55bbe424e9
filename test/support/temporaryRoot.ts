import { accessSync, constants, statfsSync } from "node:fs"
import { tmpdir } from "node:os"

const inMemory = "/dev/shm"
/** What the tests of one run need at most, many times over. A container often has 64 MiB. */
const enough = 2 ** 30

const hasMemory = (): boolean => {
  try {
    const { bavail, bsize } = statfsSync(inMemory)
    accessSync(inMemory, constants.W_OK)
    return bavail * bsize >= enough
  } catch {
    return false
  }
}

/**
 * Where tests make folders for data whose writes are synced, such as stores: a sync in memory waits for no disk. A program may not
 * be executable there. On systems without such a folder, or with less than 1 GiB in it: the one for temporary files.
 */
export const temporaryRoot: string = hasMemory() ? inMemory : tmpdir()
