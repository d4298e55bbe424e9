import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"

type Methods = Pick<FileSystem.File, "read" | "readAlloc" | "seek" | "stat" | "truncate" | "writeAll">

/** A file system that opens each file with other methods. `replace` gets those of the file, bound to it. */
export const withOpenedFiles = (
  fs: FileSystem.FileSystem,
  replace: (original: Methods) => Partial<{ [Name in keyof Methods]: unknown }>
): FileSystem.FileSystem =>
  FileSystem.FileSystem.of({
    ...fs,
    open: (path, options) =>
      Effect.map(fs.open(path, options), (opened) => {
        const replaced = replace({
          read: opened.read.bind(opened),
          readAlloc: opened.readAlloc.bind(opened),
          seek: opened.seek.bind(opened),
          stat: opened.stat,
          truncate: opened.truncate.bind(opened),
          writeAll: opened.writeAll.bind(opened)
        })
        // Some of them are getters of a class.
        for (const [name, value] of Object.entries(replaced)) Object.defineProperty(opened, name, { value })
        return opened
      })
  })
