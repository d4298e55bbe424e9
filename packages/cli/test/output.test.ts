import {
  chmodSync,
  closeSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { SystemError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { expect, layer, vi } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { checkOutput } from "../src/checkOutput.js"
import { isSameFile } from "../src/fileIdentity.js"

/** A folder with a file in it. */
const folderWithFile = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const folder = yield* fs.realPath(yield* fs.makeTempDirectoryScoped())
  const file = `${folder}/a.wav`
  writeFileSync(file, "old")
  return { folder, file }
})

const failing = (method: string, code: string) => () =>
  Effect.fail(
    new SystemError({ module: "FileSystem", method, reason: "Unknown", cause: Object.assign(new Error(), { code }) })
  )

/** The check, with another file system in part, as a user who is not root. */
const check = (path: string, other: Partial<FileSystem.FileSystem> = {}) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    vi.spyOn(process as Required<NodeJS.Process>, "geteuid").mockReturnValue(1234)
    yield* Effect.addFinalizer(() => Effect.sync(() => vi.restoreAllMocks()))
    return yield* Effect.provideService(checkOutput(path), FileSystem.FileSystem, { ...fs, ...other })
  }).pipe(Effect.scoped)

layer(NodeFileSystem.layer)("an output", (it) => {
  it.scoped("that can be replaced is left as it is by the check", () =>
    Effect.gen(function* () {
      const { file, folder } = yield* folderWithFile
      symlinkSync(file, `${folder}/link`)
      for (const name of ["a.wav", "new.wav", "link"]) yield* check(`${folder}/${name}`)
      expect(readdirSync(folder)).toEqual(["a.wav", "link"])
      expect(readFileSync(file, "utf8")).toBe("old")
    })
  )

  it.scoped("that is read-only is refused, also for root", () =>
    Effect.gen(function* () {
      const { file, folder } = yield* folderWithFile
      symlinkSync(file, `${folder}/link`)
      chmodSync(file, 0o444)
      for (const name of ["a.wav", "link"]) {
        expect((yield* Effect.flip(check(`${folder}/${name}`))).message).toContain("is read-only; make it writable")
      }
    })
  )

  it.scoped("that is immutable is refused", () =>
    Effect.gen(function* () {
      const { file } = yield* folderWithFile
      const refused = yield* Effect.flip(check(file, { access: failing("access", "EPERM") }))
      expect(refused.message).toContain("is read-only")
    })
  )

  it.scoped("that is mounted on its own is refused", () =>
    Effect.gen(function* () {
      const { file, folder } = yield* folderWithFile
      writeFileSync(`${folder}/my call.wav`, "old")
      const mounts = `7 1 8:1 / / rw - ext4 /dev/a rw\n8 7 8:1 /b ${folder}/my\\040call.wav rw - ext4 /dev/a rw\n`
      const readFileString = () => Effect.succeed(mounts)
      const refused = yield* Effect.flip(check(`${folder}/my call.wav`, { readFileString }))
      expect(refused.message).toContain("is mounted on its own")
      yield* check(file, { readFileString })
    })
  )

  it.scoped("of another owner is refused only in a folder where no other user can replace it", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const { file, folder } = yield* folderWithFile
      const owned = (sticky: number, uidOfFile: number, uidOfFolder: number): Partial<FileSystem.FileSystem> => ({
        stat: (path) =>
          Effect.map(fs.stat(path), (info) => ({
            ...info,
            mode: info.type === "Directory" ? 0o777 | sticky : 0o666,
            uid: Option.some(info.type === "Directory" ? uidOfFolder : uidOfFile)
          }))
      })
      const refused = yield* Effect.flip(check(file, owned(0o1000, 1, 2)))
      expect(refused.message).toContain("belongs to another user")
      yield* check(file, owned(0, 1, 2))
      yield* check(file, owned(0o1000, 1234, 2))
      yield* check(file, owned(0o1000, 1, 1234))
      yield* check(`${folder}/new.wav`, owned(0o1000, 1, 2))
    })
  )

  const noPermission = "this process has no permission to write to"
  const codes = {
    EACCES: noPermission,
    EROFS: noPermission,
    ENOSPC: "the disk is full",
    EDQUOT: "the disk is full",
    EIO: "can't be written (EIO)"
  }
  it.scoped.each(Object.entries(codes))("in a folder that takes no file, by %s, is refused", ([code, says]) =>
    Effect.gen(function* () {
      const { file } = yield* folderWithFile
      const refused = yield* Effect.flip(check(file, { open: failing("open", code) }))
      expect(refused.message).toContain(says)
    })
  )

  it.scoped("that is a link is checked in the folder to which the link leads", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const { file, folder } = yield* folderWithFile
      mkdirSync(`${folder}/links`)
      symlinkSync(file, `${folder}/links/a.wav`)
      const opened: Array<string> = []
      yield* check(`${folder}/links/a.wav`, {
        open: (path, options) => {
          opened.push(path)
          return fs.open(path, options)
        }
      })
      expect(opened.map((path) => path.startsWith(`${folder}/.speech-`))).toEqual([true])
    })
  )

  it.scoped("is known to be its input by any name", () =>
    Effect.gen(function* () {
      const { file, folder } = yield* folderWithFile
      symlinkSync(file, `${folder}/symbolic`)
      linkSync(file, `${folder}/hard`)
      writeFileSync(`${folder}/other`, "old")
      const names = ["a.wav", "./a.wav", "symbolic", "hard"]
      expect(names.filter((name) => isSameFile(file, `${folder}/${name}`))).toEqual(names)
      expect(isSameFile(`${folder}/missing`, `${folder}/links/../missing`)).toBe(true)
      for (const name of ["other", "missing"]) expect(isSameFile(file, `${folder}/${name}`)).toBe(false)
      if (process.platform === "linux") {
        const descriptor = openSync(file, "r")
        expect(isSameFile(file, `/proc/self/fd/${descriptor}`)).toBe(true)
        closeSync(descriptor)
      }
      expect(isSameFile("/dev/null", "/dev/zero")).toBe(false)
    })
  )
})
