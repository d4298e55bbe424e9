/** Programs that some tests run and that a machine may not have. Node is the only one that every test may expect. */
import { accessSync, constants } from "node:fs"
import { delimiter, join } from "node:path"

/** The first folder, of those in PATH and `others`, that has all programs. */
export const folderOf = (programs: ReadonlyArray<string>, others: ReadonlyArray<string> = []): string | undefined =>
  [...(process.env.PATH ?? "").split(delimiter), ...others].find((folder) =>
    programs.every((program) => isExecutable(join(folder, program)))
  )

/** Whether the path is a program that this process may run. */
export const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Whether PATH has the program. If it does not, one line says that its tests are skipped. */
export const isInstalled = (program: string): boolean => {
  const isFound = folderOf([program]) !== undefined
  if (!isFound) console.warn(`${program} is not installed: the tests that run it are skipped.`)
  return isFound
}
