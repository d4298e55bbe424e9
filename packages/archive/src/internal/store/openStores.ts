/**
 * The stores in a file that this process has open. A system may end all locks of a process on a file when the process closes the file
 * anywhere: a source that read a file of such a store would let another process work on it.
 */
import { realpath } from "node:fs/promises"
import { basename } from "node:path"

const open = new Map<string, number>()

/** What SQLite and the lock of a process have beside a store. */
const endings = ["", "-wal", "-shm", "-journal", ".lock", ".lock-journal"]

/** Opens a store, by its real path. The result closes it. */
export const register = (path: string): (() => void) => {
  open.set(path, (open.get(path) ?? 0) + 1)
  return () => {
    const left = (open.get(path) ?? 1) - 1
    if (left === 0) open.delete(path)
    else open.set(path, left)
  }
}

/** Whether a path is a file of a store that is open. */
export const isOfOpenStore = async (path: string): Promise<boolean> => {
  const name = basename(path)
  const files = [...open.keys()].flatMap((store) => endings.map((ending) => store + ending))
  const alike = files.filter((file) => basename(file) === name)
  if (alike.length === 0) return false
  try {
    return alike.includes(await realpath(path))
  } catch {
    return false
  }
}
